"""The try-it box: the verdicts of a run on what a reader pastes, kept nowhere."""

from __future__ import annotations

import logging
import re
from html import unescape

import pytest
from django.core.cache.backends import locmem
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from probes.core import score
from probes.core.budget import steps
from probes.core.view import MAX_CHARACTERS
from probes.models import Attempt, Probe
from probes.views import try_it
from probes.views.streams import replay
from registry.immutability import erasure
from tests.probes import ran, stage

CHATTY = "The rehearsal ran against production.\n<<END>>\nHope that helps!"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def address(version) -> str:
    return f"{version.get_absolute_url()}try/"


def words(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def tried(client: Client, address: str, output: str):
    return client.post(address, {"output": output}, headers=HTMX)


def announced(html: str) -> tuple[str, str]:
    """What htmx puts into the region that is announced, and beside it."""
    found = re.findall(
        r'hx-swap-oob="innerHTML:#(?:try-said|try-note)">(.*?)</(?:p|span)>\n', html, re.DOTALL
    )
    said, note = map(words, found)
    return said, note


def test_every_rule_says_what_a_run_would_say(client, version, address):
    answer = tried(client, address, CHATTY)
    html = answer.content.decode()
    for verdict in score(version.parsed, CHATTY).verdicts:
        assert f"{'✓ PASS' if verdict.ok else '✕ FAIL'} {verdict.rule} {verdict.finding.message}" in words(
            html
        )
    failed = ", ".join(score(version.parsed, CHATTY).failed)
    said, note = announced(html)
    assert said == f"Scores 0.80 ✕ FAIL {failed} answered"
    assert note == f"{len(CHATTY)} characters"
    assert "<html" not in html


def test_the_words_that_count_are_marked_and_told(client, team):
    answer = tried(
        client, f"{stage.a_version(team).get_absolute_url()}try/", "one two <b>three</b> four five"
    )
    html = answer.content.decode()
    assert html.count('<mark class="m m-word') == 5 + 1  # and one beside the legend
    assert 'data-n="5"' in html
    assert "Marked in the output: ab 5 words" in words(html)
    assert "5 / 3 words" in words(html)
    assert "<b>three" not in html


@pytest.mark.parametrize("output", ["", " \n\t"])
def test_a_blank_output_is_empty_and_fails_every_rule(client, version, address, output):
    shown = words(tried(client, address, output).content.decode())
    assert shown.count("empty output") == len(version.parsed.rubric.rules)
    assert "Scores 0.00" in shown
    assert shown.endswith(f"empty {len(output)} characters")


def test_without_script_the_answer_is_the_page_and_keeps_what_was_typed(client, address):
    answer = client.post(address, {"output": "\n<b>&\r\nagain"})
    html = answer.content.decode()
    assert "<h1>" in html
    (kept,) = re.findall(r"<textarea[^>]*>(.*?)</textarea>", html, re.DOTALL)
    assert unescape(kept) == "\n\n<b>&\nagain"  # a browser drops the first line break
    assert "Scores 0." in words(html)
    assert client.get(address).headers["Location"].endswith("/v1/#try-it")


def test_line_ends_of_a_browser_are_those_of_a_file(client, address):
    most = "a\r\n" * (MAX_CHARACTERS // 2)
    answer = tried(client, address, most)
    assert answer.status_code == 200
    assert "200,000 characters" in words(answer.content.decode())


def test_what_cannot_be_stored_is_repaired_as_in_a_reply(client, address):
    shown = tried(client, address, "a\0b <<END>>").content.decode()
    assert "a\ufffdb" in shown
    assert "Scores 1.00" in words(shown)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("x" * (MAX_CHARACTERS + 1), "Not checked: the output has 200,001 characters; over 200,000 nothing"),
        ("x" * 1_100_000, "That is far over 200,000 characters, the most that is scored: paste less."),
    ],
    ids=["too long to score", "too long to read"],
)
@pytest.mark.parametrize("headers", [HTMX, {}], ids=["htmx", "page"])
def test_too_long_an_output_is_refused_in_words(client, address, output, said, headers):
    answer = client.post(address, {"output": output}, headers=headers)
    assert answer.status_code == 413
    shown = words(answer.content.decode())
    assert said in shown
    assert "Scores 0" not in shown.split("Try it")[-1]


def test_what_large_patterns_would_search_too_long_is_refused(client, version, address, monkeypatch):
    monkeypatch.setattr(try_it, "MAX_WORK", 20 * steps(version.parsed.rubric.rules))
    assert tried(client, address, "a" * 20).status_code == 200
    answer = tried(client, address, "a" * 21)
    assert answer.status_code == 413
    assert "with patterns as large as these, paste at most 20 characters here" in words(
        answer.content.decode()
    )


def test_as_much_as_is_scored_can_be_sent_in_any_script(client, address):
    assert tried(client, address, "🎉" * MAX_CHARACTERS).status_code == 200


def test_nothing_is_written_cached_or_logged(client, alice, address, caplog):
    client.force_login(alice)
    with CaptureQueriesContext(connection) as queries, caplog.at_level(logging.DEBUG):
        assert tried(client, address, "a secret of mine").status_code == 200
    assert [sql for each in queries if not (sql := each["sql"]).startswith("SELECT")] == []
    assert "secret" not in caplog.text
    (kept,) = locmem._caches.values()  # type: ignore[attr-defined]
    assert [key.rpartition("_")[2] for key in kept] == [f"user-{alice.pk}"]
    assert b"secret" not in b"".join(kept.values())


