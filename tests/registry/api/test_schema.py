"""The OpenAPI document is valid, says what the answers are, and its page needs nothing from elsewhere."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.urls import reverse
from jsonschema import Draft4Validator  # type: ignore[import-untyped]

from registry.api import views
from tests.registry.api.asking import API, ask
from tests.registry.api.planted import plant
from tests.registry.api.test_permissions import routes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _unhurried(settings):
    settings.API_RATE_ADDRESS = "100000/minute"


@pytest.fixture
def schema(client) -> dict:
    return ask(client, "schema/")


def test_it_is_valid_and_made_without_a_warning():
    out = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    assert "openapi: 3.0.3" in out.getvalue()


def test_those_who_ask_first_and_at_once_get_the_same():
    """The page and a program both ask a new process; the generator's state is not a thread's own."""
    views._generate.cache_clear()
    with ThreadPoolExecutor(8) as crowd:
        found = list(crowd.map(lambda _: views.document(), range(8)))
    assert all(one is found[0] for one in found)
    assert len(found[0]["paths"]) > 15


def test_it_names_every_operation_once_and_only_reads(schema):
    operations = [one for path in schema["paths"].values() for one in path.items()]
    assert {method for method, _ in operations} == {"get"}
    ids = [operation["operationId"] for _, operation in operations]
    assert len(ids) == len(set(ids)) >= 17
    for _, operation in operations:
        assert operation["summary"]
        assert "application/problem+json" in operation["responses"]["4XX"]["content"]
        assert {} in operation["security"]


def test_it_holds_no_row_and_no_example(client, team, alice):
    plant(team, alice)
    text = client.get(f"{API}schema/").content.decode()
    for planted in ["acme", "Hidden", "planted", "example.org", "team-only"]:
        assert planted not in text
    assert '"example' not in text


def test_it_asks_the_database_nothing(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get(f"{API}schema/")


def plain(schema, node):
    """The JSON Schema of an OpenAPI 3.0 node: `nullable` and references spelt out."""
    if isinstance(node, list):
        return [plain(schema, one) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return plain(schema, schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]])
    found = {name: plain(schema, one) for name, one in node.items() if name != "nullable"}
    return {"anyOf": [found, {"type": "null"}]} if node.get("nullable") else found


def test_every_answer_is_as_it_says(client, schema, team, alice):
    client.force_login(alice)
    planted = plant(team, alice)
    checked = 0
    for name, arguments, readers in routes(planted):
        if not readers or name in {"api-schema", "api-docs", "api-batch-evidence"}:
            continue
        answer = ask(client, _address(name, arguments))
        path = _path(schema, _address(name, arguments))
        said = schema["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        said = plain(schema, said)
        assert list(Draft4Validator(said).iter_errors(answer)) == [], name
        _all_stated(said, answer)
        checked += 1
    assert checked >= 20


def _address(name, arguments) -> str:
    return reverse(name, kwargs=arguments)


def _path(schema, address: str) -> str:
    """The path of the document that an address is one of."""
    found = [path for path in schema["paths"] if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), address)]
    assert len(found) == 1, address
    return found[0]


def _all_stated(said, answer) -> None:
    """No member is answered that the schema does not state."""
    if isinstance(answer, list):
        for one in answer:
            _all_stated(said.get("items", {}), one)
    for part in said.get("anyOf", []) + said.get("allOf", []):
        _all_stated(part, answer)
    if isinstance(answer, dict) and "properties" in said:
        assert set(answer) <= set(said["properties"])
        for name, value in answer.items():
            _all_stated(said["properties"][name], value)


def test_the_page_loads_nothing_from_elsewhere(client):
    answer = client.get(f"{API}docs/")
    text = answer.content.decode()
    assert "://" not in text
    assert "<style" not in text
    assert not re.search(r"<script(?![^>]*src=)", text)
    assert " style=" not in text
    for path in re.findall(r'(?:src|href)="/static/([^"]+)"', text):
        assert finders.find(path), path


def test_its_policy_differs_from_the_sites_in_one_thing(client):
    policy, usual = (client.get(path)["Content-Security-Policy"] for path in (f"{API}docs/", "/docs/"))
    assert set(policy.split("; ")) - set(usual.split("; ")) == {"img-src 'self' data:"}


def test_its_script_names_no_other_place():
    found = finders.find("api/docs.js")
    assert "http" not in Path(str(found)).read_text()
