"""Writing JSON values as YAML that people like to read, and that the strict reader reads back.

Texts of several lines stand under `|`, long single lines are folded under `>-`, small lists and
mappings go in brackets on one line. Whatever none of these can carry exactly is double-quoted.
"""

from __future__ import annotations

import json
import re
from typing import Any

WIDTH = 110

_UNQUOTED = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
_UNQUOTED_IN_BLOCK = re.compile("[A-Za-z][^:#\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]*")
_CONSTANTS = ("null", "true", "false")
_NEEDS_ESCAPE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def dump(value: dict[str, Any]) -> str:
    """A YAML file that says `value`."""
    return "\n".join(_block(value)) + "\n"


def _block(value: Any) -> list[str]:
    """The lines of a list or mapping, one entry after the other."""
    if isinstance(value, dict):
        return [line for key, each in value.items() for line in _entry(key, each)]
    return [line for each in value for line in _item(each)]


def _entry(key: str, value: Any) -> list[str]:
    short = _on_one_line(value)
    if short is not None and len(key) + 2 + len(short) <= WIDTH:
        return [f"{key}: {short}"]
    if isinstance(value, (dict, list)):
        return [f"{key}:", *_indented(_block(value))]
    return _text(f"{key}: ", value)


def _item(value: Any) -> list[str]:
    short = _on_one_line(value)
    if short is not None and 2 + len(short) <= WIDTH:
        return [f"- {short}"]
    if isinstance(value, (dict, list)):
        first, *rest = _indented(_block(value))
        return ["- " + first[2:], *rest]
    return _text("- ", value)


def _text(start: str, text: str) -> list[str]:
    """A text that does not fit on the line: folded, literal, or quoted as the last resort."""
    if _NEEDS_ESCAPE.search(text) or not text.strip(" \n"):
        return [start + _double_quoted(text)]
    if "\n" in text:
        return [start + _literal_head(text), *_indented(_literal_lines(text))]
    if "  " in text or text != text.strip(" "):
        return [start + _double_quoted(text)]
    return [start + ">-", *_indented(_folded(text))]


def _literal_head(text: str) -> str:
    indent = "2" if text[0] in " \n" else ""
    ending = "-" if not text.endswith("\n") else "+" if text.endswith("\n\n") else ""
    return f"|{indent}{ending}"


def _literal_lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _folded(text: str) -> list[str]:
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) < WIDTH - 10:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def _on_one_line(value: Any, in_brackets: bool = False) -> str | None:
    """`value` without line breaks; None where it should stand on lines of its own."""
    if isinstance(value, dict):
        return _bracketed(value)
    if isinstance(value, list):
        inner = [_on_one_line(each, True) for each in value]
        tall = None in inner or (len(value) > 1 and not all(map(_is_short, value)))
        return None if tall else f"[{', '.join(map(str, inner))}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if "\n" in value and (in_brackets or not _NEEDS_ESCAPE.search(value)) and value.strip(" \n"):
        return None
    return _scalar(value, in_brackets)


def _is_short(value: Any) -> bool:
    """Whether a list may hold this beside other things on one line."""
    return not isinstance(value, dict) and not (isinstance(value, str) and len(value) > 30)


def _bracketed(value: dict[str, Any]) -> str | None:
    inner = {key: _on_one_line(each, True) for key, each in value.items()}
    if None in inner.values():
        return None
    text = "{" + ", ".join(f"{key}: {each}" for key, each in inner.items()) + "}"
    return text if len(text) <= WIDTH - 14 else None


def _scalar(text: str, in_brackets: bool) -> str:
    allowed = _UNQUOTED if in_brackets else _UNQUOTED_IN_BLOCK
    if text not in _CONSTANTS and text[-1:] != " " and allowed.fullmatch(text):
        return text
    if "\\" in text and "\n" not in text and not _NEEDS_ESCAPE.search(text):
        doubled = text.replace("'", "''")
        return f"'{doubled}'"
    return _double_quoted(text)


def _double_quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _NEEDS_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
