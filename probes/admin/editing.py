"""What an author's text stands on: what the probe says now, and how two of its texts differ."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from probes.core import Document
from probes.core.digests import digest_of
from probes.models import Probe, ProbeVersion
from registry.web.numbers import row_number

KINDS = {"+": "added", "-": "removed", "@": "place"}


@dataclass(frozen=True)
class Current:
    """A probe as a form shows it: its newest version, under the title that the probe has today."""

    probe: Probe
    version: ProbeVersion | None

    @property
    def number(self) -> int:
        return self.version.number if self.version else 0

    @property
    def document(self) -> Document | None:
        if self.version is None:
            return None
        probe = self.probe
        return replace(self.version.parsed, title=probe.title, category=probe.category, summary=probe.summary)

    @property
    def text(self) -> str:
        return self.document.to_yaml() if self.document else ""

    @property
    def base(self) -> str:
        """Names exactly this state, title included: a form that was opened on another one is stale."""
        document = self.document
        return f"{self.number}-{digest_of(document.canonical())[:16]}" if document else "0"


def current(probe: Probe) -> Current:
    return Current(probe, probe.versions.select_related("published_by").first())


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a diff: `added`, `removed`, `place` (where it stands) or `kept`."""

    kind: str
    text: str


def difference(before: str, after: str) -> list[Line]:
    """The lines that turn `before` into `after`, with three lines around each change."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="")
    return [Line(KINDS.get(line[:1], "kept"), line) for line in list(lines)[2:]]


@dataclass(frozen=True)
class Stale:
    """Somebody published after a form was opened: what they changed, and what its text would change now."""

    now: Current
    opened_on: int
    theirs: list[Line]
    yours: list[Line]


def stale(now: Current, base: str, text: str) -> Stale:
    """`base` is what the form was opened on, `text` what it holds as a probe file."""
    number = number_of(base)
    before = now.probe.versions.filter(number=number).first()
    theirs = difference(before.parsed.to_yaml() if before else "", now.text)
    return Stale(now, number, theirs, difference(now.text, text))


def number_of(base: str) -> int:
    """The version number in a base; 0 if it names none."""
    return row_number(base.partition("-")[0])
