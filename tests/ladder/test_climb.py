"""Whole races of the practice models, called, scored and recorded as a worker does it."""

from __future__ import annotations

import pytest

from ladder.domain import load_everything, race_standing
from ladder.domain.standing import Standing
from probes.domain.drain import drain
from probes.models import Attempt
from registry.endpoints.models import Endpoint
from registry.endpoints.practice import ensure_practice_endpoints
from registry.teams.models import Team
from tests.ladder.stage import RUNGS, a_race

pytestmark = pytest.mark.django_db(transaction=True)  # the worker's database thread is another one


@pytest.fixture
def practice(settings) -> list[Endpoint]:
    settings.PRACTICE_DELAY_MS = 0
    load_everything()
    return ensure_practice_endpoints(Team.objects.create(slug="acme", name="Acme"))


def raced(practice: list[Endpoint], a: str, b: str) -> Standing:
    race = a_race(None, *practice, lanes=[(practice[0], a), (practice[1], b)])
    drain()
    standing = race_standing(race)
    assert (standing.closed, standing.running) == (14, False)
    assert standing.identical == "Both models received identical messages on 7 of 7 rungs."
    return standing


def board(standing: Standing, letter: str) -> dict[str, str]:
    own = [cell for cell in standing.cells if cell.letter == letter]
    return {cell.rung.key: f"{cell.mark.upper()} {cell.message}" for cell in own}


STEADY = {
    "one-sentence": "PASS 1 / 1 sentences",
    "ten-words": "FAIL 11 / 10 words",
    "five-words": "PASS 5 / 5 words",
    "pirate": "PASS 6 / 2 pirate words",
    "binary": "PASS only 0/1",
    "haiku": "PASS 5-7-5 / 5-7-5 syllables",
    "no-e": "PASS 1 / 1 sentences; 0 / 0 'e' characters",
}


def test_steady_holds_most_rungs_and_chatty_overshoots(practice):
    standing = raced(practice, "steady", "chatty")
    assert board(standing, "A") == STEADY
    chatty = board(standing, "B")
    assert chatty["one-sentence"] == "FAIL 4 / 1 sentences"
    assert chatty["ten-words"] == "FAIL 34 / 10 words"
    assert chatty["five-words"] == "FAIL 28 / 5 words"
    assert chatty["pirate"].startswith("PASS ")
    assert chatty["binary"].startswith("FAIL charset violation: ")
    assert chatty["no-e"] == "FAIL 4 / 1 sentences; 11 / 0 'e' characters"
    a, b = standing.totals
    assert (a.score, a.standing, b.score, b.standing) == (
        "6 / 7",
        "unbroken to rung 1",
        "1 / 7",
        "on the ground",
    )


def test_silent_fails_every_rung_with_what_it_thought(practice):
    standing = raced(practice, "steady", "silent")
    assert board(standing, "A") == STEADY
    assert board(standing, "B") == dict.fromkeys(RUNGS, "FAIL empty output")
    for cell in (cell for cell in standing.cells if cell.letter == "B"):
        assert cell.costs[1:] == ("6,400 tokens", "rt=3200", "2 attempts")
    assert Attempt.objects.filter(outcome="empty").count() == 14


def test_flaky_gets_there_in_the_end_with_every_call_on_record(practice):
    standing = raced(practice, "flaky", "steady")
    assert board(standing, "A") == board(standing, "B") == STEADY
    for cell in (cell for cell in standing.cells if cell.letter == "A"):
        assert [attempt.error for attempt in cell.cells[0].attempts] == ["rate_limited", "endpoint_error", ""]


def test_the_same_model_against_itself_stands_the_same(practice):
    standing = raced(practice, "steady", "steady")
    assert board(standing, "A") == board(standing, "B") == STEADY
