"""Whatever goes wrong below /api/ is said as a problem: what, where, and what to do."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse
from rest_framework.parsers import JSONParser
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from probes.api import views
from tests.registry.api.asking import API, problem

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path", ["nothing/", "probes/acme/nothing/", "runs/5/", f"runs/{10**30}/", "batches/1/", "probes/a b/c/"]
)
def test_what_is_not_there(client, path):
    said = problem(client.get(API + path), 404)
    assert said["title"] == "Not Found"
    assert "/api/v1/" in said["detail"]


def test_a_forgotten_slash_is_put_back(client):
    answer = client.get("/api/v1/probes")
    assert (answer.status_code, answer["Location"]) == (301, "/api/v1/probes/")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_written(client, method):
    answer = getattr(client, method)(f"{API}probes/", data={}, content_type="application/json")
    said = problem(answer, 405)
    assert f'"{method.upper()}"' in said["detail"]
    assert answer["Allow"] == "GET, HEAD, OPTIONS"


REFUSING = ["application/json;q=0", "*/*;q=0", "application/json;q=0.0, */*"]


@pytest.mark.parametrize("accepted", ["text/html", "application/xml", "image/png", *REFUSING])
def test_only_json_is_spoken(client, accepted):
    said = problem(client.get(f"{API}probes/", headers={"accept": accepted}), 406)
    assert "application/json" in said["detail"]


@pytest.mark.parametrize(
    "accepted", ["*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "application/json;q=0.1"]
)
def test_a_browser_gets_json_too(client, accepted):
    assert client.get(API, headers={"accept": accepted})["Content-Type"] == "application/json"


def test_another_kind_of_body_is_refused():
    class Taking(APIView):
        parser_classes = [JSONParser]
        authentication_classes = []

        def post(self, request):
            return request.data

    request = APIRequestFactory().post("/api/v1/", "<a/>", content_type="application/xml")
    answer = Taking.as_view()(request).render()
    said = problem(_Parsed(answer), 415)
    assert "application/json" in said["detail"]


def test_a_body_that_is_no_json_is_named():
    class Taking(APIView):
        authentication_classes = []

        def post(self, request):
            return request.data

    request = APIRequestFactory().post("/api/v1/", "{no", content_type="application/json")
    said = problem(_Parsed(Taking.as_view()(request).render()), 400)
    assert "JSON parse error" in said["detail"]


class _Parsed:
    """An answer made without the test client, which knows how to read JSON."""

    def __init__(self, answer):
        self.answer, self.status_code, self.content = answer, answer.status_code, answer.content

    def __getitem__(self, name):
        return self.answer[name]

    def json(self):
        return json.loads(self.content)


PARAMETERS = [
    ("probes/", {"catgory": "x"}, {"catgory": "It takes category, cursor, page_size, team."}),
    ("probes/", {"category": ""}, {"category": "Write a value, or leave the parameter out."}),
    ("runs/?model=a&model=b", {}, {"model": "Give it once"}),
    ("runs/", {"batch": "5"}, {"batch": "Write the id of a batch."}),
    ("runs/", {"version": "0"}, {"version": "Write a whole number from 1."}),
    ("runs/", {"version": "9999999999999"}, {"version": "Write a whole number from 1."}),
    ("runs/", {"version": "1.5"}, {"version": "Write a whole number from 1."}),
    ("runs/", {"counts": "maybe"}, {"counts": "Write true or false."}),
    ("runs/", {"state": "done"}, {"state": "Write one of running, finished, cancelled."}),
    ("runs/", {"probe": "three-words"}, {"probe": "Write team/slug"}),
    ("runs/", {"probe": "a/b/c"}, {"probe": "Write team/slug"}),
    ("runs/", {"model": "a\x00b"}, {"model": "Null characters are not allowed."}),
    ("trials/", {"run": "x"}, {"run": "Write a whole number from 1."}),
    ("trials/", {"run": " 1"}, {"run": "Write a whole number from 1."}),
    ("trials/", {"run": "\u0661"}, {"run": "Write a whole number from 1."}),
    ("trials/", {"run": 2**63}, {"run": "Write a whole number from 1."}),
    ("batches/", {"practice": "x", "state": "x"}, {"practice": "Write true", "state": "Write one of"}),
    ("races/", {"ladder": "no"}, {"ladder": "Write team/slug"}),
    ("", {"page_size": "5"}, {"page_size": "Not a parameter of this route. It takes none."}),
    ("schema/", {"format": "yaml"}, {"format": "Not a parameter of this route."}),
    ("runs/1/", {"cursor": "x"}, {"cursor": "Not a parameter of this route."}),
]


@pytest.mark.parametrize(("path", "query", "expected"), PARAMETERS, ids=str)
def test_a_parameter_is_taken_at_its_word(client, path, query, expected):
    said = problem(client.get(API + path, query or None), 400)
    assert said["errors"].keys() == expected.keys()
    for name, words in expected.items():
        [message] = said["errors"][name]
        assert words in message
    first = next(iter(said["errors"]))
    assert said["detail"] == f"{first}: {said['errors'][first][0]}"


def test_a_host_that_is_not_ours(client):
    problem(client.get(API, headers={"host": "evil.example"}), 400)


def test_a_crash_says_nothing_of_itself(client, monkeypatch):
    def crash(*_):
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(views.Probes, "rows", crash)
    client.raise_request_exception = False
    answer = client.get(f"{API}probes/")
    said = problem(answer, 500)
    assert "on our side" in said["detail"]
    assert b"secret" not in answer.content


def test_pages_still_get_pages(client):
    answer = client.get("/nothing/")
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")


def test_an_answer_depends_on_who_asks(client):
    vary = {part.strip() for part in client.get(API)["Vary"].split(",")}
    assert vary >= {"Accept", "Authorization", "Cookie"}
    assert "private" in client.get(API)["Cache-Control"]


def test_a_head_has_the_headers_and_no_body(client):
    answer = client.head(reverse("api-probes"))
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["Content-Type"] == "application/json"
