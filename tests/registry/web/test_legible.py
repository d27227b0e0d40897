"""NUL in a request is refused before any query is made with it; a form says so at its field."""

from __future__ import annotations

import asyncio

import pytest
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpResponse
from django.test import AsyncClient, AsyncRequestFactory

from registry.web.legible import legible_requests

ADDRESSES = [
    "/probes/?category=%00",
    "/probes/?category=a%00b&page=1",
    "/probes/?%00=a",
    "/results/?page=%00",
    "/ladders/registry/any/?again=%00",
    "/sign-in/?next=%00",
    "/admin/probes/probe/?q=%00",
    "/admin/probes/run/?model=%00",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_with_nul_is_refused_without_a_query(client, address):
    answer = client.get(address)  # no database is at hand here
    assert answer.status_code == 400
    assert "a value that is damaged" in answer.content.decode()
    assert answer["Content-Security-Policy"]
    assert answer["Cross-Origin-Resource-Policy"]


def test_the_server_that_answers_later_refuses_it_too():
    assert asyncio.run(AsyncClient().get("/probes/?category=%00")).status_code == 400

    async def view(request):
        return HttpResponse("fine")

    ask = legible_requests(view)
    assert asyncio.run(ask(AsyncRequestFactory().get("/?a=%2500"))).content == b"fine"
    with pytest.raises(SuspiciousOperation, match="after its question mark"):
        asyncio.run(ask(AsyncRequestFactory().get("/?a=%00")))


def test_a_cookie_with_nul_is_refused_without_a_query(client):
    answer = client.get("/results/", headers={"cookie": f'{settings.SESSION_COOKIE_NAME}="abcdefghij\\000"'})
    assert answer.status_code == 400


@pytest.mark.django_db
def test_what_is_no_nul_is_looked_up(client):
    assert client.get("/probes/?category=%2500").status_code == 200


@pytest.mark.django_db
def test_the_api_names_the_parameter(client):
    answer = client.get("/api/v1/probes/?category=%00")
    assert answer.status_code == 400
    assert answer.json()["errors"] == {"category": ["Null characters are not allowed."]}
