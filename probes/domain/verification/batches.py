"""Every batch's evidence, verified as whoever downloads it can, and scanned for what must not be there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from django.db.models import F, Q

from probes.core.verification import Verifier
from probes.domain.evidence import lines
from probes.domain.verification.property import Look, counted
from probes.domain.verification.scan import Finds, scan_json
from probes.models import Attempt, Batch

SHOWN = 5


@dataclass
class Evidence:
    """What came of the evidence of all batches together; `lies` has the first of each batch by subject."""

    batches: int = 0
    lines: int = 0
    recomputed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    redacted: int = 0
    lies: dict[str, list[str]] = field(default_factory=dict)
    finds: Finds = field(default_factory=Finds)

    def told(self, *subjects: str) -> list[str]:
        """The lies about these subjects."""
        return [lie for subject in subjects for lie in self.lies.get(subject, [])]


def verified_batches() -> Evidence:
    """Verify all batches, one after the other."""
    found = Evidence()
    for batch in Batch.objects.select_related("team", "started_by").order_by("created_at", "pk").iterator():
        try:
            _verify(batch, found)
        except Exception as error:  # noqa: BLE001 - one broken row must not hide the other batches
            said = f"batch {batch.pk}: no evidence can be made: {type(error).__name__}: {error}"
            found.lies.setdefault("order", []).append(said)
    return found


def _verify(batch: Batch, found: Evidence) -> None:
    verifier = Verifier()
    for line in lines(batch):
        found.lines += 1
        scan_json(f"the evidence of batch {batch.pk}", line, found.finds)
        verifier.feed(f"{line}\n".encode())
    result = verifier.close()
    found.batches += 1
    found.redacted += result.redacted
    for counter, more in (
        (found.recomputed, result.recomputed),
        (found.wrong, result.wrong),
        (found.marks, result.marks),
    ):
        counter.update(more)
    for lie in result.lies:
        told = found.lies.setdefault(lie.about, [])
        if len(told) < SHOWN:
            told.append(f"batch {batch.pk}, {lie}")


def look_at_verdicts(found: Evidence) -> Look:
    """Outcomes, scores and verdicts, and that nothing is missing between them."""
    lies = [*found.told("outcome", "verdict", "order", "race", "line"), *_open_though_scored()]
    verdicts, outcomes = found.recomputed["verdict"], found.recomputed["outcome"]
    batches = f"{found.batches:,} batch{'' if found.batches == 1 else 'es'}"
    seen = [f"{counted(verdicts, 'verdict')} and {counted(outcomes, 'outcome')} of {batches} recomputed"]
    if found.redacted:
        seen.append(f"{counted(found.redacted, 'redacted output')}: their verdicts stand as stored")
    return bool(verdicts) and not lies, [*lies, *seen]


def _open_though_scored() -> list[str]:
    """Trials that wait for a verdict that they have: asked in one query, as it is no lie a moment later."""
    ahead = Q(late=False, total__isnull=False) | Q(seq__gt=F("trial__seq"))
    attempts = Attempt.objects.filter(ahead, trial__closed_at__isnull=True)
    rows = attempts.order_by("batch", "seq").values_list(
        "batch", "number", "trial__run__position", "trial__repeat"
    )
    return [
        f"batch {batch}: attempt {number} of run {run}, repeat {repeat} is more than its open trial knows of"
        for batch, number, run, repeat in rows[:SHOWN]
    ]
