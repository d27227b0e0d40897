from __future__ import annotations

from email.utils import parsedate_to_datetime

import pytest

from registry.endpoints import failures
from registry.endpoints.redaction import Redaction
from registry.endpoints.reply import Said
from tests.registry.endpoints.conftest import cases, target

AS_IS = Redaction("").within
LOCAL = target("https://api.example.com/v1")
SENT = {"max_tokens": 64, "temperature": 0, "chat_template_kwargs": {}, "top_k": 40}
WAITS = cases("retry_after.json")
STATUSES = cases("statuses.json")


def of_status(status: int, said: Said | None = None, wait: float | None = None) -> failures.Failure:
    return failures.of_status(status, said or Said(), LOCAL, model="gpt-x", sent=SENT, wait=wait)


@pytest.mark.parametrize(("headers", "seconds"), WAITS["cases"])
def test_retry_after(headers, seconds):
    assert failures.retry_after(headers, parsedate_to_datetime(WAITS["now"])) == seconds


@pytest.mark.parametrize("status", STATUSES["retry"])
def test_retried_statuses(status):
    failure = of_status(status, wait=9.0)
    assert (failure.retryable, failure.final, failure.retry_after) == (True, False, 9.0)


@pytest.mark.parametrize("status", STATUSES["final"])
def test_final_statuses(status):
    failure = of_status(status, wait=9.0)
    assert (failure.retryable, failure.retry_after) == (False, None)


@pytest.mark.parametrize(("status", "code"), STATUSES["codes"].items())
def test_codes_of_statuses(status, code):
    assert of_status(int(status)).error == code


def test_gateway_timeouts_may_be_billed():
    billed = [status for status in STATUSES["retry"] + STATUSES["final"] if of_status(status).may_be_billed]
    assert billed == STATUSES["billed"]


@pytest.mark.parametrize(
    ("said", "code", "advice"),
    [
        (
            Said(param="max_tokens", code="unsupported_parameter"),
            "unsupported_parameter",
            "under its other name",
        ),
        (
            Said(param="temperature", code="unsupported_value"),
            "unsupported_parameter",
            "Turn the temperature",
        ),
        (Said("Unknown field: chat_template_kwargs"), "unsupported_parameter", 'to "Leave alone"'),
        (Said(param="chat_template_kwargs.enable_thinking"), "unsupported_parameter", 'to "Leave alone"'),
        (Said("body.top_k: Extra inputs are not permitted"), "unsupported_parameter", "Take top_k out"),
        (Said("temperature must be less than 2"), "bad_request", "(400): temperature must be less than 2."),
        (Said("too long", param="messages"), "bad_request", "too long"),
        (Said("System role not supported"), "bad_request", "takes no system message"),
        (Said(param="messages[0].role"), "bad_request", "takes no system message"),
        (Said(code="model_not_found"), "not_found", 'does not know the model "gpt-x"'),
        (Said(param="model"), "not_found", 'does not know the model "gpt-x"'),
        (Said(), "bad_request", "The endpoint refused the request (400)."),
    ],
)
def test_refused_requests_are_told_apart(said, code, advice):
    failure = of_status(400, said)
    assert failure.error == code
    assert advice in failure.detail
    assert failure.final is (code != "bad_request")


def test_missing_path_is_not_a_missing_model():
    assert "does not know the model" in of_status(404, Said("model 'gpt-x' not found")).detail
    assert 'Check the base URL of "Local".' in of_status(404, Said("Not Found")).detail


def test_used_up_quota_is_not_waited_for():
    failure = of_status(429, Said(code="insufficient_quota"))
    assert (failure.error, failure.retryable, failure.final) == ("rate_limited", False, True)


@pytest.mark.parametrize(
    ("said", "error", "status", "retryable"),
    [
        (Said("upstream busy", status=429), "endpoint_error", 429, True),
        (Said("cut", status=502), "endpoint_error", 502, True),
        (Said("slow", code="rate_limit_exceeded"), "endpoint_error", 429, True),
        (Said("boom"), "endpoint_error", 502, True),
        (Said("no key", status=401), "unauthorized", 401, False),
    ],
)
def test_failures_inside_a_body(said, error, status, retryable):
    failure = failures.in_body(said, LOCAL, model="gpt-x", sent=SENT)
    assert (failure.error, failure.status, failure.retryable) == (error, status, retryable)
    assert failure.may_be_billed


def test_details_are_short_and_on_one_line():
    failure = of_status(503, Said("word \n" * 500))
    assert len(failure.detail) <= 300
    assert "\n" not in failure.detail
    assert failure.detail.startswith("The endpoint failed (503): word word")


def test_advice_survives_a_long_message():
    assert of_status(401, Said("x" * 5000)).detail.endswith('Check the key of "Local".')


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "No."}}', "No."),
        (b"<html>x</html>", "it sent a web page"),
        (b"Bad gateway\n", "Bad gateway"),
        (b"", ""),
        (b'{"error": {"message": "m", "reasoning": "SECRET"}}', "m"),
    ],
)
def test_error_bodies(body, message):
    assert failures.said_by(body, AS_IS).message == message
