from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from registry.endpoints.scrub import redact

KEY = "sk-demo-1234567890"
ODD = 'k"\\/&<é>-0123456789'


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"Incorrect key {KEY}.", "Incorrect key [redacted]."),
        ("the end 1234567890 is known", "the end [redacted] is known"),
        ("the end 34567890 is known", "the end [redacted] is known"),
        ("last four 7890", "last four 7890"),
        (f"{KEY}{KEY}", "[redacted]"),
        (f"İ{KEY}İ", "İ[redacted]İ"),
        (KEY.upper(), "[redacted]"),
        (base64.b64encode(KEY.encode()).decode().rstrip("="), "[redacted]"),
        ("nothing here", "nothing here"),
        ("", ""),
    ],
)
def test_key_and_its_pieces_are_redacted(text, clean):
    assert redact(text, [KEY]) == clean


@pytest.mark.parametrize("spelling", [ODD, json.dumps(ODD)[1:-1], quote(ODD, safe="")])
def test_spellings_of_a_key_are_redacted(spelling):
    assert redact(f"<{spelling}>", [ODD]) == "<[redacted]>"


def test_no_secret_changes_nothing():
    assert redact("any text", ["", ""]) == "any text"


def test_short_keys_are_redacted_whole_only():
    assert redact("abc abcd", ["abcd"]) == "abc [redacted]"


def test_redacting_large_text_is_quick():
    assert redact("sk-demo-" * 100_000, [KEY]) == "[redacted]"
