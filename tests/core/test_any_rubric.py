"""Any rubric on any text: nothing is raised, every mark lies inside, and every process says the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.core import Finding, Reply, TooLarge, score
from probes.core.checks import KINDS
from probes.core.finding import Mark
from probes.core.view import MAX_CHARACTERS, View
from tests.core.any_rubric import JOINED, RUBRICS, SIMPLE, TEXTS
from tests.core.fixed_checks import TABLE, digest_of_the_table
from tests.thorough import examples

ROOT = Path(__file__).parents[2]


def test_every_kind_is_drawn():
    assert set(SIMPLE) | set(JOINED) == set(KINDS) == {each["kind"] for each in TABLE}


@given(RUBRICS, st.none() | TEXTS, st.none() | TEXTS)
@settings(max_examples=examples(150), deadline=None)
def test_any_rubric_scores_any_text(rubric, text, refusal):
    result = score(rubric, Reply(text, refusal=refusal))
    length = len(View(result.output).text)
    for verdict in result.verdicts:
        finding = verdict.finding
        assert verdict.ok is finding.ok
        places = [(span.start, span.end) for span in finding.spans]
        assert all(0 <= start <= end <= length for start, end in places)
        assert [start for start, _ in places] == sorted(start for start, _ in places)
        assert {span.mark for span in finding.spans} <= set(get_args(Mark))
        assert finding == Finding.from_json(json.loads(json.dumps(finding.as_json())))
    assert result == score(rubric, Reply(text, refusal=refusal))


@pytest.mark.parametrize("unit", ["a", "\x00", "\ud800", "\r\n", "\u202e", "e\u0301", "🎉"], ids=ascii)
def test_an_output_of_ten_megabytes_is_refused_unread(unit):
    output = unit * (10_000_000 // len(unit.encode("utf-8", "surrogatepass")))
    with pytest.raises(TooLarge) as caught:
        score(None, output)  # type: ignore[arg-type]  # not even the rubric is looked at
    assert caught.value.characters == len(output) > MAX_CHARACTERS


def test_every_process_says_the_same():
    code = "from tests.core.fixed_checks import digest_of_the_table as digest; print(digest())"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("0", "1", "4711")
    ]
    said = [process.communicate()[0].strip() for process in started]
    assert said == [digest_of_the_table()] * 3
