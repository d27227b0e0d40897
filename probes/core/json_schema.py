"""The JSON Schema of the probe file, for editors that complete and check what an author writes.

It is made from the tables that the file is read by and from the kinds' own definitions. It refuses
nothing that may be read; what only the reading finds out (a name used twice, a pattern that is not
accepted, a fixture that does not hold) is beyond it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from probes.core import reading
from probes.core.checks import KINDS, Check
from probes.core.checks.dialect import in_every_dialect
from probes.core.form import MAX_NAME, NOT_ON_ONE_LINE
from probes.core.template import NAME, TURNS_THE_LINE, UNSEEN
from probes.core.view import MAX_CHARACTERS
from probes.core.yaml_source import MAX_BYTES

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def schema() -> Schema:
    """A schema of draft 2020-12 for probe files of the format `probe/1`."""
    kinds = {name: _kind(KINDS[name]) for name in sorted(KINDS)}
    return {
        "$schema": DIALECT,
        "title": f"Probe file ({reading.FORMAT})",
        "description": "One probe: what is sent, how it is scored, and the examples that prove the rubric.",
        **_probe(),
        "$defs": {"rule": _rule(), "fixture": _fixture(), "check": _check(), **kinds},
    }


def _probe() -> Schema:
    values = {
        "format": {"const": reading.FORMAT},
        "slug": _name(reading.SLUG.pattern),
        "title": _text(reading.MAX_TITLE, one_line=True),
        "category": _text(reading.MAX_CATEGORY, one_line=True),
        "summary": _text(reading.MAX_NOTE),
        "prompt": _prompt(),
        "variables": _list(_name(NAME.pattern), reading.MAX_VARIABLES, distinct=True),
        "parameters": _parameters(),
        "rubric": _rubric(),
        "fixtures": _list({"$ref": "#/$defs/fixture"}, reading.MAX_FIXTURES),
        "changelog": _text(reading.MAX_NOTE),
    }
    return _mapping(reading.PROBE, values, optional=("variables",))


def _prompt() -> Schema:
    text = _text(MAX_BYTES)
    return _mapping(
        reading.PROMPT, {"system": {"anyOf": [text, {"type": "null"}]}, "user": text}, optional=("system",)
    )


def _parameters() -> Schema:
    numbers: dict[str, Schema] = {
        key: {"type": "integer" if key in reading.WHOLE else "number", "minimum": least, "maximum": most}
        for key, (least, most) in reading.RANGES.items()
    }
    stop = {"type": "string", "minLength": 1, "maxLength": reading.MAX_STOP}
    values = numbers | {"stop": _list(stop, reading.MAX_STOPS, least=1)}
    return _mapping(reading.PARAMETERS, values, optional=reading.OPTIONAL_PARAMETERS)


def _rubric() -> Schema:
    values = {
        "prose": _text(reading.MAX_PROSE),
        "criteria": _list(_text(reading.MAX_CRITERION), reading.MAX_CRITERIA),
        "rules": _list({"$ref": "#/$defs/rule"}, reading.MAX_RULES, least=1),
    }
    return _mapping(reading.RUBRIC, values, optional=("criteria",))


def _rule() -> Schema:
    values = {
        "name": _name(NAME.pattern),
        "check": {"$ref": "#/$defs/check"},
        "why": _text(reading.MAX_NOTE),
    }
    return _mapping(reading.RULE, values)


def _fixture() -> Schema:
    failing = _list(_name(NAME.pattern), reading.MAX_RULES, distinct=True)
    values = {
        "label": _text(reading.MAX_TITLE, one_line=True),
        "expect": {"enum": ["pass", "fail"]},
        "fails": failing | {"type": ["array", "null"]},
        "output": _text(MAX_CHARACTERS, blank=True),
    }
    passes = {"if": {"properties": {"expect": {"const": "pass"}}}, "then": {"properties": {"fails": _NONE}}}
    return _mapping(reading.FIXTURE, values, optional=("fails",)) | passes


_NONE: Schema = {"maxItems": 0}


def _check() -> Schema:
    """A check is of the kind it names, and then has that kind's keys."""
    one_each = [
        {
            "if": {"properties": {"kind": {"const": name}}, "required": ["kind"]},
            "then": {"$ref": f"#/$defs/{name}"},
        }
        for name in sorted(KINDS)
    ]
    kind = {"enum": sorted(KINDS), "description": "what is counted or looked for"}
    return {"type": "object", "required": ["kind"], "properties": {"kind": kind}, "allOf": one_each}


def _kind(kind: type[Check]) -> Schema:
    made = _adapted(kind.model_json_schema())
    examples = [{"kind": kind.name, **example.parameters} for example in kind.examples]
    return {**made, "description": kind.summary, "examples": examples}


def _adapted(value: Any) -> Any:
    """What pydantic makes of a kind, without its titles; a mapping within a check is a check."""
    if isinstance(value, list):
        return [_adapted(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _adapted(each) for key, each in value.items() if key != "title" or isinstance(each, dict)}
    if kept.get("type") == "object" and "properties" not in kept:
        del kept["type"]
        kept["$ref"] = "#/$defs/check"
    return kept


def _mapping(keys: Mapping[str, str], values: Mapping[str, Schema], optional: Collection[str] = ()) -> Schema:
    """Exactly these keys; `keys` says for people what to write at each."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [key for key in keys if key not in optional],
        "properties": {key: {"description": said, **values[key]} for key, said in keys.items()},
    }


def _list(items: Schema, most: int, *, least: int = 0, distinct: bool = False) -> Schema:
    made = {"type": "array", "items": items, "maxItems": most}
    return made | ({"minItems": least} if least else {}) | ({"uniqueItems": True} if distinct else {})


def _text(most: int, *, one_line: bool = False, blank: bool = False) -> Schema:
    refused = f"{NOT_ON_ONE_LINE.pattern}|{TURNS_THE_LINE.pattern}" if one_line else "\0"
    made = {"type": "string", "maxLength": most, "not": {"pattern": in_every_dialect(refused)}}
    return made if blank else made | {"pattern": in_every_dialect(f"[^{UNSEEN}]")}


def _name(pattern: str) -> Schema:
    return {"type": "string", "maxLength": MAX_NAME, "pattern": f"^(?:{pattern})$"}
