"""What runs cost by stated prices: added up exactly, and told to members alone."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client

from probes.domain.costs import costs_of, together
from probes.models import Batch
from registry.endpoints.models import Endpoint
from tests.probes import ran
from tests.probes.stage import a_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint(team) -> Endpoint:
    return ran.endpoint(team)


@pytest.fixture
def batch(team, endpoint, alice) -> Batch:
    """Three calls whose tokens were counted, one that was not, one that was never made."""
    batch = ran.batch(a_version(team), endpoint, [], by=alice)
    run = batch.runs.get()
    for repeat, (prompt, completion) in enumerate([(100, 20), (100, 30), (101, 1), (None, 7)], 1):
        ran.one_more_trial(run, repeat, "text", prompt_tokens=prompt, completion_tokens=completion)
    ran.one_more_trial(run, 5, None)
    return batch


def priced(endpoint: Endpoint, prompt: str = "0.15", completion: str = "0.6") -> None:
    Endpoint.objects.filter(pk=endpoint.pk).update(
        price_prompt=Decimal(prompt), price_completion=Decimal(completion)
    )


def test_without_prices_nothing_is_guessed(batch, endpoint):
    assert costs_of(batch) == []
    Endpoint.objects.update(price_prompt=Decimal(1))
    assert costs_of(batch) == []


def test_it_is_tokens_times_price(batch, endpoint):
    priced(endpoint)
    [found] = costs_of(batch)
    assert (found.tokens, found.counted, found.calls) == (352, 3, 4)
    assert found.amount == (Decimal("0.15") * 301 + Decimal("0.6") * 51) / 1_000_000
    assert found.said == "0.00007575 USD"
    assert together([found]) == []
    assert together([found, found]) == ["0.0001515 USD"]


def test_what_is_free_costs_nothing(batch, endpoint):
    priced(endpoint, "0", "0")
    assert costs_of(batch)[0].said == "0 USD"


def test_members_are_shown_it_and_nobody_else(batch, endpoint, vera, charlie):
    priced(endpoint)
    at = batch.get_absolute_url()

    def page(user=None) -> str:
        client = Client()
        if user:
            client.force_login(user)
        return " ".join(client.get(at).content.decode().split())

    assert "<b>0.00007575 USD</b> for 352 tokens; the server counted them in 3 of 4 calls" in page(vera)
    for user in (None, charlie):
        assert "USD" not in page(user)
