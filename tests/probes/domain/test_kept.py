"""What an attempt keeps, so that its evidence can be held against itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.models import Attempt, Run
from registry.endpoints.models import Endpoint
from tests.probes.stage import a_batch, a_version, an_endpoint, claim, failed, good, keep


@pytest.fixture
def endpoint(team):
    made = an_endpoint(team)
    a_batch(team, a_version(team), made)
    return made


def test_a_part_of_a_reply_that_failed_is_no_output(endpoint):
    """Only what can be scored is kept as an output: an unscored attempt could hide a verdict behind one."""
    keep(claim()[0], replace(failed("endpoint_error"), text="one two", finish="stop", completion_tokens=2))
    attempt = Attempt.objects.get()
    assert (attempt.output, attempt.output_is, attempt.finish) == ("", "", "")
    assert attempt.completion_tokens == 2


def test_an_attempt_calls_the_endpoint_as_its_run_does(endpoint):
    [call] = claim()
    Endpoint.objects.update(name="Renamed")
    endpoint.refresh_from_db()
    keep(replace(call, endpoint=endpoint), good())
    assert Attempt.objects.get().endpoint_name == Run.objects.get().endpoint_name == "Lab"
