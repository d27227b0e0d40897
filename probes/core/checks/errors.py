"""What is wrong with a check, in words that say what to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails


class CheckError(ValueError):
    """A check that cannot be built. `path` leads to the wrong key, e.g. `("of", 1, "pattern")`."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path


# By pydantic's error type: what to write. Fields in braces are pydantic's own details of the error.
_REMEDIES = {
    "literal_error": "write one of {expected}",
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "bool_type": "write true or false",
    "string_type": "write text, in quotes if it looks like a number",
    "tuple_type": "write a list",
    "greater_than_equal": "write {ge} or more",
    "less_than_equal": "write {le} or less",
    "string_too_short": "write at least {min_length} character",
    "string_too_long": "write at most {max_length} characters",
    "too_short": "list at least {min_length}",
    "too_long": "list at most {max_length}",
}


def explain(kind: str, fields: Sequence[str], error: ValidationError) -> CheckError:
    """The first mistake pydantic found in a check of `kind`, as a CheckError."""
    first = error.errors(include_url=False)[0]
    path = tuple(first["loc"])
    inner = first.get("ctx", {}).get("error")
    if isinstance(inner, CheckError):
        return CheckError(str(inner), (*path, *inner.path))
    if inner is not None:
        return CheckError(str(inner), path)
    return CheckError(_sentence(kind, fields, first), path)


def _sentence(kind: str, fields: Sequence[str], error: ErrorDetails) -> str:
    key = _key(error["loc"])
    if error["type"] == "missing":
        return f"{key} is missing: `{kind}` takes {', '.join(fields)}"
    if error["type"] in ("extra_forbidden", "invalid_key"):
        return f"`{kind}` has no key {key}: it takes {', '.join(fields)}"
    context: Mapping[str, Any] = error.get("ctx", {})
    remedy = _REMEDIES.get(error["type"])
    return f"{key} is {_shown(error['input'])}: {remedy.format(**context) if remedy else error['msg']}"


def _key(path: Sequence[str | int]) -> str:
    """`` `of[2]` ``: the key a reader has to look for."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"`{text.removeprefix('.')[:80]}`"


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, Mapping):
        return "a set of keys"
    if isinstance(value, int) and abs(value) >= 10**12:
        return "a number of more than 12 digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
