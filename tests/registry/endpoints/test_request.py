from __future__ import annotations

import hashlib
import json

import pytest

from registry.endpoints.models import Endpoint
from registry.endpoints.request import (
    EFFORTS,
    Target,
    altered,
    check_extra_body,
    content,
    digest,
    effective_messages,
    effective_parameters,
)

PROBE = {"max_tokens": 64, "temperature": 0}
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}]


def target(**changes) -> Target:
    return Target("Local", "https://api.example.com/v1", **changes)


@pytest.mark.parametrize(
    ("changes", "sent"),
    [
        ({}, {"max_tokens": 64, "temperature": 0}),
        ({"token_limit": "max_completion_tokens"}, {"max_completion_tokens": 64, "temperature": 0}),
        ({"send_temperature": False}, {"max_tokens": 64}),
        ({"reasoning": "off"}, {**PROBE, "chat_template_kwargs": {"enable_thinking": False}}),
        ({"reasoning": "low"}, {**PROBE, "reasoning_effort": "low"}),
        (
            {"reasoning": "none", "extra_body": {"reasoning_effort": "high"}},
            {**PROBE, "reasoning_effort": "none"},
        ),
        (
            {"reasoning": "off", "extra_body": {"chat_template_kwargs": {"x": 1, "enable_thinking": True}}},
            {**PROBE, "chat_template_kwargs": {"x": 1, "enable_thinking": False}},
        ),
        (
            {"extra_body": {"top_k": 40, "n": 3, "stream": True, "temperature": 1, "model": "x"}},
            {**PROBE, "top_k": 40},
        ),
    ],
)
def test_only_the_probe_and_the_endpoint_decide_what_is_sent(changes, sent):
    assert effective_parameters(target(**changes), PROBE) == sent
    body = json.loads(content(target(**changes), "m", MESSAGES, PROBE))
    assert body == {"model": "m", "messages": MESSAGES, **sent}


def test_what_the_probe_states_wins_over_the_extra_body():
    assert effective_parameters(target(extra_body={"seed": 1}), {"seed": 2}) == {"seed": 2}


def test_no_parameters_send_none():
    assert effective_parameters(target(), {}) == {}


@pytest.mark.parametrize(
    ("messages", "folded"),
    [
        (MESSAGES, [{"role": "user", "content": "Be brief.\n\nGo."}]),
        (MESSAGES[1:], [{"role": "user", "content": "Go."}]),
        (MESSAGES[:1], [{"role": "user", "content": "Be brief."}]),
    ],
)
def test_system_role_is_folded_only_where_set(messages, folded):
    assert effective_messages(target(system_role="fold"), messages) == folded
    assert effective_messages(target(), messages) == messages
    assert MESSAGES[1]["content"] == "Go.", "the probe's own messages stay as they are"


def test_text_is_sent_as_utf8_not_escaped():
    body = content(target(), "m", [{"role": "user", "content": "Say “é” 🎉"}], {})
    assert "Say “é” 🎉".encode() in body


def test_digest_is_of_canonical_json():
    text = '[{"content":"é","role":"user"}]'
    assert digest([{"role": "user", "content": "é"}]) == hashlib.sha256(text.encode()).hexdigest()


def test_alterations_are_named():
    assert altered(target()) == []
    changed = target(
        send_temperature=False,
        system_role="fold",
        reasoning="off",
        inline_thinking=True,
        extra_body={"top_k": 1},
        token_limit="max_completion_tokens",
    )
    assert altered(changed) == [
        "no temperature",
        "system folded",
        "reasoning off",
        "inline thinking removed",
        "extra body: top_k",
    ]


def test_an_effort_is_named_with_its_amount():
    assert altered(target(reasoning="high")) == ["reasoning effort: high"]
    assert set(Endpoint.Reasoning.values) - {"leave", "off"} == EFFORTS


def test_alterations_of_a_probe_are_only_those_that_touch_it():
    changed = target(send_temperature=False, system_role="fold")
    assert altered(changed, MESSAGES[1:], {"max_tokens": 1}) == []
    assert altered(changed, MESSAGES, PROBE) == ["no temperature", "system folded"]


@pytest.mark.parametrize(
    "extra", [{}, {"top_k": 40}, {"a": {"b": ["\\u0000", "😀", None]}}, {"a": [[[[[[[[[1]]]]]]]]]}]
)
def test_extra_body_is_accepted(extra):
    assert check_extra_body(extra) == extra


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ([], "Write a JSON object"),
        (None, "Write a JSON object"),
        ("x", "Write a JSON object"),
        ({"model": "x"}, "Take model out"),
        ({"stream": True, "n": 2}, "Take n, stream out"),
        ({"messages": []}, "Take messages out"),
        ({"max_tokens": 5}, "Take max_tokens out"),
        ({"a": float("nan")}, "NaN"),
        ({"a": 10**5000}, "Shorten the numbers"),
        ({"a": [{"b": -(10**300)}]}, "Shorten the numbers"),
        ({"a": "x" * 10_000}, "Shorten"),
        ({"a": ["b\x00"]}, "NUL"),
        ({"a": [[[[[[[[[[]]]]]]]]]]}, "at most 10 deep"),
        ({"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": {"j": {}}}}}}}}}}}, "at most 10 deep"),
        ({"\ud83d": 1}, "surrogate"),
    ],
)
def test_extra_body_is_refused(extra, message):
    with pytest.raises(ValueError, match=message):
        check_extra_body(extra)


def test_target_never_shows_its_key():
    assert "sk-demo" not in repr(target(key="sk-demo-1234567890"))
