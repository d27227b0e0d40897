from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from allauth.account.models import EmailAddress
from django.contrib.contenttypes.models import ContentType
from django.core import mail
from django.db import connection
from django.test import Client

from registry.accounts.domain import vouch_for
from registry.teams.models import Team, User
from tests.registry.accounts.people import mailed_link
from tests.thorough import thorough

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


def forms(team: Team, *existing: dict[str, str], new: dict[str, str] | None = None) -> dict[str, str]:
    """The team's page in the admin as it is sent: memberships there are, and one to be made."""
    sent = {"name": team.name, "memberships-TOTAL_FORMS": str(len(existing))}
    sent |= {"memberships-INITIAL_FORMS": str(len(existing)), "memberships-2-INITIAL_FORMS": "0"}
    sent["memberships-2-TOTAL_FORMS"] = "1" if new else "0"
    for prefix, rows in (("memberships", existing), ("memberships-2", [new] if new else [])):
        for number, row in enumerate(rows):
            sent |= {f"{prefix}-{number}-{name}": value for name, value in row.items()}
    return sent


def test_members_are_managed_on_the_page_of_their_team(admin, team, alice, bob, vera):
    """By the verbs of the team's own pages: noted, tokens revoked, the last owner kept."""
    at = f"/admin/teams/team/{team.pk}/change/"
    hers, his, other = (each.memberships.get() for each in (alice, bob, vera))
    kept = {"id": str(hers.pk), "role": "owner"}
    changed, gone = {"id": str(his.pk), "role": "author"}, {"id": str(other.pk), "role": "viewer"}
    new = User.objects.create_user("new@example.org")
    sent = forms(team, kept, changed, gone | {"DELETE": "on"}, new={"user": str(new.pk), "role": "runner"})
    assert admin.post(at, sent).status_code == 302
    now = dict(team.memberships.values_list("user__email", "role"))
    assert now == {"alice@example.org": "owner", "bob@example.org": "author", "new@example.org": "runner"}
    noted = team.audit_entries.order_by("id").values_list("by_name", "action", "about")
    assert sorted(noted) == [
        ("root@example.org", "member-added", "new@example.org"),
        ("root@example.org", "member-removed", "Vera"),
        ("root@example.org", "member-role-changed", "Bob"),
    ]
    for change in ({"role": "viewer"}, {"DELETE": "on"}):
        answer = admin.post(at, forms(team, kept | change))
        assert answer.status_code == 403
        assert "Alice is the last owner of Acme" in answer.content.decode()
    assert team.memberships.get(user=alice).role == "owner"


