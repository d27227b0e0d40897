"""A published probe of the team, and an endpoint that is not practice."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes.core import Document
from probes.domain.publish import publish
from probes.models import ProbeVersion
from tests.probes import ran

SHIPPED = Path(__file__).resolve().parents[2] / "probes/library/emit-a-terminator.yaml"


@pytest.fixture
def shipped() -> Document:
    return Document.parse(SHIPPED.read_text("utf-8"))


@pytest.fixture
def version(team, shipped) -> ProbeVersion:
    return publish(team, shipped).version


@pytest.fixture
def nimbus(team):
    return ran.endpoint(team)
