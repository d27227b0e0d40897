"""Run this version: who may, what starts, and what is said when it cannot."""

from __future__ import annotations

import pytest

from probes.core import Document
from probes.domain.publish import publish
from probes.models import Batch, Probe, Trial
from tests.probes.test_version_page import text_of


@pytest.fixture
def address(version) -> str:
    return f"{version.get_absolute_url()}run/"


@pytest.fixture
def fields(nimbus) -> dict[str, str]:
    return {
        "endpoint": str(nimbus.pk),
        "model": "maker/one",
        "repeats": "3",
        "visibility": "public",
        "key": "k1",
    }


def test_a_runner_starts_a_batch_and_sees_it(client, bob, version, address, fields):
    client.force_login(bob)
    response = client.post(address, fields)
    batch = Batch.objects.get()
    assert response.url == batch.get_absolute_url()
    run = batch.runs.get()
    assert (run.version, run.model, run.repeats, batch.visibility, batch.started_by) == (
        version, "maker/one", 3, "public", bob,
    )  # fmt: skip
    assert Trial.objects.count() == 3
    assert client.get(response.url).status_code == 200


def test_a_form_sent_twice_starts_once(client, bob, address, fields):
    client.force_login(bob)
    first, second = client.post(address, fields), client.post(address, fields)
    assert first.url == second.url
    assert Batch.objects.count() == 1


@pytest.mark.parametrize("changed", [{"model": "maker/two"}, {"repeats": "4"}, {"visibility": "team"}])
def test_back_and_something_else_in_the_form_is_another_start(client, bob, address, fields, changed):
    client.force_login(bob)
    first = client.post(address, fields)
    second, twice = (client.post(address, fields | changed) for _ in range(2))
    assert second.status_code == 302
    assert second.url == twice.url != first.url
    assert Batch.objects.count() == 2


def test_a_key_with_nul_in_it_is_as_good_as_any(client, bob, address, fields):
    client.force_login(bob)
    assert client.post(address, fields | {"key": "a\0b"}).status_code == 302


def test_an_unknown_practice_model_is_said_at_its_field(client, bob, address, fields, practice_endpoints):
    client.force_login(bob)
    wrong = {"endpoint": str(practice_endpoints[0].pk), "model": "gpt-9"}
    response = client.post(address, fields | wrong)
    assert response.status_code == 422
    assert text_of(response).count("Practice A has no model gpt-9: write one of") == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"endpoint": ""}, "Choose an endpoint of a team"),
        ({"endpoint": "999999"}, "Choose an endpoint of a team"),
        ({"model": " "}, "Write the model"),
        ({"repeats": "0"}, "Write a whole number of repeats from 1 to 100."),
        ({"repeats": "many"}, "Write a whole number of repeats"),
        ({"repeats": "٣"}, "Write a whole number of repeats"),
        ({"repeats": "9" * 5000}, "Write a whole number of repeats"),
        ({"visibility": "world"}, "Choose who may see"),
    ],
)
def test_what_is_wrong_is_said_once_and_nothing_typed_is_lost(client, bob, address, fields, changed, said):
    client.force_login(bob)
    response = client.post(address, fields | {"model": "maker/typed-by-hand"} | changed)
    assert response.status_code == 422
    assert text_of(response).count(said) == 1
    assert "Nothing was started." in text_of(response)
    if "model" not in changed:
        assert 'value="maker/typed-by-hand"' in response.content.decode()
    assert Batch.objects.count() == 0


def test_all_that_is_wrong_is_said_at_once(client, bob, address, fields):
    client.force_login(bob)
    text = text_of(client.post(address, fields | {"model": "", "repeats": "0", "visibility": ""}))
    for said in ["Write the model", "Write a whole number of repeats", "Choose who may see"]:
        assert said in text


def test_the_values_of_variables_are_asked_for(client, bob, team, shipped, fields):
    data = shipped.canonical()
    data["prompt"]["user"] = "Explain {{concept}}."
    data["variables"] = ["concept"]
    address = f"{publish(team, Document.from_json(data)).version.get_absolute_url()}run/"
    client.force_login(bob)
    refused = client.post(address, fields | {"v-concept": "a {{b}}"})
    assert "leave the braces out" in text_of(refused)
    assert 'value="a {{b}}"' in refused.content.decode()
    client.post(address, fields | {"v-concept": "love"})
    assert Batch.objects.get().runs.get().binding == {"concept": "love"}


def test_a_probe_of_a_team_is_never_run_in_public(client, bob, address, fields):
    Probe.objects.update(visibility="team")
    client.force_login(bob)
    assert 'value="public"' not in client.get(address.removesuffix("run/")).content.decode()
    refused = client.post(address, fields)
    assert refused.status_code == 422
    assert "a public run would show its prompt" in text_of(refused)


@pytest.mark.parametrize(
    ("actor", "shown"), [(None, False), ("vera", False), ("charlie", False), ("bob", True)]
)
def test_the_form_is_for_those_who_may_run(request, client, version, nimbus, actor, shown):
    if actor:
        client.force_login(request.getfixturevalue(actor))
    assert ("Who may see these runs" in text_of(client.get(version.get_absolute_url()))) is shown


def test_a_stranger_cannot_use_an_endpoint_of_the_team(client, charlie, address, fields):
    client.force_login(charlie)
    response = client.post(address, fields)
    assert response.status_code == 422
    assert "Nimbus" not in response.content.decode()
    assert Batch.objects.count() == 0


def test_a_visitor_is_asked_to_sign_in(client, address, fields):
    assert client.post(address, fields).url.startswith("/sign-in/")


def test_by_get_it_leads_back_to_the_form(client, bob, address):
    client.force_login(bob)
    assert client.get(address).url.endswith("/v1/#run")
