"""From the values of a probe file to the parts of a probe version, with every mistake reported."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, cast

from probes.core.budget import refuse_costly
from probes.core.checks import Check, CheckError, check
from probes.core.form import Form, holds_refused, kind_of, read_name, read_text, said
from probes.core.parts import Expectation, Fixture, Parameters, Prompt, Rubric, Rule
from probes.core.problems import Path, Report, quoted
from probes.core.template import NAME, misplaced, placeholders
from probes.core.view import MAX_CHARACTERS
from probes.core.yaml_source import MAX_BYTES, REFUSED

FORMAT = "probe/1"
MAX_RULES = 20
MAX_FIXTURES = 50
MAX_TITLE = 200
MAX_CATEGORY = 60
MAX_NOTE = 2000
"""Characters of a summary, of a rule's why and of a changelog."""
MAX_PROSE = 20_000
MAX_CRITERIA = 20
MAX_CRITERION = 500
MAX_VARIABLES = 5
MAX_STOPS = 4
MAX_STOP = 200
SLUG = re.compile("[a-z0-9]+(?:-[a-z0-9]+)*")

# What to write at each key, which is all that may stand there.
PROBE = {
    "format": FORMAT,
    "slug": "a name for addresses, such as emit-a-terminator",
    "title": "what the probe asks, in one line",
    "category": "the shelf it stands on, such as Instruction following",
    "summary": "what it tests and which failure matters",
    "prompt": "what every model receives: {system: …, user: …}",
    "variables": "a list of the names that {{…}} may stand for",
    "parameters": "what is sent beside the prompt: {max_tokens: 400, temperature: 0}",
    "rubric": "prose, criteria and rules",
    "fixtures": "a list of worked examples",
    "changelog": "what changed, such as Initial version.",
}
PROMPT = {"system": "a text, or null to send none", "user": "the text to answer"}
PARAMETERS = {
    "max_tokens": "how long an answer may be, such as 400",
    "temperature": "a number from 0 to 2",
    "top_p": "a number from 0 to 1",
    "seed": "a whole number",
    "stop": "a list of up to 4 texts",
    "presence_penalty": "a number from -2 to 2",
    "frequency_penalty": "a number from -2 to 2",
}
OPTIONAL_PARAMETERS = [key for key in PARAMETERS if key != "max_tokens"]
RANGES: dict[str, tuple[float, float]] = {
    "max_tokens": (1, 1_000_000),
    "temperature": (0, 2),
    "top_p": (0, 1),
    "seed": (-(2**53) + 1, 2**53 - 1),
    "presence_penalty": (-2, 2),
    "frequency_penalty": (-2, 2),
}
"""The least and the most of each parameter that is a number."""
WHOLE = ("max_tokens", "seed")
RUBRIC = {"prose": "how the score is meant", "criteria": "a list of texts", "rules": "a list of rules"}
RULE = {
    "name": "a name such as nothing_after_terminator",
    "check": "what is checked: {kind: …}",
    "why": "why this rule exists",
}
FIXTURE = {
    "label": "what this example shows",
    "expect": "pass or fail",
    "fails": "a list of the rules it fails",
    "output": "the text to score",
}


def read_document(report: Report, data: Any) -> dict[str, Any]:
    """The fields of a Document; defaults stand wherever `report` has a problem."""
    form = Form(report, (), data, PROBE, optional=("variables",))
    form.choice("format", (FORMAT,))
    variables = _variables(form)
    prompt = _prompt(form, variables)
    rubric = _rubric(form)
    return {
        "slug": read_name(report, ("slug",), form.value("slug"), SLUG, "emit-a-terminator"),
        "title": form.text("title", MAX_TITLE, one_line=True),
        "category": form.text("category", MAX_CATEGORY, one_line=True),
        "summary": form.text("summary", MAX_NOTE),
        "prompt": prompt,
        "variables": variables,
        "parameters": _parameters(form),
        "rubric": rubric,
        "fixtures": _fixtures(form, [rule.name for rule in rubric.rules]),
        "changelog": form.text("changelog", MAX_NOTE),
    }


def _variables(form: Form) -> tuple[str, ...]:
    items = form.items("variables", MAX_VARIABLES, default=[])
    names = [read_name(form.report, ("variables", i), each, NAME, "concept") for i, each in enumerate(items)]
    _report_repeated(form.report, ("variables",), names, "variable")
    return tuple(names)


