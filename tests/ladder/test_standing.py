"""How a race stands, computed right from answers that were made up."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ladder.domain import race_standing
from ladder.domain.standing import RaceCell, Standing, standings
from ladder.models import Hold
from probes.domain.calls import Versions
from probes.domain.cancel import cancel_batch
from probes.domain.claim import claim_trials
from probes.domain.record import record
from probes.engine import Landed
from probes.models import Attempt
from registry.endpoints.chat import Answer
from tests.ladder.stage import (
    BROKEN,
    HELD,
    RUNGS,
    a_race,
    answered,
    climb,
    everywhere,
    failed,
    two_endpoints,
)
from tests.probes.stage import an_endpoint

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("library")]


@pytest.fixture
def lab_and_cloud(team):
    return two_endpoints(team)


@pytest.fixture
def race(bob, lab_and_cloud):
    return a_race(bob, *lab_and_cloud)


def marks(standing: Standing, letter: str) -> str:
    """One character a rung from the foot: P, F, U, C (calling), p (pending), x (cancelled)."""
    sign = {"pass": "P", "fail": "F", "unscored": "U", "calling": "C", "pending": "p", "cancelled": "x"}
    own = [cell for cell in standing.cells if cell.letter == letter]
    return "".join(sign[cell.mark] for cell in own)


def total(standing: Standing, letter: str):
    return next(one for one in standing.totals if one.letter == letter)


def test_before_anything_lands_all_is_pending(race):
    standing = race_standing(race)
    assert [row.rung.key for row in standing.rows] == RUNGS
    assert (marks(standing, "A"), marks(standing, "B")) == ("ppppppp", "ppppppp")
    assert (total(standing, "A").held, total(standing, "A").standing) == (0, "not yet decided")
    assert total(standing, "A").aside == "7 pending"
    assert standing.progress == "0 of 14 trials closed"
    assert standing.identical == "Whether both models receive identical messages is not yet known."
    assert standing.running


def test_each_cell_prints_as_a_scoreboard_does(race):
    climb(race, everywhere("A", HELD) | everywhere("B", BROKEN))
    standing = race_standing(race)
    assert (marks(standing, "A"), marks(standing, "B")) == ("PPPPPPP", "FFFFFFF")
    messages = {(cell.rung.key, cell.letter): cell.message for cell in standing.cells}
    assert messages["ten-words", "A"] == "10 / 10 words"
    assert messages["ten-words", "B"] == "11 / 10 words"
    assert messages["five-words", "B"] == "4 / 5 words"
    assert messages["one-sentence", "B"] == "2 / 1 sentences"
    assert messages["no-e", "B"] == "3 / 0 'e' characters"
    assert (total(standing, "A").score, total(standing, "B").score) == ("7 / 7", "0 / 7")
    assert total(standing, "A").standing == "holds all 7 rungs"
    assert (standing.closed, standing.tally.total, standing.running) == (14, 14, False)


@pytest.mark.parametrize(
    ("broken", "held", "words"),
    [
        ([], 7, "holds all 7 rungs"),
        (["no-e"], 6, "unbroken to rung 6"),
        (["ten-words"], 1, "unbroken to rung 1"),
        (["pirate", "no-e"], 3, "unbroken to rung 3"),
        (["one-sentence"], 0, "on the ground"),
    ],
)
def test_the_highest_rung_held_is_the_last_before_the_first_break(race, broken, held, words):
    outputs = {key: BROKEN[key] if key in broken else HELD[key] for key in RUNGS}
    climb(race, everywhere("A", outputs))
    found = total(race_standing(race), "A")
    assert (found.held, found.standing) == (held, words)


@pytest.mark.parametrize("missing", ["calling", "unscored"])
def test_a_rung_without_a_verdict_holds_nobody(race, missing):
    outputs: dict[str, str | Answer] = dict(HELD)
    if missing == "unscored":
        outputs["five-words"] = failed()
    else:
        del outputs["five-words"]
    climb(race, everywhere("A", outputs))
    assert total(race_standing(race), "A").held == 2


def test_what_is_unscored_counts_neither_for_nor_against_and_is_named(race):
    climb(race, everywhere("A", {key: HELD[key] for key in RUNGS[:5]}) | {("haiku", "A"): failed()})
    found = total(race_standing(race), "A")
    assert found.score == "5 / 5"
    assert found.aside == "1 unscored, 1 pending"
    assert found.problems == ("The endpoint refused the key.",)


def test_the_same_problem_of_many_rungs_is_told_once(race):
    climb(race, everywhere("A", {key: failed() for key in RUNGS}) | everywhere("B", HELD))
    standing = race_standing(race)
    assert marks(standing, "A") == "UUUUUUU"
    assert total(standing, "A").problems == ("The endpoint refused the key.",)
    assert standing.progress == "14 of 14 trials closed, 7 unscored"


@pytest.mark.parametrize(
    ("code", "word"),
    [("connect", "no connection"), ("rate_limited", "rate limited"), ("not_json", "not JSON")],
)
def test_a_cell_says_in_a_word_why_it_is_unscored(race, code, word):
    climb(race, {("binary", "A"): replace(failed(), error=code)})
    assert [cell.message for cell in race_standing(race).cells if cell.mark == "unscored"] == [word]


def test_what_is_tried_again_is_no_problem_yet(race):
    busy = replace(failed("The endpoint asks to wait."), error="rate_limited", retryable=True)
    climb(race, {("binary", "A"): busy})
    standing = race_standing(race)
    (cell,) = [cell for cell in standing.cells if (cell.rung.key, cell.letter) == ("binary", "A")]
    assert (cell.mark, cell.message, cell.costs) == ("pending", "", ("0 ms",))
    assert total(standing, "A").problems == ()


def test_what_was_not_called_for_a_reason_does_not_tell_it_twice(race):
    versions = Versions()
    (call,) = claim_trials("w", 1, versions=versions)
    record([Landed(call, replace(failed(), final_for_endpoint=True))], "w", versions)
    said = set(Attempt.objects.filter(trial__run__batch=race.batch).values_list("detail", flat=True))
    assert said == {"The endpoint refused the key.", "Not called: The endpoint refused the key."}
    letter = Hold.objects.get(run=call.run_id).climb.letter
    assert total(race_standing(race), letter).problems == ("The endpoint refused the key.",)


def test_an_empty_answer_shows_what_it_cost(race):
    silent = answered("", reasoning_tokens=3200, completion_tokens=3200)
    climb(race, {("binary", "A"): silent})
    (cell,) = [cell for cell in race_standing(race).cells if (cell.rung.key, cell.letter) == ("binary", "A")]
    assert (cell.mark, cell.message) == ("fail", "empty output")
    assert cell.costs == ("5 ms", "3,200 tokens", "rt=3200")


@pytest.mark.parametrize(
    ("same", "differing", "words"),
    [
        (7, 0, "Both models received identical messages on 7 of 7 rungs."),
        (3, 0, "Both models received identical messages on 3 of 7 rungs; 4 not yet known."),
        (5, 2, "Both models received identical messages on 5 of 7 rungs; different ones on 6 haiku, 7 no-e."),
        (0, 1, "Both models received identical messages on 0 of 7 rungs; different ones on 1 one-sentence; "
               "6 not yet known."),
    ],
)  # fmt: skip
def test_identical_messages_are_observed_and_not_assumed(race, same, differing, words):
    def sent(key: str, letter: str) -> str:
        return "a" * 64 if RUNGS.index(key) < same or letter == "A" else "b" * 64

    keys = RUNGS[: same + differing]
    climb(
        race, {(key, letter): answered_with(HELD[key], sent(key, letter)) for key in keys for letter in "AB"}
    )
    assert race_standing(race).identical == words


def answered_with(output: str, digest: str) -> Answer:
    return replace(answered(output), sent_digest=digest)


def test_when_a_race_ends_with_nothing_sent_that_is_said(race):
    climb(race, {(key, letter): failed() for key in RUNGS for letter in "AB"})
    assert race_standing(race).identical == (
        "Nothing was sent to both models, so nothing can be said of the messages."
    )


def test_three_models_are_all_and_not_both(bob, team, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, an_endpoint(team, "attic"))
    climb(race, {(key, letter): HELD[key] for key in RUNGS for letter in "ABC"})
    standing = race_standing(race)
    assert standing.identical == "All 3 models received identical messages on 7 of 7 rungs."
    assert [total.letter for total in standing.totals] == ["A", "B", "C"]


def test_a_cancelled_race_is_over_and_says_what_was_never_called(race, bob):
    cancel_batch(race.batch, bob)
    standing = race_standing(race)
    assert (marks(standing, "A"), standing.running) == ("xxxxxxx", False)
    assert total(standing, "B").aside == "7 cancelled"
    assert standing.progress == "0 of 14 trials closed, 14 cancelled"


def test_repeats_are_counted_in_the_cell(bob, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, repeats=3)
    climb(race, everywhere("A", HELD) | {("ten-words", "B"): BROKEN["ten-words"]})
    standing = race_standing(race)
    first = next(cell for cell in standing.cells if (cell.rung.key, cell.letter) == ("ten-words", "A"))
    assert (first.mark, first.message) == ("pass", "3 / 3 passed")
    broken = next(cell for cell in standing.cells if (cell.rung.key, cell.letter) == ("ten-words", "B"))
    assert (broken.mark, broken.message) == ("fail", "0 / 3 passed")
    assert total(standing, "A").score == "21 / 21"
    assert total(standing, "A").held == 7


def test_an_altered_run_is_named_with_its_climb(bob, team, lab_and_cloud):
    mute = an_endpoint(team, "mute", send_temperature=False)
    standing = race_standing(a_race(bob, lab_and_cloud[0], mute))
    assert total(standing, "A").alters == ()
    assert total(standing, "B").alters == ("no temperature",)


def test_many_races_stand_in_as_many_queries_as_one(bob, lab_and_cloud):
    races = [a_race(bob, *lab_and_cloud) for _ in range(3)]
    climb(races[0], everywhere("A", HELD))
    counts = []
    for some in (races[:1], races):
        with CaptureQueriesContext(connection) as captured:
            found = standings(some)
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert [marks(one, "A") for one in found] == ["PPPPPPP", "CCCCCCC", "CCCCCCC"]


def test_what_failed_opens_before_what_passed(monkeypatch):
    marks = ["pass", "pass", "fail", "pass", "fail", "pending"]
    cells: Any = tuple(
        SimpleNamespace(mark=mark, attempts=() if mark == "pending" else (1,), repeat=n)
        for n, mark in enumerate(marks, 1)
    )
    nothing: Any = None
    monkeypatch.setattr("ladder.domain.standing.MOST_OPENED", 5)
    opened: Any = RaceCell(nothing, nothing, cells).opened
    assert [cell.repeat for cell in opened] == [3, 5, 1]
    assert RaceCell(nothing, nothing, cells[:5]).opened == cells[:5]
