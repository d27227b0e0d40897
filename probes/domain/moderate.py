"""Hide what should not be read in public, and erase what should be read by nobody.

Both are an owner's, with a reason that is kept. What is hidden can be shown again; what is redacted
is gone: of an output the digest and the verdicts stay, and no verdict quotes it any more. Whoever runs
the site may hide what is public, too, and only they show that again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from probes.core.recomputing import REDACTED
from probes.core.template import is_blank, line_problem
from probes.core.view import WHITE_SPACE
from probes.domain.events import Held, held
from probes.domain.settle import NOT_CALLED
from probes.models import Attempt, Batch, Moderation, Outcome, Trial, Verdict, Visibility
from probes.models.moderation import LONGEST_REASON
from registry.audit.domain import record
from registry.immutability import erasure
from registry.teams import access
from registry.teams.access import Person
from registry.teams.models import User

RIGHT = "hide and redact"
QUOTED = "redacted with the output that it quoted"
FINISHES = frozenset({
    "stop", "length", "max_tokens", "max_output_tokens", "model_length", "content_filter", "content-filter",
    "safety", "tool_calls", "function_call", "end_turn", "eos",
})  # fmt: skip
"""Words of the protocol: a finish that is one of them tells nothing else, and stays."""

_COUNT = r"[0-9]+ / [≠≤≥<>]?[0-9]+ (?:look-alikes of e|'.' characters|[a-z]+(?:-[a-z]+)?(?: [a-z]+)?)"
_SYLLABLES = (
    r"(?:[0-9]+(?:-[0-9]+)*(?:… \([0-9]+ lines\))?|) / [0-9]+(?:-[0-9]+)*(?:… \([0-9]+ lines\))? syllables"
)
_JSON = r"JSON: (?:object|array|string|number|true, false or null)(?:, not (?:object|array))?"
_ONLY = r"only (?:\S{1,20}|[0-9]+ listed characters)"
_PART = rf"(?:{_COUNT}|{_SYLLABLES}|{_JSON}|{_ONLY}|at least {_COUNT}|nothing matched|empty output)"
_LEAD = r"(?:must not pass: |does not pass, as wanted: )*"
_TELLS_NO_TEXT = re.compile(rf"{_LEAD}{_PART}(?:; {_LEAD}{_PART})*")
"""Messages that are known to hold nothing of an output: only counts, and words of the kind of rule.

The others are taken for quotations, whatever they hold: a secret may be digits, or one sign at a time.
"""


class ModerationRefused(ValueError):
    """Nothing was changed; the message says why and what to do."""


def hide_batch(batch: Batch, by: User, reason: str) -> None:
    """From now on only members of its team see it: on no list, page, stream, file or API of others.

    Raises ModerationRefused, and what `access.require` does.
    """
    _change(batch, by, reason, Moderation.Act.HIDE)


def unhide_batch(batch: Batch, by: User, reason: str) -> None:
    """Those whom its visibility lets see it do so again. Raises what `hide_batch` does."""
    _change(batch, by, reason, Moderation.Act.UNHIDE)


def _change(batch: Batch, by: User, reason: str, act: Moderation.Act) -> None:
    if not may_hide(by, batch):
        access.require(by, batch.team, RIGHT)
    reason, hide = _reason(reason), act == Moderation.Act.HIDE
    as_staff = not access.allowed(by, batch.team, RIGHT)
    with held([batch.pk]) as batches:
        if batches[batch.pk].hidden == hide:
            raise ModerationRefused(f"It is {'hidden' if hide else 'not hidden'} already: reload the page.")
        if not hide and hidden_by_staff(batch) and not access.is_site_staff(by):
            raise ModerationRefused("Whoever runs this site has hidden it: only they show it again.")
        Batch.objects.filter(pk=batch.pk).update(hidden_at=Now() if hide else None)
        batches.next_seq(batch.pk)  # whoever watches is told, and its stream ends
        Moderation.objects.create(batch=batch, act=act, by=by, as_staff=as_staff, reason=reason)
        done = "batch-hidden" if hide else "batch-shown"
        record(batch.team, by, done, batch.title, as_staff=as_staff, reason=reason)


def may_hide(person: Person, batch: Batch) -> bool:
    """Owners may hide it and show it again; site staff what is public, and what they hid themselves."""
    if access.allowed(person, batch.team, RIGHT):
        return True
    if not access.is_site_staff(person) or batch.visibility != Visibility.PUBLIC:
        return False
    return not batch.hidden or hidden_by_staff(batch)


def hidden_by_staff(batch: Batch) -> bool:
    """Whether it was not an owner who hid it the last time."""
    last = batch.moderations.filter(act=Moderation.Act.HIDE).first()
    return bool(last and last.as_staff)


def redact_attempt(attempt: Attempt, by: User, reason: str) -> int:
    """Replace the text that came back; its digest stays, and so do the verdicts, without what they quote.

    Of a failed call also the copies of what it left; how many were found is returned. Raises
    ModerationRefused, and what `access.require` does.
    """
    access.require(by, attempt.batch.team, RIGHT)
    reason = _reason(reason)
    with held([attempt.batch_id]) as batches, erasure(f"attempt {attempt.pk} is redacted"):
        row = Attempt.objects.get(pk=attempt.pk)
        if row.redacted_at or not redactable(attempt.batch).filter(pk=row.pk).exists():
            raise ModerationRefused("There is no text in this attempt to redact: it may be redacted already.")
        copies = list(_copies(row))
        for each in (row, *copies):
            _erase(each)
            _announce(each, batches)
            Moderation.objects.create(
                batch=attempt.batch, attempt=each, act=Moderation.Act.REDACT, by=by, reason=reason
            )
        about = f"{row}: {attempt.batch.title}"
        record(attempt.batch.team, by, "output-redacted", about, reason=reason, copies=len(copies) or None)
    return len(copies)


def redactable(batch: Batch) -> QuerySet[Attempt]:
    """The attempts that hold text of a server's: an output, or what else of a reply is kept as it came."""
    rows = batch.attempts.filter(
        (~Q(output="") & ~Q(outcome=Outcome.EMPTY))  # a blank output is no text
        | ~Q(detail="")
        | (~Q(served_model="") & ~Q(served_model=F("trial__run__model")))
        | (~Q(finish="") & ~Q(finish__in=FINISHES))
    )
    return rows.filter(redacted_at=None).order_by("trial__run__position", "trial__repeat", "number", "late")


