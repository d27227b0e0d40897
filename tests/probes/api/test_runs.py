"""Batches, runs, trials and models as programs read them: the numbers of the pages, nowhere else computed."""

from __future__ import annotations

import pytest

from probes.core import Reply
from probes.domain.results import cells_of, tallies, tally
from probes.domain.runs import run_results
from probes.models import Probe, Run, Trial
from tests.probes import ran
from tests.probes.stage import a_version
from tests.registry.api.asking import ask, rows

pytestmark = pytest.mark.django_db

GOOD, BAD = "one two three", "one two three four"
MIXED = [*[GOOD] * 6, *[BAD] * 2, None, None]
"""Six pass, two fail, two are errors of the endpoint."""


@pytest.fixture
def three(team):
    return a_version(team)


def test_what_failed_at_the_endpoint_is_neither_lost_nor_counted_against(client, three, nimbus):
    made = ran.batch(three, nimbus, MIXED)
    [run], found = rows(client, "runs/"), ask(client, f"batches/{made.pk}/")
    assert run["tally"] == found["tally"]
    said = {name: run["tally"][name] for name in ("passed", "failed", "unscored", "scored", "total")}
    assert said == {"passed": 6, "failed": 2, "unscored": 2, "scored": 8, "total": 10}
    assert run["tally"]["coverage"] == 0.8
    assert run["score"] == 6 / 8
    assert run["broken"] == [{"rule": "three_words", "trials": 2}]


def test_the_numbers_are_those_of_the_pages(client, three, nimbus):
    made = ran.batch(three, nimbus, [GOOD, BAD, None, Reply("")], finished=False)
    found = ask(client, f"batches/{made.pk}/")["tally"]
    [run] = rows(client, "runs/", batch=made.pk)
    trials = rows(client, "trials/", batch=made.pk)
    for counted in (tallies([made])[made.pk], tally(cells_of(made)), run_results(made.runs.all())[0].tally):
        for name, value in found.items():
            assert getattr(counted, name) == value == run["tally"][name]
    marks = [trial["mark"] for trial in trials]
    assert marks == [cell.mark for cell in cells_of(made)] == ["pass", "fail", "unscored", "fail", "pending"]
    page = " ".join(client.get(f"/probes/acme/three-words/v{three.number}/").content.decode().split())
    assert f"{found['scored']} of {found['total']}" in page
    assert f"{run['score']:.2f}" in page


def test_a_batch_says_who_and_where(client, three, nimbus, alice):
    made = ran.batch(three, nimbus, [GOOD], by=alice)
    [found] = rows(client, "batches/")
    assert found == ask(client, found["url"])
    assert found["id"] == str(made.pk)
    assert found["page"] == f"http://testserver/batches/{made.pk}/"
    assert (found["team"], found["started_by"], found["state"]) == ("acme", "Alice", "finished")
    assert (found["visibility"], found["practice"]) == ("public", False)
    assert [run["batch_url"] for run in rows(client, found["runs"])] == [found["url"]]
    assert [trial["batch"] for trial in rows(client, found["trials"])] == [found["id"]]


def test_a_run_says_what_was_asked_of_whom(client, team, nimbus):
    version = a_version(team, user="'Write three words on {{topic}}.'", variables="[topic]")
    ran.batch(version, nimbus, [GOOD, GOOD], model="maker/one:free", binding={"topic": "love"})
    [run] = rows(client, "runs/")
    assert run == ask(client, run["url"])
    assert (run["probe"], run["version"], run["digest"]) == ("acme/three-words", 1, version.digest)
    assert (run["endpoint"], run["model"]) == ("Nimbus", "maker/one:free")
    assert (run["binding"], run["repeats"], run["alters"]) == ({"topic": "love"}, 2, [])
    assert (run["counts"], run["practice"], run["visibility"]) == (True, False, "public")
    assert ask(client, run["version_url"])["digest"] == run["digest"]
    assert [trial["repeat"] for trial in rows(client, run["trials"])] == [1, 2]


