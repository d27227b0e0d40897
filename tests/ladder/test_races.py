"""A race's pages: start it from the form, see it, cancel it, run it again; and who may."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ladder.models import Race
from probes.models import Batch
from registry.endpoints.domain import pause_endpoint
from tests.ladder import raced
from tests.ladder.stage import BROKEN, HELD, RUNGS, a_race, answered, climb, everywhere, failed, two_endpoints
from tests.probes.stage import an_endpoint

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("library")]

LADDER = "/ladders/registry/one-sentence-torture-test/"
START = f"{LADDER}race/"
CASES = json.loads((Path(__file__).parents[1] / "cases/concepts.json").read_text("utf-8"))


@pytest.fixture
def lab_and_cloud(team):
    return two_endpoints(team)


@pytest.fixture
def race(bob, lab_and_cloud):
    return a_race(bob, *lab_and_cloud, concept="entropy")


def form(a, b, **changes: str) -> dict[str, str]:
    sent = {
        "concept": "recursion", "a-endpoint": str(a.pk), "a-model": "m", "b-endpoint": str(b.pk),
        "b-model": "n", "visibility": "public", "repeats": "1", "key": "one",
    }  # fmt: skip
    return sent | changes


def page(client, race) -> str:
    response = client.get(race.get_absolute_url())
    assert response.status_code == 200
    return response.content.decode()


# --- starting ------------------------------------------------------------------------------------
def test_a_race_starts_from_the_form(client, bob, lab_and_cloud):
    client.force_login(bob)
    response = client.post(START, form(*lab_and_cloud))
    race = Race.objects.get()
    assert (response.status_code, response.url) == (302, f"/races/{race.pk}/")
    assert (race.concept, race.batch.visibility, race.batch.started_by) == ("recursion", "public", bob)
    assert [(climb.letter, climb.endpoint, climb.model) for climb in race.climbs.all()] == [
        ("A", lab_and_cloud[0], "m"),
        ("B", lab_and_cloud[1], "n"),
    ]


def test_sending_the_form_twice_starts_one_race(client, bob, lab_and_cloud):
    client.force_login(bob)
    first = client.post(START, form(*lab_and_cloud))
    second = client.post(START, form(*lab_and_cloud))
    assert first.url == second.url
    assert Race.objects.count() == 1


def test_back_and_another_concept_is_another_race(client, bob, lab_and_cloud):
    """The browser's Back brings the old form, with the key that has started a race."""
    client.force_login(bob)
    first = client.post(START, form(*lab_and_cloud))
    second, twice = (client.post(START, form(*lab_and_cloud, concept="love")) for _ in range(2))
    assert second.url == twice.url != first.url
    assert client.post(START, form(*lab_and_cloud, **{"b-model": "o"})).url not in {first.url, second.url}
    assert sorted(race.concept for race in Race.objects.all()) == ["love", "recursion", "recursion"]


def test_a_key_with_nul_in_it_is_as_good_as_any(client, bob, lab_and_cloud):
    client.force_login(bob)
    assert client.post(START, form(*lab_and_cloud, key="a\0b")).status_code == 302


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["problem"] and "\ud800" not in case["concept"]],
    ids=lambda case: ascii(case["concept"])[:30],
)  # fmt: skip
def test_a_refused_concept_is_said_at_its_field_and_nothing_is_lost(client, bob, lab_and_cloud, case):
    client.force_login(bob)
    concept = case["of"] * case["times"] if "of" in case else case["concept"]
    response = client.post(START, form(*lab_and_cloud, concept=concept, visibility="team", repeats="3"))
    shown = response.content.decode()
    assert response.status_code == 422
    assert shown.count('class="error" id="concept-error"') == 1
    assert escaped(case["problem"]) in shown.split('id="concept-error">')[1].split("</p>")[0]
    assert 'name="a-model" class="mono" value="m"' in shown
    assert 'value="team" checked' in shown
    assert 'value="3"' in shown
    assert Batch.objects.count() == 0


def escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


