"""Hide, show again, redact: who may, and what is left. That evidence still verifies: tests/ladder."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection, transaction
from django.db.models import CharField, JSONField, TextField
from django.http import Http404

from probes.core import Reply, check
from probes.core.verification import verify_lines
from probes.domain.evidence import lines
from probes.domain.moderate import (
    QUOTED,
    REDACTED,
    ModerationRefused,
    hide_batch,
    may_quote,
    redact_attempt,
    redactable,
    unhide_batch,
    without_quotes,
)
from probes.domain.runs import hidden_runs, public_runs, run_results
from probes.domain.settle import NOT_CALLED
from probes.domain.verification.recount import recounts
from probes.domain.visible import visible_batches
from probes.models import Attempt, Batch, Moderation, Trial, Verdict
from registry.endpoints.models import Endpoint
from registry.immutability import erasure
from registry.teams import access
from tests.probes import ran
from tests.probes.stage import a_version

pytestmark = pytest.mark.django_db
SECRET = "sk-live 0123456789 abcdef xyz"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def endpoint(team) -> Endpoint:
    return ran.endpoint(team)


@pytest.fixture
def batch(team, endpoint, alice) -> Batch:
    replies = [SECRET, "one two three", None, Reply("  ", "length")]
    return ran.batch(a_version(team), endpoint, replies, by=alice)


def test_a_hidden_batch_is_there_for_its_members_alone(batch, alice, vera, charlie, staff):
    hide_batch(batch, alice, "  its concept is an insult ")
    assert batch in visible_batches(vera)
    assert not visible_batches(charlie).exists()
    assert not visible_batches(staff).exists()
    act = Moderation.objects.get()
    assert (act.batch, act.by, act.act, act.reason) == (batch, alice, "hide", "its concept is an insult")
    unhide_batch(batch, alice, "it was none")
    assert batch in visible_batches(charlie)
    assert [act.act for act in batch.moderations.all()] == ["unhide", "hide"]
    noted = (
        batch.team.audit_entries.filter(by=alice)
        .order_by("pk")
        .values_list("by_name", "action", "about", "details")
    )
    assert list(noted) == [
        ("Alice", "batch-hidden", batch.title, {"reason": "its concept is an insult"}),
        ("Alice", "batch-shown", batch.title, {"reason": "it was none"}),
    ]


def test_a_hidden_batch_counts_as_no_result_and_its_number_is_known(batch, alice):
    version = batch.runs.get().version
    hide_batch(batch, alice, "an insult")
    assert not public_runs(version).exists()
    assert hidden_runs(version).count() == 1
    assert not run_results(version.runs.select_related("batch", "endpoint"))[0].counts


def test_whoever_watches_is_told(batch, alice):
    before = batch.seq
    hide_batch(batch, alice, "an insult")
    batch.refresh_from_db()
    assert batch.seq == before + 1


@pytest.mark.parametrize(
    ("person", "refusal"),
    [("anna", PermissionDenied), ("bob", PermissionDenied), ("vera", PermissionDenied), ("charlie", Http404)],
)
def test_only_an_owner_hides_and_redacts(batch, person, refusal, request):
    user = request.getfixturevalue(person)
    attempt = batch.attempts.first()
    for act in (lambda: hide_batch(batch, user, "why"), lambda: redact_attempt(attempt, user, "why")):
        with pytest.raises(refusal):
            act()
    assert not Moderation.objects.exists()


def test_no_token_hides_or_redacts():
    assert access.RIGHTS["hide and redact"] == "owner"
    assert "hide and redact" not in access.SCOPES


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("", "Write the reason"),
        (" \u200b ", "Write the reason"),
        ("x" * 301, "301 characters: shorten it to 300"),
        ("one\ntwo", "line break"),
        ("one\x1b[2Jtwo", "U+001B"),
    ],
)
def test_a_reason_is_one_line(batch, alice, reason, said):
    for act in (
        lambda: hide_batch(batch, alice, reason),
        lambda: redact_attempt(batch.attempts.first(), alice, reason),
    ):
        with pytest.raises(ModerationRefused, match=said.replace("+", r"\+")):
            act()
    assert not Moderation.objects.exists()


def test_what_is_hidden_cannot_be_hidden_again(batch, alice):
    hide_batch(batch, alice, "an insult")
    with pytest.raises(ModerationRefused, match="hidden already"):
        hide_batch(batch, alice, "an insult")
    unhide_batch(batch, alice, "it was none")
    with pytest.raises(ModerationRefused, match="not hidden already"):
        unhide_batch(batch, alice, "it was none")


def test_a_redacted_text_is_gone_and_its_digest_and_verdicts_stay(batch, alice, caplog):
    attempt = batch.attempts.first()
    before = [(verdict.ok, verdict.actual, verdict.message) for verdict in attempt.verdicts.all()]
    assert before == [(False, 4, "4 / 3 words")]
    redact_attempt(attempt, alice, "it holds a key")
    attempt.refresh_from_db()
    assert attempt.output == REDACTED
    assert attempt.output_digest == sha256(SECRET)
    after = [(verdict.ok, verdict.actual, verdict.message) for verdict in attempt.verdicts.all()]
    assert after == before
    assert [verdict.spans for verdict in attempt.verdicts.all()] == [[]]
    act = Moderation.objects.get()
    assert (act.attempt, act.by, act.reason) == (attempt, alice, "it holds a key")
    noted = batch.team.audit_entries.get(by=alice)
    assert (noted.by, noted.action, noted.details) == (alice, "output-redacted", {"reason": "it holds a key"})
    assert SECRET not in noted.about
    assert f"attempt {attempt.pk} is redacted" in caplog.text
    assert SECRET not in caplog.text


def test_the_evidence_says_what_is_redacted(batch, alice):
    redact_attempt(batch.attempts.first(), alice, "it holds a key")
    written = [f"{line}\n".encode() for line in lines(batch)]
    assert SECRET not in b"".join(written).decode()
    assert sum(b'"redacted":true' in line for line in written) == 1
    assert verify_lines(written).redacted == 1
    assert {recount.verdict.attempt.output for recount in recounts()} == {"one two three", "  "}


def test_of_a_failed_call_what_the_server_said_is_erased(batch, alice):
    failed = batch.attempts.get(outcome="error")
    redact_attempt(failed, alice, "it echoes a name")
    failed.refresh_from_db()
    assert (failed.output, failed.detail, failed.output_digest) == ("", REDACTED, "")


KEPT = {
    "outcome": "decided", "error": "a code of ours", "output_is": "decided", "endpoint_name": "the team's",
    "sent_messages": "the probe's", "sent_parameters": "the probe's and the endpoint's",
    "sent_digest": "a digest", "scored_with": "the scorer's", "output_digest": "a digest",
}  # fmt: skip
ERASED = ["detail", "finish", "output", "served_model"]
KEPT_OF_A_VERDICT = {"expected": "the rubric's", "unit": "the rubric's"}
ERASED_OF_A_VERDICT = ["actual", "message", "spans"]


def texts(model) -> list[str]:
    kinds = (CharField, TextField, JSONField)
    return sorted(field.name for field in model._meta.get_fields() if isinstance(field, kinds))


def test_every_column_that_can_hold_text_is_erased_or_known_to_hold_none_of_a_server():
    """A new column is put into one of these: what a server wrote is to be redacted with the rest."""
    assert texts(Attempt) == sorted([*KEPT, *ERASED])
    assert texts(Verdict) == sorted([*KEPT_OF_A_VERDICT, *ERASED_OF_A_VERDICT])


def planted(attempt: Attempt) -> Attempt:
    """With the secret in every column that a server has a part in."""
    with erasure("a test plants a secret"):
        Attempt.objects.filter(pk=attempt.pk).update(**dict.fromkeys(ERASED, SECRET))
        attempt.verdicts.update(message=f"matched {SECRET}", actual=SECRET, spans=[[0, 9, "match", SECRET]])
    attempt.refresh_from_db()
    return attempt


@pytest.mark.parametrize("number", range(4), ids=["failed rule", "passed", "failed call", "empty"])
def test_nothing_that_a_server_wrote_is_left(batch, alice, number):
    attempt = planted(batch.attempts.order_by("seq")[number])
    before = Attempt.objects.values(*KEPT, "prompt_tokens", "passed").get(pk=attempt.pk)
    if attempt.outcome == "empty":  # its output is blank, or it would not be empty
        with erasure("a test"):
            Attempt.objects.filter(pk=attempt.pk).update(output="  ")
    assert attempt in redactable(batch)
    redact_attempt(attempt, alice, "it holds a key")
    row: dict[str, Any] = dict(Attempt.objects.values().get(pk=attempt.pk))
    assert SECRET not in str(row)
    assert SECRET not in str(list(Verdict.objects.filter(attempt=attempt).values()))
    digest = {} if attempt.outcome == "empty" else {"output_digest": sha256(SECRET)}
    assert {name: row[name] for name in before} == before | digest
    assert [row[name] for name in ("detail", "finish", "served_model")] == [REDACTED] * 3
    told = [line for line in lines(batch) if '"redacted":true' in line]
    assert len(told) == 1
    assert SECRET not in told[0]


@pytest.mark.parametrize("column", ["detail", "served_model", "finish"])
def test_an_empty_reply_that_holds_a_text_elsewhere_can_be_redacted(batch, alice, column):
    blank = batch.attempts.get(outcome="empty")
    assert blank not in redactable(batch)
    with erasure("a test plants a secret"):
        Attempt.objects.filter(pk=blank.pk).update(**{column: SECRET})
    redact_attempt(blank, alice, "it holds a key")
    blank.refresh_from_db()
    assert (getattr(blank, column), blank.output, blank.output_digest) == (REDACTED, "  ", "")


def test_a_finish_of_the_protocol_and_the_model_that_was_asked_for_tell_nothing_and_stay(batch, alice):
    attempt = batch.attempts.first()
    with erasure("a test"):
        batch.attempts.update(served_model="maker/one")
    assert redactable(batch).count() == 3
    redact_attempt(attempt, alice, "it holds a key")
    attempt.refresh_from_db()
    assert (attempt.finish, attempt.served_model) == ("stop", "maker/one")


def test_the_copies_of_what_a_failed_call_left_go_with_it(team, endpoint, alice):
    made = ran.batch(a_version(team), endpoint, [None] * 5 + [SECRET], by=alice)
    first, *others, answered = made.attempts.order_by("seq")
    with erasure("a test plants copies"):
        Attempt.objects.filter(outcome="error").update(detail=f"Refused: {SECRET}", served_model=SECRET)
        uncalled = Attempt.objects.filter(pk__in=[each.pk for each in others])
        uncalled.update(detail=f"{NOT_CALLED}Refused: {SECRET}")
        Attempt.objects.filter(pk=others[-1].pk).update(detail="Too many requests.")
    assert redact_attempt(others[0], alice, "it echoes a key") == 3
    assert set(Attempt.objects.filter(redacted_at=None)) == {others[-1], answered}
    assert SECRET not in str(list(Attempt.objects.exclude(redacted_at=None).values()))
    assert set(Moderation.objects.values_list("attempt", "reason")) == {
        (each.pk, "it echoes a key") for each in (first, *others[:3])
    }
    assert made.team.audit_entries.get(by=alice).details == {"reason": "it echoes a key", "copies": 3}
    made.refresh_from_db()
    told = Trial.objects.filter(attempts__in=[first, *others[:3]]).values_list("seq", flat=True)
    assert sorted(told) == [made.seq - 3, made.seq - 2, made.seq - 1, made.seq]


def test_an_output_is_no_copy_of_another(team, endpoint, alice):
    made = ran.batch(a_version(team), endpoint, [SECRET, SECRET], by=alice)
    assert redact_attempt(made.attempts.get(number=1, trial__repeat=1), alice, "it holds a key") == 0
    assert redactable(made).count() == 1


def test_nothing_is_redacted_twice_nor_where_there_is_no_text(batch, alice):
    first, *_, blank = batch.attempts.order_by("seq")
    assert list(redactable(batch).values_list("seq", flat=True)) == [2, 4, 6]
    redact_attempt(first, alice, "a key")
    for attempt in (first, blank):
        with pytest.raises(ModerationRefused, match="There is no text"):
            redact_attempt(attempt, alice, "a key")
    assert Moderation.objects.count() == 1


def test_what_was_done_cannot_be_undone_or_rewritten(batch, alice):
    redact_attempt(batch.attempts.first(), alice, "a key")
    for change in (
        lambda: Moderation.objects.update(reason="another"),
        lambda: Moderation.objects.all()._raw_delete("default"),
        lambda: batch.attempts.update(output="what I like better"),
    ):
        with pytest.raises(DatabaseError, match="cannot be changed"), transaction.atomic():
            change()


IPS = {"kind": "pattern", "must": "not_match", "pattern": "/[0-9][0-9.-]+[0-9]/"}
GROUPS = {"kind": "pattern", "must": "match", "pattern": r"/\d[\d ]+/"}


@pytest.mark.parametrize(
    ("rule", "output"),
    [
        (IPS, "call 10.0.12.7 now"),
        (IPS, "555-010-222"),
        (GROUPS, "123 456 789"),
        ({"kind": "pattern", "must": "not_match", "pattern": "/[٠-٩]+/"}, "٣٤"),
        ({"kind": "charset", "only": "abc"}, "7 31"),
        ({"kind": "ends_with", "of": "end"}, "is 7 31"),
        ({"kind": "starts_with", "of": "PIN 42"}, "PIN 42 it is"),
        ({"kind": "contains", "of": ["7 31", "b"], "at_least": 1}, "is 7 31"),
        ({"kind": "contains", "of": "7 31", "at_least": 1}, "is 7 31"),
        ({"kind": "json"}, "7 31"),
        ({"kind": "letters", "forbid": "e"}, "on\u0435 e"),
        ({"kind": "not", "of": GROUPS}, "12 34"),
        ({"kind": "all", "of": [{"kind": "words", "op": "==", "n": 5}, GROUPS]}, "12 34; 5 / 6 words"),
    ],
)
def test_what_a_verdict_quotes_is_gone_however_short(rule, output):
    finding = check(rule).run(output)
    told = without_quotes(Verdict(**finding.as_json()))
    assert (told["message"], told["spans"]) == (QUOTED, [])
    assert told["actual"] is None or isinstance(told["actual"], bool | int)


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "words", "op": "<=", "n": 1},
        {"kind": "words", "op": "!=", "n": 2, "where": "upper"},
        {"kind": "case", "case": "lower"},
        {"kind": "letters", "letter": "z", "op": ">", "n": 2},
        {"kind": "lexicon", "list": "pirate", "op": "==", "n": 2},
        {"kind": "syllables", "lines": [5, 7, 5]},
        {"kind": "charset", "only": "{}"},
        {"kind": "json", "top": "array"},
        {"kind": "count", "op": "==", "n": 1, "patterns": "/x/"},
        {"kind": "pattern", "must": "match", "pattern": "/x/"},
        {"kind": "not", "of": {"kind": "any", "of": [{"kind": "lines", "op": "==", "n": 3}]}},
        {
            "kind": "all",
            "of": [{"kind": "lines", "op": "==", "n": 3}, {"kind": "sentences", "op": "==", "n": 3}],
        },
    ],
)
@pytest.mark.parametrize("output", ["{}", " "])
def test_what_only_counts_stays(rule, output):
    finding = check(rule).run(output)
    assert without_quotes(Verdict(**finding.as_json()))["message"] == finding.message


@pytest.mark.parametrize(
    "message",
    ["", "11 / 10 words 7", "3 / 2 words; matched", "matched '3 / 2 words; 1 / 2 lines'", "only 1 2"],
)
def test_a_message_of_no_known_form_may_quote(message):
    assert may_quote(message)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL overwrites at its next vacuum")
def test_what_is_erased_is_overwritten():
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete")
        assert cursor.fetchone() == (1,)