def _copies(attempt: Attempt) -> QuerySet[Attempt]:
    """The failed calls of its batch that say the same, most of them because they were not made."""
    said = attempt.detail.removeprefix(NOT_CALLED)
    same = attempt.batch.attempts.filter(outcome=Outcome.ERROR, redacted_at=None).exclude(pk=attempt.pk)
    if attempt.outcome != Outcome.ERROR or not said:
        return same.none()
    return same.filter(detail__in=[said, f"{NOT_CALLED}{said}"]).order_by("pk")


def _erase(attempt: Attempt) -> None:
    Attempt.objects.filter(pk=attempt.pk).update(**without_text(attempt), redacted_at=Now())
    for verdict in attempt.verdicts.all():
        Verdict.objects.filter(pk=verdict.pk).update(**without_quotes(verdict))


def without_text(attempt: Attempt) -> Mapping[str, str]:
    """The columns that hold what a server wrote, without it, and the digest of the output."""
    said = {"detail": attempt.detail, "served_model": attempt.served_model, "finish": attempt.finish}
    known = {"", attempt.trial.run.model, *FINISHES}  # what tells nothing that is not known without it
    erased = {name: text if text in known else REDACTED for name, text in said.items()}
    if attempt.outcome == Outcome.EMPTY or not attempt.output:
        return erased
    digest = hashlib.sha256(attempt.output.encode("utf-8", "surrogatepass")).hexdigest()
    return {**erased, "output": REDACTED, "output_digest": digest}


def _announce(attempt: Attempt, batches: Held) -> None:
    """Pages that are open take the new text, as they take a new verdict."""
    Trial.objects.filter(pk=attempt.trial_id).update(seq=batches.next_seq(attempt.batch_id))


def without_quotes(verdict: Verdict) -> Mapping[str, Any]:
    """A verdict as it is told without the text it is about: its numbers stay, and words of the rubric."""
    return {
        "spans": [],
        "actual": verdict.actual if _is_plain(verdict.actual) else None,
        "message": QUOTED if may_quote(verdict.message) else verdict.message,
    }


def _is_plain(actual: Any) -> bool:
    if isinstance(actual, list):
        return all(map(_is_plain, actual))
    return actual is None or isinstance(actual, bool | int | float)


def may_quote(message: str) -> bool:
    """Whether `message` is anything but counts: it may then hold a piece of the output."""
    return _TELLS_NO_TEXT.fullmatch(message) is None


def _reason(reason: str) -> str:
    stripped = reason.strip(WHITE_SPACE)
    if is_blank(stripped):
        raise ModerationRefused("Write the reason: it is kept beside what you did, for owners of the team.")
    if len(stripped) > LONGEST_REASON:
        said = f"The reason has {len(stripped):,} characters"
        raise ModerationRefused(f"{said}: shorten it to {LONGEST_REASON} or fewer.")
    if problem := line_problem(stripped, "The reason"):
        raise ModerationRefused(problem)
    return stripped
