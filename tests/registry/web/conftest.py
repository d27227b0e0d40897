from __future__ import annotations

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo


@pytest.fixture
def listening(settings, transactional_db) -> None:
    """LISTEN_URL leads to the tests' own database, as it does to the site's."""
    if connection.vendor == "postgresql":
        settings.LISTEN_URL = make_conninfo(settings.LISTEN_URL, dbname=connection.settings_dict["NAME"])
