"""Every route of the site × every actor × every method, against `tests/permission_table.py`.

The API's rows are asked in tests/registry/api/test_permissions.py, by session and by token.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, resolve, reverse

from registry.endpoints import views
from registry.teams.invitations import make_link
from registry.teams.models import Role
from registry.teams.tokens import make_token
from tests.permission_table import ACTORS, ADMIN, API, ASKED, PEOPLE, SENT, SITE, Row, named_arguments
from tests.registry.api.planted import Planted, plant
from tests.thorough import THOROUGH

OTHER_METHODS = ("head", "put", "patch", "delete")
"""Of each row a plain run asks one of them in turn."""
COVERED = {"admin/r/<path:content_type_id>/<path:object_id>/"}
"""Patterns of Django's that an earlier one of ours leaves nothing to."""
NOTHING_DONE = {"405", "404", "403", "in"}
ADD_A_ROW = """
No row in tests/permission_table.py says who may ask these addresses: {missing}.
Add to SITE (to API, if the route's name begins with api-) a line such as
    row("name-of-the-route", "", "200", "405"),
with the answer to each of {actors} by GET, then by POST;
if it takes arguments, name them in `named_arguments`. Ask it of a public thing and of a team's own."""


def patterns(below: Any = None, prefix: str = "") -> Iterator[str]:
    """Each pattern of addresses, whole as `resolve` says it, of the admin too. Two may share a name."""
    for pattern in below or get_resolver().url_patterns:
        whole = prefix + str(pattern.pattern).removeprefix("^" if prefix else "")
        if isinstance(pattern, URLPattern):
            yield whole
        else:
            yield from patterns(pattern.url_patterns, whole)


def pages_of_models() -> dict[str, list[str]]:
    """What ADMIN has a row for: the addresses of a row's pages there, in the order of its answers."""
    pages = {}
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        row = model._default_manager.first()
        given = [row.pk if row else 0]
        asked = {"changelist": [], "add": [], "change": given, "delete": given, "history": given}
        pages[name] = [reverse(f"admin:{name}_{way}", args=args) for way, args in asked.items()]
    return pages


@pytest.mark.django_db
def test_every_route_has_a_row(known):
    models = pages_of_models()
    assert set(models) == set(ADMIN), "a page of the admin without a row in ADMIN, or a row without a page"
    answered = {resolve(at(row, known)).route for row in [*SITE, *API]}
    answered |= {resolve(page).route for pages in models.values() for page in pages}
    answered |= {resolve(f"{pages[0]}1/").route for pages in models.values()}  # leads on to the row's page
    missing = [pattern for pattern in dict.fromkeys(patterns()) if pattern not in answered | COVERED]
    assert not missing, ADD_A_ROW.format(missing=", ".join(missing), actors=", ".join(ACTORS))


@pytest.fixture
def planted(team, alice) -> Planted:
    return plant(team, alice)


@pytest.fixture
def signed_in(request, planted, actor, bob, anna, vera, charlie) -> Client:
    client = Client(raise_request_exception=False)
    if actor != "visitor":
        client.force_login(request.getfixturevalue(PEOPLE[actor]))
    return client


@pytest.fixture
def known(planted, team, alice, vera, staff) -> dict[str, dict[str, Any]]:
    acme, day = {"team": team.slug}, timedelta(days=1)
    return named_arguments(planted) | {
        "token": {"pk": make_token(alice, "a notebook", ["read"], None, day).token.pk},
        "self": {"id": staff.pk},
        "user": {"id": vera.pk},
        "app": {"app_label": "teams"},
        "member": acme | {"pk": vera.memberships.get().pk},
        "invitation": acme | {"pk": make_link(alice, team, Role.VIEWER, day).invitation.pk},
    }


def ask(client: Client, method: str, address: str, sent: dict[str, str] | None = None) -> str:
    """The answer as the table has it. Whatever it changed is undone."""
    cookies = dict(client.cookies)
    with transaction.atomic():
        answer = getattr(client, method)(address, sent)
        answer.getvalue()  # a stream that nobody reads would never be closed
        transaction.set_rollback(True)
    client.cookies.clear()
    client.cookies.update(cookies)
    where = answer.headers.get("Location", "")
    return "in" if where.startswith(("/sign-in/", "/admin/login/")) else str(answer.status_code)


def read_as(row: Row) -> set[str]:
    """Answers by which a method that writes nothing may be taken for GET: Django's admin does so."""
    return {"302", "200"} if row.route.startswith("admin:") else {"302"}


def at(row: Row, known: dict[str, dict[str, Any]]) -> str:
    try:
        return reverse(row.route, kwargs=known[row.of])
    except NoReverseMatch:
        return f"/{row.route}"


def sent_to(row: Row, planted: Planted) -> dict[str, str]:
    endpoint = str(planted.shown.runs.get().endpoint_id)
    return {name: endpoint if value == "lab" else value for name, value in SENT.get(row.route, {}).items()}


@pytest.mark.django_db
@pytest.mark.parametrize("actor", ASKED)
def test_who_may_do_what(actor, signed_in, planted, known, monkeypatch):
    monkeypatch.setattr(views, "list_models", lambda endpoint, by: None)  # nobody is there to be asked
    place, wrong = ACTORS.index(actor), []
    for number, row in enumerate(SITE, place):
        address, reads = at(row, known), row.get[place]
        answers = {"get": ask(signed_in, "get", address)}
        answers["post"] = ask(signed_in, "post", address, sent_to(row, planted))
        if answers != (wanted := {"get": reads, "post": row.post[place]}):
            wrong.append(f"{row.route} ({row.of}): answered {answers}, and not {wanted}")
        turn = number % len(OTHER_METHODS)
        for method in OTHER_METHODS if THOROUGH else OTHER_METHODS[turn : turn + 1]:
            found = ask(signed_in, method, address)
            if found not in ({reads} if method == "head" else NOTHING_DONE | ({reads} & read_as(row))):
                wrong.append(f"{row.route} ({row.of}): {method} answered {found}")
    assert not wrong, f"{actor}: " + "; ".join(wrong)


@pytest.mark.django_db
@pytest.mark.parametrize("actor", ASKED)
def test_who_gets_into_the_admin(actor, signed_in, planted):
    for name, pages in pages_of_models().items():
        for address, expected in zip(pages, ADMIN[name].split(), strict=True):
            if actor == "staff":
                assert ask(signed_in, "get", address) == expected, address
            else:
                assert ask(signed_in, "get", address) == ask(signed_in, "post", address) == "in", address
