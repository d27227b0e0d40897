"""What a version's page shows, gathered: the definition as the core reads it, and the public runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

from probes.core import curl
from probes.core.document import Document
from probes.core.fixtures import Examined, examine
from probes.core.template import value_problem
from probes.core.view import MAX_CHARACTERS, repair
from probes.domain.advice import MOST, advice_on
from probes.domain.runs import (
    RunResult,
    hidden_runs,
    public_practice_runs,
    public_runs,
    run_results,
    with_public_runs,
)
from probes.domain.visible import visible_batches, visible_versions
from probes.models import Batch, ProbeVersion
from probes.views.check_words import CheckWords, check_words
from registry.teams import access

RUNS_SHOWN = 50
OWN_SHOWN = 5
ELSEWHERE_SHOWN = 3
"""Other versions that a version without runs names, with their runs; the history has all."""
ADVICE_SHOWN = 100
EXAMPLE_VALUE = "recursion"
"""What a variable holds in the command until the reader writes something else."""
FAR_OVER = f"That is far over {MAX_CHARACTERS:,} characters, the most that is scored: paste less."
PREFIX = "v-"
"""Before a variable's name where it is the name of a form field."""


@dataclass(frozen=True)
class RuleRow:
    number: int
    name: str
    why: str
    check: CheckWords


@dataclass(frozen=True)
class Command:
    """The curl command and what it was made from; `problems` by field."""

    text: str
    model: str
    variables: tuple[tuple[str, str], ...]
    problems: dict[str, str]


def version_context(request: HttpRequest, version: ProbeVersion) -> dict[str, Any]:
    document: Document = version.parsed
    results = run_results(public_runs(version)[: RUNS_SHOWN + 1])
    own = visible_versions(request.user).filter(probe=version.probe)
    history: list[Any] = list(with_public_runs(own).order_by("-number"))
    return {
        "version": version,
        "probe": version.probe,
        "document": document,
        "current": history[0],
        "history": history,
        "results": results[:RUNS_SHOWN],
        "more_results": len(results) > RUNS_SHOWN,
        "hidden_results": hidden_runs(version).count(),
        "run_elsewhere": [each for each in history if each.results and each != version][:ELSEWHERE_SHOWN],
        "practice_only": not results and public_practice_runs(version).exists(),
        "rules": rule_rows(document),
        "patterns_only": all(rule.check.kind == "pattern" for rule in document.rubric.rules),
        "examples": examples(document),
        **_advice(version),
        "most": MAX_CHARACTERS,
        "far_over": FAR_OVER,
        "parameters": document.parameters.as_json(),
        "command": command(request, document),
        "own_batches": _own_batches(request, version),
        "dataset": _dataset(request, version, results) if results else "",
    }


def _advice(version: ProbeVersion) -> dict[str, Any]:
    """What `check` says of the version: the first remarks, those that are folded, how many are neither."""
    found = advice_on(version)
    remarks = found.remarks
    return {
        "advice": found,
        "remarks": remarks[:MOST],
        "folded_remarks": remarks[MOST:ADVICE_SHOWN],
        "more_remarks": max(0, len(remarks) - ADVICE_SHOWN),
    }


def rule_rows(document: Document) -> list[RuleRow]:
    rules = enumerate(document.rubric.rules, 1)
    return [RuleRow(number, rule.name, rule.why, check_words(rule.check)) for number, rule in rules]


def examples(document: Document) -> list[Examined]:
    """The worked examples with what they really score, the correct ones first."""
    return sorted(examine(document).fixtures, key=lambda each: each.fixture.expect != "pass")


def command(request: HttpRequest, document: Document) -> Command:
    """The command for the model and the values in the address, as far as they can be used."""
    model = repair(request.GET.get("model", "")).strip() or curl.MODEL
    given = {name: request.GET.get(PREFIX + name, "") for name in document.variables}
    problems = {name: value_problem(value) for name, value in given.items() if value}
    problems = {name: problem for name, problem in problems.items() if problem}
    usable = {name: EXAMPLE_VALUE if name in problems else given[name] or EXAMPLE_VALUE for name in given}
    typed = tuple((name, given[name] or EXAMPLE_VALUE) for name in given)
    return Command(curl.command(document, usable, model), model, typed, problems)


def _own_batches(request: HttpRequest, version: ProbeVersion) -> list[Batch]:
    """The latest batches of this version by teams of the reader, practice and team-only ones too."""
    mine = access.teams_where(request.user, "see team results")
    rows = visible_batches(request.user).filter(team__in=mine, runs__version=version)
    return list(rows.distinct().order_by("-created_at")[:OWN_SHOWN])


def _dataset(request: HttpRequest, version: ProbeVersion, results: list[RunResult]) -> SafeString:
    """The page as structured data; only pages with results carry it."""
    about = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": f"{version.probe.title} (v{version.number})",
        "description": version.probe.summary or version.probe.title,
        "url": request.build_absolute_uri(version.get_absolute_url()),
        "version": f"v{version.number}",
        "datePublished": version.published_at.date().isoformat(),
        "creator": {"@type": "Organization", "name": version.probe.team.name},
        "variableMeasured": [rule.name for rule in version.parsed.rubric.rules],
        "size": f"{len(results)} runs",
    }
    text = json.dumps(about, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return mark_safe(text)  # noqa: S308 - nothing in it can end the element
