from __future__ import annotations

import pytest
from django.test import Client

from registry.endpoints.forms import EndpointForm
from registry.endpoints.models import Endpoint
from registry.endpoints.practice import ensure_practice_endpoints
from registry.endpoints.request import LONG_NUMBER
from tests.registry.endpoints.conftest import KEY

GOOD = {
    "name": "Local",
    "base_url": "https://1.1.1.1/v1/",
    "key": KEY,
    "reasoning": "leave",
    "token_limit": "max_tokens",
    "send_temperature": "on",
    "system_role": "send",
    "extra_body": "",
    "concurrency": "8",
    "requests_per_minute": "",
    "deadline_seconds": "120",
    "price_prompt": "0.15",
    "price_completion": "0.6",
    "currency": "EUR",
}


def form(team, instance: Endpoint | None = None, **changes) -> EndpointForm:
    return EndpointForm({**GOOD, **changes}, team=team, instance=instance)


def saved(team, instance: Endpoint | None = None, **changes) -> Endpoint:
    filled = form(team, instance, **changes)
    assert filled.is_valid(), filled.errors
    return filled.save()


def test_endpoint_is_added(team):
    saved(team, extra_body='{"top_k": 40}', requests_per_minute="60", inline_thinking="on")
    endpoint = Endpoint.objects.get()
    assert (endpoint.team, endpoint.slug, endpoint.base_url) == (team, "local", "https://1.1.1.1/v1")
    assert (endpoint.key(), endpoint.extra_body, endpoint.requests_per_minute) == (KEY, {"top_k": 40}, 60)
    assert endpoint.inline_thinking
    assert endpoint.send_temperature
    assert not endpoint.practice


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("name", " ", "Write a name."),
        ("name", "\u200b\u202e", "Write a name."),
        ("base_url", "", "Write the base URL, such as"),
        ("base_url", "api.example.com", "Start the base URL with https://"),
        ("base_url", "http://10.0.0.1", "not a public address"),
        ("base_url", "http://127.1", "out in full"),
        ("base_url", "https://u:p@h.example", "key field"),
        ("key", "two words", "no spaces"),
        ("key", "Bearer sk-x", 'Leave out "Bearer"'),
        ("key", "ollama", "A key has at least 8 characters. Leave it empty if the server asks for none."),
        ("extra_body", "{", "this is no JSON"),
        ("extra_body", "[" * 5000, "this is no JSON"),
        ("extra_body", "[]", "Write a JSON object"),
        ("extra_body", f'{{"a": {"9" * 5000}}}', LONG_NUMBER),
        ("extra_body", f'{{"a": [{{"b": -{"9" * 301}}}]}}', LONG_NUMBER),
        ("extra_body", "9" * 5000, LONG_NUMBER),
        ("extra_body", '{"a": 1e999}', "NaN and Infinity are no numbers"),
        ("extra_body", "5", "Write a JSON object"),
        ("extra_body", '{"model": "x"}', "Take model out"),
        ("extra_body", '{"stream": true}', "Take stream out"),
        ("extra_body", '{"a": NaN}', "NaN"),
        ("extra_body", '{"a": "\\u0000"}', "NUL"),
        ("name", "n" * 3000, "At most 100 characters; this has 3,000."),
        ("name", "a\0b", "Take the NUL character out."),
        ("base_url", f"https://1.1.1.1/{'x' * 3000}", "At most 500 characters; this has 3,016."),
        ("key", "k" * 3000, "At most 500 characters; this has 3,000."),
        ("concurrency", "0", "At least 1; this is 0."),
        ("concurrency", "many", "Write a whole number, or nothing."),
        ("requests_per_minute", "0", "At least 1; this is 0."),
        ("requests_per_minute", "1.5", "Write a whole number, or nothing."),
        ("deadline_seconds", "9999", "At most 1,800; this is 9,999."),
        ("deadline_seconds", "", "Write a whole number of seconds."),
        ("price_prompt", "cheap", "Write an amount such as 0.15, or nothing."),
        ("price_prompt", "-1", "Write an amount such as 0.15, or nothing."),
        ("price_prompt", "NaN", "Write an amount such as 0.15, or nothing."),
        ("price_prompt", "1e9", "At most 999,999"),
        ("price_prompt", "", "State both prices, or neither."),
        ("price_completion", "0.0000001", "At most 6 places after the point."),
        ("price_completion", "", "State both prices, or neither."),
        ("currency", "us", "Write its three letters, such as USD."),
        ("extra_body", '{"a":' + "[" * 20 + "]" * 20 + "}", "at most 10 deep"),
        ("reasoning", "sometimes", "Choose one of those listed."),
    ],
)
def test_errors_stand_where_they_belong_and_only_there(team, field, value, message):
    filled = form(team, **{field: value})
    assert not filled.is_valid()
    assert list(filled.errors) == [field]
    assert len(filled.errors[field]) == 1
    assert message in filled.errors[field][0]


