"""A pattern of nothing but characters: what RE2 would find, found without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.core.patterns import Pattern
from probes.core.view import View

TEXTS = (
    "",
    "END",
    "x<<END>>END",
    "😀END😀",
    "\ud83dEND",
    "é世",
    "aaa",
    "<<end>>",
    "E\nND",
    "\ufffd",
    "😀\ude00",
    "世" * 401,
)


@pytest.mark.parametrize(
    "literal",
    [
        "/END/",
        "/<<END>>/u",
        "/😀/",
        "/😀/u",
        r"/\ud83d/",
        r"/\ud83d/u",
        r"/\ude00E/",
        "/é世/",
        "/aa/",
        r"/\n/",
        f"/{'世' * 400}/",
    ],
)
def test_the_matches_are_those_of_a_plain_search(literal):
    pattern = Pattern.parse(literal)
    plain = replace(pattern, _search=pattern._regex.search)
    assert plain._search != pattern._search
    views = [View(text) for text in TEXTS]
    assert [pattern.spans(view) for view in views] == [plain.spans(view) for view in views]
    assert any(pattern.spans(view) for view in views) is (literal != r"/\ud83d/u")


@pytest.mark.parametrize(
    "literal", ["/END/i", "/EN?D/", "/E.D/", "/(?:)/", "/^END/", "/[EF]ND/", "/a|b/", "/a{9}/"]
)
def test_more_than_characters_is_for_re2(literal):
    pattern = Pattern.parse(literal)
    assert pattern._search == pattern._regex.search
