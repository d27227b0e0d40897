from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from registry.endpoints.models import Endpoint
from registry.teams import signin
from registry.teams.domain import ensure_administrator, ensure_personal_team, sign_in_link
from registry.teams.models import Membership, Role, Team, User

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


def test_a_personal_team_never_takes_a_name_that_is_taken(bob):
    Team.objects.create(slug="bob", name="Somebody else's")
    assert ensure_personal_team(bob).slug == "bob-2"
    assert ensure_personal_team(bob).slug == "bob-2"


@pytest.mark.parametrize("name", ["", "vera@example.org"])
def test_a_personal_team_tells_nothing_of_an_address(vera, name):
    vera.name = name
    made = ensure_personal_team(vera)
    assert re.fullmatch(r"team-[0-9a-f]{6} Team [0-9a-f]{6}", f"{made.slug} {made.name}")


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
