"""What is wrong with a file: one Problem a mistake, raised together as a DocumentError."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Path = tuple[str | int, ...]
"""Where something stands in a file: `("rubric", "rules", 0, "check")`."""

MAX_PROBLEMS = 50
"""More than a person reads at once; what follows is counted, not listed."""


def dotted(path: Path) -> str:
    """`rubric.rules[0].check`, as a reader would write it."""
    text = ""
    for step in path:
        name = f"[{step}]" if isinstance(step, int) else shorten(step)
        text += f".{name}" if text and isinstance(step, str) else name
    return text


def shorten(text: str, most: int = 40) -> str:
    """`text` fit for a message: one line, nothing unprintable, at most `most` characters of it."""
    plain = repr(text[: most + 1])[1:-1]
    return plain if len(text) <= most else f"{plain[:most]}…"


def quoted(text: str) -> str:
    """`'text'`, shortened."""
    return f"'{shorten(text)}'"


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: the line it stands on (None without a file), its path, what is wrong, what to do."""

    line: int | None
    path: Path
    message: str
    hint: str = ""

    @property
    def where(self) -> str:
        """`line 7, rubric.rules[0].check`; empty for a problem of the whole file."""
        parts = [f"line {self.line}"] if self.line is not None else []
        return ", ".join([*parts, dotted(self.path)] if self.path else parts)

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text


class DocumentError(ValueError):
    """A file that is not accepted.

    `problems` holds each mistake once, in the order of the file, up to MAX_PROBLEMS of them;
    `more` is how many were left out.
    """

    def __init__(self, problems: Iterable[Problem], noun: str = "probe file") -> None:
        unique = sorted(dict.fromkeys(problems), key=lambda each: each.line or 0)
        self.problems: tuple[Problem, ...] = tuple(unique[:MAX_PROBLEMS])
        self.more = len(unique) - len(self.problems)
        self.noun = noun
        super().__init__(self._text(len(unique)))

    def _text(self, count: int) -> str:
        head = f"{count:,} problem{'' if count == 1 else 's'} in the {self.noun}:"
        rest = [f"  and {self.more:,} more"] if self.more else []
        return "\n".join([head, *(f"  {problem}" for problem in self.problems), *rest])


class Report:
    """Collects problems while one file is read, and knows on which line each path stands."""

    def __init__(self, lines: Mapping[Path, int] | None = None) -> None:
        self.lines = lines or {}
        self.problems: list[Problem] = []

    def add(self, path: Path, message: str, hint: str = "") -> None:
        self.problems.append(Problem(line_of(self.lines, path), path, message, hint))

    def clean(self, *keys: str) -> bool:
        """Whether nothing under these top keys was reported, so that a check across them makes sense."""
        return not any(problem.path[:1] == (key,) for problem in self.problems for key in keys)

    def raise_if_any(self, noun: str) -> None:
        if self.problems:
            raise DocumentError(self.problems, noun)


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of `path`, or of the nearest thing around it that has one (a missing key has none)."""
    for end in range(len(path), -1, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return None
