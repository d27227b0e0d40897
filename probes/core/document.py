"""The probe file: one probe version with its title, from YAML or JSON, and its digests.

The canonical form (`canonical()`, spelt by RFC 8785) is the truth; the file is a way to write it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from probes.core.digests import digest_of
from probes.core.form import plain_values
from probes.core.parts import Fixture, Parameters, Prompt, Rubric
from probes.core.problems import Path, Report
from probes.core.reading import FORMAT, read_document
from probes.core.template import require_binding, substitute
from probes.core.yaml_source import MAX_BYTES, load
from probes.core.yaml_writing import dump

NOUN = "probe file"
MOST_GROWTH = 32
"""A file has never more bytes than this many times its canonical form: short lines, indented deep."""


@dataclass(frozen=True)
class Document:
    """One probe, complete: what is sent, how it is scored, and the examples that prove the rubric.

    `lines` says where each part stands in the file it was read from, if it was read from one.
    """

    slug: str
    title: str
    category: str
    summary: str
    prompt: Prompt
    variables: tuple[str, ...]
    parameters: Parameters
    rubric: Rubric
    fixtures: tuple[Fixture, ...]
    changelog: str
    lines: Mapping[Path, int] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Document:
        """Read a probe file. Raises DocumentError, which lists every problem with its line."""
        source = load(text, NOUN)
        report = Report(source.lines)
        report.problems.extend(source.problems)
        return cls._read(report, source.data)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Document:
        """Read the canonical form. Raises DocumentError, whose problems have paths and no lines."""
        return cls._read(Report(), data)

    @classmethod
    def _read(cls, report: Report, data: Any) -> Document:
        fields = read_document(report, plain_values(report, data))
        report.raise_if_any(NOUN)
        document = cls(**fields, lines=report.lines)
        document._refuse_too_large(report)
        return document

    def _refuse_too_large(self, report: Report) -> None:
        """What was read must fit into a file, or its own export could not be read again."""
        if len(json.dumps(self.canonical())) * MOST_GROWTH <= MAX_BYTES:
            return  # nearly always; writing it out takes longer than all the rest of reading it
        size = len(self.to_yaml().encode())
        if size > MAX_BYTES:
            report.add(
                (), f"written out, the probe has {size:,} bytes and may have {MAX_BYTES:,}", "shorten it"
            )
        report.raise_if_any(NOUN)

    def canonical(self) -> dict[str, Any]:
        """The document as JSON values, with every default filled in. `from_json` is its inverse."""
        return {
            "format": FORMAT,
            "slug": self.slug,
            "title": self.title,
            "category": self.category,
            "summary": self.summary,
            **self._request(),
            "rubric": self.rubric.as_json(),
            "fixtures": [fixture.as_json() for fixture in self.fixtures],
            "changelog": self.changelog,
        }

    def _request(self) -> dict[str, Any]:
        return {
            "prompt": self.prompt.as_json(),
            "variables": list(self.variables),
            "parameters": self.parameters.as_json(),
        }

    @cached_property
    def request_digest(self) -> str:
        """Of prompt, variables and parameters: what decides the bytes that are sent."""
        return digest_of(self._request())

    @cached_property
    def checks_digest(self) -> str:
        """Of the rules' names and checks: what re-scoring depends on."""
        return digest_of([{"name": rule.name, "check": rule.check.as_json()} for rule in self.rubric.rules])

    @cached_property
    def rubric_digest(self) -> str:
        """Of prose, criteria and rules with their whys."""
        return digest_of(self.rubric.as_json())

    @cached_property
    def digest(self) -> str:
        """Of all that makes a version: a version is new when this is.

        Title, category, summary, slug and changelog are not part of it.
        """
        fixtures = [fixture.as_json() for fixture in self.fixtures]
        return digest_of({**self._request(), "rubric": self.rubric.as_json(), "fixtures": fixtures})

    def to_yaml(self) -> str:
        """A probe file that reads back as this document."""
        data = self.canonical()
        for fixture in data["fixtures"]:
            if fixture["expect"] == "pass" or fixture["fails"] is None:
                del fixture["fails"]
        return dump(data)

    def render(self, binding: Mapping[str, str] | None = None) -> list[dict[str, str]]:
        """The messages to send, with the variables filled in from `binding`.

        Raises BindingError unless `binding` names exactly the declared variables.
        """
        binding = binding or {}
        require_binding(self.variables, binding)
        system = [] if self.prompt.system is None else [("system", self.prompt.system)]
        messages = [*system, ("user", self.prompt.user)]
        return [{"role": role, "content": substitute(text, binding)} for role, text in messages]
