"""Starting a batch: what is written, what is refused, and the same key twice."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connections, transaction
from django.http import Http404
from django.utils import timezone

from probes.domain import doorbell
from probes.domain.start import MOST_TRIALS, RunRequest, StartRefused, start_batch
from probes.models import Batch, Probe, Run, State, Trial
from registry.endpoints.models import Endpoint
from registry.teams.models import Team
from tests.probes.stage import a_version, an_endpoint

CONCEPT = {"user": '"Explain {{concept}} in three words."', "variables": "[concept]"}


@pytest.fixture
def version(team):
    return a_version(team, **CONCEPT)


@pytest.fixture
def request_one(version, endpoint):
    return RunRequest(version, endpoint, "m-1", {"concept": "a for loop"}, repeats=3)


@pytest.fixture
def start(team, bob):
    def begin(*runs: RunRequest, **changes) -> Batch:
        given = {"team": team, "by": bob, "title": "Loops", "visibility": "public"}
        return start_batch(**given | changes, runs=runs)

    return begin


def test_batch_runs_and_trials_are_written(start, request_one, team, bob, version, endpoint):
    batch = Batch.objects.get(pk=start(request_one, replace(request_one, model=" m-2 ", repeats=1)).pk)
    assert (batch.team, batch.started_by, batch.title, batch.visibility) == (team, bob, "Loops", "public")
    assert (batch.state, batch.practice, batch.seq) == (State.RUNNING, False, 0)
    first, second = batch.runs.all()
    assert (first.version, first.endpoint, first.endpoint_name, first.model) == (
        version,
        endpoint,
        "Lab",
        "m-1",
    )
    assert (first.binding, first.repeats, second.model) == ({"concept": "a for loop"}, 3, "m-2")
    trials = Trial.objects.filter(run=first)
    assert [trial.repeat for trial in trials] == [1, 2, 3]
    assert {trial.state for trial in trials} == {Trial.State.WAITING}
    assert all(abs((trial.due_at - timezone.now()).total_seconds()) < 60 for trial in trials)


def test_a_batch_is_practice_when_all_of_it_is(start, request_one, team):
    drill = an_endpoint(team, "drill", practice=True)
    assert start(replace(request_one, endpoint=drill)).practice
    assert not start(replace(request_one, endpoint=drill), request_one).practice


def test_a_run_names_what_its_endpoint_alters(start, request_one, team):
    odd = an_endpoint(team, "odd", send_temperature=False, system_role="fold")
    start(request_one, replace(request_one, endpoint=odd))
    # nothing is folded, as this probe has no system message
    assert [run.alters for run in Run.objects.order_by("position")] == [[], ["no temperature"]]


def test_the_bell_rings_after_the_commit(start, request_one, monkeypatch, django_capture_on_commit_callbacks):
    rings: list[bool] = []
    monkeypatch.setattr(doorbell, "ring", lambda: rings.append(True))
    with django_capture_on_commit_callbacks(execute=True):
        start(request_one)
        assert rings == []
    assert rings == [True]


PROBLEMS = [
    ({"model": " "}, {"model": "Write the model"}),
    ({"model": "m" * 201}, {"model": "201 characters"}),
    ({"model": "a\nb"}, {"model": "The model holds a line break"}),
    ({"model": "\u200b\u3164"}, {"model": "Write the model"}),
    ({"model": "a\tb"}, {"model": "U+0009"}),
    ({"model": "a\u202eb"}, {"model": "turns the line around (U+202E)"}),
    ({"binding": {"concept": "\u2060"}}, {"concept": "blank"}),
    ({"repeats": 0}, {"repeats": "from 1 to 100"}),
    ({"repeats": 101}, {"repeats": "from 1 to 100"}),
    ({"binding": {}}, {"concept": "blank"}),
    ({"binding": {"concept": " \t "}}, {"concept": "blank"}),
    ({"binding": {"concept": "x" * 201}}, {"concept": "201 characters"}),
    ({"binding": {"concept": "a\nb"}}, {"concept": "line break"}),
    ({"binding": {"concept": "a {{b}}"}}, {"concept": "braces"}),
    ({"binding": {"concept": "<b>bold</b>"}}, {"concept": "HTML"}),
    ({"binding": {"concept": "love", "mood": "calm"}}, {"mood": "no variable of this name; it has: concept"}),
    (
        {"model": "", "repeats": 0, "binding": {}},
        {"model": "Write", "repeats": "from 1", "concept": "blank"},
    ),
]


@pytest.mark.parametrize(("changes", "expected"), PROBLEMS)
def test_each_problem_is_said_at_its_field(start, request_one, changes, expected):
    with pytest.raises(StartRefused) as refused:
        start(replace(request_one, **changes))
    assert refused.value.problems.keys() == expected.keys()
    for name, message in expected.items():
        assert message in refused.value.problems[name]
    assert not Batch.objects.exists()


BATCH_PROBLEMS = [
    ({"title": "\n "}, "title", "Write the title"),
    ({"title": "t" * 301}, "title", "301 characters"),
    ({"visibility": "everyone"}, "visibility", "public or team"),
    ({"idempotency_key": "k" * 101}, "idempotency_key", "101 characters"),
    ({"idempotency_key": "k\0"}, "idempotency_key", r"The key holds a character .* \(U\+0000\)"),
]


@pytest.mark.parametrize(("changes", "name", "message"), BATCH_PROBLEMS)
def test_problems_of_the_whole_batch(start, request_one, changes, name, message):
    with pytest.raises(StartRefused, match=message) as refused:
        start(request_one, **changes)
    assert list(refused.value.problems) == [name]


def test_the_same_problem_is_said_once_and_another_ones_at_its_own_field(start, request_one):
    runs = [replace(request_one, model="", prefix=prefix) for prefix in ("a-", "a-", "b-")]
    with pytest.raises(StartRefused) as refused:
        start(*runs)
    assert refused.value.problems == {"a-model": "Write the model: nothing is entered."}


def test_no_run_and_too_many_trials_are_refused(start, request_one):
    with pytest.raises(StartRefused, match="at least one model"):
        start()
    runs = [replace(request_one, repeats=100)] * (MOST_TRIALS // 100 + 1)
    with pytest.raises(StartRefused, match="2,100 trials: start at most 2,000") as refused:
        start(*runs)
    assert list(refused.value.problems) == ["runs"]


def test_endpoints_that_cannot_be_used(start, request_one, endpoint, charlie):
    other = an_endpoint(Team.objects.get(slug="other"), "theirs")
    with pytest.raises(StartRefused, match="Choose an endpoint of Acme") as refused:
        start(replace(request_one, endpoint=other))
    assert "Theirs" not in str(refused.value)
    Endpoint.objects.filter(pk=endpoint.pk).update(closed_at=timezone.now(), key_cipher="rubbish")
    endpoint.refresh_from_db()
    with pytest.raises(StartRefused, match="Lab is closed"):
        start(replace(request_one, endpoint=endpoint))
    endpoint.closed_at = None
    with pytest.raises(StartRefused, match="key of Lab cannot be read"):
        start(replace(request_one, endpoint=endpoint))


def test_a_paused_endpoint_starts_nothing(start, request_one, endpoint):
    Endpoint.objects.update(paused_at=timezone.now())
    endpoint.refresh_from_db()
    with pytest.raises(StartRefused, match="Lab is paused: an owner of Acme can resume it"):
        start(replace(request_one, endpoint=endpoint))


def test_an_endpoint_kept_for_owners_is_used_by_them_alone(start, request_one, endpoint, alice, anna):
    Endpoint.objects.update(owners_only=True)
    endpoint.refresh_from_db()
    kept = replace(request_one, endpoint=endpoint)
    with pytest.raises(StartRefused, match="Only owners of Acme may use Lab"):
        start(kept, by=anna)
    assert start(kept, by=alice).started_by == alice
    assert start(kept, by=None).started_by is None


def test_a_probe_that_cannot_be_seen_is_not_there(start, request_one, charlie):
    hidden = a_version(Team.objects.get(slug="other"), **CONCEPT)
    Probe.objects.filter(pk=hidden.probe_id).update(visibility="team")
    with pytest.raises(StartRefused, match="no such probe version"):
        start(replace(request_one, version=hidden), visibility="team")


def test_a_public_run_would_show_a_hidden_prompt(start, request_one, version):
    Probe.objects.filter(pk=version.probe_id).update(visibility="team")
    with pytest.raises(StartRefused, match="choose team") as refused:
        start(request_one)
    assert list(refused.value.problems) == ["visibility"]
    assert start(request_one, visibility="team").visibility == "team"


@pytest.mark.parametrize(("person", "error"), [("vera", PermissionDenied), ("charlie", Http404)])
def test_only_runners_start(start, request_one, person, error, request):
    with pytest.raises(error):
        start(request_one, by=request.getfixturevalue(person))


def test_the_same_key_gives_the_same_batch(start, request_one, alice):
    first = start(request_one, idempotency_key="k")
    again = start(replace(request_one, model=" m-1 "), idempotency_key="k", by=alice, title="Other")
    assert again == first
    assert start(request_one, idempotency_key="other") != first
    assert start(request_one) != start(request_one)
    assert Batch.objects.count() == 4


OTHER = [
    {"model": "m-2"},
    {"binding": {"concept": "love"}},
    {"repeats": 2},
    {"visibility": "team"},
    {"runs": 2},
]


@pytest.mark.parametrize("other", OTHER)
def test_a_key_that_started_something_else_is_refused(start, request_one, other):
    start(request_one, idempotency_key="k")
    visibility, runs = other.get("visibility", "public"), other.get("runs", 1)
    changes = {name: value for name, value in other.items() if name not in {"visibility", "runs"}}
    with pytest.raises(StartRefused) as refused:
        start(*[replace(request_one, **changes)] * runs, visibility=visibility, idempotency_key="k")
    said = {"idempotency_key": "This key has started something else: use a new one."}
    assert refused.value.problems == said
    assert Batch.objects.count() == 1


def test_a_key_for_another_version_or_endpoint_is_refused(start, request_one, team):
    start(request_one, idempotency_key="k")
    version = a_version(team, **CONCEPT | {"user": '"Say {{concept}}."'})
    for changes in ({"version": version}, {"endpoint": an_endpoint(team, "cloud")}):
        with pytest.raises(StartRefused, match="started something else"):
            start(replace(request_one, **changes), idempotency_key="k")


def test_a_key_taken_in_the_meantime_by_something_else_is_refused(start, request_one, monkeypatch):
    answers = iter([None, start(request_one, idempotency_key="k")])
    monkeypatch.setattr("probes.domain.start._with_key", lambda *_: next(answers))
    with pytest.raises(StartRefused, match="started something else"):
        start(replace(request_one, repeats=1), idempotency_key="k")


def test_a_title_is_not_faulted_for_what_was_entered_elsewhere(start, request_one):
    with pytest.raises(StartRefused) as refused:
        start(replace(request_one, model="a\0b"), title="a\0b on Loops")
    assert list(refused.value.problems) == ["model"]


def test_an_unknown_practice_model_is_refused(start, request_one, practice_endpoints):
    first = practice_endpoints[0]
    with pytest.raises(StartRefused) as refused:
        start(replace(request_one, endpoint=first, model="gpt-9"))
    offered = ", ".join(first.models_offered)
    said = {"model": f"Practice A has no model gpt-9: write one of {offered}."}
    assert refused.value.problems == said
    assert start(replace(request_one, endpoint=first, model="steady")).practice


def test_a_key_taken_in_the_meantime_gives_that_batch(start, request_one, monkeypatch):
    """Both looked for the key before either wrote; and the transaction around it goes on."""
    first = start(request_one, idempotency_key="k")
    answers = iter([None, first])
    monkeypatch.setattr("probes.domain.start._with_key", lambda *_: next(answers))
    with transaction.atomic():
        assert start(request_one, idempotency_key="k") == first
    assert Run.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_eight_starts_with_one_key_at_once_make_one_batch():
    team = Team.objects.create(slug="acme", name="Acme")
    run = RunRequest(a_version(team), an_endpoint(team), "m")
    together = threading.Barrier(8)

    def one(_: int) -> object:
        try:
            together.wait(10)
            given = {"title": "T", "visibility": "team", "idempotency_key": "k"}
            return start_batch(team=team, by=None, runs=[run], **given).pk
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(one, range(8)))) == 1
    assert (Batch.objects.count(), Trial.objects.count()) == (1, 1)
