"""Reasoning text that was stored or logged is found, wherever it is."""

from __future__ import annotations

import pytest
from django.db import connection

from ladder.models import Race
from probes.domain.verification.scan import MEMBER, SPOKEN
from probes.models import Batch
from registry.endpoints.models import Endpoint
from registry.endpoints.practice import PRACTICE_CANARY
from registry.teams.models import Team
from tests.ladder.lies import failing, plant, some_attempt, verify
from tests.ladder.raced import a_practice_race, climbed


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.PROBE_HOME = tmp_path
    return tmp_path


@pytest.fixture
def race(library, team) -> Race:
    return climbed(a_practice_race(team))


REASONING = "reasoning text is nowhere: not in the database, the evidence or a log"
PLACES = [
    ("probes_attempt.detail", {"detail": f"It said {PRACTICE_CANARY}."}, "the canary"),
    ("probes_attempt.output", {"output": PRACTICE_CANARY}, "the canary"),
    ("probes_attempt.sent_parameters", {"sent_parameters": {"a": [PRACTICE_CANARY]}}, "the canary"),
    ("probes_attempt.detail", {"detail": '{"reasoning_content": "hm"}'}, "a reasoning field"),
    ("probes_attempt.detail", {"detail": "{'reasoning_text': 'hm'}"}, "a reasoning field"),
    (
        "probes_attempt.sent_parameters",
        {"sent_parameters": {"x": {"thinking_blocks": []}}},
        "a reasoning field",
    ),
]


@pytest.mark.parametrize(("place", "values", "what"), PLACES, ids=range(len(PLACES)))
def test_reasoning_that_was_stored(race, place, values, what):
    plant(some_attempt(), **values)
    assert f"{what} in {place} (1 times)" in failing()[REASONING]


def test_reasoning_in_any_other_table(race):
    Team.objects.create(slug="leak", name=PRACTICE_CANARY)
    Endpoint.objects.update(extra_body={"reasoning_content": "hm"})
    assert failing()[REASONING][:2] == (
        "a reasoning field in endpoints_endpoint.extra_body (2 times)",
        "the canary in teams_team.name (1 times)",
    )


def test_reasoning_in_the_evidence_alone_names_the_batch(race):
    plant(Batch.objects.all(), title=PRACTICE_CANARY)
    assert f"the canary in the evidence of batch {race.pk} (1 times)" in failing()[REASONING]


HELD = '{"reasoning": "First I count the words"}'
ASKED = [
    '{"reasoning": {"effort": "low"}}',
    '{"thinking": "enabled"}',
    '{"reasoning_tokens": 1234567890123456}',
]


def test_reasoning_by_a_plain_name_is_a_text_and_no_setting():
    for spoken in (
        HELD,
        HELD.replace("reasoning", "thinking"),
        HELD.replace('"', "'"),
        HELD.replace('"', '\\"'),
    ):
        assert SPOKEN.search(spoken), spoken
    assert MEMBER.search(HELD)
    for asked in ASKED:
        assert not MEMBER.search(asked), asked
        assert not SPOKEN.search(asked), asked


def test_a_model_may_speak_of_reasoning_fields(race):
    said = 'Send {"reasoning_content": "…"}.'
    plant(some_attempt(outcome="answered"), output=said)
    assert REASONING not in failing()
    assert not MEMBER.search(r'{"output": "{\"reasoning_content\": 1}"}')
    assert SPOKEN.search(r'b"{\"reasoning_content\": 1}"')


def test_reasoning_in_a_log(race, home, tmp_path_factory):
    (home / "worker.log").write_text(f"INFO a\nERROR {PRACTICE_CANARY}\n")
    other = tmp_path_factory.mktemp("logs") / "web.txt"
    other.write_bytes(b'\xff{"reasoning_content": "hm"}\n')
    status, printed = verify("--log", str(other))
    assert status == 1
    assert "       the canary in worker.log (1 times)\n" in printed
    assert "       a reasoning field in web.txt (1 times)\n" in printed
    assert "       worker.log: 2 lines of log scanned\n" in printed


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="there is a file only on SQLite")
def test_the_canary_in_the_raw_file_alone(race, monkeypatch, tmp_path):
    """A deleted row may linger in the file: across the border of two pieces, too."""
    kept = tmp_path / "registry.sqlite3"
    kept.write_bytes(b"\0" * (1024 * 1024 - 7) + PRACTICE_CANARY.encode() + b"\0" * 100)
    monkeypatch.setitem(connection.settings_dict, "NAME", kept)
    seen = failing()[REASONING]
    assert seen[0] == "the canary in registry.sqlite3 (1 times)"
    assert f"registry.sqlite3: {kept.stat().st_size:,} raw bytes scanned" in seen
