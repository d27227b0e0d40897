"""A small version of the team, an endpoint to call, and a batch of both."""

from __future__ import annotations

import pytest

from probes.models import Batch, ProbeVersion
from registry.endpoints.models import Endpoint
from tests.probes.stage import a_batch, a_version, an_endpoint


@pytest.fixture
def endpoint(team) -> Endpoint:
    return an_endpoint(team)


@pytest.fixture
def version(team) -> ProbeVersion:
    return a_version(team)


@pytest.fixture
def batch(team, version, endpoint) -> Batch:
    return a_batch(team, version, endpoint)