@pytest.mark.parametrize("written", ["[" * 100_000, '{"a":' * 100_000, "{", '{ "top_k" :40}', "[1]"])
def test_further_fields_come_back_as_they_were_written(team, written):
    refused = form(team, name="", extra_body=written)
    assert not refused.is_valid()
    assert refused["extra_body"].value() == written
    assert written.replace('"', "&quot;") in str(refused["extra_body"])


def test_prices_come_back_as_they_were_stated(team):
    endpoint = Endpoint.objects.get(pk=saved(team).pk)
    shown = EndpointForm(team=team, instance=endpoint)
    assert [shown[name].value() for name in ("price_prompt", "price_completion")] == ["0.15", "0.6"]


def test_prices_may_be_left_out(team):
    made = saved(team, price_prompt="", price_completion="", currency="")
    assert (made.price_prompt, made.price_completion, made.currency) == (None, None, "USD")


def test_same_name_is_refused_in_the_team_only(team, charlie):
    saved(team)
    assert "has an endpoint named" in form(team, name="local ").errors["name"][0]
    other = charlie.memberships.get().team
    assert saved(other).slug == "local"


def test_key_is_never_shown(team):
    endpoint = saved(team)
    for shown in (EndpointForm(team=team, instance=endpoint), form(team, endpoint, concurrency="0")):
        html = shown.as_p()
        assert KEY not in html
        assert endpoint.key_cipher not in html
        assert "A key ending in 7890 is stored." in html


def test_empty_key_field_keeps_the_key(team):
    endpoint = saved(team)
    cipher = endpoint.key_cipher
    changed = saved(team, endpoint, key="", name="Renamed")
    assert (changed.name, changed.key_cipher) == ("Renamed", cipher)


def test_key_is_replaced_and_forgotten(team):
    endpoint = saved(team)
    assert saved(team, endpoint, key="sk-new-0987654321").key() == "sk-new-0987654321"
    endpoint.refresh_from_db()
    assert saved(team, endpoint, key="", forget_key="on").key() == ""
    assert "Either" in form(team, saved(team, name="B"), name="B", forget_key="on").errors["forget_key"][0]


def test_new_server_needs_its_key(team):
    endpoint = saved(team)
    refused = form(team, endpoint, base_url="https://8.8.8.8/v1", key="")
    assert list(refused.errors) == ["key"]
    assert "enter its key" in refused.errors["key"][0]
    endpoint = Endpoint.objects.get()
    assert saved(team, endpoint, base_url="https://8.8.8.8/v1", key="", forget_key="on").key() == ""


def test_practice_endpoint_keeps_its_address_and_key(team):
    endpoint = ensure_practice_endpoints(team)[0]
    cipher = endpoint.key_cipher
    changed = saved(team, endpoint, base_url="https://1.1.1.1/v1", name="Practice A", concurrency="2")
    assert (changed.base_url, changed.key_cipher) == ("http://practice.invalid/a/v1", cipher)
    assert changed.concurrency == 2


def test_admin_shows_endpoints_without_their_keys(team, staff):
    endpoint = saved(team)
    client = Client()
    client.force_login(staff)
    for path in ("", f"{endpoint.pk}/change/", "?q=local"):
        page = client.get(f"/admin/endpoints/endpoint/{path}")
        assert page.status_code == 200
        for secret in (KEY, KEY[-10:], endpoint.key_cipher, "key_cipher"):
            assert secret not in page.text
    assert client.post(f"/admin/endpoints/endpoint/{endpoint.pk}/change/", {"name": "x"}).status_code == 403
    assert client.get("/admin/endpoints/endpoint/add/").status_code == 403
    assert client.post(f"/admin/endpoints/endpoint/{endpoint.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize(
    ("base_url", "calls"),
    [("https://1.1.1.1/v1", 8), ("http://127.0.0.1:8091/v1", 1), ("http://localhost:11434/v1", 1)],
)
def test_a_model_on_this_machine_is_called_one_at_a_time(team, base_url, calls):
    assert saved(team, base_url=base_url, concurrency="").concurrency == calls
    assert saved(team, name="Said", base_url=base_url, concurrency="5").concurrency == 5