def test_a_trial_shows_each_attempt_with_its_verdicts(client, three, nimbus):
    made = ran.batch(three, nimbus, [BAD])
    [trial] = rows(client, "trials/")
    assert trial == ask(client, trial["url"])
    assert (trial["state"], trial["mark"], trial["message"]) == ("closed", "fail", "4 / 3 words")
    [attempt] = trial["attempts"]
    assert (attempt["outcome"], attempt["output"], attempt["finish"]) == ("answered", BAD, "stop")
    assert (attempt["sent_digest"], attempt["sent_parameters"]) == ("ab" * 32, {"max_tokens": 1400})
    assert (attempt["passed"], attempt["total"]) == (0, 1)
    [verdict] = attempt["verdicts"]
    assert (verdict["rule"], verdict["ok"], verdict["message"]) == ("three_words", False, "4 / 3 words")
    assert (verdict["actual"], verdict["expected"], verdict["unit"]) == (4, 3, "words")
    marked = [BAD[span["start"] : span["end"]] for span in verdict["spans"]]
    assert marked == BAD.split()
    assert made.runs.get().pk == trial["run"]


def test_an_error_is_shown_as_one(client, three, nimbus):
    ran.batch(three, nimbus, [None])
    [trial] = rows(client, "trials/")
    assert (trial["mark"], trial["message"]) == ("unscored", "Too many requests: slow down.")
    [attempt] = trial["attempts"]
    assert (attempt["outcome"], attempt["error"], attempt["status"]) == ("error", "rate_limited", 429)
    assert (attempt["verdicts"], attempt["passed"], attempt["total"]) == ([], None, None)


def test_both_attempts_of_a_doubled_limit_are_there(client, three, nimbus):
    run = ran.batch(three, nimbus, [], finished=False).runs.get()
    Trial.objects.filter(run=run).delete()
    trial = ran.closed_trial(run, 1, GOOD)
    ran._attempt(trial, 7, Reply("", finish="length", reasoning_tokens=3200), {"late": True, "number": 2})
    [found] = rows(client, "trials/")
    first, second = found["attempts"]
    assert (first["number"], second["number"], second["late"]) == (1, 2, True)
    assert (second["outcome"], second["reasoning_tokens"]) == ("empty", 3200)
    assert [verdict["message"] for verdict in second["verdicts"]] != []
    assert found["mark"] == "pass"


def test_only_stated_parameters_are_shown(client, three, nimbus):
    run = ran.batch(three, nimbus, [], finished=False).runs.get()
    sent = {"max_completion_tokens": 80, "temperature": 0, "seed": 4, "user": "somebody", "top_k": 4}
    ran.one_more_trial(run, 9, GOOD, sent_parameters=sent)
    shown = rows(client, "trials/", state="closed")[0]["attempts"][0]["sent_parameters"]
    assert shown == {"max_completion_tokens": 80, "temperature": 0}


def test_models_are_those_with_results(client, team, three, nimbus):
    practice = ran.endpoint(team, "Gym", practice=True)
    other = a_version(team, slug="more-words", user="More.")
    ran.batch(three, nimbus, [GOOD], model="maker/two")
    ran.batch(three, nimbus, [GOOD, BAD], model="maker/one")
    newest = ran.batch(other, nimbus, [GOOD], model="maker/one", finished=False)
    Run.objects.filter(batch=newest).update(alters=["no temperature"])
    ran.batch(three, practice, [GOOD], model="steady")
    ran.batch(three, nimbus, [GOOD], model="kept", visibility="team")
    one, two = rows(client, "models/")
    assert (one["model"], one["runs"], one["altered_runs"], one["probes"]) == ("maker/one", 2, 1, 2)
    assert (two["model"], two["runs"], two["altered_runs"], two["probes"]) == ("maker/two", 1, 0, 1)
    assert [run["model"] for run in rows(client, one["results"])] == ["maker/one", "maker/one"]
    [only] = rows(client, "models/", probe="acme/more-words")
    assert (only["model"], only["runs"]) == ("maker/one", 1)


