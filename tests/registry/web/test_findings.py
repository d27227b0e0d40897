"""The words of a finding on a page: escaped, and their numbers not parted at the end of a line."""

from __future__ import annotations

import re

import pytest
from django.template import Context, Template


@pytest.mark.parametrize(
    ("message", "together"),
    [
        ("11 / 10 words", ["11 / 10"]),
        ("1 / 1 sentences; 0 / 0 'e' characters", ["1 / 1", "0 / 0"]),
        ("60 / ≤50 words", ["60 / ≤50"]),
        ("5-8-5 / 5-7-5 syllables", ["5-8-5 / 5-7-5"]),
        ("at least 16666 / <9 matches", ["16666 / <9"]),
        ("0 / 2 passed", ["0 / 2"]),
        ("only 0/1", []),
        ("a / b", []),
        ("empty output", []),
        ("", []),
        (f"{'5-' * 50}5 / 5 syllables", []),
        ('matched "</span><script>1 / 2&amp;"', ["1 / 2"]),
    ],
)
def test_a_count_stays_with_what_it_is_held_against(message, together):
    html = Template("{% load web %}{{ message|finding }}").render(Context({"message": message}))
    kept = re.findall(r'<span class="together">([^<]*)</span>', html)
    assert [each.replace("&lt;", "<") for each in kept] == together
    bare = re.sub(r'<span class="together">([^<]*)</span>', r"\1", html)
    assert bare == Template("{{ message }}").render(Context({"message": message}))
