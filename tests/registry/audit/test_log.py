"""A team's audit log: what is noted, who may read it, how it is narrowed, and that no line changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from probes.domain.cancel import cancel_batch
from probes.domain.publish import publish
from registry.audit.actions import ACTIONS
from registry.audit.domain import A_PAGE, record
from registry.audit.models import Entry
from registry.endpoints.domain import add_endpoint, change_endpoint
from registry.teams import tokens
from registry.teams.models import Membership, Team
from tests.probes.stage import a_batch, a_version, an_endpoint, probe_text

pytestmark = pytest.mark.django_db

LOG = "/teams/acme/log/"
KEY = "sk-audited-1234567890"


def said(team: Team) -> list[tuple[str, str, str]]:
    """The log, the oldest line first."""
    entries = Entry.objects.filter(team=team).order_by("id")
    return [(entry.who, entry.action, entry.about) for entry in entries]


# --- what is noted -------------------------------------------------------------------------------
def test_what_is_done_to_an_endpoint_is_noted_without_its_key(team, alice):
    given = {"name": "Cloud", "base_url": "https://api.example.com/v1", "key": KEY}
    endpoint = add_endpoint(team, by=alice, **given)
    change_endpoint(endpoint, by=alice, name="Cloud", concurrency=2, key="sk-second-0987654321")
    change_endpoint(endpoint, by=alice, concurrency=2)
    change_endpoint(endpoint, key="")
    assert said(team) == [
        ("Alice", "endpoint-added", "Cloud"),
        ("Alice", "endpoint-changed", "Cloud"),
        ("Alice", "endpoint-key-replaced", "Cloud"),
        ("the operator", "endpoint-key-forgotten", "Cloud"),
    ]
    assert Entry.objects.get(action="endpoint-changed").details == {"what": ["concurrency"]}
    assert "sk-" not in str(list(Entry.objects.values()))


def test_versions_and_batches_are_noted(team, anna, bob):
    published = publish(team, probe_text(), by=anna)
    publish(team, probe_text(), by=anna)
    batch = a_batch(team, published.version, an_endpoint(team))
    cancel_batch(batch, bob)
    cancel_batch(batch, bob)
    assert said(team) == [
        ("Anna", "version-published", "acme/three-words v1"),
        ("the operator", "batch-started", "A batch"),
        ("Bob", "batch-cancelled", "A batch"),
    ]


def test_tokens_are_noted_wherever_they_reach(team, bob):
    other = Team.objects.create(slug="other", name="Other")
    Membership.objects.create(team=other, user=bob, role="viewer")
    made = [tokens.make_token(bob, f"for {at}", ["read"], at, timedelta(days=1)) for at in (team, None)]
    for token in (made[0].token, made[0].token, made[1].token):
        tokens.revoke(token)
    both = [("Bob", "token-made", "for None"), ("Bob", "token-revoked", "for None")]
    assert said(other) == both
    assert said(team) == [
        ("Bob", "token-made", "for Acme"),
        both[0],
        ("Bob", "token-revoked", "for Acme"),
        both[1],
    ]
    assert made[0].secret not in str(list(Entry.objects.values()))


def test_who_came_with_a_token_is_told_apart(team, bob):
    bob.came_with = tokens.make_token(bob, "nightly", ["run"], team, timedelta(days=1)).token
    assert record(team, bob, "batch-started", "T").details == {"with the token": "nightly"}


@pytest.mark.parametrize(
    ("action", "details", "problem"),
    [("sneezed", {}, "no action"), ("batch-started", {"key": KEY}, "no key")],
)
def test_what_no_log_may_hold_is_refused(team, action, details, problem):
    with pytest.raises(ValueError, match=problem):
        record(team, None, action, "T", **details)


def test_what_is_long_is_cut_and_what_is_empty_left_out(team):
    entry = record(team, None, "batch-started", "x" * 1000, note="y" * 1000, nobody=None)
    assert len(entry.about) == len(entry.details.pop("note")) == 300
    assert entry.details == {}


@pytest.mark.django_db(transaction=True)
def test_nothing_is_noted_outside_the_transaction_that_does_it(team):
    with pytest.raises(ValueError, match="transaction"):
        record(team, None, "batch-started", "T")

    def failing():
        record(team, None, "batch-started", "T")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), transaction.atomic():
        failing()
    assert said(team) == []


def test_a_line_cannot_be_changed_or_removed(team):
    entry = record(team, None, "batch-started", "T")
    rows = Entry.objects.filter(pk=entry.pk)
    for attempt in (lambda: rows.update(about="other"), rows.delete, entry.delete, entry.save):
        with pytest.raises(IntegrityError, match="cannot be changed"), transaction.atomic():
            attempt()
    with connection.cursor() as cursor, pytest.raises(IntegrityError), transaction.atomic():
        cursor.execute("DELETE FROM audit_entry")
    assert said(team) == [("the operator", "batch-started", "T")]


# --- the page ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("who", "status"), [("charlie", 404), ("vera", 403), ("bob", 403), ("anna", 403), ("alice", 200)]
)
def test_only_owners_read_it(client, request, team, who, status):
    assert client.get(LOG).status_code == 302
    client.force_login(request.getfixturevalue(who))
    answer = client.get(LOG)
    assert answer.status_code == status
    if status == 403:
        assert "Your role in Acme does not let you see the audit log." in answer.content.decode()


@pytest.fixture
def owner(client, alice):
    client.force_login(alice)
    return client


def at(day: int, team: Team, by, action: str, about: str) -> None:
    moment = datetime(2026, 3, day, 23, 59, 59, tzinfo=UTC)
    Entry.objects.create(team=team, by=by, by_name=str(by or ""), at=moment, action=action, about=about)


@pytest.fixture
def three_lines(team, alice, bob, charlie) -> None:
    at(1, team, bob, "batch-started", "first")
    at(2, team, alice, "token-made", "second")
    at(3, team, None, "batch-started", "<third>")
    at(3, Team.objects.get(slug="other"), charlie, "batch-started", "elsewhere")


def lines(answer) -> list[str]:
    return [entry.about for entry in answer.context["page"].entries]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["<third>", "second", "first"]),
        ({"action": "batch-started"}, ["<third>", "first"]),
        ({"person": "bob"}, ["first"]),
        ({"person": "operator"}, ["<third>"]),
        ({"since": "2026-03-02"}, ["<third>", "second"]),
        ({"until": "2026-03-02"}, ["second", "first"]),
        ({"since": "2026-03-02", "until": "2026-03-02", "action": "batch-started"}, []),
        ({"since": "0001-01-01", "until": "9999-12-31"}, ["<third>", "second", "first"]),
    ],
)
def test_it_is_narrowed(owner, bob, three_lines, query, found):
    if query.get("person") == "bob":
        query = {"person": bob.pk}
    answer = owner.get(LOG, query)
    assert lines(answer) == found
    assert "<third>" not in answer.content.decode()
    if not found:
        assert "Nothing of that kind was done." in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"action": "sneezed"}, "Choose one of those listed."),
        ({"person": "x"}, "Choose one of those listed."),
        ({"since": "yesterday"}, "Write a day such as 2026-03-31."),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "This is before the first day"),
        ({"cursor": "garbage"}, "This page of the log cannot be found"),
        ({"cursor": "WzAsMV0"}, "This page of the log cannot be found"),
    ],
)
def test_what_cannot_be_asked_is_told(owner, three_lines, query, words):
    answer = owner.get(LOG, query)
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_somebody_of_another_team_cannot_be_asked_for(owner, charlie, three_lines):
    assert owner.get(LOG, {"person": charlie.pk}).status_code == 422


def test_each_line_comes_once_both_ways(owner, team):
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    numbers = range(2 * A_PAGE + 1)
    Entry.objects.bulk_create(
        Entry(team=team, at=noon, action="batch-started", about=str(number)) for number in numbers
    )
    first = owner.get(LOG)
    assert first.context["page"].newer == ""
    pages = [first]
    while older := pages[-1].context["page"].older:
        pages.append(owner.get(LOG, {"cursor": older}))
    forth = [lines(page) for page in pages]
    assert [about for page in forth for about in page] == [str(number) for number in reversed(numbers)]
    back = [forth[-1]]
    while newer := pages[-1].context["page"].newer:
        pages.append(owner.get(LOG, {"cursor": newer}))
        back.append(lines(pages[-1]))
    assert back == forth[::-1]


def test_an_empty_log_says_so(owner):
    assert "Nothing has been done yet" in owner.get(LOG).content.decode()


def test_every_line_is_said_in_words(owner, team):
    for action in ACTIONS:
        record(team, None, action, "T", all_teams=True, what=["name", "prices"], runs=3)
    page = owner.get(LOG).content.decode()
    assert [words for words in ACTIONS.values() if words not in page] == []
    assert "all teams: <span data-literal>yes</span>" in page
    assert "name, prices" in page


def test_a_version_is_in_the_log_of_its_team_alone(team, charlie):
    a_version(team)
    assert said(Team.objects.get(slug="other")) == []
