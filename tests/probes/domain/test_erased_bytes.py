"""What is redacted is gone from the files of the database, and from its log of writes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from django.db import connection, transaction

from probes.domain.moderate import redact_attempt
from probes.domain.sweep import sweep
from registry.write_ahead import empty_log
from tests.probes import ran
from tests.probes.stage import a_version

pytestmark = [
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL overwrites at its next vacuum"),
    pytest.mark.django_db(transaction=True),
]
SECRET = b"sk-erased-7Q2mXv81Lr"


def where() -> list[str]:
    """The files that hold the secret, by how their names end."""
    main = Path(connection.settings_dict["NAME"])
    files = [main, Path(f"{main}-wal")]
    return [file.name.removeprefix(main.name) for file in files if SECRET in file.read_bytes()]


@pytest.fixture
def attempt(team, alice):
    text = f"{SECRET.decode()} {'and much more ' * 1000}"
    made = ran.batch(a_version(team), ran.endpoint(team), [text], by=alice)
    return made.attempts.get()


def test_a_redacted_text_is_in_neither_file(attempt, alice):
    assert "-wal" in where()
    redact_attempt(attempt, alice, "it holds a key")
    assert where() == []


def test_what_was_in_the_main_file_already_is_overwritten_there(attempt, alice):
    assert empty_log()
    assert where() == [""]
    redact_attempt(attempt, alice, "it holds a key")
    assert where() == []


def test_while_somebody_reads_an_earlier_state_it_is_tried_again(attempt, alice, monkeypatch):
    monkeypatch.setattr("registry.write_ahead.PATIENCE", 0.0)
    reader = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM probes_attempt").fetchone()
        redact_attempt(attempt, alice, "it holds a key")
        sweep()
        assert where() == ["-wal"]
        reader.execute("COMMIT")
    finally:
        reader.close()
    sweep()
    assert where() == []


def test_others_are_waited_for_as_long_as_before_afterwards(attempt):
    empty_log(patience=0.1)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == (20_000,)


def test_nothing_is_done_within_a_transaction(attempt):
    with transaction.atomic():
        assert not empty_log()
