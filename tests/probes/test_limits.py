"""Who starts too much at once is told when to come back; nothing is lost, and nobody else pays for it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from probes.models import Batch
from tests.probes import ran
from tests.probes.stage import a_version
from tests.registry.api.planted import a_ladder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few(settings):
    settings.START_RATE_PERSON, settings.START_RATE_ADDRESS = "2/minute", "3/minute"


@pytest.fixture
def doors(team):
    """Where work is started: the run form, the race form, and the button that starts a batch again."""
    endpoint, version = ran.endpoint(team), a_version(team)
    batch = ran.batch(version, endpoint, ["one two three"])
    return {
        "run": reverse("run-version", args=["acme", "three-words", 1]),
        "race": reverse("race-new", args=["acme", a_ladder(team, rungs=1).slug]),
        "again": reverse("batch-again", args=[batch.pk]),
    }


@pytest.mark.parametrize("door", ["run", "race", "again"])
def test_a_third_start_is_refused_in_the_forms_own_words(client, doors, bob, door):
    client.force_login(bob)
    sent = {"model": "maker/typed", "concept": "typed by hand", "key": "k"}
    first, second, third = (client.post(doors[door], sent) for _ in range(3))
    assert 429 not in (first.status_code, second.status_code)
    started = Batch.objects.count()
    assert third.status_code == 429
    assert 0 < int(third["Retry-After"]) <= 61
    shown = third.content.decode()
    assert "Too many starts in a short time: the next one can be made in" in shown
    assert {"run": "maker/typed", "race": "typed by hand", "again": doors["again"][:-6]}[door] in shown
    assert client.post(doors[door], sent, REMOTE_ADDR="192.0.2.7").status_code == 429
    assert Batch.objects.count() == started


def test_doors_are_counted_together_and_people_at_one_address_too(client, doors, alice, bob):
    client.force_login(bob)
    client.post(doors["run"])
    client.post(doors["race"])
    assert client.post(doors["again"]).status_code == 429
    client.force_login(alice)
    assert client.post(doors["run"]).status_code == 422
    assert client.post(doors["run"]).status_code == 429
    assert client.post(doors["run"], REMOTE_ADDR="192.0.2.7").status_code == 429  # her second was counted


def test_a_refusal_by_right_is_no_start(client, doors, vera):
    client.force_login(vera)
    assert [client.post(doors["again"]).status_code for _ in range(3)] == [403, 403, 403]
