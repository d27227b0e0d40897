"""Home, the ladder's page and the results: what each of the cast sees, and in how many queries."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.ladder.stage import BROKEN, HELD, RUNGS, a_race, climb, everywhere, the_ladder, two_endpoints
from tests.probes.stage import a_batch, a_version

pytestmark = pytest.mark.django_db

HOME, RESULTS, LADDERS = "/", "/results/", "/ladders/"
LADDER = "/ladders/registry/one-sentence-torture-test/"


@pytest.fixture
def lab_and_cloud(team):
    return two_endpoints(team)


def text(client, address: str, user=None) -> str:
    if user:
        client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def queries(client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        text(client, address)
    return len(captured)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (HOME, "No ladder is published yet."),
        (HOME, "Nobody has raced yet."),
        (HOME, "No probe is published besides the rungs of the ladder."),
        (LADDERS, "No ladder is published yet."),
        (RESULTS, "Nothing has been run yet."),
    ],
)
def test_an_empty_registry_says_what_to_do(client, address, words):
    assert words in text(client, address)


def test_there_is_no_ladder_before_it_is_loaded(client):
    assert client.get(LADDER).status_code == 404


def test_the_home_page_shows_the_ladder_the_probes_and_the_latest_races(client, library, bob, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, concept="entropy")
    climb(race, everywhere("A", HELD) | everywhere("B", BROKEN))
    shown = text(client, HOME)
    assert "The One-Sentence Torture Test" in shown
    assert all(f"<code data-literal>{key}</code>" in shown for key in RUNGS)
    assert "Emit a terminator and write nothing after it" in shown
    assert f'href="/races/{race.pk}/" data-literal>entropy</a>' in shown
    assert "7 / 7" in shown
    assert "0 / 7" in shown
    assert "holds all 7 rungs" in shown


def test_the_ladder_page_holds_every_rung_as_it_is_published(client, library):
    shown = text(client, LADDER)
    for rung in the_ladder().rungs.select_related("version__probe__team"):
        assert f'id="{rung.key}"' in shown
        assert rung.label in shown
        assert rung.constraint in shown
        assert rung.version.user.splitlines()[0] in shown
        assert f'href="{rung.version.probe.get_absolute_url()}"' in shown
    assert "words == 10, token: whitespace" in shown


def test_estimates_wear_the_heuristic_badge_and_exact_checks_do_not(client, library):
    shown = text(client, LADDER)
    parts = {key: shown.split(f'id="{key}"')[1].split("</li>\n")[0] for key in RUNGS}
    badge = "label-heuristic"
    assert [key for key in RUNGS if badge in parts[key].split('class="rung"')[0]] == [
        "one-sentence",
        "haiku",
        "no-e",
    ]


def test_a_visitor_is_asked_to_sign_in_before_racing(client, library):
    shown = text(client, LADDER)
    assert "To start a race, sign in as a member of a team." in shown
    assert f"/sign-in/?next={LADDER}" in shown
    assert "id_concept" not in shown


@pytest.mark.parametrize(
    ("who", "may"), [("alice", True), ("bob", True), ("vera", False), ("charlie", False)]
)
def test_the_race_form_is_for_those_who_may_start_runs(client, library, lab_and_cloud, request, who, may):
    shown = text(client, LADDER, request.getfixturevalue(who))
    assert ('id="id_concept"' in shown) is may
    assert ("You have no endpoint to race with" in shown) is not may


def test_endpoints_are_offered_by_team_and_only_those_one_may_use(
    client, library, bob, charlie, lab_and_cloud
):
    other = charlie.memberships.get().team
    two_endpoints(other)
    assert '<optgroup label="Other">' not in text(client, LADDER, bob)
    other.memberships.create(user=bob, role="runner")
    shown = text(client, LADDER, bob)
    assert shown.index('<optgroup label="Acme">') < shown.index('<optgroup label="Other">')


def test_the_form_starts_out_ready_on_practice(client, library, bob, practice_endpoints):
    shown = text(client, LADDER, bob)
    assert "Practice A (practice)" in shown
    assert 'name="a-model" class="mono" value="steady"' in shown
    assert 'name="b-model" class="mono" value="chatty"' in shown


def test_who_sees_a_team_race(client, library, bob, vera, charlie, lab_and_cloud):
    a_race(bob, *lab_and_cloud, concept="secret", visibility="team")
    for address in (HOME, LADDER, RESULTS):
        for user in (None, charlie):
            client.logout()
            assert "secret" not in text(client, address, user), (address, user)
        client.logout()
        shown = text(client, address, vera)
        assert "secret" in shown
        assert "team only" in shown


def test_results_list_races_and_other_batches(client, library, bob, team, lab_and_cloud):
    race = a_race(bob, *lab_and_cloud, concept="entropy")
    climb(race, everywhere("A", HELD))
    batch = a_batch(team, a_version(team), lab_and_cloud[0], title="A plain batch")
    shown = text(client, RESULTS)
    assert shown.index("A plain batch") < shown.index("entropy")
    assert f'href="{batch.get_absolute_url()}"' in shown
    assert shown.count("ladder-thumb") == 1


def test_practice_is_labelled_in_every_list(client, library, bob, practice_endpoints):
    a_race(
        bob, *practice_endpoints, lanes=[(practice_endpoints[0], "steady"), (practice_endpoints[1], "chatty")]
    )
    for address in (HOME, LADDER, RESULTS):
        assert "label-practice" in text(client, address), address


def test_results_are_cut_into_pages(client, library, team, lab_and_cloud):
    version = a_version(team)
    for number in range(21):
        a_batch(team, version, lab_and_cloud[0], title=f"Batch number {number:02d}.")
    first, second = text(client, RESULTS), text(client, f"{RESULTS}?page=2")
    assert "Batch number 20." in first
    assert "Batch number 00." not in first
    assert "Batch number 00." in second
    assert "Page 2 of 2" in second


@pytest.mark.parametrize("address", [HOME, LADDER, RESULTS])
def test_a_list_of_three_races_asks_no_more_than_a_list_of_one(client, library, bob, lab_and_cloud, address):
    climb(a_race(bob, *lab_and_cloud), everywhere("A", HELD))
    text(client, address)
    one = queries(client, address)
    for _ in range(2):
        climb(a_race(bob, *lab_and_cloud), everywhere("A", HELD))
    assert queries(client, address) == one


@pytest.mark.parametrize("address", [HOME, LADDERS, LADDER, RESULTS])
def test_ids_on_a_page_are_unique(client, library, bob, lab_and_cloud, address):
    for _ in range(2):
        a_race(bob, *lab_and_cloud)
    ids = re.findall(r'\bid="([^"]*)"', text(client, address, bob))
    assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1]


def test_home_is_home(client, library):
    assert reverse("home") == HOME
    assert reverse("results") == RESULTS
    assert reverse("ladder", args=["registry", "one-sentence-torture-test"]) == LADDER
