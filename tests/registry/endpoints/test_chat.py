from __future__ import annotations

import asyncio
import json
import logging
import time
import traceback
import tracemalloc

import pytest

from registry.endpoints import wire
from registry.endpoints.chat import Caller, ModelsUnavailable
from registry.endpoints.request import digest
from tests.registry.endpoints.conftest import ANSWER, EMBEDDED, HUGE, KEY, MESSAGES, called, target


def test_answer_is_read_and_what_was_sent_is_observed(hostile):
    answer = called(target(hostile.url("strict")), model="gpt-x")
    assert (answer.error, answer.text, answer.finish, answer.status) == ("", "é", "stop", 200)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.served_model) == (9, 1, "served")
    assert not answer.may_be_billed

    [request] = hostile.requests
    body = json.loads(request["body"])
    assert request["path"] == "/strict/v1/chat/completions"
    assert body == {"model": "gpt-x", "messages": MESSAGES, "max_tokens": 64, "temperature": 0}
    assert answer.sent_messages == body["messages"]
    assert answer.sent_digest == digest(body["messages"])
    assert answer.sent_parameters == {"max_tokens": 64, "temperature": 0}


def test_only_the_headers_needed_are_sent(hostile):
    called(target(hostile.url("reply")))
    headers = hostile.requests[0]["headers"]
    assert headers.keys() == {
        "host", "accept", "accept-encoding", "content-type", "content-length", "authorization", "user-agent"
    }  # fmt: skip
    assert headers["accept-encoding"] == "identity"
    assert headers["authorization"] == f"Bearer {KEY}"


def test_endpoint_without_a_key_gets_no_authorization(hostile):
    called(target(hostile.url("reply"), key=""))
    assert "authorization" not in hostile.requests[0]["headers"]


def test_effective_messages_are_what_was_observed(hostile):
    answer = called(target(hostile.url("reply"), system_role="fold", send_temperature=False))
    assert answer.sent_messages == [{"role": "user", "content": "Be brief.\n\nSay “é”."}]
    assert answer.sent_parameters == {"max_tokens": 64}


def test_proxy_and_netrc_of_the_machine_are_ignored(hostile, monkeypatch, tmp_path):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login a password b")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    assert called(target(hostile.url("reply"), key="")).text == "é"
    assert "authorization" not in hostile.requests[0]["headers"]


def test_cookies_are_not_kept(hostile):
    base_url = hostile.says("cookie", 200, ANSWER, {"set-cookie": "a=b; Path=/"})

    async def twice():
        async with Caller(EMBEDDED) as caller:
            for _ in range(2):
                await caller.complete(target(base_url), "m", MESSAGES, {})

    asyncio.run(twice())
    assert all("cookie" not in request["headers"] for request in hostile.requests)


def test_reply_that_drips_ends_at_the_deadline(hostile):
    began = time.monotonic()
    answer = called(target(hostile.url("drip"), deadline=0.3))
    assert 0.25 < time.monotonic() - began < 2
    assert (answer.error, answer.retryable, answer.may_be_billed) == ("timeout", False, True)
    assert answer.detail == '"Local" did not answer within 0.3 seconds. Raise its deadline if it is slow.'
    assert answer.sent_messages == MESSAGES
    assert answer.milliseconds >= 250
    assert hostile.closed.wait(5), "the connection is closed, not left to drip"


def test_server_that_never_answers_ends_at_the_deadline(hostile):
    answer = called(target(hostile.url("silent"), deadline=0.2))
    assert (answer.error, answer.retryable, answer.may_be_billed) == ("timeout", False, True)
    assert hostile.closed.wait(5)


def test_huge_body_is_cut_off_with_memory_flat(hostile):
    tracemalloc.start()
    try:
        answer = called(target(hostile.url("huge")))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (answer.error, answer.retryable, answer.may_be_billed) == ("too_large", False, True)
    assert hostile.closed.wait(5)
    assert hostile.bytes_sent < HUGE / 4
    assert peak < 20 * 1024 * 1024


def test_body_within_the_limit_is_read(hostile):
    text = "x" * (wire.LARGEST_BODY - 1000)
    base_url = hostile.says(
        "large", 200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    )
    assert called(target(base_url)).text == text


def test_slot_is_free_for_the_next_call_afterwards(hostile):
    async def three():
        async with Caller(EMBEDDED) as caller:
            for name, deadline in (("drip", 0.1), ("huge", 5), ("reply", 5)):
                answer = await caller.complete(
                    target(hostile.url(name), deadline=deadline), "m", MESSAGES, {}
                )
        return answer

    assert asyncio.run(three()).text == "é"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(hostile, status):
    inner = hostile.url("inner") + "/chat/completions"
    answer = called(target(hostile.says("moved", status, b"", {"location": inner})))
    assert (answer.error, answer.retryable, answer.final_for_endpoint) == ("redirect", False, True)
    assert "redirects" in answer.detail
    assert "inner" not in answer.detail
    assert [request["path"] for request in hostile.requests] == ["/moved/v1/chat/completions"]


