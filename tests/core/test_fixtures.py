"""Each rule of the publishing gate has a document that breaks it."""

from __future__ import annotations

import pytest

from probes.core import Document, DocumentError, examine
from tests.core.probe_file import TEXT, changed


def problems(text: str) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.message) for problem in examine(Document.parse(text)).problems]


def without_lines(*numbers: int) -> str:
    lines = TEXT.splitlines(keepends=True)
    return "".join(line for i, line in enumerate(lines, 1) if i not in numbers)


def test_a_sound_document_may_be_published():
    examination = examine(Document.parse(TEXT))
    assert examination.ok
    assert [each.value for each in examination.fixtures] == [1.0, 0.5, 0.5]
    assert [each.failed for each in examination.fixtures] == [(), ("two_words",), ("no_please",)]
    assert examination.pinned == {"two_words": ("three words",), "no_please": ("polite",)}
    assert examination.solely_pinned == examination.pinned


def test_a_pass_that_fails():
    text = changed("output: Calls itself", "output: Please call itself")
    assert problems(text) == [(22, "'Correct' must pass and scores 0.00: it fails two_words, no_please")]


def test_a_fail_that_passes():
    text = changed(", fails: [no_please], output: Please look", ", output: Just look")
    assert problems(text) == [
        (24, "'polite' must fail and scores 1.00"),
        (18, "no fixture fails the rule 'no_please', so nothing shows that it can fail"),
    ]


def test_fails_must_be_exactly_what_fails():
    too_few = changed("output: It calls itself", "output: It calls itself please")
    assert problems(too_few) == [
        (23, "'three words' says it fails two_words, and fails two_words, no_please")
    ]
    too_many = changed("fails: [no_please]", "fails: [two_words, no_please]")
    assert problems(too_many) == [(24, "'polite' says it fails two_words, no_please, and fails no_please")]
    nothing = changed("fails: [no_please]", "fails: []")
    assert problems(nothing) == [(24, "'polite' says it fails nothing, and fails no_please")]


def test_fails_may_be_left_out():
    assert problems(changed("fails: [no_please], ", "")) == []


def test_something_must_pass():
    assert problems(without_lines(22)) == [(21, "no fixture must pass")]


def test_something_must_fail():
    assert [message for _, message in problems(without_lines(23, 24))] == [
        "no fixture must fail",
        "no fixture fails the rule 'two_words', so nothing shows that it can fail",
        "no fixture fails the rule 'no_please', so nothing shows that it can fail",
    ]


def test_every_rule_must_be_pinned():
    assert problems(without_lines(24)) == [
        (18, "no fixture fails the rule 'no_please', so nothing shows that it can fail")
    ]


def test_no_fixtures_at_all():
    text = without_lines(22, 23, 24).replace("fixtures:", "fixtures: []")
    assert [message for _, message in problems(text)][:2] == ["no fixture must pass", "no fixture must fail"]


def test_a_pattern_that_is_not_accepted_never_gets_this_far():
    with pytest.raises(DocumentError) as caught:
        Document.parse(changed("/please/i", "/(?=please)/i"))
    assert caught.value.problems[0].line == 19


def test_a_rule_pinned_together_with_others_is_not_solely_pinned():
    text = changed("fails: [no_please], output: Please look", "fails: [two_words, no_please], output: Please")
    examination = examine(Document.parse(text))
    assert examination.ok
    assert examination.pinned["no_please"] == ("polite",)
    assert examination.solely_pinned == {"two_words": ("three words",), "no_please": ()}


def test_a_blank_output_may_be_a_fixture_and_fails_everything():
    text = changed("fails: [no_please], output: Please look", 'fails: [two_words, no_please], output: ""')
    examination = examine(Document.parse(text))
    assert examination.ok
    assert examination.fixtures[2].result.outcome == "empty"


def test_the_problems_of_a_document_without_a_file_have_paths():
    document = Document.from_json(Document.parse(without_lines(24)).canonical())
    (problem,) = examine(document).problems
    assert (problem.line, problem.path) == (None, ("rubric", "rules", 1))
    assert problem.hint
