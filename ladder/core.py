"""The ladder file: an ordered list of rungs, each a probe with a label. Pure, like `probes.core`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from probes.core.digests import digest_of
from probes.core.form import Form, plain_values, read_name
from probes.core.problems import Path, Report, quoted
from probes.core.reading import SLUG
from probes.core.yaml_source import load
from probes.core.yaml_writing import dump

FORMAT = "ladder/1"
NOUN = "ladder file"
MAX_RUNGS = 20

_LADDER = {
    "format": FORMAT,
    "slug": "a name for addresses, such as one-sentence-torture-test",
    "title": "its name, in one line",
    "summary": "what it tests",
    "rungs": "a list of rungs, the lowest first",
}
_RUNG = {
    "id": "a name such as ten-words",
    "label": "a short name for scoreboards, such as Ten words",
    "constraint": "what is asked, such as Exactly 10 words",
    "probe": "the slug of the probe that stands here",
}


@dataclass(frozen=True, slots=True)
class RungDocument:
    """One rung: `index` counts from 1 at the foot of the ladder; `probe` is a probe's slug."""

    id: str
    index: int
    label: str
    constraint: str
    probe: str

    def as_json(self) -> dict[str, Any]:
        return {"id": self.id, "label": self.label, "constraint": self.constraint, "probe": self.probe}


@dataclass(frozen=True)
class LadderDocument:
    """A ladder as its file says it."""

    slug: str
    title: str
    summary: str
    rungs: tuple[RungDocument, ...]

    @classmethod
    def parse(cls, text: str) -> LadderDocument:
        """Read a ladder file. Raises DocumentError, which lists every problem with its line."""
        source = load(text, NOUN)
        report = Report(source.lines)
        report.problems.extend(source.problems)
        return cls._read(report, source.data)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LadderDocument:
        """Read the canonical form. Raises DocumentError, whose problems have paths and no lines."""
        return cls._read(Report(), data)

    @classmethod
    def _read(cls, report: Report, data: Any) -> LadderDocument:
        form = Form(report, (), plain_values(report, data), _LADDER)
        form.choice("format", (FORMAT,))
        ladder = cls(
            slug=read_name(report, ("slug",), form.value("slug"), SLUG, "one-sentence-torture-test"),
            title=form.text("title", 200, one_line=True),
            summary=form.text("summary", 2000),
            rungs=_rungs(form),
        )
        report.raise_if_any(NOUN)
        return ladder

    def canonical(self) -> dict[str, Any]:
        """The ladder as JSON values. `from_json` is its inverse."""
        rungs = [rung.as_json() for rung in self.rungs]
        return {
            "format": FORMAT,
            "slug": self.slug,
            "title": self.title,
            "summary": self.summary,
            "rungs": rungs,
        }

    @cached_property
    def digest(self) -> str:
        """Of the rungs in their order; title and summary are not part of it."""
        return digest_of([rung.as_json() for rung in self.rungs])

    def to_yaml(self) -> str:
        """A ladder file that reads back as this ladder."""
        return dump(self.canonical())


def _rungs(form: Form) -> tuple[RungDocument, ...]:
    items = form.items("rungs", MAX_RUNGS)
    if form.value("rungs") == []:
        form.report.add(("rungs",), "a ladder without rungs cannot be climbed", "list at least one")
    rungs = tuple(_rung(form.report, ("rungs", i), i + 1, each) for i, each in enumerate(items))
    for key in ("id", "probe"):
        _report_repeated(form.report, key, [getattr(rung, key) for rung in rungs])
    return rungs


def _rung(report: Report, path: Path, index: int, value: Any) -> RungDocument:
    form = Form(report, path, value, _RUNG)
    return RungDocument(
        id=read_name(report, (*path, "id"), form.value("id"), SLUG, "ten-words"),
        index=index,
        label=form.text("label", 60, one_line=True),
        constraint=form.text("constraint", 200, one_line=True),
        probe=read_name(report, (*path, "probe"), form.value("probe"), SLUG, "ten-words"),
    )


def _report_repeated(report: Report, key: str, names: list[str]) -> None:
    for i, name in enumerate(names):
        if name and name in names[:i]:
            report.add(("rungs", i, key), f"{quoted(name)} stands on the ladder before", "remove this rung")
