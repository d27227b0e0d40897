"""`{{name}}` in a prompt: filled in where the probe declares the variable, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from probes.core.problems import quoted
from probes.core.view import WHITE_SPACE

NAME = re.compile("[a-z][a-z0-9_]*")
MAX_VALUE = 200
"""Characters a person may enter for a variable."""

_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_MEANT_AS_ONE = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}")

_LINE_ENDS = re.compile("[\n\x0b\x0c\r\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
TURNS_THE_LINE = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BRACES = re.compile(r"\{\{|\}\}")
_TAG = re.compile(r"<[A-Za-z/!][^>]{0,20}>?")

UNSEEN = (
    f"{WHITE_SPACE}\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb"
)
"""White space, controls, and what Unicode lets go unseen (Default_Ignorable_Code_Point), frozen here.

The inside of a character class, up to U+FFFF.
"""

_UNSEEN = re.compile(f"[{UNSEEN}\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*")


class BindingError(ValueError):
    """Values given for a probe's variables that are not the ones it declares."""


def placeholders(text: str) -> set[str]:
    """The names that `text` would have filled in."""
    return set(_PLACEHOLDER.findall(text))


def misplaced(text: str, variables: Collection[str]) -> Iterator[tuple[str, str]]:
    """What looks like a placeholder and is none: pairs of a message and what to write, each once."""
    for found in dict.fromkeys(match.group() for match in _MEANT_AS_ONE.finditer(text)):
        name = found.strip("{} \t")
        if found == f"{{{{{name}}}}}" and name in variables:
            continue
        if name in variables:
            yield f"{quoted(found)} is not filled in", f"write {{{{{name}}}}} without spaces"
        elif NAME.fullmatch(name):
            yield f"{quoted(found)} names no variable", f"add {name} to variables, or remove the braces"
        else:
            yield f"{quoted(found)} names no variable", "write a name of a-z, 0-9 and _ that variables lists"


def substitute(text: str, binding: Mapping[str, str]) -> str:
    """`text` with each `{{name}}` of `binding` replaced, in one pass: values are never looked into."""
    return _PLACEHOLDER.sub(lambda found: binding.get(found[1], found[0]), text)


def require_binding(variables: Collection[str], binding: Mapping[str, str]) -> None:
    """Raise BindingError unless `binding` gives a text for each variable and for nothing else."""
    missing = [name for name in variables if name not in binding]
    unknown = [name for name in binding if name not in variables]
    if missing:
        raise BindingError(f"no value for {', '.join(missing)}")
    if unknown:
        raise BindingError(f"the probe has no variable {', '.join(map(quoted, unknown))}")
    for name, value in binding.items():
        if not isinstance(value, str):
            raise BindingError(f"the value of {name} must be a text")


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing of `text`."""
    return _UNSEEN.fullmatch(text) is not None


def line_problem(text: str, subject: str = "This") -> str:
    """Why `text` is not one line that shows what it is, and what to do; empty if it is."""
    if _LINE_ENDS.search(text):
        return f"{subject} holds a line break: write it on one line."
    if found := _UNPRINTABLE.search(text):
        return f"{subject} holds a character that cannot be printed (U+{ord(found[0]):04X}): take it out."
    if found := TURNS_THE_LINE.search(text):
        return f"{subject} holds a character that turns the line around (U+{ord(found[0]):04X}): take it out."
    return ""


def value_problem(value: str, subject: str = "This") -> str:
    """Why `value` cannot be entered for a variable, and what to write instead; empty if it can."""
    if is_blank(value):
        return f"{subject} is blank: write a word or a short phrase, such as recursion."
    if len(value) > MAX_VALUE:
        return f"{subject} has {len(value):,} characters: shorten it to {MAX_VALUE} or fewer."
    if problem := line_problem(value, subject):
        return problem
    if found := _BRACES.search(value):
        return f"{subject} holds {found[0]}, which marks a variable in a prompt: leave the braces out."
    if found := _TAG.search(value):
        return f"{subject} holds HTML ({found[0]}): write plain words."
    return ""
