"""Words, sentences, lines, paragraphs, letters: right values, and spans that mark what was counted."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.core.sentences import abbreviations, sentences
from probes.core.tables import changed_by, forms_of, lower_case, upper_case
from probes.core.text import (
    is_in_case,
    letter_or_digit,
    letters,
    lines,
    lower,
    paragraphs,
    show,
    show_all,
    show_text,
    words,
)
from probes.core.view import WHITE_SPACE
from tests.core.probe_file import lines_of

TEXTS = st.text(max_size=60) | st.text(alphabet="aA.!? …\n\t-—'\"()1。\u00a0é", max_size=60)


def marked(text: str, spans) -> list[str]:
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("He lives in the U.S. Senate district.", ["He lives in the U.S. Senate district."]),
        ("We met at 5 p.m. It rained.", ["We met at 5 p.m.", "It rained."]),
        ("I waited... Then she came.", ["I waited...", "Then she came."]),
        ("“Stop!” he said.", ["“Stop!” he said."]),
        ("He left. “Go!” She went.", ["He left.", "“Go!”", "She went."]),
        ("...", []),
        ("我来了。你好！", ["我来了。", "你好！"]),
        ("**Stop.** Then _go._", ["**Stop.**", "Then _go._"]),
        ("J. A. Smith ate. Ok", ["J. A. Smith ate.", "Ok"]),
        ("Did he say no? No. I left.", ["Did he say no?", "No.", "I left."]),
        ("No. 7 won.", ["No. 7 won."]),
        ("Wait . . . what?", ["Wait . . . what?"]),
        ("1. Wash.\n   Twice a day\n2. Dry.\nDone", ["Wash.", "Twice a day", "Dry.", "Done"]),
        ("- one\n  and a half\n- two", ["one\n  and a half", "two"]),
        ("a line\nthat goes on.", ["a line\nthat goes on."]),
        ("Bring pens (etc.) Then go.", ["Bring pens (etc.)", "Then go."]),
        ("etc. étage", ["etc. étage"]),
        ("Hm… é", ["Hm… é"]),
        ("Roe v. Wade was decided.", ["Roe v. Wade was decided."]),
        ("George V. He was king.", ["George V.", "He was king."]),
        ("Sen. Smith (D., Mass.) spoke.", ["Sen. Smith (D., Mass.) spoke."]),
        ("He came (at last.) then left.", ["He came (at last.) then left."]),
        ('He said "No." and left.', ['He said "No." and left.']),
        ("“No.” he said. “Go.” He left.", ["“No.” he said.", "“Go.”", "He left."]),
        ("„Nein.“ sagte er.", ["„Nein.“ sagte er."]),
        ("«Non.» dit-il. *No.* then", ["«Non.» dit-il.", "*No.*", "then"]),
        ("On Wed. Bob met prof. smith.", ["On Wed. Bob met prof. smith."]),
        ("He came. (At last.) Then left.", ["He came.", "(At last.)", "Then left."]),
        ("From Reno, Nev. Smith came.", ["From Reno, Nev. Smith came."]),
        ("The end.[1] Then more.", ["The end.[1]", "Then more."]),
        ("The end.[2, 3][^a] Then more.²", ["The end.[2, 3][^a]", "Then more.²"]),
        ("The end. [1]", ["The end. [1]"]),
        ("Why?[4–6] so be it", ["Why?[4–6] so be it"]),
        ("See. [Here] it is.", ["See.", "[Here] it is."]),
        ("# Title\nText here.", ["Title", "Text here."]),
        ("Text here\n## One. Two\nmore", ["Text here", "One.", "Two", "more"]),
        ("#tag and\n#another", ["#tag and\n#another"]),
        ("Title\n=====\nText here.", ["Title", "Text here."]),
        ("One\n* * *\ntwo\n--\nmore", ["One", "two\n--\nmore"]),
    ],
)
def test_sentences_are_marked_where_they_stand(text, sentence):
    assert marked(text, sentences(text)) == sentence


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("It rained. We left.", ["", ""]),
        ("We met at 5 p.m. It rained.", ["uncertain", ""]),
        ("He lives in the U.S. Senate district.", ["uncertain"]),
        ("Well... I think so.", ["uncertain"]),
        ("Dr. Kim left.", [""]),
    ],
)
def test_a_sentence_that_a_word_list_decided_says_so(text, labels):
    assert [span.label for span in sentences(text)] == labels


@pytest.mark.parametrize(
    ("list_", "rest"), [("never", "Kim"), ("before a digit", "7"), ("only before", "Kim")]
)
@pytest.mark.parametrize("before", [" ", "\n", "/", " (", "\u00a0"])
def test_no_listed_abbreviation_is_overlooked(list_, rest, before):
    texts = [f"We saw{before}{each}. {rest}" for name in abbreviations()[list_] for each in written(name)]
    assert [text for text in texts if len(list(sentences(text))) != 1] == []


def written(name: str) -> list[str]:
    """The ways of writing an abbreviation, by how it is listed."""
    if name.startswith("="):
        return [name[1:]]
    return [name.capitalize(), name.upper(), name][: 2 if name[0].isupper() else 3]


@pytest.mark.parametrize(
    "text",
    [
        "The cat sat. Birds flew away.",
        "They wed. Guests cheered.",
        "That is who I am. People know it.",
        "We orbit the Sun. Gravity holds us.",
        "My name is Ed. Dogs love me.",
        "I like him a lot, Al. Bob too.",
        "He did one more rep. Then he rested.",
        "He gave a rev. Engines roared.",
        "He is a prof. She is too.",
        "Nothing could mar. Joy stayed.",
    ],
)
def test_a_common_word_is_no_abbreviation(text):
    assert len(list(sentences(text))) == 2


def test_the_lists_of_abbreviations_do_not_contradict_each_other():
    lists = abbreviations()
    never, numbered, maybe = lists["never"], lists["before a digit"], lists["only before"]
    assert not never & maybe
    assert not numbered & (never | maybe)
    assert {"dr", "e.g"} <= never
    assert {"u.s", "etc"} <= maybe
    assert {"it", "the", "he"} <= lists["opener words"]
    assert not any(word.endswith(".") for words in lists.values() for word in words)
    assert all(word == word.lower() or word == word.capitalize() for word in never | numbered | maybe)


@pytest.mark.parametrize(
    ("text", "whitespace", "word"),
    [
        ("yes — no", ["yes", "—", "no"], ["yes", "no"]),
        ("a--b, c-d", ["a--b,", "c-d"], ["a", "b,", "c-d"]),
        ("---", ["---"], []),
        ("a\u0085b\u001cc", ["a\u0085b\u001cc"], ["a\u0085b\u001cc"]),
        ("a\ufeffb\u00a0c", ["a", "b", "c"], ["a", "b", "c"]),
        ("🎉 ½ № _", ["🎉", "½", "№", "_"], ["½"]),
    ],
)
def test_words_by_both_tokens(text, whitespace, word):
    assert marked(text, words(text, "whitespace")) == whitespace
    assert marked(text, words(text, "word")) == word


@given(TEXTS)
def test_whitespace_words_are_the_plain_split(text):
    assert marked(text, words(text, "whitespace")) == re.findall(f"[^{re.escape(WHITE_SPACE)}]+", text)


@given(TEXTS)
def test_spans_are_in_order_and_inside(text):
    for found in (words(text, "word"), sentences(text), lines(text), paragraphs(text), letters(text, "a")):
        spans = list(found)
        assert all(0 <= span.start < span.end <= len(text) for span in spans)
        assert all(one.end <= other.start for one, other in pairwise(spans))


@given(TEXTS)
def test_what_is_counted_holds_something(text):
    assert all(letter_or_digit().search(each) for each in marked(text, sentences(text)))
    for each in marked(text, [*sentences(text), *lines(text), *paragraphs(text)]):
        assert each.strip(WHITE_SPACE) == each


@given(TEXTS)
def test_every_letter_of_a_text_lies_in_a_sentence(text):
    inside = {at for span in sentences(text) for at in range(span.start, span.end)}
    # A list item's own marker (1. or a) stands before the sentence.
    markers = {
        at
        for found in re.finditer(r"(?:[0-9]{1,3}[.)]|\(?[0-9A-Za-z]\))", text)
        for at in range(*found.span())
    }
    letters_at = {found.start() for found in letter_or_digit().finditer(text)}
    assert letters_at <= inside | markers


def test_lines_and_paragraphs_skip_what_is_blank():
    text = "\n one \n\u00a0\ntwo\nthree  \n\n\n \nfour\n"
    assert marked(text, lines(text)) == ["one", "two", "three", "four"]
    assert marked(text, paragraphs(text)) == ["one", "two\nthree", "four"]


def test_letters_are_those_of_the_frozen_list():
    assert marked("Éé𝐞⒠ᵉ ə э ε", letters("Éé𝐞⒠ᵉ ə э ε", "e")) == list("Éé𝐞⒠ᵉ")
    assert len(forms_of("e")) == 94
    assert all({letter, letter.upper()} <= forms_of(letter) for letter in "abcdefghijklmnopqrstuvwxyz")


def test_case_tables_are_javascript_s():
    assert lower("ÉẞK") == "ééßk"[1:]
    assert len(lower("İ")) == 1
    assert ord("ß") not in upper_case()
    assert ord("ß") in changed_by("upper")
    assert lower_case()[ord("Σ")] == ord("σ")


@pytest.mark.parametrize(
    ("word", "upper", "is_lower"),
    [
        ("NASA", True, False),
        ("I", True, False),
        ("said", False, True),
        ("Ok", False, False),
        ("12", False, False),
        ("STRAßE", False, False),
        ("straße", False, True),
        ("ǅ", False, False),
    ],
)
def test_a_word_is_in_a_case(word, upper, is_lower):
    assert (is_in_case(word, "upper"), is_in_case(word, "lower")) == (upper, is_lower)


def test_messages_show_what_cannot_be_seen():
    assert show("x") == "'x'"
    assert show("е") == "'е' (U+0435)"
    assert show("\u200b") == "U+200B"
    assert show_all("2x2yz") == "'2', 'x', 'y' and 1 more"
    assert show_text("a\nb\u202ec") == r"'a\nb\u{202E}c'"
    assert show_text("x" * 50) == f"'{'x' * 40}…'"


def test_the_case_files_are_whole():
    rows = lines_of("text_cases.jsonl")
    assert len(rows) == 112
    assert {row["check"] for row in rows} == {"sentences", "words", "no_letter_e", "charset_01", "pirate"}
