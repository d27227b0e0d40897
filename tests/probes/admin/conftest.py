from __future__ import annotations

import pytest
from django.test import Client

from probes.models import Probe
from tests.probes import stage
from tests.probes.admin import desk


@pytest.fixture
def probe(team) -> Probe:
    """acme/three-words at v1."""
    return stage.a_version(team).probe


@pytest.fixture
def root(staff) -> Client:
    return desk.at(staff)


@pytest.fixture
def author(anna) -> Client:
    """Anna, an author of acme and of the staff."""
    anna.is_staff = True
    anna.save()
    return desk.at(anna)
