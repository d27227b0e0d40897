"""What the rules ask for beside what the prompt does: L001, L002 and L005."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from probes.core.document import Document
from probes.core.leaves import Leaf, leaves
from probes.core.lint.numbers import numbers_in
from probes.core.lint.remarks import Remark, remark
from probes.core.problems import quoted
from probes.core.text import letter_or_digit

_VARIABLE = re.compile(r"\{\{[^{}\n]{0,200}\}\}")
_ENGLISH = re.compile(
    r"\b(?:the|and|with|exactly|write|give|list|use|words?|sentences?|lines|paragraphs?|answer|reply|"
    r"explain|your|that|this|to)\b",
    re.IGNORECASE,
)
_ONE_OF_A_KIND = re.compile(
    r"\b(?:an?|the|that|this|only|sole) (?:[\w-]+ ){0,3}?(?:word|sentence|line|paragraph)\b", re.IGNORECASE
)


def numbers(document: Document) -> Iterator[Remark]:
    """L001: a number wanted exactly, which the prompt names neither in digits nor in words.

    Said only of prompts in English: the number words of other languages are not known here.
    """
    prompt = _instruction(document)
    if not _ENGLISH.search(prompt):
        return
    named = numbers_in(prompt)
    for leaf in leaves(document.rubric.rules):
        missing = [] if leaf.negated else [n for n in _wanted(leaf.data) if n not in named]
        if missing and not (missing == [1] and _one_goes_without_saying(leaf, prompt)):
            told = " and ".join(map(str, dict.fromkeys(missing)))
            message = f"{quoted(leaf.rule)} wants exactly {told}, and the prompt does not name {told}"
            yield remark(document, "L001", leaf.path, message)


def _instruction(document: Document) -> str:
    """What the prompt says, whatever its variables are."""
    return _VARIABLE.sub(" ", "\n".join(document.prompt.texts()))


def _wanted(data: Mapping[str, Any]) -> list[int]:
    """The numbers that must be met exactly; 0 has too many names: no, none, without, never."""
    if data["kind"] == "syllables":
        return list(data["lines"])
    exact = data.get("n") if data.get("op") == "==" else data.get("exactly")
    return [exact] if exact else []


def _one_goes_without_saying(leaf: Leaf, prompt: str) -> bool:
    """`Write a short sentence` asks for one; and whoever asks for a text asks for it once."""
    return leaf.kind in ("contains", "count", "letters") or bool(_ONE_OF_A_KIND.search(prompt))


def only_negative(document: Document) -> Iterator[Remark]:
    """L002: no rule asks for anything to be there."""
    if all(_negative(rule.check.as_json()) for rule in document.rubric.rules):
        message = "every rule only forbids something, so an output of one harmless word passes"
        yield remark(document, "L002", ("rubric", "rules"), message)


def _negative(data: Mapping[str, Any]) -> bool:
    """Whether the check forbids something and asks for nothing."""
    kind = data["kind"]
    if kind == "all":
        return all(map(_negative, data["of"]))
    if kind == "any":
        return any(map(_negative, data["of"]))
    if kind == "not":
        return not _negative(data["of"])
    if kind == "pattern":
        return bool(data["must"] == "not_match")
    if kind == "letters" and "forbid" in data:
        return True
    if kind == "contains":
        return not (data.get("at_least") or data.get("exactly"))
    none_will_do = data.get("n") == 0 and data.get("op") in ("==", ">=")
    return none_will_do or data.get("op") in ("<=", "<", "!=")


# --- scripts without spaces ----------------------------------------------------------------------
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af]"
)
"""Thai and Lao, Tibetan and Burmese, Khmer, kana, Han."""

_NAMED = re.compile(
    r"\b(?:in|into) (?:simplified |traditional |mandarin )?"
    r"(chinese|mandarin|cantonese|japanese|thai|lao|khmer|burmese|tibetan)\b",
    re.IGNORECASE,
)


def unspaced(document: Document) -> Iterator[Remark]:
    """L005: words counted where none are set apart by spaces."""
    where = _where_unspaced(document)
    for leaf in leaves(document.rubric.rules) if where else ():
        if leaf.kind == "words":
            message = f"{quoted(leaf.rule)} counts words, and {where}, where no space parts them"
            yield remark(document, "L005", leaf.path, message)


def _where_unspaced(document: Document) -> str:
    """`the prompt asks for an answer in Thai`; empty where nothing says so."""
    prompt = _instruction(document)
    if found := _NAMED.search(prompt):
        return f"the prompt asks for {found[1].capitalize()}"
    if _mostly_unspaced(prompt):
        return "the prompt is in a script"
    for fixture in document.fixtures:
        if fixture.expect == "pass" and _mostly_unspaced(fixture.output):
            return f"the example {quoted(fixture.label)} is in a script"
    return ""


def _mostly_unspaced(text: str) -> bool:
    of_script = len(_UNSPACED.findall(text))
    return of_script > 0 and 2 * of_script >= len(letter_or_digit().findall(text))
