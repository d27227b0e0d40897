"""One thing that the lint says of a document."""

from __future__ import annotations

from dataclasses import dataclass

from probes.core.document import Document
from probes.core.lint.codes import LINTS
from probes.core.problems import Path, Problem, line_of


@dataclass(frozen=True, slots=True)
class Remark:
    """A code of LINTS with what it is about; never a reason not to publish."""

    code: str
    problem: Problem

    def __str__(self) -> str:
        return f"{self.code} {self.problem}"


def remark(document: Document, code: str, path: Path, message: str) -> Remark:
    """With the line of `path` in the file, and the remedy of the code."""
    return Remark(code, Problem(line_of(document.lines, path), path, message, LINTS[code].remedy))
