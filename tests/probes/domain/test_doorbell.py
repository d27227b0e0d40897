"""The doorbell with a broker that is away, or silent: a start still answers within seconds."""

from __future__ import annotations

import socket
import subprocess
import sys
import time

import pytest

from probes.domain import doorbell
from tests.probes.stage import a_batch, a_version, an_endpoint, trials_of
from tests.thorough import thorough


@pytest.fixture
def bell(settings):
    """Sets the broker's URL, and forgets the connection afterwards."""

    def at(url: str) -> None:
        settings.BROKER_URL = url
        doorbell._sender.cache_clear()

    yield at
    doorbell._sender.cache_clear()


@pytest.fixture
def silent():
    """A port that takes connections and never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)
        yield listening.getsockname()[1]


def test_without_a_broker_there_is_nothing_to_ring(bell):
    bell("")
    assert doorbell.ring()
    assert doorbell.ring_for_sweep()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "amqp://guest:guest@127.0.0.1:1//"])
def test_a_broker_that_is_away_costs_a_warning(bell, url, team, caplog, django_capture_on_commit_callbacks):
    bell(url)
    began = time.monotonic()
    with django_capture_on_commit_callbacks(execute=True):
        batch = a_batch(team, a_version(team), an_endpoint(team))
    assert time.monotonic() - began < 5
    assert len(trials_of(batch)) == 1
    assert "The broker was not reached" in caplog.text
    assert "guest" not in caplog.text


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:{}/0", pytest.param("amqp://guest:guest@127.0.0.1:{}//", marks=thorough)]
)
def test_a_silent_broker_is_not_waited_for(bell, silent, url, caplog):
    bell(url.format(silent))
    began = time.monotonic()
    assert not doorbell.ring()
    assert time.monotonic() - began < 5
    assert "The broker was not reached" in caplog.text


@thorough
def test_the_embedded_registry_never_loads_celery():
    script = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'registry.settings'; django.setup();"
        "from probes.domain import drain, doorbell, start; assert doorbell.ring();"
        "print('celery' in sys.modules or 'kombu' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
