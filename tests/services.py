"""Services that some tests need: where they are, and one visible line where one is missing.

With REQUIRE_SERVICES=1 a missing service fails the test instead of skipping it.
"""

from __future__ import annotations

import os
import socket
from urllib.parse import urlsplit

import pytest
from django.db import connection

REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
RABBITMQ_URL = os.environ.get("TEST_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672//")
POSTGRESQL = "DATABASE_URL=postgres://user@127.0.0.1:5432/name"
HOW = {
    "Redis": "apt-get install redis-server && redis-server --daemonize yes",
    "RabbitMQ": "apt-get install rabbitmq-server && rabbitmq-server -detached",
    "PostgreSQL": f"apt-get install postgresql, and run the tests with {POSTGRESQL}",
}


def missing(service: str, why: str) -> None:
    """Skip the test with one line that says how to get the service; fail it under REQUIRE_SERVICES=1."""
    said = f"{service} is needed ({why}). To get it: {HOW[service]}"
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(said, pytrace=False)
    pytest.skip(said)


def broker(service: str) -> str:
    """The URL of a running broker, `Redis` or `RabbitMQ`."""
    url = {"Redis": REDIS_URL, "RabbitMQ": RABBITMQ_URL}[service]
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), 1).close()
    except OSError as error:
        missing(service, f"nothing listens at {parts.hostname}:{parts.port}: {type(error).__name__}")
    return url


def require_postgresql() -> None:
    """Skips a whole module, in one line, where the tests use SQLite: it runs once more on PostgreSQL."""
    if connection.vendor != "postgresql":
        pytest.skip(f"runs on PostgreSQL only. To get it: {HOW['PostgreSQL']}", allow_module_level=True)
