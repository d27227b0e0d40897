from __future__ import annotations

from importlib import import_module
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.core import Document, Reply, TooLarge, Verdict, check, score, scored_with
from probes.core.view import WHITE_SPACE, Shared, View
from tests.core.probe_file import TEXT, lines_of
from tests.thorough import examples

PROBE = Document.parse(TEXT)


def messages(result):
    return [verdict.finding.message for verdict in result.verdicts]


def test_a_score_is_rules_passed_of_rules():
    result = score(PROBE, "please")
    assert (result.value, result.passed, result.total) == (0.0, 0, 2)
    assert [(verdict.rule, verdict.ok) for verdict in result.verdicts] == [
        ("two_words", False),
        ("no_please", False),
    ]
    assert messages(result)[0] == "1 / 2 words"
    assert score(PROBE, "please do").value == 0.5
    assert score(PROBE, "calls itself").value == 1.0
    assert result.failed == ("two_words", "no_please")


def test_a_third_has_four_decimals():
    data = PROBE.canonical()
    data["rubric"]["rules"].append({**data["rubric"]["rules"][0], "name": "again"})
    assert score(Document.from_json(data), "please do it").value == 0.0
    assert score(Document.from_json(data), "it").value == 0.3333


def test_a_rubric_alone_can_score():
    assert score(PROBE.rubric, "calls itself") == score(PROBE, "calls itself")


REPLIES = lines_of("replies.jsonl")


@pytest.mark.parametrize("case", REPLIES, ids=[case["name"] for case in REPLIES])
def test_the_outcome_is_decided_before_any_rule(case):
    reply = Reply(**case["reply"])
    result = score(PROBE, reply)
    assert result.outcome == case["outcome"]
    assert result.output == case["output"]
    expected = zip(messages(result), case["messages"], strict=True)
    assert all(wanted in (None, seen) for seen, wanted in expected), messages(result)


@pytest.mark.parametrize("case", REPLIES, ids=[case["name"] for case in REPLIES])
def test_a_reply_can_be_made_again_from_what_is_stored(case):
    reply = Reply(**case["reply"])
    again = Reply.stored(reply.output, reply.output_is, reply.finish or "", reply.reasoning_tokens)
    assert (again.outcome, again.output, again.output_is) == (reply.outcome, reply.output, reply.output_is)
    assert score(PROBE, again) == score(PROBE, reply)


@pytest.mark.parametrize(
    ("text", "finish", "ran_out"),
    [
        ("", "length", True),
        (" \n", "MAX_TOKENS", True),
        (None, "model_length", True),
        ("", "stop", False),
        ("a", "length", False),
        ("", None, False),
    ],
)
def test_a_blank_output_that_ran_out_of_tokens_is_asked_again(text, finish, ran_out):
    assert Reply(text, finish).ran_out is ran_out
    assert not Reply(text, finish, refusal="No.").ran_out


BLANK = ["", " ", "\n\n", "\t\r\n", "\ufeff", "\xa0\u2003\u3000", "\u2028\u2029", None]


@pytest.mark.parametrize("text", BLANK, ids=ascii)
@pytest.mark.parametrize("finish", ["stop", "length", "tool_calls", "", None])
def test_a_blank_output_is_empty_and_fails_every_rule(text, finish):
    result = score(PROBE, Reply(text, finish, reasoning_tokens=3200))
    assert (result.outcome, result.value) == ("empty", 0.0)
    assert messages(result) == ["empty output", "empty output"]
    assert result.reasoning_tokens == 3200


NOT_BLANK = ["\u200b", "\x00", "\ud800", "\x85", "\x1c", "."]


@pytest.mark.parametrize("text", NOT_BLANK, ids=ascii)
def test_what_is_not_white_space_is_an_answer(text):
    assert score(PROBE, text).outcome == "answered"


def test_a_negative_rule_does_not_pass_silence():
    verdicts = {verdict.rule: verdict.ok for verdict in score(PROBE, "\n").verdicts}
    assert verdicts["no_please"] is False


@pytest.mark.parametrize("reply", ["x" * 200_001, Reply(None, refusal="x" * 200_001)])
def test_a_longer_output_is_not_scored(reply):
    with pytest.raises(TooLarge, match="200,001 characters; over 200,000 nothing is scored") as caught:
        score(PROBE, reply)
    assert (caught.value.characters, caught.value.limit) == (200_001, 200_000)


