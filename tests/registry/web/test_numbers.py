"""Numbers longer than Python reads: whoever writes one is answered in words of ours, and never by a crash."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from registry import environment
from registry.web.numbers import row_number
from tests.probes.stage import a_version, an_endpoint

LONG = "9" * 5000


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("007", 7),
        ("", 0),
        ("-7", 0),
        ("7.0", 0),
        (" 7", 0),
        ("\u0667", 0),
        ("9" * 19, 0),
        (LONG, 0),
    ],
)
def test_a_row_is_named_by_a_plain_number(text, number):
    assert row_number(text) == number


@pytest.mark.parametrize("number", [LONG, "9" * 400, f"00000001{LONG}"])
@pytest.mark.django_db
def test_no_request_crashes_at_a_long_number(client, team, alice, number):
    version, endpoint = a_version(team), an_endpoint(team)
    client.force_login(alice)
    run = {"endpoint": str(endpoint.pk), "model": "m", "repeats": "1", "visibility": "team", "key": "k"}
    page = version.get_absolute_url()
    asked = [
        ("post", "/teams/acme/transfer/", {"to": number}),
        ("get", "/endpoints/models/", {"endpoint": number}),
        ("post", "/endpoints/models/", {"endpoint": number}),
        ("post", f"{page}run/", run | {"repeats": number}),
        ("post", f"{page}run/", run | {"endpoint": number}),
        ("get", f"{page}run/", {"endpoint": number}),
        ("get", "/teams/acme/log/", {"person": number}),
        ("get", "/results/", {"page": number}),
        ("get", "/api/v1/runs/", {"version": number}),
        ("get", "/api/v1/runs/", {"page_size": number}),
        ("get", f"/api/v1/trials/{number}/", {}),
        ("get", f"/admin/probes/attempt/{number}/change/", {}),
        ("get", f"/probes/acme/three-words/v{number}/", {}),
    ]
    answers = {path[:40]: getattr(client, way)(path, sent).status_code for way, path, sent in asked}
    assert {path: status for path, status in answers.items() if status not in {200, 302, 400, 404, 422}} == {}
    assert not version.runs.exists()


@pytest.mark.parametrize("written", [LONG, "9" * 20])
def test_a_setting_that_is_too_long_a_number_is_refused_in_words(monkeypatch, written):
    monkeypatch.setenv("PORT", written)
    with pytest.raises(ImproperlyConfigured, match="write a whole number from 1 to 65535"):
        environment.number("PORT", 8000, 1, 65535)