def test_a_last_owner_stays_on_the_page_of_memberships_too(admin, team, alice, bob):
    hers, his = alice.memberships.get(), bob.memberships.get()
    page = "/admin/teams/membership/"
    assert admin.post(f"{page}{hers.pk}/change/", {"role": "viewer"}).status_code == 403
    assert admin.post(f"{page}{hers.pk}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [his.pk, hers.pk], "post": "yes"}
    assert admin.post(page, chosen).status_code == 403
    assert team.memberships.count() == 2
    assert admin.post(f"{page}{his.pk}/change/", {"role": "owner"}).status_code == 302
    assert admin.post(f"{page}{hers.pk}/delete/", {"post": "yes"}).status_code == 302
    sent = {"user": alice.pk, "team": team.pk, "role": "viewer"}
    assert admin.post(f"{page}add/", sent).status_code == 302
    assert dict(team.memberships.values_list("user__name", "role")) == {"Bob": "owner", "Alice": "viewer"}


@pytest.mark.parametrize("person", ["alice", "bob", "charlie"])
def test_it_is_for_staff_only(client, person, request):
    client.force_login(request.getfixturevalue(person))
    answer = client.get("/admin/teams/user/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/login/?next=/admin/teams/user/")


def person(user: User, **changed: str) -> dict[str, str]:
    """The person's page in the admin as it is sent."""
    prefixes = ("memberships", "memberships-2")
    sent = {f"{each}-{kind}_FORMS": "0" for each in prefixes for kind in ("TOTAL", "INITIAL")}
    sent |= {"email": user.email, "name": user.name}
    sent |= {name: "on" for name in ("is_active", "is_staff", "is_superuser") if getattr(user, name)}
    return {name: value for name, value in (sent | changed).items() if value}


def test_with_its_address_an_account_changes_who_may_reset_it(admin, client, bob, vera):
    vouch_for(bob)
    client.post("/password/reset/", {"email": bob.email})
    open_link = mailed_link()
    at = f"/admin/teams/user/{bob.pk}/change/"
    assert admin.post(at, person(bob, email="Robert@Example.org")).status_code == 302
    visitor = type(client)()
    visitor.post("/password/reset/", {"email": "bob@example.org"})
    assert mail.outbox[-1].subject == "[Probe Registry] No account has this address"
    assert "password1" not in visitor.get(open_link, follow=True).content.decode()
    rows = EmailAddress.objects.filter(user=bob).values_list("email", "verified", "primary")
    assert list(rows) == [("robert@example.org", True, True)]
    # the address that is free again is its next holder's alone
    assert admin.post(f"/admin/teams/user/{vera.pk}/change/", person(vera, email="bob@example.org"))
    visitor.post("/password/reset/", {"email": "bob@example.org"})
    assert "password1" in visitor.get(mailed_link(), follow=True).content.decode()
    assert EmailAddress.objects.get(email="bob@example.org").user == vera


def test_nobody_is_shut_out_on_whom_others_depend(admin, staff, alice, bob, team):
    at = "/admin/teams/user/{.pk}/change/"
    answer = admin.post(at.format(alice), person(alice, is_active=""))
    assert "Alice is the last owner of Acme. Make another" in answer.content.decode()
    User.objects.create_superuser("cannot@example.org", is_staff=False)  # enter the admin
    for taken in ("is_active", "is_staff", "is_superuser"):
        answer = admin.post(at.format(staff), person(staff, **{taken: ""}))
        assert "root@example.org is the only administrator" in answer.content.decode()
    assert User.objects.filter(is_active=True).count() == 4
    assert admin.post(at.format(bob), person(bob, is_active="")).status_code == 302
    User.objects.create_superuser("second@example.org")
    assert admin.post(at.format(staff), person(staff, is_superuser="")).status_code == 302
    assert set(User.objects.filter(is_active=True).values_list("email", "is_superuser")) == {
        ("alice@example.org", False),
        ("root@example.org", False),
        ("second@example.org", True),
        ("cannot@example.org", True),
    }


def test_a_team_is_renamed_by_the_verb_of_its_own_page(admin, team):
    at = f"/admin/teams/team/{team.pk}/change/"
    assert admin.post(at, forms(team) | {"name": " Acme\u202e  two "}).status_code == 302
    [entry] = team.audit_entries.all()
    assert (entry.action, entry.about, entry.details) == ("team-renamed", "Acme two", {"before": "Acme"})
    assert "Write a name." in admin.post(at, forms(team) | {"name": "\u200b"}).content.decode()


def test_a_persons_name_is_cleaned(admin, bob):
    at = f"/admin/teams/user/{bob.pk}/change/"
    admin.post(at, person(bob, name="Bob\u202e \u3164 B."))
    assert User.objects.get(pk=bob.pk).name == "Bob B."
    assert "write your own name" in admin.post(at, person(bob, name="The operator")).content.decode()


@thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("taken", ["is_active", "is_staff", "is_superuser"])
def test_of_two_administrators_who_demote_each_other_one_stays(taken):
    one, two = (User.objects.create_superuser(f"{name}@example.org") for name in ("one", "two"))
    together = threading.Barrier(2)

    def demote(by: User, whom: User) -> int:
        try:
            client = Client()
            client.force_login(by)
            together.wait(10)
            return client.post(
                f"/admin/teams/user/{whom.pk}/change/", person(whom, **{taken: ""})
            ).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        answers = [each.result(30) for each in [pool.submit(demote, one, two), pool.submit(demote, two, one)]]
    assert answers.count(302) >= 1
    left = User.objects.filter(is_active=True, is_staff=True, is_superuser=True)
    assert left.count() == 1


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(
    ("door", "leads"),
    [
        ("login/?next=/admin/", "/sign-in/?next=/admin/"),
        ("password_change/", "/account/password/"),
        ("password_change/done/", "/account/"),
        ("teams/user/{}/password/", "/account/password/"),
        ("teams/user/0{}/password/", "/account/password/"),
    ],
)
def test_what_the_admin_would_do_with_ones_own_account_is_done_on_its_pages(
    admin, staff, method, door, leads
):
    """With their limits, their mails and the question for the password of now."""
    sent = {"old_password": "x", "new_password1": "otter-under-bridge", "new_password2": "otter-under-bridge"}
    sent |= {"usable_password": "true", "password1": "otter-under-bridge", "password2": "otter-under-bridge"}
    answer = getattr(admin, method)(f"/admin/{door.format(staff.pk)}", sent if method == "post" else None)
    assert (answer.status_code, answer["Location"]) == (302, leads)
    assert not User.objects.get(pk=staff.pk).has_usable_password()


def test_whoever_gets_another_password_is_told(admin, bob):
    at = f"/admin/teams/user/{bob.pk}/password/"
    sent = {"usable_password": "true", "password1": "otter-under-bridge", "password2": "another"}
    assert admin.post(at, sent).status_code == 200
    assert mail.outbox == []
    assert admin.post(at, sent | {"password2": "otter-under-bridge"}).status_code == 302
    [told] = mail.outbox
    assert (told.to, told.subject) == (["bob@example.org"], "[Probe Registry] Your password was changed")
    assert "Whoever runs the site changed the password" in told.body


def test_no_row_is_looked_up_by_its_number(admin, team):
    """Django's way to any row's page would tell a member of staff what rows of other teams are called."""
    kind = ContentType.objects.get_for_model(Team).pk
    assert admin.get(f"/admin/r/{kind}/{team.pk}/").status_code == 404
