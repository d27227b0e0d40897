from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from registry.endpoints.models import Endpoint
from registry.teams import signin
from registry.teams.domain import (
    NameRefused,
    clean_person_name,
    ensure_administrator,
    ensure_personal_team,
    sign_in_link,
)
from registry.teams.models import Membership, Role, Team, User
from tests.registry.accounts.people import PASSWORD, with_password

pytestmark = pytest.mark.django_db


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("signin_link", *arguments, stdout=out)
    return out.getvalue()


def test_the_first_administrator_can_start_at_once():
    user = ensure_administrator()
    assert (user.email, user.is_superuser, user.is_staff) == ("admin@localhost", True, True)
    assert not user.has_usable_password()
    membership = Membership.objects.get(user=user)
    assert (membership.role, membership.team.slug) == (Role.OWNER, "administrator")
    names = Endpoint.objects.filter(team=membership.team, practice=True).values_list("name", flat=True)
    assert sorted(names) == ["Practice A", "Practice B"]


def test_there_is_one_administrator_however_often_it_is_asked_for():
    first, again = ensure_administrator(), ensure_administrator()
    assert first == again
    assert (User.objects.count(), Team.objects.count(), Endpoint.objects.count()) == (1, 1, 2)


def test_an_administrator_of_ones_own_is_taken(staff):
    assert ensure_administrator() == staff
    assert not User.objects.filter(email="admin@localhost").exists()
    assert Membership.objects.get(user=staff).team.slug.startswith("team-")


def test_a_closed_administrator_is_replaced():
    User.objects.create_superuser("root@example.org", is_active=False)
    assert ensure_administrator().email == "admin@localhost"


@pytest.mark.parametrize(("name", "called"), [("", "Team"), ("vera@example.org", "Team"), ("Vera", "Vera")])
def test_a_personal_team_says_nothing_of_a_person_in_its_links(vera, name, called):
    vera.name = name
    made = ensure_personal_team(vera)
    assert re.fullmatch(r"team-[0-9a-f]{8}", made.slug)
    assert re.fullmatch(rf"{called}( [0-9a-f]{{8}})?", made.name)
    assert ensure_personal_team(vera) == made


@pytest.mark.parametrize(
    "name",
    [
        "The Operator",
        "the \u043eperator",  # Cyrillic
        "\u0422\u041d\u0415 \u041e\u0420ER\u0410\u0422\u041eR",
        "\uff54\uff48\uff45 operator",  # full width
        "the 0perat\u00f6r",
        "\u03c4he \u03bfpera\u03c4\u03bfr",  # Greek
        "cIosed account",
        "S1te  staff",
        "bob@x.test",
        "Bob \uff20 x.test",
    ],
)
def test_nobody_is_called_as_somebody_else_is(name):
    with pytest.raises(NameRefused):
        clean_person_name(name)


@pytest.mark.parametrize(
    "name", ["\u041e\u043b\u044c\u0433\u0430", "Oper Ator", "Li", "\u0395\u03bb\u03ad\u03bd\u03b7"]
)
def test_names_of_any_alphabet_are_names(name):
    assert clean_person_name(name) == name


NOBODYS = ["closed-1@account.invalid", "A@Account.INVALID", "b@x.invalid"]


@pytest.mark.parametrize("email", NOBODYS)
def test_nobody_has_an_address_of_closed_accounts(client, settings, alice, team, staff, email):
    """At every place where an address can be given: it would stand where a closed account's has to."""
    settings.SIGN_UP = "open"
    at_home, in_admin = type(client)(), type(client)()
    at_home.force_login(with_password(alice))
    in_admin.force_login(staff)
    at_home.post("/account/confirm/", {"password": PASSWORD})
    none = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    asked = [
        (client, "/sign-up/", {"email": email, "password1": PASSWORD}),
        (at_home, "/account/email/", {"email": email}),
        (at_home, f"/teams/{team.slug}/invite/", {"email": email, "role": "viewer", "days": "7"}),
        (in_admin, "/admin/teams/user/add/", {"email": email, "usable_password": "false", **none}),
        (in_admin, f"/admin/teams/user/{alice.pk}/change/", {"email": email, **none}),
    ]
    people, mails = User.objects.count(), len(mail.outbox)
    for browser, at, sent in asked:
        answer = browser.post(at, sent)
        assert answer.status_code == (200 if browser is in_admin else 422), at
        assert "mail can reach" in answer.content.decode(), at
    with pytest.raises(CommandError):
        call_command("createsuperuser", "--noinput", "--email", email)
    with pytest.raises(ValidationError):
        User.objects.create_user(email)
    assert (User.objects.count(), len(mail.outbox)) == (people, mails)
    assert not User.objects.filter(email__iendswith="invalid").exists()


def test_who_owns_a_team_needs_no_other(alice, team):
    assert ensure_personal_team(alice) == team


def test_a_link_keeps_its_code_where_no_server_sees_it(alice, settings):
    settings.EMBEDDED, settings.SITE_ADDRESS = False, "https://probes.example.org"
    link = sign_in_link(alice)
    assert re.fullmatch(r"https://probes\.example\.org/sign-in/#[\w-]+\.[\w-]+", link)
    assert signin.redeem(link) == alice


def test_the_command_prints_a_link_for_the_administrator():
    link = printed().strip()
    assert signin.redeem(link) == ensure_administrator()


def test_the_command_prints_a_link_for_anyone_with_an_account(alice):
    assert signin.redeem(printed("--email", " Alice@Example.org ")) == alice


def test_the_command_makes_up_no_account(alice):
    with pytest.raises(CommandError, match="No open account has the address nobody"):
        printed("--email", "nobody@example.org")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    with pytest.raises(CommandError, match="No open account"):
        printed("--email", "alice@example.org")
    assert User.objects.count() == 1


def test_where_others_can_reach_it_no_administrator_is_made_up(alice, settings):
    settings.EMBEDDED = False
    with pytest.raises(CommandError, match="name an account with --email"):
        printed()
    assert User.objects.count() == 1
    assert signin.redeem(printed("--email", "alice@example.org")) == alice
