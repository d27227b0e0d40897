"""A batch's page and its stream, which are made of the same pieces."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.utils import timezone

from probes.core import Reply
from probes.domain.results import SHOWN
from probes.models import Batch, Probe, State
from probes.views.streams import replay
from registry.endpoints.domain import pause_endpoint, resume_endpoint
from registry.endpoints.models import Endpoint
from tests.probes import ran
from tests.probes.test_version_page import CHATTY, PASSES, ids_of, text_of


@pytest.fixture
def batch(version, nimbus, bob) -> Batch:
    silent = Reply("", "length", reasoning_tokens=3200)
    return ran.batch(version, nimbus, [PASSES, CHATTY, silent, None], by=bob)


def test_every_trial_stands_with_its_verdict_and_its_evidence(client, batch):
    response = client.get(batch.get_absolute_url())
    text = text_of(response)
    assert "4 of 4 trials closed" in text
    assert "1 PASS ✕ 2 FAIL – 1 UNSCORED" in text
    assert "3 of 4 scored" in text
    assert "empty output" in text
    assert "rt=3200" in text
    assert "error: rate limited (HTTP 429)" in text
    assert "Too many requests: slow down." in text
    assert "byte-identical messages of acme/emit-a-terminator v1" in text
    assert "Hope that helps!" in text
    assert "sse-connect" not in response.content.decode()
    assert len(ids_of(response)) == len(set(ids_of(response)))


def test_a_verdict_that_rests_on_an_estimate_says_so(client, library, nimbus, team):
    haiku, words = (Probe.objects.get(slug=slug).versions.get() for slug in ("haiku", "ten-words"))
    for version, said in ((haiku, 1), (words, 0)):
        html = client.get(ran.batch(version, nimbus, ["One two three."]).get_absolute_url()).content.decode()
        (lines,) = re.findall(r'<ol class="rule-verdicts">.*?</ol>', html, re.DOTALL)
        assert lines.count('title="This verdict relies on an estimate"') == said
        tried = client.post(
            f"{version.get_absolute_url()}try/", {"output": "One."}, headers={"HX-Request": "true"}
        )
        assert tried.content.decode().count("relies on an estimate") == said


def test_a_running_batch_opens_its_stream_after_what_is_shown(client, version, nimbus):
    batch = ran.batch(version, nimbus, [PASSES], finished=False)
    html = client.get(batch.get_absolute_url()).content.decode()
    assert f'sse-connect="/batches/{batch.pk}/stream?after={batch.seq}"' in html
    assert 'value="1"' in html


def test_why_a_batch_does_not_go_on_is_told(client, version, nimbus):
    waits = "what has not been called waits until the endpoint is resumed"
    running, over = (ran.batch(version, nimbus, [PASSES], finished=done) for done in (False, True))
    assert waits not in text_of(client.get(running.get_absolute_url()))
    pause_endpoint(nimbus)
    assert waits in text_of(client.get(running.get_absolute_url()))
    assert waits not in text_of(client.get(over.get_absolute_url()))


def test_who_watches_is_told_of_a_pause_and_of_its_end(version, nimbus):
    running, over = (ran.batch(version, nimbus, [PASSES], finished=done) for done in (False, True))
    told = []
    for change in (pause_endpoint, resume_endpoint):
        running.refresh_from_db()
        change(nimbus)
        replayed = replay(str(running.pk), running.seq)
        told += ["Paused since" in frame.html for frame in replayed.frames]
        assert not replayed.done
    assert told == [True, False]
    assert replay(str(over.pk), over.seq).frames == []
    assert not pause_endpoint(
        Endpoint.objects.create(team=nimbus.team, slug="gone", closed_at=timezone.now())
    )


def test_different_messages_are_told(client, version, nimbus, batch):
    ran.one_more_trial(batch.runs.get(), 5, PASSES, sent_digest="cd" * 32)
    assert "The messages differed for acme/emit-a-terminator v1" in text_of(
        client.get(batch.get_absolute_url())
    )


@pytest.mark.parametrize(
    ("visibility", "probe", "actor", "status"),
    [
        ("public", "public", None, 200),
        ("team", "public", None, 404),
        ("team", "public", "charlie", 404),
        ("team", "public", "vera", 200),
        ("public", "team", "charlie", 404),
        ("public", "team", "bob", 200),
    ],
)
def test_a_batch_is_seen_by_those_it_is_for(
    request, client, version, nimbus, visibility, probe, actor, status
):
    batch = ran.batch(version, nimbus, [PASSES], visibility=visibility)
    Probe.objects.update(visibility=probe)
    if actor:
        client.force_login(request.getfixturevalue(actor))
    assert client.get(batch.get_absolute_url()).status_code == status
    if status == 404:
        assert client.get(f"{batch.get_absolute_url()}stream").status_code == 404


@pytest.mark.parametrize(
    ("actor", "status"), [(None, 302), ("charlie", 404), ("vera", 403), ("bob", 302), ("alice", 302)]
)
@pytest.mark.parametrize("action", ["cancel", "again"])
def test_only_those_who_may_run_cancel_and_start_again(
    request, client, version, nimbus, action, actor, status
):
    batch = ran.batch(version, nimbus, [PASSES], visibility="team", finished=False)
    if actor:
        client.force_login(request.getfixturevalue(actor))
    assert client.get(f"{batch.get_absolute_url()}{action}/").status_code == (405 if actor else 302)
    assert client.post(f"{batch.get_absolute_url()}{action}/").status_code == status
    did = {
        "cancel": Batch.objects.get(pk=batch.pk).state == State.CANCELLED,
        "again": Batch.objects.count() == 2,
    }
    assert did[action] is (actor in {"bob", "alice"})


def test_started_again_it_is_the_same_runs_and_a_new_batch(client, bob, batch):
    client.force_login(bob)
    response = client.post(f"{batch.get_absolute_url()}again/", {"key": "once"})
    assert client.post(f"{batch.get_absolute_url()}again/", {"key": "once"}).url == response.url
    new = Batch.objects.exclude(pk=batch.pk).get()
    assert response.url == new.get_absolute_url()
    old_run, new_run = batch.runs.get(), new.runs.get()
    assert (new_run.model, new_run.version, new_run.repeats) == (
        old_run.model,
        old_run.version,
        old_run.repeats,
    )


def test_practice_is_labelled(client, version, team):
    batch = ran.batch(version, ran.endpoint(team, "Practice", practice=True), [PASSES])
    assert "practice A practice endpoint answers by script" in text_of(client.get(batch.get_absolute_url()))


def test_a_frame_replaces_what_changed_by_id(version, nimbus):
    batch = ran.batch(version, nimbus, [PASSES, CHATTY], finished=False)
    (first, second, waiting) = batch.runs.get().trials.order_by("repeat")
    replayed = replay(str(batch.pk), 2)
    (frame,) = replayed.frames
    assert frame.id == batch.seq
    assert not replayed.done
    swapped = re.findall(r'id="([^"]+)" hx-swap-oob="true"', frame.html)
    run = batch.runs.get().pk
    assert swapped == [
        f"trial-{second.pk}",
        f"mark-{second.pk}",
        f"run-{run}-summary",
        f"run-{run}-paused",
        "batch-status",
        "batch-sent",
    ]
    assert f"trial-{first.pk}" not in frame.html
    assert f"trial-{waiting.pk}" not in frame.html


def test_what_a_frame_replaces_is_on_the_page(client, version, nimbus):
    batch = ran.batch(version, nimbus, [PASSES, CHATTY], finished=False)
    (frame,) = replay(str(batch.pk), -1).frames
    on_page = ids_of(client.get(batch.get_absolute_url()))
    assert set(re.findall(r'id="([^"]+)" hx-swap-oob', frame.html)) <= set(on_page)


def test_a_finished_batch_ends_its_stream(batch):
    assert replay(str(batch.pk), batch.seq) == replay(str(uuid4()), 0)
    assert replay(str(batch.pk), batch.seq).done
    assert len(replay(str(batch.pk), 0).frames) == 1


def test_hostile_outputs_stay_text_on_the_page_and_in_the_stream(client, version, nimbus):
    hostile = "</pre><script>alert(1)</script><<END>>"
    batch = ran.batch(version, nimbus, [hostile, hostile])
    (frame,) = replay(str(batch.pk), 0).frames
    for html in [frame.html, client.get(batch.get_absolute_url()).content.decode()]:
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert(1)" in re.sub(r"</?(mark|i)[^>]*>", "", html)


@pytest.mark.parametrize("trials", [1, 3])
def test_the_page_takes_as_many_queries_for_three_trials_as_for_one(
    client, version, nimbus, trials, django_assert_num_queries
):
    batch = ran.batch(version, nimbus, [CHATTY] * trials)
    with django_assert_num_queries(14):
        client.get(batch.get_absolute_url())


def test_a_person_without_a_name_is_not_shown_by_address(client, version, nimbus, bob):
    bob.name = ""
    bob.save()
    html = client.get(ran.batch(version, nimbus, [PASSES], by=bob).get_absolute_url()).content.decode()
    assert bob.email not in html
    assert "started by" not in html


@pytest.fixture
def large(version, nimbus) -> Batch:
    """One run of 60 repeats, of which the last one fails."""
    return ran.batch(version, nimbus, [*[PASSES] * 59, CHATTY])


def trials_in(html: str) -> list[str]:
    return re.findall(r'<article class="cell [^>]*id="(trial-\d+)"', html)


def test_of_many_repeats_the_first_stand_on_the_page_and_all_on_their_own(client, large):
    run = large.runs.get()
    html = client.get(large.get_absolute_url()).content.decode()
    assert len(trials_in(html)) == SHOWN
    assert f'<a href="{run.get_absolute_url()}">All 60 trials of this run</a>' in html
    marks = re.findall(r'<a class="strip-mark [^>]* href="([^"]*)"', html)
    assert len(marks) == 60
    assert marks[:SHOWN] == [f"#{each}" for each in trials_in(html)]
    for place in (marks[SHOWN], marks[49], marks[50], marks[59]):
        page, _, anchor = place.partition("#")
        assert anchor in trials_in(client.get(page).content.decode())


def test_a_run_has_a_page_of_all_its_trials(client, large):
    run = large.runs.get()
    first, last = (client.get(run.get_absolute_url(), {"page": page}) for page in (1, 2))
    pages = [response.content.decode() for response in (first, last)]
    assert [len(trials_in(html)) for html in pages] == [50, 10]
    assert "Hope that helps!" in text_of(last)
    assert "Hope that helps!" not in text_of(first)
    assert all(html.count("strip-mark v-fail") == 1 for html in pages)
    assert f'href="{large.get_absolute_url()}#run-{run.pk}"' in pages[0]
    assert client.get(f"{large.get_absolute_url()}runs/7/").status_code == 404
    assert trials_in(client.get(run.get_absolute_url(), {"page": "9999"}).content.decode()) == trials_in(
        pages[1]
    )


def test_a_frame_holds_no_trial_that_the_page_has_not(large):
    (frame,) = replay(str(large.pk), 0).frames
    assert len(trials_in(frame.html)) == SHOWN
    assert len(re.findall('id="mark-', frame.html)) == 60
