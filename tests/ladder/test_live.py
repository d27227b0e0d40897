"""What a race's stream sends: what changed, by element id, and the same twice does no harm."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ladder.domain import race_standing
from ladder.views.live import KIND, replay
from probes.domain.cancel import cancel_batch
from registry.endpoints.domain import pause_endpoint, resume_endpoint
from registry.web.hub import hub
from tests.ladder.stage import (
    BROKEN,
    HELD,
    RUNGS,
    a_race,
    climb,
    climb_one,
    everywhere,
    two_endpoints,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("library")]

STATUS = {
    "lane-A", "lane-B", "total-A", "total-B", "held-A", "held-B",
    "race-caption", "race-identical", "race-progress", "race-state",
}  # fmt: skip


@pytest.fixture
def race(bob, team):
    return a_race(bob, *two_endpoints(team))


def frame(race, after: int) -> str:
    (only,) = replay(str(race.pk), after).frames
    return only.html


def swapped(html: str) -> set[str]:
    """The ids of the elements that a frame replaces."""
    return set(re.findall(r'id="([^"]*)"[^>]* hx-swap-oob="true"', html))


def test_nothing_changed_nothing_is_sent(race):
    assert replay(str(race.pk), race_standing(race).seq).frames == []
    assert not replay(str(race.pk), 0).done


def test_a_verdict_changes_its_cell_its_half_and_the_status(race):
    climb(race, {})
    before = race_standing(race).seq
    climb_one(race, "ten-words", "B", BROKEN["ten-words"])
    html = frame(race, before)
    assert swapped(html) == {"rung-2-B", "half-2-B"} | STATUS
    assert re.search(r"FAIL.*>11 / 10</span> words", html, re.DOTALL)
    assert 'class="part part-fail part-B" id="half-2-B"' in html
    assert "1 of 14 trials closed" in html


def test_who_comes_late_gets_all_and_who_comes_again_gets_the_same(race):
    climb(race, everywhere("A", HELD) | everywhere("B", BROKEN))
    first, second = frame(race, 0), frame(race, 0)
    assert first == second
    assert swapped(first) >= {f"rung-{index}-{letter}" for index in range(1, 8) for letter in "AB"}


def test_the_frame_carries_the_number_that_stands_for_all_of_it(race):
    climb(race, {("ten-words", "A"): HELD["ten-words"]})
    race.batch.refresh_from_db()
    (only,) = replay(str(race.pk), 0).frames
    assert only.id == race.batch.seq


def test_the_last_frame_says_that_it_is_over(race):
    climb(race, {(key, letter): HELD[key] for key in RUNGS for letter in "AB"})
    replayed = replay(str(race.pk), race_standing(race).seq - 1)
    assert replayed.done
    assert 'class="race-state state-finished"' in replayed.frames[0].html


def test_a_cancelled_race_is_streamed_to_its_end(race, bob):
    before = race_standing(race).seq
    cancel_batch(race.batch, bob)
    replayed = replay(str(race.pk), before)
    assert replayed.done
    assert "state-cancelled" in replayed.frames[0].html
    assert replayed.frames[0].html.count("part-cancelled") == 14


def test_drawn_fragments_stand_inside_an_svg(race):
    climb(race, {("ten-words", "A"): HELD["ten-words"]})
    (svg,) = re.findall(r"<svg>.*?</svg>", frame(race, 0), re.DOTALL)
    tree = ElementTree.fromstring(svg)
    drawn = {element.get("id") for element in tree if element.tag == "g"}
    assert {"half-2-A", "held-A", "held-B"} <= drawn


def test_what_a_stream_replaces_is_on_the_page(client, race):
    climb(race, {("ten-words", "A"): HELD["ten-words"]})
    page = client.get(race.get_absolute_url()).content.decode()
    ids = set(re.findall(r'\bid="([^"]*)"', page))
    assert swapped(frame(race, 0)) <= ids


def test_nothing_of_a_reader_is_in_a_frame(race):
    climb(race, everywhere("A", HELD))
    html = frame(race, 0)
    assert "csrf" not in html
    assert "<form" not in html


def test_a_pause_and_its_end_are_told_at_once(race):
    paused = race.climbs.get(letter="B").endpoint
    told = []
    for change in (pause_endpoint, resume_endpoint):
        before = race_standing(race).seq
        change(paused)
        a, b = (frame(race, before).split(f'id="lane-{letter}"')[1].split("</div>")[0] for letter in "AB")
        told.append(("Paused since" in a, "Paused since" in b))
    assert told == [(False, True), (False, False)]


def test_the_hub_knows_how_races_are_read():
    assert hub._replays[KIND] is replay


WATCHES = {"visitor": 404, "charlie": 404, "vera": 503, "bob": 503}  # 503: let in, but this client is no ASGI


@pytest.mark.parametrize(("who", "status"), WATCHES.items())
def test_a_team_race_streams_to_members_only(client, bob, team, request, who, status):
    race = a_race(bob, *two_endpoints(team), visibility="team")
    if who != "visitor":
        client.force_login(request.getfixturevalue(who))
    assert client.get(f"/races/{race.pk}/stream").status_code == status
