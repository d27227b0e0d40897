from __future__ import annotations

import json
from typing import Any

import pytest

from registry.endpoints import reply
from registry.endpoints.redaction import Redaction
from registry.endpoints.scrub import scrub
from tests.registry.endpoints.conftest import cases

REPLIES = cases("replies.json")
AS_IS = Redaction("").within


@pytest.mark.parametrize("case", REPLIES, ids=[case["id"] for case in REPLIES])
def test_reply_is_read(case):
    reading = reply.read(json.dumps(case["body"]).encode(), AS_IS, inline_thinking=case.get("inline", False))
    for name, value in case["expect"].items():
        found = getattr(reading, name)
        if name == "error":
            assert {key: getattr(found, key) for key in value} == value
        else:
            assert (list(found) if name == "notes" else found) == value, name


def test_most_replies_are_no_errors():
    assert sum("error" not in case["expect"] for case in REPLIES) > 40


def test_byte_order_mark_is_accepted():
    body = b"\xef\xbb\xbf" + json.dumps({"choices": [{"message": {"content": "Paris"}}]}).encode()
    assert reply.read(body, AS_IS).text == "Paris"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><title>Sign in</title>",
        b'{"choices":[{"message":{"content":"caf\xe9"}}]}',
        b'{"choices":',
        b"[" * 200_000,
        b'{"a":' * 200_000,
        "{}".encode("utf-16"),
    ],
    ids=["empty", "html", "latin-1", "cut", "deep list", "deep object", "utf-16"],
)
def test_what_is_no_json_is_an_error(body):
    with pytest.raises(reply.NotJson) as problem:
        reply.read(body, AS_IS)
    assert len(problem.value.start) <= 4000
    assert problem.value.__cause__ is None
    problem.value.start.encode()


def test_invalid_utf8_is_shown_as_such():
    with pytest.raises(reply.NotJson) as problem:
        reply.read(b"caf\xe9", AS_IS)
    assert problem.value.start == "caf\ufffd"


@pytest.mark.parametrize(
    ("body", "message", "param"),
    [
        ({"error": {"message": "No.", "param": "temperature"}}, "No.", "temperature"),
        ({"error": "No."}, "No.", ""),
        ({"message": "No.", "object": "error"}, "No.", ""),
        ({"detail": "No."}, "No.", ""),
        ({"detail": [{"loc": ["body", "n"], "msg": "No."}, {"msg": "Nor."}]}, "body.n: No.; Nor.", ""),
        ("No.", "No.", ""),
        ([1], "", ""),
        ({"error": {"message": 5, "detail": None}}, "", ""),
        ({"error": {"message": "a\x00b"}}, "a\ufffdb", ""),
    ],
)
def test_every_shape_of_an_error_is_understood(body, message, param):
    said = reply.said(body)
    assert (said.message, said.param) == (message, param)


def test_reasoning_is_dropped_at_any_depth():
    body = {
        "choices": [
            {"message": {"content": "x", "reasoning_content": "SECRET", "provider": {"Thinking": ["SECRET"]}}}
        ],
        "usage": {"completion_tokens_details": {"reasoning_tokens": 7}, "reasoning": {"text": "SECRET"}},
        "error": {"message": "m", "metadata": {"raw": [{"type": "thinking", "text": "SECRET"}]}},
        "extra": {"type": "reasoning.summary", "summary": "SECRET"},
        "thoughts": True,
        "finish_reason": "stop",
    }
    scrubbed: Any = scrub(body)
    assert "SECRET" not in json.dumps(scrubbed)
    assert scrubbed["usage"] == {"completion_tokens_details": {"reasoning_tokens": 7}}
    assert scrubbed["finish_reason"] == "stop"
    assert scrubbed["choices"][0]["message"] == {"content": "x", "provider": {}}


@pytest.mark.parametrize(
    "text",
    [
        '{"choices":[{"message":{"reasoning_content":"SECRET',
        '{"choices":[{"message":{"content":"x","reasoning": "SECRET',
        "{'thinking': 'SECRET",
        r"upstream said {\"reasoning\":\"SECRET\"}",
        'data: {"reasoning_details":[{"text":"SECRET"}]}',
        "<think>SECRET",
        "[THINK]SECRET",
    ],
)
def test_reasoning_is_cut_out_of_what_is_no_json(text):
    with pytest.raises(reply.NotJson) as problem:
        reply.read(text.encode(), AS_IS)
    assert "SECRET" not in problem.value.start
    for body in ({"error": {"message": text}}, {"error": text}, {"detail": text}):
        assert "SECRET" not in reply.said(body).message


def test_words_about_reasoning_stay_in_messages():
    message = "Unsupported parameter: reasoning. Thinking is not available: use another model."
    assert reply.said({"error": {"message": message}}).message == message


def test_parts_marked_as_thoughts_are_no_text():
    parts = [
        {"type": "text", "text": "hm", "thought": True},
        {"type": "text", "text": "42", "thought": False},
    ]
    body = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    assert reply.read(json.dumps(body).encode(), AS_IS).text == "42"


def test_scrubbing_ends_on_deep_values():
    value: object = "deep"
    for _ in range(5000):
        value = [value]
    assert "deep" not in str(scrub(value))


def test_inline_thinking_takes_linear_time():
    text = "x</think><think>" * 100_000
    assert reply.without_thinking(text) == ""


@pytest.mark.parametrize("place", ["usage", "error", "choice", "status", "alone"])
def test_a_number_of_any_length_is_json(place):
    """Python reads whole numbers of 4,300 digits at most; JSON knows no such limit."""
    huge = "4" * 5000
    body = {
        "usage": f'{{"choices":[{{"message":{{"content":"x"}}}}],"usage":{{"prompt_tokens":{huge}}}}}',
        "error": f'{{"error":{{"message":"no","code":{huge}}}}}',
        "choice": f'{{"choices":[{{"index":{huge},"message":{{"content":"x"}}}}]}}',
        "status": f'{{"error":{{"message":"no","status":"0404{huge}"}}}}',
        "alone": huge,
    }[place]
    found = reply.read(body.encode(), AS_IS)
    assert found.prompt_tokens is None
    assert (found.text, found.missing, found.error and found.error.status) == {
        "usage": ("x", "", None), "choice": ("x", "", None), "alone": (None, "a JSON object", None)
    }.get(place, (None, "", None))  # fmt: skip
