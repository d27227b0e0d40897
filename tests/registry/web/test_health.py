from __future__ import annotations

import pytest
from django.db import OperationalError, connection


@pytest.mark.django_db
def test_it_is_well(client):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_it_says_that_the_database_does_not_answer(client, monkeypatch):
    def gone():
        raise OperationalError("connection refused at 10.0.0.7")

    monkeypatch.setattr(connection, "cursor", gone)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (503, b"The database does not answer.")


def test_a_browser_that_asks_for_an_icon_finds_one(client):
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer["Location"]) == (302, "/static/registry/mark.svg")


def test_it_answers_reading_only(client):
    assert client.post("/healthz").status_code == 405