def test_what_was_typed_comes_back_escaped(client, bob, lab_and_cloud):
    client.force_login(bob)
    shown = client.post(START, form(*lab_and_cloud, concept='"><script>x')).content.decode()
    assert 'value="&quot;&gt;&lt;script&gt;x"' in shown
    assert "<script>x" not in shown


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a-model": ""}, "Write the model to call at Lab."),
        ({"b-model": ""}, "Write the model to call at Cloud."),
        ({"b-endpoint": ""}, "Choose an endpoint of a team in which you may start runs."),
        ({"a-endpoint": "999999"}, "Choose an endpoint of a team in which you may start runs."),
        ({"repeats": "0"}, "Write a whole number from 1 to 20."),
        ({"repeats": "many"}, "Write a whole number from 1 to 20."),
        ({"repeats": ""}, "Write a whole number from 1 to 20."),
        ({"visibility": ""}, "Choose who may see the race."),
        ({"visibility": "all"}, "Choose who may see the race."),
    ],
)
def test_each_problem_is_said_once_at_its_field(client, bob, lab_and_cloud, changes, message):
    client.force_login(bob)
    response = client.post(START, form(*lab_and_cloud, **changes))
    shown = response.content.decode()
    assert response.status_code == 422
    assert shown.count(message) == 1
    assert len(re.findall(rf'class="error"[^>]*>{re.escape(message)}<', shown)) == 1
    assert Batch.objects.count() == 0


def test_a_problem_of_both_models_is_said_once(client, bob, lab_and_cloud):
    client.force_login(bob)
    shown = client.post(START, form(*lab_and_cloud, **{"a-endpoint": "", "b-endpoint": ""})).content.decode()
    message = "Choose an endpoint of a team in which you may start runs."
    assert len(re.findall(rf'class="error"[^>]*>{re.escape(message)}<', shown)) == 1


def test_several_problems_are_all_said_at_once(client, bob, lab_and_cloud):
    client.force_login(bob)
    shown = client.post(
        START, form(*lab_and_cloud, concept="", repeats="0", **{"a-model": ""})
    ).content.decode()
    assert shown.count('class="error"') == 3


def test_an_unknown_practice_model_is_said_where_it_was_entered(client, bob, practice_endpoints):
    client.force_login(bob)
    response = client.post(START, form(*practice_endpoints, **{"a-model": "steady", "b-model": "gpt-9"}))
    shown = response.content.decode()
    assert response.status_code == 422
    assert (
        'id="b-model-error">Practice B has no model gpt-9: write one of steady, chatty, silent, flaky.'
        in shown
    )


def test_models_of_two_teams_cannot_race(client, bob, charlie, lab_and_cloud):
    other = charlie.memberships.get().team
    other.memberships.create(user=bob, role="runner")
    client.force_login(bob)
    response = client.post(START, form(lab_and_cloud[0], an_endpoint(other, "theirs")))
    assert response.status_code == 422
    assert "Choose an endpoint of Acme: this one belongs to another team." in response.content.decode()


def test_a_visitor_is_sent_to_sign_in(client, lab_and_cloud):
    response = client.post(START, form(*lab_and_cloud))
    assert (response.status_code, response.url) == (302, f"/sign-in/?next={LADDER}")
    assert Race.objects.count() == 0


@pytest.mark.parametrize("who", ["vera", "charlie"])
def test_those_without_the_right_cannot_choose_the_endpoint(client, request, lab_and_cloud, who):
    client.force_login(request.getfixturevalue(who))
    assert client.post(START, form(*lab_and_cloud)).status_code == 422
    assert Race.objects.count() == 0


def test_the_address_of_a_refused_form_leads_back_to_the_form(client, bob):
    for _ in ("visitor", client.force_login(bob)):
        response = client.get(START)
        assert (response.status_code, response.url) == (302, f"{LADDER}#race")
    assert Race.objects.count() == 0


# --- the page ------------------------------------------------------------------------------------
def test_the_board_prints_each_verdict_with_its_cost(client, race):
    outputs = everywhere("A", HELD) | everywhere("B", BROKEN)
    outputs["binary", "B"] = answered("", reasoning_tokens=3200, completion_tokens=3200)
    climb(race, outputs)
    shown = page(client, race)
    cell = shown.split('id="rung-2-B"')[1].split("</summary>")[0]
    assert re.search(r"FAIL.*>11 / 10</span> words.*5 ms", cell, re.DOTALL)
    cell = shown.split('id="rung-5-B"')[1].split("</summary>")[0]
    assert re.search(r"FAIL.*empty output.*3,200 tokens.*rt=3200", cell, re.DOTALL)
    assert "Both models received identical messages on 7 of 7 rungs." in shown
    assert shown.count('class="race-cell"') == 14
    assert "sse-connect" not in shown  # it is over: nothing is streamed


