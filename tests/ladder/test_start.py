"""A race is one batch whose runs are every rung for every climb; a refused one leaves nothing."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from ladder.core import LadderDocument
from ladder.domain import start_race
from ladder.domain.load import LIBRARY, publish_ladder
from ladder.models import Climb, Hold, Race
from probes.domain.start import StartRefused
from probes.models import Batch, Trial
from tests.ladder.stage import RUNGS, a_race, the_ladder, two_endpoints
from tests.probes.stage import an_endpoint

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("library")]


@pytest.fixture
def lab_and_cloud(team):
    return two_endpoints(team)


def refused(**given) -> dict[str, str]:
    with pytest.raises(StartRefused) as caught:
        start_race(ladder=the_ladder(), **given)
    assert (Batch.objects.count(), Race.objects.count(), Trial.objects.count()) == (0, 0, 0)
    return caught.value.problems


def test_every_rung_is_run_by_every_climb_rung_by_rung(bob, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, concept="  love ")
    runs = list(race.batch.runs.order_by("position").select_related("version__probe"))
    assert [(run.version.probe.slug, run.model) for run in runs] == [
        (rung, model) for rung in RUNGS for model in ("model-a", "model-b")
    ]
    assert {str(run.binding) for run in runs} == {"{'concept': 'love'}"}
    assert race.concept == "love"
    assert race.batch.title == "love: model-a × model-b"
    assert Trial.objects.filter(run__batch=race.batch).count() == 14


def test_each_run_is_held_by_its_climb_at_its_rung(bob, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud)
    holds = Hold.objects.select_related("climb", "rung__version", "run")
    assert holds.count() == 14
    for hold in holds:
        assert hold.run.version == hold.rung.version
        assert (hold.run.model, hold.run.endpoint) == (hold.climb.model, hold.climb.endpoint)
    assert [climb.letter for climb in race.climbs.all()] == ["A", "B"]


def test_the_same_model_may_race_itself(bob, lab_and_cloud):
    lab = lab_and_cloud[0]
    race = a_race(bob, lab, lab, lanes=[(lab, "twin"), (lab, "twin")])
    assert [climb.model for climb in race.climbs.all()] == ["twin", "twin"]
    assert race.batch.runs.count() == 14


def test_three_models_may_race_and_repeats_are_trials(bob, team, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, an_endpoint(team, "attic"), repeats=2)
    assert [climb.letter for climb in race.climbs.all()] == ["A", "B", "C"]
    assert Trial.objects.filter(run__batch=race.batch).count() == 7 * 3 * 2


def test_the_same_key_gives_the_same_race(bob, lab_and_cloud):
    first = a_race(bob, *lab_and_cloud, idempotency_key="k")
    assert a_race(bob, *lab_and_cloud, idempotency_key="k") == first
    assert (Race.objects.count(), Climb.objects.count(), Hold.objects.count()) == (1, 2, 14)


def test_a_key_that_started_something_else_is_refused(bob, team, lab_and_cloud):
    Batch.objects.create(team=team, title="x", visibility="public", idempotency_key="k")
    with pytest.raises(StartRefused, match="This key has started something else"):
        a_race(bob, *lab_and_cloud, idempotency_key="k")


@pytest.mark.parametrize("changes", [{"concept": "love"}, {"repeats": 2}, {"visibility": "team"}])
def test_a_key_that_started_another_race_is_refused(bob, lab_and_cloud, changes):
    a_race(bob, *lab_and_cloud, idempotency_key="k")
    with pytest.raises(StartRefused, match="This key has started something else"):
        a_race(bob, *lab_and_cloud, idempotency_key="k", **changes)
    assert Race.objects.count() == 1


def test_a_key_that_raced_up_another_edition_is_refused(bob, lab_and_cloud):
    a_race(bob, *lab_and_cloud, idempotency_key="k")
    first = the_ladder()
    text = (LIBRARY / "torture-test.ladder.yaml").read_text("utf-8").replace("title: The ", "title: Another ")
    versions = {rung.version.probe.slug: rung.version for rung in first.rungs.all()}
    assert publish_ladder(first.team, LadderDocument.parse(text), versions).ladder == the_ladder() != first
    with pytest.raises(StartRefused, match="This key has started something else"):
        a_race(bob, *lab_and_cloud, idempotency_key="k")


def test_a_bad_concept_and_a_bad_model_are_said_together(team, bob, lab_and_cloud):
    lanes = [(lab_and_cloud[0], "m"), (lab_and_cloud[1], "\u200b")]
    found = refused(team=team, by=bob, concept="a\0b", lanes=lanes, visibility="public")
    assert found == {
        "concept": "The concept holds a character that cannot be printed (U+0000): take it out.",
        "b-model": "Write the model: nothing is entered.",
    }


@pytest.mark.parametrize(
    ("concept", "message"),
    [
        ("", "Write a concept, such as recursion, love or a for loop."),
        ("{{concept}}", "The concept holds {{, which marks a variable in a prompt: leave the braces out."),
        ("<b>love</b>", "The concept holds HTML (<b>): write plain words."),
    ],
)
def test_a_concept_that_cannot_be_raced_is_said_at_its_field_once(team, bob, lab_and_cloud, concept, message):
    lanes = [(endpoint, "m") for endpoint in lab_and_cloud]
    given = {"team": team, "by": bob, "lanes": lanes, "visibility": "public"}
    assert refused(concept=concept, **given) == {"concept": message}


def test_a_race_needs_two_models(team, bob, lab_and_cloud):
    found = refused(team=team, by=bob, concept="love", lanes=[(lab_and_cloud[0], "m")], visibility="public")
    assert found == {"lanes": "A race needs 2 to 8 models: 1 were given."}


def test_what_is_wrong_with_a_model_is_said_at_its_own_field(team, bob, lab_and_cloud):
    lanes = [(lab_and_cloud[0], "m"), (lab_and_cloud[1], " ")]
    found = refused(team=team, by=bob, concept="love", lanes=lanes, visibility="public")
    assert found == {"b-model": "Write the model: nothing is entered."}


def test_a_problem_of_both_lanes_is_said_once(team, bob, lab_and_cloud, practice_endpoints):
    lanes = [(practice_endpoints[0], "gpt"), (practice_endpoints[0], "gpt")]
    found = refused(team=team, by=bob, concept="love", lanes=lanes, visibility="public")
    offered = ", ".join(practice_endpoints[0].models_offered)
    assert found == {"a-model": f"Practice A has no model gpt: write one of {offered}."}


def test_an_endpoint_of_another_team_is_refused(team, bob, charlie, lab_and_cloud):
    theirs = an_endpoint(charlie.memberships.get().team, "theirs")
    lanes = [(lab_and_cloud[0], "m"), (theirs, "m")]
    found = refused(team=team, by=bob, concept="love", lanes=lanes, visibility="public")
    assert found == {"b-endpoint": "Choose an endpoint of Acme: this one belongs to another team."}


def test_only_those_with_the_right_may_start(vera, charlie, lab_and_cloud):
    with pytest.raises(PermissionDenied):
        a_race(vera, *lab_and_cloud)
    with pytest.raises(Http404):
        a_race(charlie, *lab_and_cloud)
    assert Race.objects.count() == 0
