from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.db import IntegrityError

from registry.endpoints import domain, vault
from registry.endpoints.chat import ModelsUnavailable, alterations, target_of
from registry.endpoints.domain import EndpointError, add_endpoint, change_endpoint, list_models, test_call
from registry.endpoints.egress import BaseUrlError
from registry.endpoints.models import Endpoint
from registry.endpoints.practice import ensure_practice_endpoints
from tests.registry.endpoints.conftest import KEY

OTHER_SECRET = ["pSWLPTMdBLOzLKuDpGtJ4fZgJ9l1cQfz4wQRfvWp5nA="]
URL = "https://api.example.com/v1"


def added(team, **values) -> Endpoint:
    return add_endpoint(team, **{"name": "Local", "base_url": URL, "key": KEY, **values})


def test_endpoint_is_added_with_its_key_sealed(team):
    endpoint = added(team, base_url=f"{URL}/chat/completions/", extra_body={"top_k": 1})
    stored = Endpoint.objects.get()
    assert stored == endpoint
    assert (stored.slug, stored.base_url, stored.key()) == ("local", URL, KEY)
    assert KEY not in stored.key_cipher
    assert stored.key_last4 == "7890"


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (["Local", "Local!", "LOCAL?"], ["local", "local-2", "local-3"]),
        (["モデル", "模型"], ["endpoint", "endpoint-2"]),
        (["New"], ["new-2"]),
        (["x" * 100], ["x" * 50]),
    ],
)
def test_slugs_are_made_from_names(team, names, slugs):
    assert [added(team, name=name).slug for name in names] == slugs


def test_slug_stays_when_the_name_changes(team):
    endpoint = change_endpoint(added(team), name="Remote")
    assert (endpoint.name, endpoint.slug) == ("Remote", "local")


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"base_url": "http://10.0.0.1/v1"}, BaseUrlError),
        ({"extra_body": {"model": "x"}}, ValueError),
        ({"key": "two words"}, EndpointError),
        ({"key": "Bearer sk-x"}, EndpointError),
        ({"key": "sk-\u2019"}, EndpointError),
        ({"key": "sk-x\n"}, EndpointError),
        ({"key": "sk-1234"}, EndpointError),
        ({"key": "x"}, EndpointError),
    ],
)
def test_what_cannot_be_is_refused(team, values, error):
    with pytest.raises(error) as problem:
        added(team, **values)
    assert Endpoint.objects.count() == 0
    assert "sk-" not in str(problem.value)


def test_changing_something_else_leaves_the_cipher_as_it_is(team, settings):
    endpoint = added(team)
    cipher = endpoint.key_cipher
    settings.ENDPOINT_KEYS = OTHER_SECRET
    changed = change_endpoint(endpoint, name="Renamed", base_url=URL)
    assert changed.key_cipher == cipher
    with pytest.raises(vault.Unreadable):
        target_of(changed)


def test_key_is_replaced_or_forgotten(team):
    endpoint = change_endpoint(added(team), key="sk-new-0987654321")
    assert endpoint.key() == "sk-new-0987654321"
    endpoint = change_endpoint(endpoint, key="")
    assert (endpoint.key(), endpoint.key_cipher, endpoint.key_last4, endpoint.key_set_at) == (
        "",
        "",
        "",
        None,
    )


@pytest.mark.parametrize(
    "url", ["https://evil.example.org/v1", "http://api.example.com/v1", "https://api.example.com:8443/v1"]
)
def test_key_does_not_follow_to_another_server(team, url):
    endpoint = added(team)
    with pytest.raises(EndpointError) as problem:
        change_endpoint(endpoint, base_url=url)
    assert problem.value.field == "key"
    assert change_endpoint(endpoint, base_url=f"{URL}/v2").key() == KEY
    assert change_endpoint(endpoint, base_url=url, key="sk-new-0987654321").base_url == url


def test_practice_endpoint_keeps_its_address_and_key(team):
    endpoint = ensure_practice_endpoints(team)[0]
    refused: list[dict[str, Any]] = [{"base_url": URL}, {"key": "sk-x"}, {"key": ""}]
    for values in refused:
        with pytest.raises(EndpointError):
            change_endpoint(endpoint, **values)
    assert change_endpoint(endpoint, concurrency=3, base_url=endpoint.base_url).concurrency == 3


def test_two_endpoints_cannot_share_a_slug(team):
    added(team)
    with pytest.raises(IntegrityError):
        Endpoint.objects.create(team=team, slug="local", name="x", base_url=URL)


def test_target_holds_what_the_row_says(team):
    endpoint = added(team, send_temperature=False, system_role="fold", deadline_seconds=7)
    to = target_of(endpoint)
    assert (to.name, to.base_url, to.key, to.deadline) == ("Local", URL, KEY, 7.0)
    assert alterations(endpoint) == ["no temperature", "system folded"]


def test_alterations_need_no_key(team, settings):
    endpoint = added(team)
    settings.ENDPOINT_KEYS = OTHER_SECRET
    assert alterations(endpoint) == []


# --- calls ---------------------------------------------------------------------------------------
def test_call_is_real(team, hostile):
    answer = test_call(added(team, base_url=hostile.url("strict")), "m")
    assert (answer.error, answer.text, answer.served_model) == ("", "é", "served")
    assert hostile.requests[0]["headers"]["authorization"] == f"Bearer {KEY}"


def test_call_with_an_unreadable_key_sends_nothing(team, hostile, settings):
    endpoint = added(team, base_url=hostile.url("strict"))
    settings.ENDPOINT_KEYS = OTHER_SECRET
    answer = test_call(endpoint, "m")
    assert (answer.error, answer.final_for_endpoint) == ("key_unreadable", True)
    assert answer.detail == "This endpoint's key cannot be read: enter it again."
    with pytest.raises(ModelsUnavailable, match="enter it again"):
        list_models(endpoint)
    assert hostile.requests == []


def test_models_are_stored_with_the_endpoint(team, hostile):
    endpoint = added(team, base_url=hostile.says("list", 200, {"data": [{"id": "a"}, {"id": "b"}]}))
    assert list_models(endpoint) == ["a", "b"]
    assert endpoint.models_offered == ["a", "b"]
    stored = Endpoint.objects.get()
    assert stored.models_offered == ["a", "b"]
    assert stored.models_listed_at is not None


def test_models_once_known_stay_when_the_list_fails(team, hostile):
    endpoint = added(team, base_url=hostile.says("list", 503, b""), models_offered=["a"])
    with pytest.raises(ModelsUnavailable):
        list_models(endpoint)
    assert Endpoint.objects.get().models_offered == ["a"]


def test_calls_work_from_a_thread_beside_a_running_loop(team, hostile, monkeypatch):
    """As a synchronous view under ASGI has it."""
    monkeypatch.setattr(domain, "_note_call", lambda *given: None)  # the row of this test is locked there
    endpoint = added(team, base_url=hostile.url("reply"))

    async def served():
        return await asyncio.to_thread(test_call, endpoint, "m")

    assert asyncio.run(served()).text == "é"


def test_test_call_has_its_own_deadline(team, hostile, monkeypatch):
    monkeypatch.setattr(domain, "_TEST_SECONDS", 0.1)
    assert test_call(added(team, base_url=hostile.url("silent")), "m").error == "timeout"
