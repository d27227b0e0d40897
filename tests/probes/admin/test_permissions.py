"""Who gets in, what they see there, and for which teams they publish."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from probes.domain.publish import publish
from probes.models import Probe, ProbeVersion
from registry.teams import access
from registry.teams.models import Membership, Role, Team
from tests.probes import stage
from tests.probes.admin import desk

PAGES = [
    "probes/probe/",
    "probes/probe/add/",
    "probes/probe/{probe}/change/",
    "probes/probe/{probe}/history/",
    "probes/probe/{probe}/delete/",
    "probes/probeversion/",
    "probes/probeversion/{version}/change/",
    "probes/attempt/",
    "probes/verdict/",
]


def addresses(probe: Probe) -> list[str]:
    values = {"probe": probe.pk, "version": probe.versions.get().pk}
    return ["/admin/" + page.format(**values) for page in PAGES]


@pytest.fixture
def foreign(charlie):
    """other/three-words, of a team that nobody of acme belongs to."""
    return stage.a_version(charlie.memberships.get().team).probe


def test_a_visitor_is_led_to_sign_in(client, probe):
    for address in addresses(probe):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (302, f"/admin/login/?next={address}")
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/sign-in/?next=/admin/"


@pytest.mark.parametrize("person", ["alice", "anna", "bob", "vera", "charlie"])
def test_nobody_but_staff_gets_in(person, probe, request):
    client = desk.at(request.getfixturevalue(person))
    for address in addresses(probe):
        assert client.get(address).status_code == 302, address
        sent = {"document": stage.probe_text(user="Mine."), "_base": "0", "_save": "1"}
        assert client.post(address, sent).status_code == 302, address
    assert probe.versions.count() == 1


def test_an_author_of_the_staff_publishes_for_their_team(author, anna, team, probe):
    answer = desk.edit(author, probe, "Write three words.", "Write 3 words.")
    assert desk.said(answer) == ["Published acme/three-words v2."]
    assert probe.versions.first().published_by == anna
    sent = {"team": team.pk, "document": stage.probe_text(slug="another"), "_base": "0"}
    assert desk.said(author.post(desk.ADD, sent))[-1] == "Published acme/another v1."


def test_an_author_of_the_staff_sees_their_teams_only(author, probe, foreign):
    listed = author.get("/admin/probes/probe/").content.decode()
    assert desk.page_of(probe) in listed
    assert desk.page_of(foreign) not in listed
    form = author.get(desk.ADD).context["adminform"].form
    assert [str(team) for team in form.fields["team"].queryset] == ["Acme"]


def test_a_foreign_probe_is_as_good_as_none(author, foreign):
    for address in (desk.page_of(foreign), f"/admin/probes/probe/{foreign.pk}/history/"):
        answer = author.get(address)
        assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    version = foreign.versions.get()
    assert author.get(f"/admin/probes/probeversion/{version.pk}/change/").status_code == 302
    sent = {"document": stage.probe_text(user="Mine."), "_base": "1-x", "_rebase": "1-x"}
    answer = author.post(desk.page_of(foreign), sent)
    assert answer.status_code == 302
    assert foreign.versions.count() == 1


def test_a_foreign_team_cannot_be_planted(author, foreign):
    sent = {"team": foreign.team.pk, "document": stage.probe_text(slug="planted"), "_base": "0"}
    assert desk.problems(author.post(desk.ADD, sent), "team")
    assert not Probe.objects.filter(slug="planted").exists()


@pytest.mark.parametrize("person", ["bob", "vera"])
def test_staff_without_the_right_publish_nothing(person, probe, request):
    user = request.getfixturevalue(person)
    user.is_staff = True
    user.save()
    client = desk.at(user)
    assert client.get("/admin/").status_code == 200
    for address in addresses(probe)[:7]:
        assert client.get(address).status_code in (302, 403), address
    sent = {"document": stage.probe_text(user="Mine."), "_base": "1-x"}
    assert client.post(desk.page_of(probe), sent).status_code in (302, 403)
    assert client.post(desk.ADD, {**sent, "team": probe.team.pk}).status_code == 403
    assert client.get("/admin/probes/attempt/").status_code == 200  # of their team, to be read
    assert probe.versions.count() == 1


def test_staff_of_no_team_see_no_rows(client, probe, charlie):
    Membership.objects.all().delete()
    charlie.is_staff = True
    charlie.save()
    client.force_login(charlie)
    shown = client.get("/admin/").content.decode()
    assert "/admin/probes/" not in shown
    assert "/admin/teams/" not in shown
    for address in addresses(probe):
        assert client.get(address).status_code in (302, 403), address


def test_a_superuser_publishes_for_every_team(root, staff, foreign):
    answer = desk.edit(root, foreign, "Write three words.", "Write 3 words.")
    assert desk.said(answer) == ["Published other/three-words v2."]
    assert ProbeVersion.objects.get(number=2).published_by == staff


def test_only_staff_have_rights_in_the_admin(staff, alice, anna, team):
    right = "publish probes"
    assert not access.staff_teams(alice, right).exists()  # an owner, and not of the staff
    anna.is_staff = True
    assert list(access.staff_teams(anna, right)) == [team]
    assert list(access.staff_teams(staff, right)) == [team]
    staff.is_staff = False
    assert not access.staff_teams(staff, right).exists()
    assert not access.staff_rows(staff, Team.objects.all(), right, "pk").exists()


def test_the_verb_asks_for_the_rights_of_the_admin(team, staff, alice, charlie):
    with pytest.raises(PermissionDenied, match="You may not publish probes of Acme in the admin"):
        publish(team, stage.probe_text(), by=alice, as_staff=True)
    charlie.is_staff = True
    with pytest.raises(PermissionDenied):
        publish(team, stage.probe_text(), by=charlie, as_staff=True)
    assert not Probe.objects.exists()
    assert publish(team, stage.probe_text(), by=staff, as_staff=True).created


def test_a_form_from_elsewhere_is_refused(staff, probe):
    client = Client(enforce_csrf_checks=True)
    client.force_login(staff)
    fields = desk.opened(client, probe)
    text = fields["document"].replace("Write three words.", "Write 3 words.")
    assert desk.send(client, probe, {**fields, "document": text}).status_code == 403
    assert probe.versions.count() == 1


def test_a_role_is_looked_up_anew(author, anna, team, probe):
    fields = desk.opened(author, probe)
    Membership.objects.filter(user=anna).update(role=Role.RUNNER)
    text = fields["document"].replace("Write three words.", "Write 3 words.")
    assert desk.send(author, probe, {**fields, "document": text}).status_code in (302, 403)
    assert probe.versions.count() == 1
