"""The picture: every mark has a shape of its own, and a marker stands where a climb holds."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string

from ladder.domain import race_standing
from ladder.domain.drawing import FOOT, LEFT, RAIL, RIGHT, WIDTH, bare, drawing, pieces
from ladder.domain.latest import rungs_of
from ladder.models import Rung
from tests.ladder.stage import (
    BROKEN,
    HELD,
    RUNGS,
    a_race,
    climb,
    everywhere,
    failed,
    the_ladder,
    two_endpoints,
)
from tests.probes.stage import an_endpoint

LANDED = {"pass": ["edge", "body"], "fail": ["body", "body"], "unscored": ["edge", "hatch"]}


def points(path: str) -> list[tuple[float, float]]:
    """The absolute corners of a path of M, L, h, v, l and Z."""
    x, y, found = 0.0, 0.0, []
    for command, text in re.findall(r"([MLhvl])([^MLhvlZ]*)", path):
        first, *rest = (float(number) for number in re.findall(r"-?[\d.]+", text))
        if command in "ML":
            x, y = first, rest[0]
        else:
            x += 0 if command == "v" else first
            y += first if command == "v" else sum(rest)
        found.append((x, y))
    return found


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(("mark", "kinds"), LANDED.items())
def test_each_verdict_has_its_own_shape(mark, kinds, place):
    assert [piece.kind for piece in pieces(mark, place, 2)] == kinds


@pytest.mark.parametrize("mark", ["pending", "calling", "cancelled"])
def test_what_has_no_verdict_is_an_empty_outline(mark):
    assert [piece.kind for piece in pieces(mark, 0, 2)] == ["edge"]


def test_a_snapped_half_has_a_gap_and_stays_at_its_rail():
    stump, rest = (points(piece.path) for piece in pieces("fail", 0, 2))
    assert min(x for x, _ in stump) == 0
    assert max(x for x, _ in stump) < max(x for x, _ in rest)
    assert max(y for _, y in rest) > max(y for _, y in stump)  # it hangs


def test_the_right_half_is_the_left_one_mirrored():
    left, right = (points(pieces("fail", place, 2)[0].path) for place in (0, 1))
    width = max(x for piece in pieces("fail", 0, 2) for x, _ in points(piece.path))
    assert [(width - x, y) for x, y in left] == right


@pytest.mark.parametrize("climbs", [2, 3, 8])
@pytest.mark.parametrize("mark", [*LANDED, "pending"])
def test_every_piece_lies_between_the_rails(mark, climbs):
    width = (RIGHT - LEFT) / climbs
    for place in range(climbs):
        for piece in pieces(mark, place, climbs):
            assert all(-0.001 <= x <= width + 0.001 for x, _ in points(piece.path)), (mark, climbs, place)


@pytest.fixture
def race(library, bob, team):
    return a_race(bob, *two_endpoints(team))


def test_rung_one_is_at_the_foot_and_a_left_of_b(race):
    picture = drawing(race_standing(race))
    places = {(part.index, part.letter): (part.x, part.y) for part in picture.parts}
    assert len(places) == 14
    assert [places[index, "A"][1] for index in range(1, 8)] == sorted(
        (places[index, "A"][1] for index in range(1, 8)), reverse=True
    )
    assert all(places[index, "A"][0] == LEFT < places[index, "B"][0] for index in range(1, 8))
    assert picture.view_box == f"0 0 {WIDTH} {picture.height:g}"


def test_markers_stand_at_the_highest_rung_held(race):
    outputs = {key: BROKEN[key] if key == "pirate" else HELD[key] for key in RUNGS}
    climb(race, everywhere("A", outputs) | everywhere("B", BROKEN))
    picture = drawing(race_standing(race))
    parts = {(part.index, part.letter): part for part in picture.parts}
    a, b = picture.markers
    assert parts[3, "A"].y < a.y < parts[2, "A"].y
    assert b.y > parts[1, "B"].y + 14  # on the ground, below the first rung
    assert b.y < picture.height - FOOT / 4
    assert (a.x, b.x) == (LEFT - RAIL, RIGHT + RAIL)
    assert picture.title == "A: unbroken to rung 3, 6 passed. B: on the ground, 0 passed."


def test_each_part_says_in_words_what_it_shows(race):
    climb(
        race, everywhere("A", HELD) | {("binary", "B"): failed()} | {("ten-words", "B"): BROKEN["ten-words"]}
    )
    titles = {
        (part.index, part.letter): (part.mark, part.title) for part in drawing(race_standing(race)).parts
    }
    assert titles[2, "A"] == ("pass", "2 ten-words, A: pass 10 / 10 words")
    assert titles[2, "B"] == ("fail", "2 ten-words, B: fail 11 / 10 words")
    assert titles[5, "B"][0] == "unscored"
    assert titles[6, "B"] == ("calling", "6 haiku, B: calling")


def test_with_three_climbs_each_rung_has_three_parts_and_no_markers_crowd(library, bob, team):
    race = a_race(bob, *two_endpoints(team), an_endpoint(team, "attic"))
    picture = drawing(race_standing(race))
    assert len(picture.parts) == 21
    assert {marker.letter for marker in picture.markers} == {"A", "B"}


def test_the_bare_ladder_shows_every_rung_and_nobody(library):
    picture = bare(rungs_of(the_ladder()))
    assert [label.text for label in picture.labels] == [f"{i} {key}" for i, key in enumerate(RUNGS, 1)]
    assert {part.mark for part in picture.parts} == {"pending"}
    assert picture.markers == ()
    assert picture.title == "A ladder of 7 rungs, from one-sentence at the foot up to no-e."


def test_a_ladder_without_rungs_can_still_be_drawn():
    assert bare([]).parts == ()


def test_names_in_the_picture_stay_text():
    hostile = '"/><script>alert(1)</script>'
    rungs = [Rung(index=index, key=hostile, label=hostile) for index in (1, 2)]
    context = {"drawing": bare(rungs), "labels": True, "anchors": True}
    html = render_to_string("ladder/_ladder.html", context)
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(1)") >= 4
