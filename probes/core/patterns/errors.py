"""Every way a pattern is refused: a stable code, what is wrong, and what to write instead."""

from __future__ import annotations


class PatternError(ValueError):
    """A pattern that is not accepted.

    `code` is stable, `message` says what is wrong, `hint` what to do; `position` is the offset of the
    first wrong character in the literal, the opening slash being 0.
    """

    def __init__(self, code: str, position: int, **details: object) -> None:
        message, hint = REFUSALS[code]
        self.code = code
        self.position = position
        self.message = message.format(**details)
        self.hint = hint.format(**details)
        super().__init__(f"{self.message} (character {position + 1} of the pattern): {self.hint}")


_U_ESCAPES = "with the flag u only ^ $ \\ . * + ? ( ) [ ] {{ }} | / take a backslash"

REFUSALS: dict[str, tuple[str, str]] = {
    # the literal
    "no-literal": (
        "the pattern does not begin with a slash",
        "write it between slashes, flags after them, such as /<<END>>\\s*$/i",
    ),
    "unterminated-literal": (
        "the closing slash is missing",
        "end the pattern with /; a slash inside it is written \\/",
    ),
    "empty-literal": (
        "// holds no pattern: JavaScript reads a comment",
        "write what must match between the slashes",
    ),
    "too-long": ("the pattern has {length} characters, {limit} are allowed", "write several rules instead"),
    "line-break": ("a line break stands inside the pattern", "write \\n for it"),
    "unstorable": ("{found} stands inside the pattern", "write it as an escape such as \\0 or \\ud83d"),
    # flags
    "stateful-flag": ("the flag {found} has no meaning for a yes/no test", "drop it"),
    "unsupported-flag": ("the flag {found} is not supported", "the flags are i, m, s and u"),
    "unknown-flag": (
        "{found} after the closing slash is no flag",
        "the flags are i, m, s and u; a slash inside is \\/",
    ),
    "repeated-flag": ("the flag {found} is written twice", "write it once"),
    "i-with-u": (
        "the flags i and u stand together: u folds letters by another table and changes \\w and \\b",
        "drop u, or drop i and write both cases, as in [Aa]",
    ),
    # groups
    "unmatched-parenthesis": ("`)` closes no group", "write \\) for the character"),
    "unterminated-group": (
        "the group opened here is never closed",
        "add `)`, or write \\( for the character",
    ),
    "lookahead": ("lookahead `{found}` is not supported", "use a second rule, or a must-not-match rule"),
    "lookbehind": (
        "lookbehind `{found}` is not supported",
        "match what stands before as well, or use a second rule",
    ),
    "inline-flags": (
        "`{found}` sets flags inside the pattern",
        "put the flags after the closing slash, as in /…/i",
    ),
    "python-group": ("`{found}` is Python's spelling", "JavaScript names a group (?<name>…)"),
    "unknown-group": ("`{found}` opens no group of JavaScript", "write (?:…) to group"),
    "group-name": (
        "the group name `{found}` is not a plain identifier",
        "begin with a letter, then letters, digits or _, as in (?<name>…)",
    ),
    "duplicate-group-name": ("two groups are named `{found}`", "give each its own name, or write (?:…)"),
    "too-deep": ("groups stand more than {limit} deep inside each other", "write several rules instead"),
    # escapes
    "backreference": (
        "the backreference `{found}` is not supported",
        "write out what may repeat, or use one rule for each repeated text",
    ),
    "named-backreference": ("the backreference `\\k` is not supported", "write out what may repeat"),
    "octal-escape": (
        "`{found}` is an octal escape or a backreference to no group",
        "write \\xHH, as in \\x41 for A",
    ),
    "unicode-property": (
        "`{found}` depends on the version of Unicode",
        "list the ranges, as in [A-Za-zÀ-ÖØ-öø-ÿ]",
    ),
    "not-a-boundary": (
        "`\\B` is not supported: engines disagree about it beside characters outside the BMP",
        "name the neighbours, as in \\w…\\w",
    ),
    "letter-escape": (
        "`\\{found}` means nothing in JavaScript: it matches the letter {found} itself",
        "write {found}, or $ for the end, ^ for the start, \\xHH for a control character",
    ),
    "control-escape": (
        "`\\c` is not followed by a letter",
        "write \\cJ and the like, or \\\\c for the characters",
    ),
    "hex-escape": ("`\\x` is not followed by two hexadecimal digits", "write \\x41 and the like"),
    "unicode-escape": ("`\\u` is not followed by four hexadecimal digits", "write \\u00e9 and the like"),
    "code-point-escape": (
        "`\\u{{` without the flag u repeats the letter u",
        "add the flag u, or write \\uHHHH",
    ),
    "bad-code-point": ("`\\u{{` does not hold a code point up to 10FFFF", "write \\u{{1F600}} and the like"),
    "needless-escape": (
        "`\\{found}` is an error in JavaScript with the flag u",
        f"drop the backslash: {_U_ESCAPES}",
    ),
    # classes
    "unterminated-class": (
        "the class opened by `[` is never closed",
        "add `]`, or write \\[ for the character",
    ),
    "reversed-range": ("the range `{found}` runs backwards", "put the smaller character first"),
    "split-range": (
        "without the flag u an emoji is two characters, and a range between two emoji runs backwards",
        "add the flag u",
    ),
    "class-in-range": (
        "`{found}` uses a set of characters as the end of a range",
        "put the dash last, as in [\\w-], or write \\-",
    ),
    # quantifiers
    "nothing-to-repeat": ("`{found}` has nothing to repeat", "write \\{found} for the character"),
    "double-quantifier": ("`{found}` repeats a repetition", "write one quantifier, or group: (?:a+)*"),
    "possessive-quantifier": ("the possessive `{found}` is not JavaScript", "drop the last +"),
    "quantified-anchor": ("`{found}` repeats a place, not a character", "drop the quantifier"),
    "bare-bracket": ("`{found}` stands alone", "write \\{found} for the character, or {{2,5}} to repeat"),
    "reversed-count": ("the count `{found}` runs backwards", "put the smaller number first"),
    "count-too-large": (
        "the count `{found}` goes over {limit}",
        "write a smaller count, or use a counting check",
    ),
    "nested-counts": (
        "counts inside each other multiply to {product}, {limit} are allowed",
        "write smaller counts, or use a counting check",
    ),
    "too-large": (
        "written out, what the counts repeat has {size} parts, {limit} are allowed",
        "write smaller counts, or several rules",
    ),
    "empty-repeat": (
        "the repetition holds too many ways to match nothing",
        "let what is repeated match at least one character",
    ),
    "too-varied": (
        "the pattern is large and tells more than {limit} kinds of non-ASCII characters apart",
        "write smaller counts, or several rules",
    ),
    "engine": ("the search engine does not take the pattern", "write it more simply, or as several rules"),
}
"""By code: the message and the hint, both as `str.format` templates."""