def test_the_longest_output_is_scored():
    assert score(PROBE, "x" * 199_998 + " y").value == 1.0


def test_the_stamp_names_what_decided():
    core, engine, version, dialect = scored_with().split()
    assert (core, engine) == ("core/1", "re2")
    assert version[0].isdigit()
    assert dialect.startswith("js-re2/")
    assert score(PROBE, "a b").scored_with == scored_with()


def test_a_result_as_json():
    data = score(PROBE, Reply("please do", "length", reasoning_tokens=5)).as_json()
    assert data["value"] == 0.5
    assert data["outcome"] == "truncated"
    assert data["reasoning_tokens"] == 5
    assert [verdict["rule"] for verdict in data["verdicts"]] == ["two_words", "no_please"]
    assert data["verdicts"][0]["finding"]["message"] == "2 / 2 words"


ANY_TEXT = st.text(st.characters(codec=None), max_size=300)


@given(
    st.none() | ANY_TEXT,
    st.none() | st.sampled_from(["stop", "length", "content_filter"]) | ANY_TEXT,
    st.none() | ANY_TEXT,
)
@settings(max_examples=examples(150), deadline=None)
def test_scoring_never_raises_and_says_the_same_twice(text, finish, refusal):
    reply = Reply(text, finish, refusal)
    result = score(PROBE, reply)
    assert result == score(Document.parse(TEXT), reply)
    assert result.outcome in ("answered", "empty", "truncated", "refused", "filtered")
    assert 0 <= result.value <= 1
    if not result.output.strip(WHITE_SPACE):
        assert result.value == 0


def test_evidence_is_made_when_it_is_first_read():
    finding = check({"kind": "words", "op": "==", "n": 2}).run("calls itself")
    unread = [finding]
    verdict = Verdict("two_words", True, unread.pop)
    assert verdict.ok
    assert unread
    assert verdict.finding is verdict.finding is finding
    assert not unread
    assert verdict == Verdict("two_words", True, finding)
    assert hash(verdict) == hash(Verdict("two_words", True, finding))
    assert verdict != Verdict("other", True, finding)
    assert repr(verdict) == f"Verdict('two_words', {finding!r})"


@given(ANY_TEXT)
@settings(max_examples=examples(100), deadline=None)
def test_what_is_decided_is_what_the_finding_says(text):
    for verdict, rule in zip(score(PROBE, text).verdicts, PROBE.rubric.rules, strict=True):
        assert verdict.ok is verdict.finding.ok
        assert verdict.finding == rule.check.run(text)


CHECKS = "probes.core.checks"


@pytest.mark.parametrize(
    ("checks", "looked_for"),
    [
        ([{"kind": "sentences", "op": ">=", "n": n} for n in (1, 2, 9)], f"{CHECKS}.counts.sentences"),
        ([{"kind": "words", "op": "==", "n": n} for n in (1, 2, 9)], f"{CHECKS}.counts.words"),
        ([{"kind": "syllables", "lines": [n]} for n in (1, 2)], f"{CHECKS}.syllables.lines"),
        ([{"kind": "json", "top": top} for top in ("any", "array")], f"{CHECKS}.json_text.read"),
        (
            [{"kind": "lexicon", "list": "pirate", "op": "<", "n": n} for n in (1, 2)],
            f"{CHECKS}.lexicon.lexicon",
        ),
    ],
)
def test_what_several_checks_count_is_looked_for_once(checks, looked_for, monkeypatch):
    module, _, name = looked_for.rpartition(".")
    looking = Mock(side_effect=getattr(import_module(module), name))
    monkeypatch.setattr(looked_for, looking)
    view = View("Ahoy, matey! It is. " * 30)
    found = [check(data).run(view) for data in checks]
    assert looking.call_count == 1
    assert found == [check(data).run(View(view.text)) for data in checks]


def test_what_is_shared_is_taken_as_far_as_it_is_asked_for():
    source = iter(range(1000))
    shared = Shared(source)
    first, second = iter(shared), iter(shared)
    assert [next(first) for _ in range(3)] == [0, 1, 2]
    assert next(source) == 16
    assert list(second) == [*range(16), *range(17, 1000)] == [0, 1, 2, *first]