def test_the_board_shows_the_exact_instruction_with_the_concept(client, race):
    assert "Explain entropy in exactly 10 words." in page(client, race)


def test_a_running_race_streams_from_what_the_page_shows(client, race):
    climb(race, {("ten-words", "A"): HELD["ten-words"]})
    race.batch.refresh_from_db()
    shown = page(client, race)
    assert f'sse-connect="/races/{race.pk}/stream?after={race.batch.seq}" sse-close="done"' in shown
    assert "data-stream-status" in shown
    assert "1 of 14 trials closed" in shown


def test_opening_a_cell_shows_the_output_with_its_marks(client, race):
    climb(race, everywhere("B", BROKEN))
    cell = page(client, race).split('id="rung-7-B"')[1].split("<td")[0]
    assert "<details" in cell
    assert "m-forbidden" in cell
    assert "3 forbidden characters" in cell
    [link] = re.findall(r'href="([^"#]+)#try-it">Try this output</a>', cell)
    tried = client.get(link).content.decode()
    assert BROKEN["no-e"] in tried.split("</textarea>")[0]


def test_an_output_is_escaped(client, race):
    climb(race, {("five-words", "A"): "<script>alert(1)</script> & <b>bold</b> one"})
    shown = page(client, race)
    assert "<script>alert" not in shown
    assert "<b>bold" not in shown


def test_the_picture_stands_beside_the_board(client, race):
    climb(race, everywhere("A", {"one-sentence": HELD["one-sentence"], "ten-words": failed()}))
    shown = page(client, race)
    assert re.search(r'class="part part-pass part-A" id="half-1-A"', shown)
    assert re.search(r'class="part part-unscored part-A" id="half-2-A"', shown)
    assert re.search(r'class="part part-calling part-B" id="half-7-B"', shown)
    assert 'id="held-A"' in shown


def test_why_a_model_is_unscored_is_said_once_at_its_name(client, race):
    climb(race, everywhere("A", {key: failed("The endpoint does not know the model.") for key in RUNGS}))
    lane = page(client, race).split('id="lane-A"')[1].split("</th>")[0]
    assert lane.count("The endpoint does not know the model.") == 1


def test_an_endpoint_that_alters_is_named(client, bob, team, lab_and_cloud):
    mute = an_endpoint(team, "mute", send_temperature=False)
    assert "alters what is sent: no temperature" in page(client, a_race(bob, lab_and_cloud[0], mute))


def test_a_lane_whose_endpoint_is_paused_is_named(client, race):
    waits = "what has not been called waits until the endpoint is resumed"
    assert waits not in page(client, race)
    pause_endpoint(race.climbs.get(letter="B").endpoint)
    assert page(client, race).count(waits) == 1


def test_labels_say_practice_and_team_only(client, bob, practice_endpoints):
    lanes = [(practice_endpoints[0], "steady"), (practice_endpoints[1], "chatty")]
    race = a_race(bob, *practice_endpoints, lanes=lanes, visibility="team")
    client.force_login(bob)
    shown = page(client, race)
    assert "label-practice" in shown
    assert "team only" in shown
    assert "never count as a result" in shown


def test_in_a_mixed_race_the_practice_model_is_labelled(client, bob, lab_and_cloud, practice_endpoints):
    lanes = [(lab_and_cloud[0], "real"), (practice_endpoints[1], "chatty")]
    shown = page(client, a_race(bob, *lab_and_cloud, lanes=lanes))
    a, b = (shown.split(f'id="lane-{letter}"')[1].split("</th>")[0] for letter in "AB")
    assert "label-practice" not in a
    assert "label-practice" in b


def test_repeats_open_one_by_one(client, bob, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, repeats=2)
    climb(race, everywhere("A", HELD))
    cell = page(client, race).split('id="rung-2-A"')[1].split("<td")[0]
    assert ">2 / 2</span> passed" in cell
    assert [number for number in ("Repeat 1", "Repeat 2") if number in cell] == ["Repeat 1", "Repeat 2"]


def test_ids_on_the_page_are_unique(client, bob, race):
    climb(race, everywhere("A", HELD) | everywhere("B", BROKEN))
    client.force_login(bob)
    ids = re.findall(r'\bid="([^"]*)"', page(client, race))
    assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1]


