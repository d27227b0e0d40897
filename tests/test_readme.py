"""The README's settings table, commands and probe are those of the code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from probes.core import Document
from probes.core.fixtures import examine

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
NOT_FOR_USERS = {"TEST_DATABASE_NAME"}


def settings_read() -> set[str]:
    source = (ROOT / "registry" / "settings.py").read_text()
    return set(re.findall(r'\b(?:text|flag|number|listed|generated|rate|one_of)\("([A-Z_]+)"', source))


def test_every_setting_is_in_the_table_and_no_other():
    table = README.split("## Settings")[1].split("## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    told = {name for names in rows for name in re.findall(r"`([A-Z_]{4,})`", names)}
    assert told == settings_read() - NOT_FOR_USERS


@pytest.mark.parametrize("command", re.findall(r"manage\.py (\w+)", README))
def test_every_command_exists(command):
    assert command in get_commands()


def test_the_first_probe_passes_the_gate():
    [text] = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert examine(Document.parse(text)).problems == ()


def test_every_file_it_names_is_there():
    for path in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"`((?:registry|probes|ladder|templates|tests)/[^`]*)`", README):
        assert (ROOT / path).exists(), path


def test_the_evidence_of_its_scoreboard_verifies():
    command = [sys.executable, "-m", "probes.core", "verify", "docs/race-evidence.jsonl"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "OK: nothing lies" in done.stdout


def test_its_scoreboard_is_that_of_the_evidence():
    lines = [json.loads(line) for line in (ROOT / "docs" / "race-evidence.jsonl").read_text().splitlines()]
    [race] = [line for line in lines if line["kind"] == "race"]
    places = [(rung["id"], letter) for rung in race["ladder"]["rungs"] for letter in "AB"]
    verdicts = [line for line in lines if line["kind"] == "verdict"]
    cut = {line["run"] for line in lines if line["kind"] == "attempt" and line["outcome"] == "truncated"}
    told = re.findall(r"^ \d (\S+) +([AB]) (PASS|FAIL)  (.+?)(?: {2,}(truncated))?$", README, re.MULTILINE)
    assert len(told) == 11
    for rung, letter, mark, message, truncated in told:
        run = places.index((rung, letter))
        [verdict] = [each for each in verdicts if each["run"] == run]
        assert (mark == "PASS", message) == (verdict["ok"], verdict["message"])
        assert bool(truncated) == (run in cut)
    assert [line["marks"]["pass"] for line in lines if line["kind"] == "end"] == [3]