def test_a_hidden_probes_models_are_hidden(client, three, nimbus, alice):
    ran.batch(three, nimbus, [GOOD], model="maker/one")
    Probe.objects.update(visibility="team")
    client.force_login(alice)
    assert rows(client, "models/") == []
    assert len(rows(client, "runs/")) == 1


def test_models_go_by_pages_too(client, three, nimbus):
    names = ["Z", "a", "a/b:free", "é", "\u200bx", "b c?&="]
    for name in names:
        ran.batch(three, nimbus, [GOOD], model=name)
    found, page = [], ask(client, "models/", page_size=2)
    while True:
        found += [row["model"] for row in page["results"]]
        if not page["next"]:
            break
        page = ask(client, page["next"])
    assert sorted(found) == sorted(names)


FILTERS = [
    ("runs/", {"team": "acme"}, 3),
    ("runs/", {"team": "other"}, 0),
    ("runs/", {"probe": "acme/three-words"}, 3),
    ("runs/", {"probe": "acme/other"}, 0),
    ("runs/", {"probe": "acme/three-words", "version": 1}, 3),
    ("runs/", {"version": 2}, 0),
    ("runs/", {"model": "maker/one"}, 2),
    ("runs/", {"model": "maker"}, 0),
    ("runs/", {"endpoint": "Nimbus"}, 2),
    ("runs/", {"state": "running"}, 1),
    ("runs/", {"practice": "true"}, 1),
    ("runs/", {"practice": "false"}, 2),
    ("runs/", {"counts": "true"}, 2),
    ("runs/", {"counts": "false"}, 1),
    ("batches/", {"state": "finished"}, 2),
    ("batches/", {"practice": "true"}, 1),
    ("batches/", {"visibility": "team"}, 0),
    ("batches/", {"team": "acme"}, 3),
    ("trials/", {"state": "waiting"}, 1),
    ("trials/", {"model": "steady"}, 2),
    ("trials/", {"probe": "acme/three-words", "version": 1}, 5),
    ("trials/", {"team": "acme"}, 5),
    ("trials/", {"run": 2**63 - 1}, 0),
    ("trials/", {"batch": "00000000-0000-4000-8000-000000000000"}, 0),
]


@pytest.mark.parametrize(("path", "query", "count"), FILTERS, ids=str)
def test_filters(client, team, three, nimbus, path, query, count):
    ran.batch(three, nimbus, [GOOD])
    ran.batch(three, nimbus, [BAD], finished=False)
    ran.batch(three, ran.endpoint(team, "Gym", practice=True), [GOOD, None], model="steady")
    assert len(rows(client, path, **query)) == count


QUERIES = [("batches/", 2), ("runs/", 3), ("trials/", 7), ("models/", 1)]


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("path", "queries"), QUERIES)
def test_a_list_asks_no_more_for_more(
    client, team, alice, nimbus, path, queries, count, django_assert_num_queries
):
    for number in range(count):
        version = a_version(team, slug=f"probe-{number}", user=f"Write {number} words.")
        ran.batch(version, nimbus, [GOOD, BAD, None], by=alice, model=f"maker/{number}")
    with django_assert_num_queries(queries):
        assert len(rows(client, path)) == (3 * count if path == "trials/" else count)


ALONE = [("batches", 2), ("runs", 3), ("trials", 7)]


@pytest.mark.parametrize("replies", [[GOOD], [GOOD, BAD, None]], ids=["one trial", "three trials"])
@pytest.mark.parametrize(("path", "queries"), ALONE)
def test_a_row_asks_no_more_for_more(
    client, three, nimbus, path, queries, replies, django_assert_num_queries
):
    ran.batch(three, nimbus, replies)
    address = rows(client, f"{path}/")[0]["url"]
    with django_assert_num_queries(queries):
        ask(client, address)
