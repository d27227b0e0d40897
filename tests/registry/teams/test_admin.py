from __future__ import annotations

import pytest

from registry.teams.models import Team, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client, staff):
    client.force_login(staff)
    return client


@pytest.mark.parametrize(
    "page", ["user/", "user/add/", "team/", "team/add/", "membership/", "membership/add/"]
)
def test_the_pages_open(admin, page):
    assert admin.get(f"/admin/teams/{page}").status_code == 200


def test_a_person_is_added_by_address(admin):
    sent = {
        "email": "New@Example.org",
        "name": "New",
        "usable_password": "false",
        "memberships-TOTAL_FORMS": "0",
        "memberships-INITIAL_FORMS": "0",
    }
    assert admin.post("/admin/teams/user/add/", sent).status_code == 302
    user = User.objects.get(email="new@example.org")
    assert not user.has_usable_password()
    assert admin.get(f"/admin/teams/user/{user.pk}/change/").status_code == 200


def test_people_and_teams_are_never_deleted(admin, bob, team):
    for page in (f"user/{bob.pk}/delete/", f"team/{team.pk}/delete/"):
        assert admin.post(f"/admin/teams/{page}", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [bob.pk], "post": "yes"}
    admin.post("/admin/teams/user/", chosen)
    assert User.objects.filter(pk=bob.pk).exists()


def test_a_slug_is_chosen_once(admin, team):
    sent = {"slug": "changed", "name": "Acme & Co"}
    prefixes = ("memberships", "memberships-2")
    management = {f"{each}-{kind}_FORMS": "0" for each in prefixes for kind in ("TOTAL", "INITIAL")}
    assert admin.post(f"/admin/teams/team/{team.pk}/change/", sent | management).status_code == 302
    assert list(Team.objects.filter(pk=team.pk).values_list("slug", "name")) == [("acme", "Acme & Co")]


@pytest.mark.parametrize("person", ["alice", "bob", "charlie"])
def test_it_is_for_staff_only(client, person, request):
    client.force_login(request.getfixturevalue(person))
    answer = client.get("/admin/teams/user/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/login/?next=/admin/teams/user/")
