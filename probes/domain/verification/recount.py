"""Words counted once more, by other code than the checks': character by character, from a list of its own."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from probes.domain.verification.property import Look, counted
from probes.models import Verdict

SPACES = frozenset(
    [9, 10, 11, 12, 13, 32, 160, 5760, *range(8192, 8203), 8232, 8233, 8239, 8287, 12288, 65279]
)
"""The code points that JavaScript's split(/\\s+/) parts words at."""

_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le,
    ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


def recount(output: str) -> int:
    """How many words a plain split at white space gives."""
    words, inside = 0, False
    for character in output:
        space = ord(character) in SPACES
        words += inside is False and not space
        inside = not space
    return words


@dataclass(frozen=True)
class Recount:
    """One stored word verdict beside the recount."""

    verdict: Verdict
    words: int

    @property
    def agrees(self) -> bool:
        check = self.verdict.rule.check_data
        counted = self.verdict.actual if self.verdict.actual is not None else 0
        right = self.words > 0 and _OPERATORS[check["op"]](self.words, check["n"])
        return bool(counted == self.words and self.verdict.ok is right)

    def __str__(self) -> str:
        verdict = self.verdict
        run = verdict.attempt.trial.run
        said = verdict.actual if verdict.actual is not None else verdict.message
        return f"{run.version.probe.slug}/{run.model}: verdict={said}, recount={self.words}"


def recounts() -> Iterator[Recount]:
    """Every stored verdict of a check that counts words split at white space, the latest first."""
    kind = {"rule__check_data__kind": "words", "rule__check_data__token": "whitespace"}
    rows = Verdict.objects.filter(attempt__redacted_at=None, **kind)
    found = rows.select_related("rule", "attempt__trial__run__version__probe").defer(
        "attempt__trial__run__version__document", "spans", "attempt__sent_messages"
    )
    for verdict in found.order_by("-pk").iterator(chunk_size=100):
        if verdict.rule.check_data.get("where") is None:
            yield Recount(verdict, recount(verdict.attempt.output))


def look_at_recounts() -> Look:
    total, shown, wrong = 0, dict[str, None](), list[str]()
    for each in recounts():
        total += 1
        if not each.agrees:
            wrong.append(str(each))
        elif len(shown) < 4:
            shown[str(each)] = None
    if not total:
        return False, ["there is no stored verdict on a number of words"]
    if wrong:
        return False, [*wrong, f"{len(wrong):,} of {counted(total, 'word verdict')} differ from the recount"]
    return True, [*shown, f"{total:,} of {counted(total, 'word verdict')} equal the recount"]
