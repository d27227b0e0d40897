from __future__ import annotations

import pytest

from probes.core import value_problem

REFUSED = [
    ("", "This is blank: write a word or a short phrase, such as recursion."),
    (" \u3000\ufeff\n", "This is blank: write a word or a short phrase, such as recursion."),
    ("\u200b", "This is blank: write a word or a short phrase, such as recursion."),
    ("\u2060 \u3164", "This is blank: write a word or a short phrase, such as recursion."),
    ("\xad\u2800\ufe0f\U000e0041", "This is blank: write a word or a short phrase, such as recursion."),
    ("x" * 201, "This has 201 characters: shorten it to 200 or fewer."),
    ("a\nb", "This holds a line break: write it on one line."),
    ("a\rb", "This holds a line break: write it on one line."),
    ("a\u2028b", "This holds a line break: write it on one line."),
    ("a\x85b", "This holds a line break: write it on one line."),
    ("a\0b", "This holds a character that cannot be printed (U+0000): take it out."),
    ("a\x1bb", "This holds a character that cannot be printed (U+001B): take it out."),
    ("a\ud800b", "This holds a character that cannot be printed (U+D800): take it out."),
    ("a\tb", "This holds a character that cannot be printed (U+0009): take it out."),
    ("a\u202eb", "This holds a character that turns the line around (U+202E): take it out."),
    ("a\u2066b", "This holds a character that turns the line around (U+2066): take it out."),
    ("{{concept}}", "This holds {{, which marks a variable in a prompt: leave the braces out."),
    ("a }}", "This holds }}, which marks a variable in a prompt: leave the braces out."),
    ("<script>x</script>", "This holds HTML (<script>): write plain words."),
    ("</b", "This holds HTML (</b): write plain words."),
    ("<!-- x", "This holds HTML (<!-- x): write plain words."),
]


@pytest.mark.parametrize(("value", "problem"), REFUSED, ids=ascii)
def test_what_cannot_be_entered_is_refused_with_what_to_write(value, problem):
    assert value_problem(value) == problem


@pytest.mark.parametrize(
    "value",
    [
        "recursion",
        "a for loop",
        "1 < 2",
        "i > 3",
        "a <3 b",
        "\u200frtl",
        "👩\u200d🚀",
        "{x}",
        "x" * 200,
        "naïve 🎉",
        "C++",
    ],
)
def test_plain_words_can_be_entered(value):
    assert value_problem(value) == ""
