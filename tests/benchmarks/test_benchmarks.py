"""The benchmarks run and print their figures; no test asserts a time."""

from __future__ import annotations

import re

from tests.benchmarks import patterns, scoring
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
    probes = ["emit-a-terminator", *scoring.LOOPS, "the ladder"]
    assert shown == [(probe, size) for probe in probes for size in ("50", "300")]
    assert all(re.search(r"\d%( +\d+%){2} {3}\S", line) for line in lines)
    assert re.fullmatch(r"import probes\.core: \d\.\d+ s of CPU, -?\d\.\d+ s of it beyond .*", imports)


def test_the_search_for_the_slowest_pattern_prints_what_it_found(capsys):
    patterns.main(["--literals", "3", "--short", "20", "--long", "80", "--kept", "4"])
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "3 accepted patterns; the slowest on 80 characters:"
    assert len(lines) == 8
    assert all(re.match(r" +\d\.\d{3} s  (pattern|count) +/", line) for line in lines)
    seconds = [float(line.split()[0]) for line in lines]
    assert seconds == sorted(seconds, reverse=True)


def test_the_counts_are_the_largest_that_are_accepted():
    assert patterns._largest("A{N}c".replace("A", "a"), "") == 1000
    assert patterns._largest("(?:ab){N}c", "i") == 500
    assert patterns._largest("a{N", "") == 0