def _report_repeated(report: Report, path: Path, names: list[str], noun: str, key: str = "") -> None:
    """One problem for each name that stands in the list again, where it does."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name and name in seen:
            where = (*path, i, key) if key else (*path, i)
            report.add(where, f"the {noun} {quoted(name)} is listed before", "give each its own name")
        seen.add(name)


def _prompt(form: Form, variables: tuple[str, ...]) -> Prompt:
    inner = Form(form.report, ("prompt",), form.value("prompt"), PROMPT, optional=("system",))
    system = None if inner.value("system", None) is None else inner.text("system", MAX_BYTES)
    prompt = Prompt(system, inner.text("user", MAX_BYTES))
    if form.report.clean("prompt", "variables"):
        _report_unused(form.report, prompt, variables)
        _report_misplaced(form.report, prompt, variables)
    return prompt


def _report_unused(report: Report, prompt: Prompt, variables: tuple[str, ...]) -> None:
    used = set().union(*map(placeholders, prompt.texts()))
    for i, name in enumerate(variables):
        if name not in used:
            message = f"the variable {quoted(name)} is not used in the prompt"
            report.add(("variables", i), message, f"write {{{{{name}}}}} in the prompt, or remove it")


def _report_misplaced(report: Report, prompt: Prompt, variables: tuple[str, ...]) -> None:
    for key, text in (("system", prompt.system), ("user", prompt.user)):
        for message, hint in misplaced(text or "", variables):
            report.add(("prompt", key), message, hint)


def _parameters(form: Form) -> Parameters:
    inner = Form(form.report, ("parameters",), form.value("parameters"), PARAMETERS, OPTIONAL_PARAMETERS)

    def number(key: str) -> int | float | None:
        return inner.number(key, *RANGES[key], whole=key in WHOLE)

    return Parameters(
        max_tokens=cast("int", number("max_tokens") or 1),
        temperature=number("temperature"),
        top_p=number("top_p"),
        seed=cast("int | None", number("seed")),
        stop=_stop(inner),
        presence_penalty=number("presence_penalty"),
        frequency_penalty=number("frequency_penalty"),
    )


def _stop(form: Form) -> tuple[str, ...] | None:
    if "stop" not in form.values:
        return None
    path, items = (*form.path, "stop"), form.items("stop", MAX_STOPS)
    if form.value("stop") == [] or "" in items:
        form.report.add(path, "an empty stop stops nothing", "write a text, or remove stop")
    return tuple(
        read_text(form.report, (*path, i), each, MAX_STOP, blank=True) for i, each in enumerate(items)
    )


def _rubric(form: Form) -> Rubric:
    report, path = form.report, ("rubric",)
    inner = Form(report, path, form.value("rubric"), RUBRIC, optional=("criteria",))
    criteria = tuple(
        read_text(report, ("rubric", "criteria", i), each, MAX_CRITERION)
        for i, each in enumerate(inner.items("criteria", MAX_CRITERIA, default=[]))
    )
    items = inner.items("rules", MAX_RULES)
    if inner.value("rules") == []:
        report.add(("rubric", "rules"), "there is no rule, so nothing is scored", "write at least one")
    rules = tuple(_rule(report, ("rubric", "rules", i), each) for i, each in enumerate(items))
    _report_repeated(report, ("rubric", "rules"), [rule.name for rule in rules], "rule", "name")
    refuse_costly(report, [rule for rule in rules if rule.check is not None])
    return Rubric(inner.text("prose", MAX_PROSE), criteria, rules)


def _rule(report: Report, path: Path, value: Any) -> Rule:
    form = Form(report, path, value, RULE)
    name = read_name(report, (*path, "name"), form.value("name"), NAME, "nothing_after_terminator")
    # After a problem no document is built, so the missing check is never run.
    built = cast("Check", _check(report, (*path, "check"), form.value("check")))
    return Rule(name, built, form.text("why", MAX_NOTE))


def _check(report: Report, path: Path, value: Any) -> Check | None:
    if holds_refused(value):
        return None
    if not isinstance(value, dict):
        example = 'write one like {kind: words, op: "==", n: 10}'
        report.add(path, f"this is {kind_of(value)}, and must be keys with values", example)
        return None
    try:
        return check(value)
    except CheckError as error:
        report.add((*path, *error.path), str(error))
        return None


def _fixtures(form: Form, rules: list[str]) -> tuple[Fixture, ...]:
    report = form.report
    items = form.items("fixtures", MAX_FIXTURES)
    fixtures = tuple(_fixture(report, ("fixtures", i), each, rules) for i, each in enumerate(items))
    _report_repeated(report, ("fixtures",), [each.label for each in fixtures], "label", "label")
    return fixtures


def _fixture(report: Report, path: Path, value: Any, rules: list[str]) -> Fixture:
    form = Form(report, path, value, FIXTURE, optional=("fails",))
    label = form.text("label", MAX_TITLE, one_line=True)
    expect = cast("Expectation", form.choice("expect", ("pass", "fail")))
    output = form.text("output", MAX_CHARACTERS, blank=True)
    return Fixture(label, expect, output, _fails(form, expect, rules))


def _fails(form: Form, expect: Expectation, rules: list[str]) -> tuple[str, ...] | None:
    """In the order of the rubric, so that listing them in another order makes no new version."""
    if form.value("fails", None) is None:
        return () if expect == "pass" else None
    path = (*form.path, "fails")
    names = form.items("fails", MAX_RULES)
    counted = Counter(name for name in names if isinstance(name, str))
    if form.report.clean("rubric"):
        _report_unknown_rules(form.report, path, names, rules)
    for name, times in counted.items():
        if times > 1:
            form.report.add(path, f"{quoted(name)} is listed {times} times", "list it once")
    if expect == "pass" and names:
        form.report.add(path, "a fixture that must pass fails no rule", "remove fails, or write expect: fail")
    return tuple(name for name in rules if name in counted)


def _report_unknown_rules(report: Report, path: Path, names: list[Any], rules: list[str]) -> None:
    for i, name in enumerate(names):
        if name is not REFUSED and name not in rules:
            report.add((*path, i), f"{said(name)} is no rule of this probe", f"use {', '.join(rules)}")