# --- who may -------------------------------------------------------------------------------------
WHO = {"visitor": 404, "charlie": 404, "vera": 200, "bob": 200, "alice": 200}


@pytest.mark.parametrize(("who", "status"), WHO.items())
def test_a_team_race_is_hidden_from_strangers(client, bob, lab_and_cloud, request, who, status):
    race = a_race(bob, *lab_and_cloud, visibility="team")
    if who != "visitor":
        client.force_login(request.getfixturevalue(who))
    assert client.get(race.get_absolute_url()).status_code == status
    again = client.get(f"/races/{race.pk}/again/")
    if who == "visitor":
        assert again.url == f"/sign-in/?next=/races/{race.pk}/again/"
    else:
        assert again.status_code == (302 if status == 200 else status)


@pytest.mark.parametrize(
    ("who", "sees"), [("visitor", False), ("charlie", False), ("vera", False), ("bob", True)]
)
def test_only_those_who_may_run_see_the_buttons(client, race, request, who, sees):
    if who != "visitor":
        client.force_login(request.getfixturevalue(who))
    shown = page(client, race)
    assert ("Cancel the race" in shown) is sees
    assert ("Race again" in shown) is sees


@pytest.mark.parametrize(
    ("who", "status"), [("visitor", 302), ("charlie", 404), ("vera", 403), ("bob", 302), ("alice", 302)]
)
def test_who_may_cancel(client, race, request, who, status):
    if who != "visitor":
        client.force_login(request.getfixturevalue(who))
    address = f"/races/{race.pk}/cancel/"
    response = client.post(address)
    assert response.status_code == status
    if status == 302:
        assert response.url == (f"/sign-in/?next={address}" if who == "visitor" else f"/races/{race.pk}/")
    race.batch.refresh_from_db()
    assert (race.batch.state == "cancelled") is (who in {"bob", "alice"})


def test_cancelling_is_said_and_twice_is_harmless(client, bob, race):
    client.force_login(bob)
    first = client.post(f"/races/{race.pk}/cancel/", follow=True).content.decode()
    assert "Cancelled: calls already under way are recorded as they land." in first
    assert "0 of 14 trials closed, 14 cancelled" in first
    assert (
        "There was nothing left to cancel."
        in client.post(f"/races/{race.pk}/cancel/", follow=True).content.decode()
    )


def test_cancelling_is_by_post_only(client, bob, race):
    client.force_login(bob)
    assert client.get(f"/races/{race.pk}/cancel/").status_code == 405


def test_racing_again_fills_in_the_form(client, bob, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, concept="entropy", visibility="team", repeats=4)
    client.force_login(bob)
    response = client.get(f"/races/{race.pk}/again/")
    assert response.url == f"{LADDER}?again={race.pk}#race"
    shown = client.get(response.url).content.decode()
    assert 'name="concept" value="entropy"' in shown
    assert 'name="a-model" class="mono" value="model-a"' in shown
    assert 'name="b-model" class="mono" value="model-b"' in shown
    assert 'value="team" checked' in shown
    assert 'value="4"' in shown
    assert (
        f'<option value="{lab_and_cloud[1].pk}" selected>Cloud</option>'
        in shown.split('id="id_b-endpoint"')[1]
    )


@pytest.mark.parametrize("again", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_again_of_a_race_that_is_not_there_is_not_found(client, again):
    assert client.get(f"{LADDER}?again={again}").status_code == 404


def test_no_race_no_page(client):
    assert client.get("/races/00000000-0000-0000-0000-000000000000/").status_code == 404
    assert client.get("/races/nonsense/").status_code == 404


def test_of_many_repeats_what_failed_first_opens_in_place(client, team, monkeypatch):
    monkeypatch.setattr("ladder.domain.standing.MOST_OPENED", 4)
    few, many = (raced.climbed(raced.a_practice_race(team, "steady", "chatty", repeats=n)) for n in (4, 5))
    html = page(client, few)
    assert html.count('<div class="trial"') == 14 * 4
    assert "with their outputs" not in html
    html = page(client, many)
    assert html.count('<div class="trial"') == 14 * 3
    first = many.batch.runs.earliest("position")
    assert f'<a href="{first.get_absolute_url()}">All 5 with their outputs</a>' in html
    assert client.get(first.get_absolute_url()).content.decode().count('<article class="cell') == 5