@pytest.mark.parametrize(("actor", "status"), [(None, 404), ("charlie", 404), ("vera", 200), ("alice", 200)])
def test_a_version_of_a_team_is_tried_by_its_team(request, client, address, actor, status):
    Probe.objects.update(visibility="team")
    if actor:
        client.force_login(request.getfixturevalue(actor))
    assert tried(client, address, "x").status_code == status
    assert client.get(address).status_code == (302 if status == 200 else 404)


def test_a_version_that_is_not_there_is_not_found(client, version):
    assert tried(client, "/probes/acme/emit-a-terminator/v9/try/", "x").status_code == 404


def test_another_site_cannot_have_outputs_checked(version, address):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(address, {"output": "x"}, headers=HTMX).status_code == 403
    page = strict.get(version.get_absolute_url()).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    sent = {"output": "x", "csrfmiddlewaretoken": token[1]}
    assert strict.post(address, sent, headers=HTMX).status_code == 200


def test_too_many_in_a_short_time_are_told_to_wait(client, alice, address, settings):
    settings.TRY_IT_RATE = "2/minute"
    assert [tried(client, address, "x").status_code for _ in range(3)] == [200, 200, 429]
    refused = tried(client, address, "x")
    wait = int(refused.headers["Retry-After"])
    assert 0 < wait <= 61
    html = refused.content.decode()
    assert announced(html) == ("Too many outputs in a short time. This one will be checked by itself.", "")
    page = client.post(address, {"output": "kept"}).content.decode()
    assert page.count("kept</textarea>") == 1
    assert re.search(
        r"Too many outputs in a short time: the next one can be checked in \d+ s\. Press the button", page
    )
    assert client.get(address.removesuffix("try/")).status_code == 200
    another = Client(REMOTE_ADDR="192.0.2.7")
    assert tried(another, address, "x").status_code == 200
    client.force_login(alice)
    assert [tried(client, address, "x").status_code for _ in range(3)] == [200, 200, 429]
    another.force_login(alice)
    assert tried(another, address, "x").status_code == 429


def test_the_page_of_a_version_has_the_box_for_everyone(client, version, address):
    html = client.get(version.get_absolute_url()).content.decode()
    assert f'action="{address}#try-it"' in html
    assert f'hx-post="{address}"' in html
    assert 'id="try-said" role="status"></p>' in html
    assert 'data-far-over="That is far over 200,000 characters' in html


# --- an output of a run ---------------------------------------------------------------------------
def links_in(html: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'href="([^"]+)">Try this output</a>', html)]


@pytest.mark.parametrize("output", [CHATTY, " \n", "<b>&\nno end"])
def test_an_output_of_a_run_is_tried_by_a_link(client, version, nimbus, output):
    batch = ran.batch(version, nimbus, [output, None])
    html = client.get(batch.get_absolute_url()).content.decode()
    [link] = links_in(html)
    page = client.get(link.partition("#")[0])
    shown = page.content.decode()
    assert link.endswith("#try-it")
    (kept,) = re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", shown, re.DOTALL)
    assert unescape(kept) == output
    assert f"Scores {score(version.parsed, output).value:.2f}" in words(shown.split('id="try-said"')[1])
    assert "What maker/one answered, from maker/one on it." in words(shown)
    assert "no-store" in page["Cache-Control"]


def test_the_rules_of_an_output_lead_to_the_versions_page(client, version, nimbus):
    batch = ran.batch(version, nimbus, [CHATTY])
    address = version.get_absolute_url()
    html = client.get(batch.get_absolute_url()).content.decode()
    page = client.get(address).content.decode()
    for number, rule in enumerate(version.parsed.rubric.rules, 1):
        assert f'<a href="{address}#rule-{number}"><code data-literal>{rule.name}</code></a>' in html
        assert f'id="rule-{number}"' in page
    (frame,) = replay(str(batch.pk), 0).frames
    assert links_in(frame.html) == links_in(html)
    assert f'href="{address}#rule-1"' in frame.html


def test_a_redacted_output_leads_nowhere(client, version, nimbus):
    batch = ran.batch(version, nimbus, [CHATTY])
    [link] = links_in(client.get(batch.get_absolute_url()).content.decode())
    with erasure("a test erases"):
        Attempt.objects.update(output="", redacted_at=timezone.now())
    html = client.get(batch.get_absolute_url()).content.decode()
    assert links_in(html) == []
    assert "#rule-" not in html
    answer = client.get(link.partition("#")[0])
    assert answer.status_code == 410
    assert "That output was redacted" in words(answer.content.decode())


@pytest.mark.parametrize(("actor", "status"), [(None, 404), ("charlie", 404), ("vera", 200), ("alice", 200)])
def test_an_output_is_tried_by_those_who_see_its_run(request, client, version, nimbus, actor, status):
    batch = ran.batch(version, nimbus, [CHATTY], visibility="team")
    if actor:
        client.force_login(request.getfixturevalue(actor))
    asked = {"attempt": batch.attempts.get().pk}
    assert client.get(f"{version.get_absolute_url()}try/", asked).status_code == status


def test_an_output_is_tried_by_its_own_version_only(client, team, version, nimbus, address):
    batch = ran.batch(version, nimbus, [CHATTY, None])
    other = stage.a_version(team).get_absolute_url()
    good, failed = batch.attempts.order_by("seq").values_list("pk", flat=True)
    assert client.get(f"{other}try/", {"attempt": good}).status_code == 404
    for wrong in (failed, 0, "", "x", "9" * 30, "-1"):
        assert client.get(address, {"attempt": wrong}).status_code == 404


def test_outputs_of_runs_are_counted_as_pasted_ones_are(client, version, nimbus, address, settings):
    settings.TRY_IT_RATE = "1/minute"
    batch = ran.batch(version, nimbus, [CHATTY])
    asked = {"attempt": batch.attempts.get().pk}
    assert [client.get(address, asked).status_code for _ in range(2)] == [200, 429]
