"""Lists and pages cost the same for many rows as for few, and count no table to its end."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from probes.models import Attempt, Batch, Probe, Verdict
from registry.teams.models import Membership, Role, Team, User
from registry.web import admin as shared
from tests.probes import stage
from tests.probes.admin import desk
from tests.thorough import thorough

LISTS = {
    "probes/probe/": 4,
    "probes/probe/?visibility=public": 4,
    "probes/probe/?q=three": 4,
    "probes/probeversion/": 4,
    "probes/rubric/": 4,
    "probes/rule/": 4,
    "probes/fixture/": 4,
    "probes/batch/": 4,
    "probes/run/": 4,
    "probes/trial/": 4,
    "probes/attempt/": 4,
    "probes/attempt/?outcome__exact=answered": 4,
    "probes/verdict/": 4,
    "probes/verdict/?ok__exact=1": 4,
    "endpoints/endpoint/": 4,
    "teams/membership/": 5,
    "teams/user/": 5,
    "teams/team/": 5,
}


def rows(team: Team, number: int, first: int = 0) -> None:
    """`number` more probes, each with a finished run on an endpoint of its own, and members."""
    for i in range(first, first + number):
        version = stage.a_version(team, slug=f"three-words-{i}")
        stage.a_batch(team, version, stage.an_endpoint(team, slug=f"lab-{i}"))
        user = User.objects.create_user(f"member-{i}@example.org")
        Membership.objects.create(team=team, user=user, role=Role.VIEWER)
    for call in stage.claim(limit=500):
        stage.keep(call, stage.good())


def queries(client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in captured]


@pytest.fixture
def few(root, team):
    rows(team, 3)
    batch = Batch.objects.earliest("created_at")
    root.get(f"/admin/probes/batch/{batch.pk}/change/")  # content types are looked up once
    return root


def test_a_list_costs_the_same_for_3_rows_and_for_30(few, team):
    before = {page: len(queries(few, f"/admin/{page}")) for page in LISTS}
    rows(team, 27, first=3)
    after = {page: len(queries(few, f"/admin/{page}")) for page in LISTS}
    assert after == before == LISTS


@thorough
def test_a_page_costs_the_same_for_3_inner_rows_and_for_30(few, team):
    """A batch with its runs, a run with its trials, a probe with its versions, a team with its members."""
    version = Probe.objects.earliest("pk").versions.get()
    lab = stage.an_endpoint(team)

    def pages(batch: Batch) -> dict[str, int]:
        run = batch.runs.earliest("position")
        attempt = Attempt.objects.latest("pk")
        addresses = {
            "batch": f"probes/batch/{batch.pk}",
            "run": f"probes/run/{run.pk}",
            "trial": f"probes/trial/{attempt.trial_id}",
            "attempt": f"probes/attempt/{attempt.pk}",
            "probe": f"probes/probe/{version.probe_id}",
            "version": f"probes/probeversion/{version.pk}",
            "rubric": f"probes/rubric/{version.rubric_id}",
            "team": f"teams/team/{team.pk}",
        }
        return {name: len(queries(few, f"/admin/{at}/change/")) for name, at in addresses.items()}

    small = stage.a_batch(team, version, lab, lab, lab, repeats=3)
    pages(small)  # what is looked up once and kept, such as content types, is not counted
    before = pages(small)
    rows(team, 27, first=3)
    for number in range(27):
        stage.a_version(team, slug="three-words-0", user=f"Write three words about {number}.")
    after = pages(stage.a_batch(team, version, *[lab] * 30, repeats=30))
    assert after == before
    assert max(after.values()) <= 15, after


def test_staff_who_are_no_superusers_cost_as_little(few, team, author):
    author.get("/admin/")
    counts = {page: len(queries(author, f"/admin/{page}")) for page in LISTS if page.startswith("probes/")}
    assert max(counts.values()) <= 15, counts


@pytest.mark.parametrize("page", ["attempt/", "attempt/?late__exact=0", "verdict/", "verdict/?ok__exact=1"])
def test_no_table_is_counted_to_its_end(few, page, monkeypatch):
    monkeypatch.setattr(shared, "MOST_LISTED", 2)
    asked = queries(few, f"/admin/probes/{page}")
    counted = [sql for sql in asked if "COUNT(" in sql]
    assert counted
    assert all("LIMIT 2" in sql for sql in counted)
    assert not [sql for sql in asked if "DISTINCT" in sql]
    listed = few.get(f"/admin/probes/{page}").content.decode()
    assert "Only the first 2 are listed." in listed


def test_a_short_list_is_whole(few):
    listed = few.get("/admin/probes/verdict/").content.decode()
    assert "are listed." not in listed
    assert listed.count("action-select") == 0
    assert Verdict.objects.count() == 3


def test_a_team_is_chosen_by_searching(root, team, author):
    assert "admin-autocomplete" in root.get(desk.ADD).content.decode()
    found = root.get("/admin/autocomplete/?app_label=probes&model_name=probe&field_name=team&term=acm")
    assert [each["text"] for each in found.json()["results"]] == ["Acme"]
    mine = author.get(desk.ADD).content.decode()
    assert "admin-autocomplete" not in mine
    assert ">Acme</option>" in mine
