from __future__ import annotations

import pytest

from registry.teams import access
from registry.teams.models import Membership, Role, Team, User

pytestmark = pytest.mark.django_db


def test_an_account_shows_its_teams_and_roles(client, bob):
    client.force_login(bob)
    text = client.get("/account/").content.decode()
    assert "bob@example.org" in text
    assert '<a href="/teams/acme/">Acme</a></th><td>runner</td>' in text
    assert 'href="/teams/new/"' in text
    assert "Administration" not in text


def test_a_viewer_is_shown_no_link_that_they_may_not_follow(client, bob, vera):
    for person, shown in ((bob, True), (vera, False)):
        client.force_login(person)
        assert ("/teams/acme/endpoints/" in client.get("/account/").content.decode()) is shown


def test_an_account_without_a_team_says_what_next(client):
    client.force_login(User.objects.create_user("new@example.org"))
    assert "You are in no team yet." in client.get("/account/").content.decode()


def test_staff_find_the_administration(client, staff):
    client.force_login(staff)
    assert 'href="/admin/"' in client.get("/account/").content.decode()


def test_a_visitor_signs_in_first(client):
    answer = client.get("/account/")
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/?next=/account/")


def test_the_account_asks_no_more_for_more_teams(client, bob, django_assert_num_queries):
    client.force_login(bob)
    client.get("/account/")
    for name in ("one", "two", "three"):
        Membership.objects.create(team=Team.objects.create(slug=name, name=name), user=bob, role=Role.VIEWER)
    with django_assert_num_queries(4):  # session, user, memberships with their teams, where they may run
        client.get("/account/")


def test_the_roles_page_is_made_from_the_table_that_decides(client, monkeypatch):
    monkeypatch.setitem(access.RIGHTS, "water the plants", Role.AUTHOR)
    text = " ".join(client.get("/roles/").content.decode().split())
    row = text.partition(">Water the plants</th>")[2].partition("</tr>")[0]
    assert row.count("– no") == 2
    assert row.count("✓ yes") == 2
    for right in access.RIGHTS:
        assert f">{right[0].upper()}{right[1:]}</th>" in text
