"""Ladders and races as programs read them: the standing is the one that the page shows."""

from __future__ import annotations

import pytest

from ladder.domain import race_standing
from ladder.models import Ladder, Race
from probes.models import Probe
from tests.ladder.stage import BROKEN, HELD, RUNGS, climb, everywhere, failed
from tests.ladder.stage import a_race as a_full_race
from tests.probes.stage import an_endpoint
from tests.registry.api.asking import ask, bearer, pages, rows
from tests.registry.api.planted import a_ladder, a_race

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(team):
    return an_endpoint(team, "lab")


@pytest.fixture
def small(team) -> Ladder:
    return a_ladder(team)


def test_the_ladder_that_ships_with_its_seven_rungs(client, library):
    [found] = rows(client, "ladders/")
    assert found == ask(client, found["url"]) == ask(client, f"ladders/{found['name']}/")
    assert [rung["id"] for rung in found["rungs"]] == RUNGS
    assert [rung["index"] for rung in found["rungs"]] == [1, 2, 3, 4, 5, 6, 7]
    ten = found["rungs"][1]
    version = ask(client, ten["version_url"])
    assert (version["probe"], version["number"]) == (ten["probe"], ten["version"])
    assert "{{concept}}" in version["prompt"]["user"]
    assert rows(client, found["races"]) == []


def test_the_newest_edition_answers_for_the_ladder(client, small):
    Ladder.objects.create(
        team=small.team, slug="small", number=2, title="New", summary="", digest="e" * 64, rung_count=0
    )
    assert ask(client, "ladders/acme/small/")["title"] == "New"
    assert ask(client, "ladders/acme/small/1/")["title"] == "Small"
    assert [one["number"] for one in rows(client, "ladders/", slug="small", team="acme")] == [2, 1]


def test_a_rung_on_a_hidden_probe_is_left_out_for_strangers(client, small, vera):
    Probe.objects.filter(slug="rung-2").update(visibility="team")
    assert [rung["id"] for rung in ask(client, "ladders/acme/small/")["rungs"]] == ["rung-1"]
    seen = ask(client, "ladders/acme/small/", bearer(vera))["rungs"]
    assert [rung["id"] for rung in seen] == ["rung-1", "rung-2"]


def test_a_race_is_its_pages_scoreboard(client, library, team, bob):
    lab, cloud = an_endpoint(team, "lab"), an_endpoint(team, "cloud")
    race = a_full_race(bob, lab, cloud)
    outputs = everywhere("A", HELD) | everywhere("B", BROKEN) | {("haiku", "B"): failed("Out of order.")}
    climb(race, outputs)
    found, standing = ask(client, f"races/{race.pk}/"), race_standing(Race.objects.get())
    a, b = found["climbs"]
    assert (a["letter"], a["endpoint"], a["model"]) == ("A", "Lab", "model-a")
    assert (a["score"], a["held"], a["standing"]) == ("7 / 7", 7, "holds all 7 rungs")
    assert (b["score"], b["held"], b["problems"]) == ("0 / 6", 0, ["Out of order."])
    assert b["tally"]["unscored"] == 1
    assert found["identical"] == standing.identical
    for rung, row in zip(found["rungs"], standing.rows, strict=True):
        assert (rung["index"], rung["id"], rung["heuristic"]) == (row.rung.index, row.rung.key, row.heuristic)
        assert rung["messages"] == row.messages
        assert rung["identical"] is row.identical
        for cell, shown in zip(rung["cells"], row.cells, strict=True):
            assert (cell["letter"], cell["mark"], cell["message"]) == (
                shown.letter,
                shown.mark,
                shown.message,
            )
    ten = found["rungs"][1]["cells"][1]
    assert (ten["mark"], ten["message"]) == ("fail", "11 / 10 words")
    [trial] = rows(client, ten["trials"])
    assert trial["attempts"][0]["output"] == BROKEN["ten-words"]
    assert ask(client, ten["run_url"])["model"] == "model-b"


def test_a_list_of_races_leaves_the_scoreboard_out(client, small, lab, bob):
    race = a_race(small, lab, bob)
    [row] = rows(client, "races/")
    alone = ask(client, row["url"])
    assert set(alone) - set(row) == {"rungs"}
    assert {name: alone[name] for name in row} == row
    assert (row["id"], row["concept"], row["started_by"]) == (str(race.pk), "recursion", "Bob")
    assert row["page"] == f"http://testserver/races/{race.pk}/"
    assert ask(client, row["batch_url"])["id"] == row["id"]
    assert ask(client, row["ladder_url"])["name"] == "acme/small"


FILTERS = [
    ({"ladder": "acme/small"}, 2),
    ({"ladder": "acme/other"}, 0),
    ({"ladder": "acme/small", "edition": 1}, 2),
    ({"edition": 2}, 0),
    ({"team": "acme"}, 2),
    ({"team": "other"}, 0),
    ({"concept": "love"}, 1),
    ({"concept": "LOVE"}, 0),
    ({"state": "running"}, 2),
    ({"state": "finished"}, 0),
]


@pytest.mark.parametrize(("query", "count"), FILTERS, ids=str)
def test_filters(client, small, lab, bob, query, count):
    a_race(small, lab, bob)
    a_race(small, lab, bob, concept="love")
    assert len(rows(client, "races/", **query)) == count


def test_races_go_by_pages(client, small, lab, bob):
    made = [str(a_race(small, lab, bob).pk) for _ in range(5)]
    found = [row["id"] for page in pages(client, "/api/v1/races/?page_size=2") for row in page["results"]]
    assert found == made[::-1]


@pytest.mark.parametrize("count", [1, 3])
def test_a_list_of_races_asks_no_more_for_more(client, small, lab, bob, count, django_assert_num_queries):
    for _ in range(count):
        climb(a_race(small, lab, bob), {("rung-1", "A"): "one two three"})
    with django_assert_num_queries(9):  # page, batches, holds; trials and all of theirs
        assert len(rows(client, "races/")) == count


@pytest.mark.parametrize("rungs", [1, 3])
def test_ladders_and_a_race_ask_no_more_for_more_rungs(
    client, team, lab, bob, rungs, django_assert_num_queries
):
    race = a_race(a_ladder(team, rungs), lab, bob)
    climb(race, {("rung-1", "A"): "one two three"})
    with django_assert_num_queries(2):
        assert len(rows(client, "ladders/")[0]["rungs"]) == rungs
    with django_assert_num_queries(9):
        assert len(ask(client, f"races/{race.pk}/")["rungs"]) == rungs