def test_page_with_status_200_is_not_json(hostile):
    page = b"<!doctype html><title>Sign in</title><script>x()</script>" + b"x" * 1000
    answer = called(target(hostile.says("page", 200, page, {"content-type": "text/html"})))
    assert (answer.error, answer.retryable, answer.status) == ("not_json", False, 200)
    assert 'Check the base URL of "Local".' in answer.detail
    assert answer.detail.endswith(page[:300].decode())


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "GZIP"])
def test_compressed_replies_are_refused(hostile, encoding):
    answer = called(target(hostile.says("bomb", 200, b"\x1f\x8b" * 100, {"content-encoding": encoding})))
    assert answer.error == "not_json"
    assert "compress" in answer.detail


def test_connection_closed_in_mid_reply(hostile):
    answer = called(target(hostile.url("cut")))
    assert (answer.error, answer.retryable, answer.may_be_billed) == ("endpoint_error", True, True)
    assert "closed the connection" in answer.detail


def test_headers_out_of_bounds_are_a_failure_like_any_other(hostile):
    answer = called(target(hostile.says("wide", 200, ANSWER, {"x-wide": "x" * 100_000})))
    assert answer.error == "endpoint_error"


@pytest.mark.parametrize(
    ("body", "error", "text"),
    [
        ({"choices": []}, "no_choice", ""),
        ({"error": {"code": 429, "message": "upstream busy"}}, "endpoint_error", ""),
        (
            {"choices": [{"finish_reason": "error", "error": {"code": 502}, "message": {"content": "Par"}}]},
            "endpoint_error",
            "Par",
        ),
    ],
)
def test_bodies_that_report_a_failure(hostile, body, error, text):
    answer = called(target(hostile.says("failing", 200, body)))
    assert (answer.error, answer.text, answer.may_be_billed) == (error, text, True)
    assert answer.retryable is (error == "endpoint_error")


def test_filtered_refused_and_blank_replies_are_answers(hostile):
    def of(message, finish):
        choice = {"message": message, "finish_reason": finish}
        return called(target(hostile.says("odd", 200, {"choices": [choice]})))

    filtered = of(None, "content_filter: X")
    assert (filtered.error, filtered.text, filtered.no_text, filtered.finish) == (
        "",
        "",
        True,
        "content_filter: X",
    )
    refused = of({"content": None, "refusal": "No."}, "stop")
    assert (refused.error, refused.text, refused.no_text, refused.refusal) == ("", "No.", False, "No.")
    blank = of({"content": "", "reasoning": "Lima"}, "length")
    assert (blank.error, blank.text, blank.no_text, blank.finish) == ("", "", False, "length")


def test_rate_limit_carries_its_wait(hostile):
    answer = called(
        target(hostile.says("busy", 429, {"error": {"message": "slow down"}}, {"retry-after": "7"}))
    )
    assert (answer.error, answer.retryable, answer.retry_after) == ("rate_limited", True, 7.0)
    assert answer.detail.startswith("The endpoint asks to wait (429): slow down.")


def test_unsupported_parameter_names_the_setting(hostile):
    error = {"error": {"message": "Use the other.", "param": "max_tokens", "code": "unsupported_parameter"}}
    answer = called(target(hostile.says("picky", 400, error)))
    assert (answer.error, answer.final_for_endpoint) == ("unsupported_parameter", True)
    assert answer.detail.endswith('Send the token limit of "Local" under its other name.')


def test_inline_thinking_is_removed_only_where_set(hostile):
    message = {"content": "<think>Rome</think>\nParis"}
    base_url = hostile.says("inline", 200, {"choices": [{"message": message, "finish_reason": "stop"}]})
    assert called(target(base_url, inline_thinking=True)).text == "Paris"
    assert called(target(base_url)).text == "<think>Rome</think>\nParis"


def test_wrong_key_is_told_and_never_shown(hostile):
    answer = called(target(hostile.url("strict"), key="sk-other-0987654321"))
    assert (answer.error, answer.status, answer.final_for_endpoint) == ("unauthorized", 401, True)
    assert answer.detail == (
        'The endpoint refused the key (401): Incorrect key [redacted]. Check the key of "Local".'
    )


