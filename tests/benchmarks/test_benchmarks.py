"""The benchmarks run and print their figures; no test asserts a time."""

from __future__ import annotations

import re

from tests.benchmarks import scoring
from tests.benchmarks.measuring import rates


def test_a_rate_is_calls_a_second_and_at_least_one_call_is_made():
    made: list[int] = []
    (rate,) = rates([lambda: made.append(1)], rounds=1, seconds=0)
    assert made
    assert rate > 0


def test_the_table_has_a_row_for_each_probe_and_size(capsys):
    scoring.main(["--sizes", "50", "300", "--rounds", "1", "--seconds", "0"])
    head, *lines, imports = capsys.readouterr().out.splitlines()
    assert head == scoring.HEAD
    shown = [tuple(re.split(r" {2,}", line)[:2]) for line in lines]
    probes = ["emit-a-terminator", *scoring.LOOPS]
    assert shown == [(probe, size) for probe in probes for size in ("50", "300")]
    assert all(re.search(r"\d% +\d+% {3}\S", line) for line in lines)
    assert re.fullmatch(r"import probes\.core: \d\.\d+ s of CPU, -?\d\.\d+ s of it beyond .*", imports)
