"""Whatever changes something leaves a line in a team's log, or stands here with the reason why it does not.

Each route that takes a form, each page of the admin that saves, and each command.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.core.management import get_commands
from django.test import Client
from django.urls import reverse

from probes.models import Probe
from registry.audit.models import Entry
from registry.endpoints import domain as endpoints
from registry.endpoints.chat import Answer
from registry.teams.invitations import make_link
from registry.teams.models import Role, User
from registry.teams.tokens import make_token
from tests.permission_table import ADMIN, API, SENT, SITE, named_arguments
from tests.probes.admin import desk
from tests.registry.accounts.people import PASSWORD, sign_in, with_password
from tests.registry.api.planted import Planted, plant

pytestmark = pytest.mark.django_db

OWN_ACCOUNT = "a person's own account: its list of sign-ins, or a mail, tells them"
NOTHING = "changes nothing that is kept"
DOOR = "comes before an account is entered"
ENDPOINT = {
    "name": "Mine",
    "base_url": "https://1.1.1.1/v1",
    "reasoning": "leave",
    "token_limit": "max_tokens",
    "system_role": "send",
    "deadline_seconds": "120",
    "send_temperature": "on",
}
TOKEN = {"name": "nightly", "scopes": "read", "days": "30"}

NOTED: dict[str, tuple[str, str, dict[str, str], str]] = {
    # route            of             as        sent                    noted
    "race-new": ("ladder", "alice", SENT["race-new"], "batch-started"),
    "race-cancel": ("race", "alice", {}, "batch-cancelled"),
    "run-version": ("version", "alice", SENT["run-version"], "batch-started"),
    "batch-cancel": ("batch", "alice", {}, "batch-cancelled"),
    "batch-hide": ("batch", "alice", SENT["batch-hide"], "batch-hidden"),
    "batch-unhide": ("unseen batch", "alice", SENT["batch-unhide"], "batch-shown"),
    "attempt-redact": ("attempt", "alice", SENT["attempt-redact"], "output-redacted"),
    "account-close": ("", "bob", {"email": "bob@example.org"}, "member-left"),
    "tokens": ("", "alice", TOKEN, "token-made"),
    "token-revoke": ("token", "alice", {}, "token-revoked"),
    "invitation-accept": ("", "charlie", {}, "member-joined"),
    "team-new": ("", "alice", {"name": "Another"}, "team-created"),
    "team-rename": ("team", "alice", {"name": "Acme two"}, "team-renamed"),
    "team-invite": ("team", "alice", {"role": "viewer", "days": "1"}, "member-invited"),
    "team-transfer": ("team", "alice", {"to": "vera"}, "ownership-transferred"),
    "team-leave": ("team", "bob", {}, "member-left"),
    "invitation-revoke": ("invitation", "alice", {}, "invitation-revoked"),
    "member-role": ("member", "alice", {"role": "author"}, "member-role-changed"),
    "member-remove": ("member", "alice", {}, "member-removed"),
    "endpoint-models": ("", "alice", {"endpoint": "lab"}, "endpoint-listed"),
    "endpoint-new": ("team", "alice", ENDPOINT, "endpoint-added"),
    "endpoint": ("endpoint", "alice", ENDPOINT | {"key": "sk-another-0123456789"}, "endpoint-changed"),
    "endpoint-test": ("endpoint", "alice", {"model": "m"}, "endpoint-tested"),
    "endpoint-list-models": ("endpoint", "alice", {}, "endpoint-listed"),
    "endpoint-pause": ("endpoint", "alice", {}, "endpoint-paused"),
    "endpoint-resume": ("paused endpoint", "alice", {}, "endpoint-resumed"),
    "endpoint-delete": ("endpoint", "alice", {}, "endpoint-deleted"),
}
"""What is posted, by whom, and the line that it leaves. `lab` and `vera` become their numbers."""

NOT_NOTED = {
    "batch-again": "leads on to the form with the same runs filled in",
    "try-it": NOTHING,
    "invitation": DOOR,
    "favicon.ico": NOTHING,
    "sign-out": OWN_ACCOUNT,
    **{row.route: DOOR for row in SITE if row.route.startswith(("sign-in", "account_", "mfa_", "admin/"))},
    "account_change_password": OWN_ACCOUNT,
    "account_set_password": OWN_ACCOUNT,
    "account_email": OWN_ACCOUNT,
    "account_email_confirm": OWN_ACCOUNT,
    **{row.route: NOTHING for row in SITE if row.route.startswith("admin:")},
    "admin:logout": OWN_ACCOUNT,
    "admin:auth_user_password_change": OWN_ACCOUNT,
}

COMMANDS = {
    "race": "batch-started",
    "load_library": "version-published",
    "rotate_keys": "seals the same keys anew, and prints how many",
    "signin_link": "prints a link; its use is among the person's sign-ins",
    "evidence": NOTHING,
    "verify": NOTHING,
    "serve": "what its worker does was noted when it was started",
    "work": "what it does was noted when it was started",
}

ADMIN_SAVES = {
    "probes_probe": "version-published, or probe-edited",
    "teams_user": "member-added and member-shut-out; of what is no team's, the admin's own log",
    "teams_team": "team-created, team-renamed",
    "teams_membership": "member-added, member-role-changed, member-removed",
}
"""The other pages of the admin are only read: their adding is refused in ADMIN."""


def takes_forms() -> set[str]:
    refused = {"405", "in"}
    return {row.route for row in SITE if not set(row.post) <= refused}


def test_every_route_that_takes_a_form_is_noted_or_says_why_not():
    assert takes_forms() - {*NOTED, *NOT_NOTED} == set(), (
        "write in NOTED what it leaves, or in NOT_NOTED why not"
    )
    assert not {*NOTED} & {*NOT_NOTED}
    assert {answer for row in API for answer in row.post} == {"405"}, "the API only reads"


def test_every_command_is_noted_or_says_why_not():
    elsewhere = ("django.", "rest_", "drf_", "allauth")
    own = {name for name, app in get_commands().items() if not str(app).startswith(elsewhere)}
    assert own == set(COMMANDS)


def test_every_page_of_the_admin_that_saves_is_noted():
    assert {name for name, answers in ADMIN.items() if answers.split()[1] == "200"} == set(ADMIN_SAVES)
    actions = {
        name for each in admin.site._registry.values() for name in vars(type(each)).get("actions") or ()
    }
    assert actions == set(), "an action of the admin that this file says nothing of"


@pytest.fixture
def planted(team, alice) -> Planted:
    return plant(team, alice)


@pytest.fixture
def known(planted, team, alice, vera) -> dict[str, dict[str, Any]]:
    day = timedelta(days=1)
    acme = {"team": team.slug}
    named = named_arguments(planted)
    return named | {
        "token": {"pk": make_token(alice, "a notebook", ["read"], None, day).token.pk},
        "member": acme | {"pk": vera.memberships.get().pk},
        "invitation": acme | {"pk": make_link(alice, team, Role.VIEWER, day).invitation.pk},
        "paused endpoint": named["endpoint"],
    }


@pytest.mark.parametrize("route", NOTED)
def test_its_line_is_there(client, request, planted, known, team, alice, vera, monkeypatch, route):
    of, actor, sent, action = NOTED[route]
    person = alice if actor == "alice" else request.getfixturevalue(actor)
    endpoint = planted.shown.runs.get().endpoint
    if of == "paused endpoint":
        endpoints.pause_endpoint(endpoint)
    numbers = {"lab": str(endpoint.pk), "vera": str(vera.memberships.get().pk)}
    monkeypatch.setattr(
        endpoints, "_run", lambda call: Answer(text="ready") if route == "endpoint-test" else []
    )
    entered(client, person)
    if route == "invitation-accept":
        client.post("/invitation/", {"code": make_link(alice, team, Role.VIEWER, timedelta(days=1)).link})
    before = set(Entry.objects.values_list("pk", flat=True))
    answer = client.post(
        reverse(route, kwargs=known[of]), {name: numbers.get(value, value) for name, value in sent.items()}
    )
    assert answer.status_code in (200, 302)
    entries = Entry.objects.exclude(pk__in=before)
    assert action in [entry.action for entry in entries]
    assert {entry.by for entry in entries} == {person}


def entered(client: Client, person: User) -> None:
    sign_in(client, with_password(person))
    client.post("/account/confirm/", {"password": PASSWORD})


# --- the admin -----------------------------------------------------------------------------------
def rows(user: User, **changed: str) -> dict[str, str]:
    prefixes = ("memberships", "memberships-2")
    sent = {f"{each}-{kind}_FORMS": "0" for each in prefixes for kind in ("TOTAL", "INITIAL")}
    sent |= {"email": user.email, "name": user.name}
    return {name: value for name, value in (sent | changed).items() if value}


def retitle(client: Client, probe: Probe) -> None:
    desk.edit(client, probe, "title: Three words", "title: Three")


def recategorise(client: Client, probe: Probe) -> None:
    desk.edit(client, probe, "category: Instruction following", "category: Counting")


def resummarise(client: Client, probe: Probe) -> None:
    desk.edit(client, probe, "summary: Three words, no more.", "summary: Three.")


@pytest.mark.parametrize(
    ("edit", "what", "was"),
    [
        (retitle, "title", "Three words"),
        (recategorise, "category", "Instruction following"),
        (resummarise, "summary", "Three words, no more."),
    ],
)
def test_a_probe_is_edited_by_somebody(client, staff, planted, edit: Callable[..., None], what, was):
    client.force_login(staff)
    edit(client, planted.version.probe)
    [entry] = Entry.objects.filter(action="probe-edited")
    assert (entry.by, entry.about) == (staff, "acme/three-words")
    assert entry.details == {"what": [what], f"{what}_before": was}
    assert planted.version.probe.versions.count() == 1


def test_a_member_is_shut_out_and_let_back_by_somebody(client, staff, bob, team):
    client.force_login(staff)
    at = f"/admin/teams/user/{bob.pk}/change/"
    for active in ("", "", "on", "on"):
        assert client.post(at, rows(bob, is_active=active)).status_code == 302
    said = [(entry.by, entry.action, entry.about) for entry in Entry.objects.order_by("id")]
    assert said == [(staff, "member-shut-out", "Bob"), (staff, "member-let-back", "Bob")]


def test_an_endpoint_that_is_not_called_is_not_said_to_be(client, alice, planted, team):
    endpoint = planted.shown.runs.get().endpoint
    endpoints.pause_endpoint(endpoint)
    entered(client, alice)
    for way in ("test", "models"):
        client.post(f"/teams/acme/endpoints/{endpoint.slug}/{way}/", {"model": "m"})
    assert not Entry.objects.filter(action__in=("endpoint-tested", "endpoint-listed")).exists()