@pytest.mark.parametrize(
    "name", ["strict", "echo", "page", "cut", "drip", "busy", "unreachable", "refused", "wide"]
)
def test_key_is_nowhere_but_in_the_request(hostile, caplog, name):
    """Whatever goes wrong, at log level DEBUG, in the Answer and in what an exception would show."""
    caplog.set_level(logging.DEBUG)
    given = "sk-secret-abcdef1234567890"
    hostile.says("page", 200, f"<html>{given}".encode())
    hostile.says("busy", 503, f"key {given}".encode())
    hostile.says("wide", 200, ANSWER, {"x-wide": given * 5000})
    message = {"content": f"Your key is {given}.", "refusal": given}
    hostile.says("echo", 200, {"model": given, "choices": [{"message": message, "finish_reason": given}]})
    url = {"unreachable": "http://127.0.0.1:1025/v1", "refused": "http://10.0.0.1/v1"}.get(
        name, hostile.url(name)
    )
    to = target(url, key=given, deadline=0.3)
    answer = called(to)
    shown = f"{answer!r} {to!r} {caplog.text} {[record.__dict__ for record in caplog.records]!r}"
    assert given not in shown
    assert given[-10:] not in shown


def test_redacted_output_says_so(hostile):
    message = {"content": f"Your key is {KEY}."}
    base_url = hostile.says("echo", 200, {"choices": [{"message": message, "finish_reason": "stop"}]})
    answer = called(target(base_url))
    assert answer.text == "Your key is [redacted]."
    assert answer.detail == "The reply held the endpoint's key: it was redacted."


def test_a_stored_key_too_short_to_be_told_from_words_is_one_where_it_stands_alone(hostile):
    message = {"content": "ollama is a server for ollamas"}
    base_url = hostile.says("echo", 200, {"choices": [{"message": message, "finish_reason": "stop"}]})
    answer = called(target(base_url, key="ollama"))
    assert answer.text == "[redacted] is a server for ollamas"
    assert answer.detail == "The reply held the endpoint's key: it was redacted."


def test_two_endpoints_never_get_one_anothers_key(hostile):
    """A hostile counterparty each, one Caller, many calls at once."""

    async def race():
        async with Caller(EMBEDDED) as caller:
            targets = [
                target(hostile.url(f"team{n % 2}"), key=f"sk-team-{n % 2}-0123456789") for n in range(200)
            ]
            return await asyncio.gather(*(caller.complete(to, "m", MESSAGES, {}) for to in targets))

    answers = asyncio.run(race())
    assert all(answer.text == "é" for answer in answers)
    assert len(hostile.requests) == 200
    for request in hostile.requests:
        team = request["path"].split("/")[1].removeprefix("team")
        assert request["headers"]["authorization"] == f"Bearer sk-team-{team}-0123456789"
    assert len({answer.sent_digest for answer in answers}) == 1


def test_cancelling_a_call_passes_through(hostile):
    async def cancelled():
        async with Caller(EMBEDDED) as caller:
            call = asyncio.create_task(caller.complete(target(hostile.url("silent")), "m", MESSAGES, {}))
            await asyncio.to_thread(hostile.asked.wait, 5)
            call.cancel()
            await call

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert hostile.closed.wait(5)


# --- the list of models --------------------------------------------------------------------------
def models(base_url: str, **changes) -> list[str]:
    async def once():
        async with Caller(EMBEDDED) as caller:
            return await caller.models(target(base_url, **changes))

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"data": [{"id": "b"}, {"id": "a"}, {"id": "b"}]}, ["b", "a"]),
        ([{"id": "a"}], ["a"]),
        ({"models": [{"name": "a"}, {"model": "b"}, "c"]}, ["a", "b", "c"]),
        ({"data": []}, []),
        ({"data": [{"id": 5}, None, {}, {"id": "a\x00"}]}, ["a\ufffd"]),
        ("x", []),
    ],
)
def test_models_are_listed(hostile, body, names):
    assert models(hostile.says("list", 200, body)) == names
    assert hostile.requests[0]["path"] == "/list/v1/models"
    assert hostile.requests[0]["headers"]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (404, b"", '"Local" offers no list of its models (404). Type the name of one.'),
        (
            401,
            b'{"error": "key ' + KEY.encode() + b'"}',
            "The endpoint refused the key (401): key [redacted].",
        ),
        (200, b"<html>", "The endpoint did not answer with JSON."),
        (503, b"", "The endpoint failed (503)."),
    ],
)
def test_models_may_be_unavailable(hostile, status, body, message):
    with pytest.raises(ModelsUnavailable) as problem:
        models(hostile.says("list", status, body))
    assert str(problem.value).startswith(message)
    shown = "".join(traceback.format_exception(problem.value))
    assert KEY not in shown


def test_models_of_an_unreachable_server_are_unavailable():
    with pytest.raises(ModelsUnavailable, match="not public"):
        models("http://10.0.0.1/v1")
