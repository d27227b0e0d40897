"""A team's pages: who may look and do what, and what each form does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from registry.endpoints.models import Endpoint
from registry.teams import domain, invitations
from registry.teams.models import Invitation, Membership, Role, Team, User

pytestmark = pytest.mark.django_db

TEAM, NEW = "/teams/acme/", "/teams/new/"
ACTORS = ["visitor", "charlie", "staff", "vera", "bob", "anna", "alice"]
LOOK = dict(zip(ACTORS, [302, 404, 404, 200, 200, 200, 200], strict=True))
OWNER = dict(zip(ACTORS, [302, 404, 404, 403, 403, 403], strict=False))
ACTIONS = {
    "name": ({"name": "Acme & Co"}, OWNER | {"alice": 302}),
    "invite": ({"role": "viewer", "email": "", "days": "7"}, OWNER | {"alice": 200}),
    "invitations/{invitation}/revoke": ({}, OWNER | {"alice": 302}),
    "members/{member}/role": ({"role": "author"}, OWNER | {"alice": 302}),
    "members/{member}/remove": ({}, OWNER | {"alice": 302}),
    "transfer": ({"to": "{member}"}, OWNER | {"alice": 302}),
    "leave": ({}, LOOK | {"vera": 302, "bob": 302, "anna": 302, "alice": 409}),
}
TABLE = [(action, who, status) for action, (_, row) in ACTIONS.items() for who, status in row.items()]


def enter(client, request, who: str) -> None:
    if who != "visitor":
        client.force_login(request.getfixturevalue(who))


def state() -> tuple[list[object], ...]:
    return (
        list(Team.objects.order_by("pk").values_list("name")),
        list(Membership.objects.order_by("pk").values_list("team__slug", "user__email", "role")),
        list(Invitation.objects.order_by("pk").values_list("role", "revoked_at")),
    )


@pytest.fixture
def invited(team, alice) -> dict[str, int]:
    """An invitation, and a member whom nobody here acts as."""
    made = invitations.make_link(alice, team, Role.VIEWER, timedelta(days=1))
    mia = User.objects.create_user("mia@example.org", name="Mia")
    member = Membership.objects.create(team=team, user=mia, role=Role.VIEWER)
    return {"invitation": made.invitation.pk, "member": member.pk}


@pytest.mark.parametrize(("who", "status"), LOOK.items())
def test_who_may_look(client, request, team, alice, who, status):
    enter(client, request, who)
    answer = client.get(TEAM)
    assert answer.status_code == status
    assert ("Acme" in answer.content.decode()) is (status == 200)


@pytest.mark.parametrize(("action", "who", "status"), TABLE)
def test_who_may_do_what(client, request, invited, action, who, status):
    enter(client, request, who)
    fields, _ = ACTIONS[action]
    address = f"{TEAM}{action.format(**invited)}/"
    before = state()
    answer = client.post(address, {name: value.format(**invited) for name, value in fields.items()})
    assert answer.status_code == status
    goes_in = status == 302 and who == "visitor"
    assert (state() != before) is (status in (200, 302) and not goes_in)
    if goes_in:
        assert answer["Location"] == f"/sign-in/?next={address}"
    assert client.get(address).status_code == (302 if who == "visitor" else 405)


def test_a_member_sees_who_is_in_it_and_an_owner_what_to_do(client, team, alice, bob, vera):
    client.force_login(vera)
    page = client.get(TEAM).content.decode()
    assert [page.count(each) for each in ("Alice", "Bob", "<select", "bob@example.org")] == [1, 1, 0, 0]
    assert "Leave Acme" in page
    client.force_login(alice)
    page = client.get(TEAM).content.decode()
    assert 'aria-label="Role of Bob"' in page
    assert "bob@example.org" in page
    assert "You are the last owner" in page


def test_it_asks_no_more_for_more_members(client, team, alice, django_assert_max_num_queries):
    client.force_login(alice)
    with django_assert_max_num_queries(12) as few:
        client.get(TEAM)
    for number in range(4):
        user = User.objects.create_user(f"m{number}@example.org")
        Membership.objects.create(team=team, user=user, role=Role.VIEWER)
        invitations.make_link(alice, team, Role.VIEWER, timedelta(days=1))
    with django_assert_max_num_queries(len(few)):
        client.get(TEAM)


def test_a_member_of_another_team_is_not_reached_through_this_one(client, alice, charlie):
    theirs = Membership.objects.get(user=charlie)
    client.force_login(alice)
    for address in (f"members/{theirs.pk}/role/", f"members/{theirs.pk}/remove/", "transfer/"):
        assert client.post(f"{TEAM}{address}", {"role": "viewer", "to": theirs.pk}).status_code == 404
    foreign = invitations.make_link(charlie, theirs.team, Role.VIEWER, timedelta(days=1))
    assert client.post(f"{TEAM}invitations/{foreign.invitation.pk}/revoke/").status_code == 404
    assert invitations.find(foreign.secret)


@pytest.mark.parametrize("role", ["", "king", "OWNER"])
def test_a_role_is_one_of_ours(client, invited, alice, role):
    client.force_login(alice)
    answer = client.post(f"{TEAM}members/{invited['member']}/role/", {"role": role})
    assert (answer.status_code, "Choose one of the roles listed." in answer.content.decode()) == (422, True)


@pytest.mark.parametrize("to", ["", "x", "²", "-1", "999999"])
def test_ownership_goes_to_a_member(client, alice, to):
    client.force_login(alice)
    assert client.post(f"{TEAM}transfer/", {"to": to}).status_code == 404


def test_a_renamed_team_keeps_its_address(client, team, alice):
    client.force_login(alice)
    answer = client.post(f"{TEAM}name/", {"name": " Acme\n\u202e&  Co "}, follow=True)
    assert answer.redirect_chain == [(TEAM, 302)]
    assert list(Team.objects.values_list("slug", "name")) == [("acme", "Acme & Co")]
    assert "The team is named Acme &amp; Co now." in answer.content.decode()


@pytest.mark.parametrize("name", ["", " ", "\u202e", "x" * 101, "a\0b"])
def test_a_name_that_cannot_be_changes_nothing(client, team, alice, name):
    client.force_login(alice)
    answer = client.post(f"{TEAM}name/", {"name": name})
    assert answer.status_code == 422
    assert 'id="id_name_error"' in answer.content.decode()
    team.refresh_from_db()
    assert team.name == "Acme"


# --- a new team ----------------------------------------------------------------------------------
def test_a_team_is_created_by_whoever_will_own_it(client, charlie):
    assert client.get(NEW)["Location"] == f"/sign-in/?next={NEW}"
    client.force_login(charlie)
    answer = client.post(NEW, {"name": "Test Lab", "slug": ""}, follow=True)
    assert answer.redirect_chain == [("/teams/test-lab/", 302)]
    made = Membership.objects.get(team__slug="test-lab")
    assert (made.user, made.role) == (charlie, "owner")
    assert Endpoint.objects.filter(team=made.team, practice=True).count() == 2
    assert list(made.team.audit_entries.values_list("by_name", "action")) == [("Charlie", "team-created")]


REFUSED = [
    ({"name": ""}, "Write a name."),
    ({"slug": "acme"}, domain.TAKEN),
    ({"slug": "new"}, domain.TAKEN),
    ({"slug": "registry"}, domain.TAKEN),
    ({"slug": "Acme"}, domain.BAD_SLUG),
    ({"slug": "a--b"}, domain.BAD_SLUG),
    ({"slug": "a/b"}, domain.BAD_SLUG),
    ({"slug": "ａｃｍｅ"}, domain.BAD_SLUG),
    ({"slug": "x" * 51}, domain.BAD_SLUG),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_a_team_that_cannot_be_is_said_at_its_field(client, team, charlie, change, message):
    client.force_login(charlie)
    answer = client.post(NEW, {"name": "Lab", "slug": "lab"} | change)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert Team.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Acme", "acme-2"), ("New", "new-2"), ("Registry", "registry-2"), ("日本", "team"), ("a_b", "a-b")],
)
def test_a_slug_is_made_from_the_name(team, charlie, name, slug):
    assert domain.create_team(charlie, name).slug == slug


def test_one_person_owns_only_so_many(charlie, monkeypatch):
    monkeypatch.setattr(domain, "MOST_OWNED", 1)
    with pytest.raises(domain.TeamRefused, match="You own 1 teams"):
        domain.create_team(charlie, "More")


def test_of_two_who_want_one_address_the_second_is_told(team, charlie, monkeypatch):
    monkeypatch.setattr(domain, "check_slug", lambda slug: slug)  # as if both had looked before
    with pytest.raises(domain.TeamRefused, match="This address is taken"):
        domain.create_team(charlie, "Lab", "acme")
    assert Team.objects.count() == 2
