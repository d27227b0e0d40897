"""A team's endpoint pages: who may, what is saved, and that a key goes in and never comes out."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from registry.endpoints.models import Endpoint
from tests.registry.endpoints.conftest import KEY

pytestmark = pytest.mark.django_db

LIST, NEW = "/teams/acme/endpoints/", "/teams/acme/endpoints/new/"
ONE, TEST, MODELS = f"{LIST}lab/", f"{LIST}lab/test/", f"{LIST}lab/models/"
PICKED = "/endpoints/models/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def lab(team, hostile) -> Endpoint:
    endpoint = Endpoint(team=team, slug="lab", name="Lab", base_url=hostile.url("strict"))
    endpoint.set_key(KEY)
    endpoint.save()
    return endpoint


def sent(**changes: str) -> dict[str, str]:
    fields = {
        "name": "Cloud", "base_url": "https://api.example.com/v1", "key": "", "reasoning": "leave",
        "token_limit": "max_tokens", "send_temperature": "on", "system_role": "send", "extra_body": "",
        "concurrency": "", "requests_per_minute": "", "deadline_seconds": "120",
    }  # fmt: skip
    return fields | changes


def shown(response, status: int = 200) -> str:
    assert response.status_code == status
    return response.content.decode()


# --- who may -------------------------------------------------------------------------------------
SIGN_IN = "visitor"
GETS = {
    LIST: {"visitor": 302, "charlie": 404, "vera": 403, "bob": 200, "anna": 200, "alice": 200},
    NEW: {"visitor": 302, "charlie": 404, "vera": 403, "bob": 403, "anna": 403, "alice": 200},
    ONE: {"visitor": 302, "charlie": 404, "vera": 403, "bob": 200, "anna": 200, "alice": 200},
    PICKED: {"visitor": 302, "charlie": 200, "vera": 200, "bob": 200, "anna": 200, "alice": 200},
    f"{LIST}nowhere/": {"visitor": 302, "charlie": 404, "vera": 403, "bob": 404, "alice": 404},
}
POSTS = {
    LIST: {"visitor": 302, "charlie": 405, "alice": 405},
    NEW: {"visitor": 302, "charlie": 404, "vera": 403, "bob": 403, "anna": 403, "alice": 422},
    ONE: {"visitor": 302, "charlie": 404, "vera": 403, "bob": 403, "anna": 403, "alice": 422},
    TEST: {"visitor": 302, "charlie": 404, "vera": 403, "bob": 200, "alice": 200},
    MODELS: {"visitor": 302, "charlie": 404, "vera": 403, "bob": 200, "alice": 200},
}


def table(rows: dict[str, dict[str, int]]) -> list[tuple[str, str, int]]:
    return [(address, who, status) for address, row in rows.items() for who, status in row.items()]


def enter(client, request, who: str) -> None:
    if who != SIGN_IN:
        client.force_login(request.getfixturevalue(who))


@pytest.mark.parametrize(("address", "who", "status"), table(GETS))
def test_who_may_look(client, request, lab, address, who, status):
    enter(client, request, who)
    response = client.get(address)
    assert response.status_code == status
    if status == 302:
        assert response.url.startswith("/sign-in/?next=")


@pytest.mark.parametrize(("address", "who", "status"), table(POSTS))
def test_who_may_change_and_try(client, request, lab, address, who, status):
    enter(client, request, who)
    assert client.post(address, {}).status_code == status
    lab.refresh_from_db()
    assert (lab.name, lab.key()) == ("Lab", KEY)


def test_a_closed_endpoint_is_gone(client, alice, lab):
    Endpoint.objects.update(closed_at=timezone.now())
    client.force_login(alice)
    assert client.get(ONE).status_code == 404
    assert "Acme has no endpoint yet." in shown(client.get(LIST))


# --- the list ------------------------------------------------------------------------------------
def test_a_team_without_endpoints_is_told_what_to_do(client, alice, bob):
    client.force_login(bob)
    assert "An owner of the team adds the first one." in shown(client.get(LIST))
    client.force_login(alice)
    assert f'<a href="{NEW}">Add the first one</a>' in shown(client.get(LIST))


def test_the_list_shows_each_endpoint_and_labels_practice(client, bob, lab, practice_endpoints):
    client.force_login(bob)
    listed = shown(client.get(LIST))
    assert listed.count("label-practice") == 2
    assert f'href="{ONE}">Lab</a>' in listed
    assert "models not listed yet" in listed


def test_only_an_owner_sees_the_address(client, alice, bob, lab):
    for user, sees in ((alice, True), (bob, False)):
        client.force_login(user)
        for address in (LIST, ONE):
            assert (lab.base_url in shown(client.get(address))) is sees, (user, address)


# --- adding and changing -------------------------------------------------------------------------
def test_an_owner_adds_an_endpoint(client, alice, team):
    client.force_login(alice)
    response = client.post(NEW, sent(key="sk-new-123456789"))
    made = Endpoint.objects.get(team=team)
    assert (response.status_code, response.url) == (302, f"{LIST}cloud/")
    assert (made.name, made.base_url, made.key()) == (
        "Cloud",
        "https://api.example.com/v1",
        "sk-new-123456789",
    )
    assert "Cloud is added." in shown(client.get(response.url))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"base_url": "api.example.com"}, "base_url"),
        ({"base_url": "https://10.0.0.1/v1"}, "base_url"),
        ({"key": "Bearer sk-123456"}, "key"),
        ({"extra_body": "{nonsense"}, "extra_body"),
        ({"extra_body": '{"messages": []}'}, "extra_body"),
        ({"concurrency": "0"}, "concurrency"),
        ({"deadline_seconds": "soon"}, "deadline_seconds"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_the_rest_is_kept(client, alice, changes, field):
    client.force_login(alice)
    page = shown(
        client.post(NEW, sent(**{"name": "Kept", "base_url": "https://kept.example.com/v1"} | changes)), 422
    )
    assert f'id="id_{field}_error"' in page
    assert page.count('class="error"') == 1
    assert ("name" in changes) or 'value="Kept"' in page
    assert ("base_url" in changes) or 'value="https://kept.example.com/v1"' in page
    assert Endpoint.objects.count() == 0


def test_an_error_among_the_folded_fields_unfolds_them(client, alice):
    client.force_login(alice)
    folded = '<details class="advanced">'
    assert folded in shown(client.get(NEW))
    assert folded not in shown(client.post(NEW, sent(concurrency="0")), 422)
    assert folded in shown(client.post(NEW, sent(name="")), 422)


def test_what_is_set_among_the_folded_fields_unfolds_them(client, alice, lab):
    client.force_login(alice)
    assert '<details class="advanced">' in shown(client.get(ONE))
    Endpoint.objects.update(send_temperature=False)
    assert '<details class="advanced" open>' in shown(client.get(ONE))


def test_a_refused_key_is_not_shown_back_and_that_is_said(client, alice):
    client.force_login(alice)
    page = shown(client.post(NEW, sent(name="", key="sk-secret-123456")), 422)
    assert "sk-secret-123456" not in page
    assert "The key you wrote is not shown back: write it again." in page


def test_an_owner_changes_an_endpoint_and_the_key_stays(client, alice, lab):
    client.force_login(alice)
    response = client.post(ONE, sent(name="Lab two", base_url=lab.base_url, reasoning="off"))
    assert response.url == ONE
    lab.refresh_from_db()
    assert (lab.name, lab.slug, lab.reasoning, lab.key()) == ("Lab two", "lab", "off", KEY)


def test_a_new_key_replaces_the_old_and_a_key_can_be_forgotten(client, alice, lab):
    client.force_login(alice)
    client.post(ONE, sent(name="Lab", base_url=lab.base_url, key="sk-other-7777"))
    lab.refresh_from_db()
    assert lab.key() == "sk-other-7777"
    client.post(ONE, sent(name="Lab", base_url=lab.base_url, forget_key="on"))
    lab.refresh_from_db()
    assert lab.key() == ""


def test_a_key_does_not_follow_to_another_server(client, alice, lab):
    client.force_login(alice)
    page = shown(client.post(ONE, sent(name="Lab", base_url="https://elsewhere.example.com/v1")), 422)
    assert "The server changed: enter its key." in page.split('id="id_key_error"')[1]
    lab.refresh_from_db()
    assert lab.base_url != "https://elsewhere.example.com/v1"


def test_practice_stays_as_it_is(client, alice, practice_endpoints):
    client.force_login(alice)
    address = f"{LIST}practice-a/"
    page = shown(client.get(address))
    assert "label-practice" in page
    assert 'name="base_url"' not in page
    assert client.post(address, sent()).status_code == 403
    practice_endpoints[0].refresh_from_db()
    assert practice_endpoints[0].name == "Practice A"


@pytest.mark.parametrize("address", [LIST, NEW, ONE])
def test_no_page_shows_a_key(client, alice, lab, address):
    client.force_login(alice)
    page = shown(client.get(address))
    assert KEY not in page
    assert KEY[-10:] not in page
    assert lab.key_cipher not in page


def test_the_end_of_a_key_and_its_date_tell_which_it_is(client, alice, lab):
    client.force_login(alice)
    assert re.search(r"key set <time.*ends in <code data-literal>7890</code>", shown(client.get(LIST)))


# --- the test call -------------------------------------------------------------------------------
def test_a_test_call_says_what_came_back(client, bob, lab, hostile):
    client.force_login(bob)
    fragment = shown(client.post(TEST, {"model": "m"}, headers=HTMX))
    assert "<html" not in fragment
    assert re.search(r"It answers</strong> in \d+ ms, served by <code data-literal>served</code>", fragment)
    assert "é" in fragment
    assert hostile.requests[-1]["headers"]["authorization"] == f"Bearer {KEY}"


def test_without_script_the_answer_stands_on_the_page(client, bob, lab):
    client.force_login(bob)
    page = shown(client.post(TEST, {"model": "m"}))
    assert "<html" in page
    assert "It answers" in page


def test_a_wrong_key_is_named_and_never_echoed(client, bob, lab):
    lab.set_key("sk-wrong-0987654321")
    lab.save()
    client.force_login(bob)
    fragment = shown(client.post(TEST, {"model": "m"}, headers=HTMX))
    assert "The endpoint refused the key" in fragment
    assert "sk-wrong-0987654321" not in fragment
    assert "Incorrect key" in fragment


def test_a_test_call_needs_a_model(client, bob, lab, hostile):
    client.force_login(bob)
    assert "Write the model to call." in shown(client.post(TEST, {"model": " "}, headers=HTMX))
    assert hostile.requests == []


def test_an_empty_answer_is_an_answer(client, bob, lab, hostile):
    body = {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}
    Endpoint.objects.update(base_url=hostile.says("empty", 200, body))
    client.force_login(bob)
    fragment = shown(client.post(TEST, {"model": "m"}, headers=HTMX))
    assert "The answer was empty (finish <code data-literal>length</code>)." in fragment


def test_what_a_model_says_is_escaped(client, bob, lab, hostile):
    body = {"model": "<i>m", "choices": [{"message": {"content": "<script>x"}, "finish_reason": "stop"}]}
    Endpoint.objects.update(base_url=hostile.says("evil", 200, body))
    client.force_login(bob)
    fragment = shown(client.post(TEST, {"model": "m"}, headers=HTMX))
    assert "<script>x" not in fragment
    assert "<i>m" not in fragment


# --- the models ----------------------------------------------------------------------------------
def test_models_are_listed_and_kept(client, bob, lab, hostile):
    Endpoint.objects.update(base_url=hostile.says("listing", 200, {"data": [{"id": "b"}, {"id": "a"}]}))
    client.force_login(bob)
    fragment = shown(client.post(MODELS, headers=HTMX))
    assert "2 models, listed" in fragment
    lab.refresh_from_db()
    assert sorted(lab.models_offered) == ["a", "b"]


def test_a_server_without_a_list_is_said_in_words(client, bob, lab, hostile):
    Endpoint.objects.update(base_url=hostile.says("unlisted", 404, {"error": "no"}))
    client.force_login(bob)
    fragment = shown(client.post(MODELS, headers=HTMX))
    assert 'class="notice error"' in fragment
    lab.refresh_from_db()
    assert lab.models_offered == []


def test_a_picker_is_told_what_its_endpoint_offers(client, bob, practice_endpoints):
    client.force_login(bob)
    fragment = shown(client.get(PICKED, {"prefix": "a-", "a-endpoint": practice_endpoints[0].pk}))
    assert fragment.count("<option") == 4
    assert '<datalist id="a-model-list">' in fragment
    assert 'data-fills="id_a-model"' in fragment


def test_a_picker_asks_the_server_once(client, bob, lab, hostile):
    Endpoint.objects.update(base_url=hostile.says("listing", 200, {"data": [{"id": "tiny"}]}))
    client.force_login(bob)
    assert "has not been fetched" in shown(client.get(PICKED, {"endpoint": lab.pk}))
    assert hostile.requests == []
    for ask in (client.post, client.post, client.get):
        assert '<option value="tiny">' in shown(ask(PICKED, {"endpoint": lab.pk}))
    assert [request["path"] for request in hostile.requests] == ["/listing/v1/models"]


def test_a_paused_server_is_not_called(client, bob, lab, hostile):
    Endpoint.objects.update(paused_at=timezone.now())
    client.force_login(bob)
    for address, data in ((TEST, {"model": "m"}), (MODELS, {}), (PICKED, {"endpoint": lab.pk})):
        assert "This endpoint is paused" in shown(client.post(address, data, headers=HTMX))
    assert hostile.requests == []


def test_calls_by_hand_count_as_starts(client, bob, lab, hostile, settings):
    settings.START_RATE_PERSON = "1/hour"
    client.force_login(bob)
    assert "It answers" in shown(client.post(TEST, {"model": "m"}, headers=HTMX))
    for address, data in ((TEST, {"model": "m"}), (MODELS, {}), (PICKED, {"endpoint": lab.pk})):
        assert "Too many starts in a short time" in shown(client.post(address, data, headers=HTMX))
    assert len(hostile.requests) == 1


def test_a_picker_says_why_there_is_no_list(client, bob, lab, hostile):
    Endpoint.objects.update(base_url=hostile.says("unlisted", 500, {"error": "no"}))
    client.force_login(bob)
    fragment = shown(client.post(PICKED, {"endpoint": lab.pk}))
    assert fragment.count("<option") == 0
    assert "<p>" in fragment


@pytest.mark.parametrize("chosen", ["", "x", "999999", "-1", "²"])
def test_a_picker_without_a_usable_endpoint_asks_for_one(client, bob, lab, chosen):
    client.force_login(bob)
    assert "Choose an endpoint first." in shown(client.get(PICKED, {"endpoint": chosen}))


def test_a_picker_shows_nothing_of_other_teams(client, charlie, practice_endpoints):
    client.force_login(charlie)
    assert "Choose an endpoint first." in shown(client.get(PICKED, {"endpoint": practice_endpoints[0].pk}))


def test_a_prefix_is_one_of_ours(client, bob, practice_endpoints):
    client.force_login(bob)
    fragment = shown(client.get(PICKED, {"prefix": '"><b', "endpoint": practice_endpoints[0].pk}))
    assert "<b" not in fragment.replace("<button", "")
