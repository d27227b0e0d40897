"""What the lint looks for: every code with its title, its remedy and an example, in one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lint:
    """One thing to look for. A code keeps its meaning for ever; `example` is what it is said of."""

    code: str
    title: str
    remedy: str
    example: str


LINTS = {
    lint.code: lint
    for lint in (
        Lint(
            "L001",
            "A rule wants an exact number that the prompt does not name",
            "say the number in the prompt, or ask for at least or at most so many",
            "The prompt says: Write ten words. The rule is {kind: words, op: '==', n: 11}.",
        ),
        Lint(
            "L002",
            "Every rule only forbids something",
            "add a rule for what a right output must hold",
            "The rules are {kind: contains, of: sorry, at_most: 0} and {kind: words, op: '<=', n: 50}: "
            "the output ok passes both.",
        ),
        Lint(
            "L003",
            "A pattern matches the empty text",
            "ask for at least one character, such as with + for *",
            "The pattern is /a*/: it matches every text, at the places between the letters.",
        ),
        Lint(
            "L004",
            r"\b, \w or \d beside letters or digits that are not ASCII",
            r"write out what may stand there: \w is [A-Za-z0-9_], \d is [0-9], and é is neither",
            r"The pattern /\bcaf\b/ matches in café, as é is no part of a word to \b.",
        ),
        Lint(
            "L005",
            "Words are counted in a script that is written without spaces",
            "count lines, sentences or characters of a pattern instead",
            "The prompt says: 用十个词回答。 The rule is {kind: words, op: '==', n: 10}.",
        ),
        Lint(
            "L006",
            "A rule holds wherever another one does",
            "drop it, unless failing both at once is meant to cost more",
            "The rules are {kind: words, op: '>=', n: 5} and {kind: words, op: '>=', n: 3}.",
        ),
        Lint(
            "L007",
            "Rules agree on every example",
            "add an output that breaks one of them and not the other",
            "Two rules, and the only output that fails fails both.",
        ),
        Lint(
            "L008",
            "No output can pass all rules",
            "change or drop one of them",
            "The rules are {kind: words, op: '==', n: 10} and {kind: words, op: '<=', n: 8}.",
        ),
        Lint(
            "L009",
            "A text or a pattern that no output can hold",
            "write it as outputs are read: every line end is \\n, and white space around an output "
            "is skipped by starts_with and ends_with",
            "The rule is {kind: starts_with, of: ' a'}, and white space before the start is skipped.",
        ),
        Lint(
            "L010",
            "A `not` around a list of texts forbids no single one of them",
            "to forbid each of them write {kind: contains, of: […], at_most: 0}; to forbid all of them "
            "together, write {kind: any, of: […]} with a `not` for each",
            "The rule is {kind: not, of: {kind: contains, of: [blue, wave]}}: the output blue passes.",
        ),
    )
}
"""By code, in order. A code that is given up is never given to anything else."""
