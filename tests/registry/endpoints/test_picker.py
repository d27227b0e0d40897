"""What a form of runs starts out with, and what it makes of what was sent."""

from __future__ import annotations

import pytest

from registry.endpoints.models import Endpoint
from registry.endpoints.picker import posted, suggested, usable
from registry.teams.models import Role, Team

pytestmark = pytest.mark.django_db


def endpoint(team: Team, name: str, *models: str, **fields) -> Endpoint:
    url = "https://api.example.com/v1"
    return Endpoint.objects.create(
        team=team, slug=name.lower(), name=name, base_url=url, models_offered=list(models), **fields
    )


def chosen(endpoints, place: int) -> tuple[str, str]:
    made = suggested(endpoints, place=place)
    return (made.endpoint.name if made.endpoint else "", made.model)


def test_without_endpoints_nothing_is_suggested():
    assert chosen([], 0) == ("", "")


def test_practice_is_suggested_where_there_is_nothing_else(bob, practice_endpoints):
    found = list(usable(bob))
    assert [chosen(found, 0), chosen(found, 1)] == [("Practice A", "steady"), ("Practice B", "chatty")]


def test_a_server_with_known_models_comes_before_practice(team, bob, practice_endpoints):
    endpoint(team, "Lab", "big", "small")
    found = list(usable(bob))
    assert [chosen(found, 0), chosen(found, 1)] == [("Lab", "big"), ("Lab", "small")]


def test_two_servers_are_raced_against_each_other(team, bob):
    endpoint(team, "Cloud", "vast")
    endpoint(team, "Lab", "big", "small")
    found = list(usable(bob))
    assert [chosen(found, 0), chosen(found, 1)] == [("Cloud", "vast"), ("Lab", "small")]


def test_a_server_whose_models_are_unknown_waits_to_be_chosen(team, bob, practice_endpoints):
    endpoint(team, "Lab")
    assert chosen(list(usable(bob)), 0) == ("Practice A", "steady")


def test_with_nothing_known_the_server_is_there_and_its_model_is_to_be_written(team, bob):
    endpoint(team, "Lab")
    assert chosen(list(usable(bob)), 0) == ("Lab", "")


def test_both_models_are_suggested_from_one_team(team, bob):
    other = Team.objects.create(slug="zoo", name="Zoo")
    other.memberships.create(user=bob, role=Role.RUNNER)
    endpoint(team, "Lab", "big")
    endpoint(other, "Cage", "lion")
    found = list(usable(bob))
    assert [chosen(found, 0), chosen(found, 1)] == [("Lab", "big"), ("Lab", "big")]
    assert [team.name for team, _ in suggested(found).groups] == ["Acme", "Zoo"]


@pytest.mark.parametrize(
    ("who", "count"), [("alice", 1), ("anna", 1), ("bob", 1), ("vera", 0), ("charlie", 0)]
)
def test_only_those_who_may_start_runs_have_endpoints_to_use(team, request, who, count):
    endpoint(team, "Lab")
    assert usable(request.getfixturevalue(who)).count() == count


def test_what_was_sent_is_read_by_its_prefix(team, bob):
    lab = endpoint(team, "Lab", "big")
    made = posted([lab], {"b-endpoint": str(lab.pk), "b-model": " big "}, "b-")
    assert (made.chosen, made.errors) == ((lab, "big"), {})


def test_what_is_missing_is_said_by_field(team):
    lab = endpoint(team, "Lab", "big")
    message = "Choose an endpoint of a team in which you may start runs."
    assert posted([lab], {"model": "big"}).errors == {"endpoint": message}
    assert posted([lab], {"endpoint": str(lab.pk)}).errors == {"model": "Write the model to call at Lab."}


def test_only_the_first_models_are_named_and_the_rest_counted(team):
    lab = endpoint(team, "Lab", *[f"m{number}" for number in range(20)])
    made = suggested([lab])
    assert (len(made.shown), made.more, len(made.offered)) == (12, 8, 20)
