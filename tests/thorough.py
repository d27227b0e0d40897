"""What takes minutes together: Chromium, every actor, real kills, all of a fuzz. CI does it all.

`THOROUGH=1 make test` does it too. A plain `make test` leaves it out, and one line says so; what is
asked for by the name of its file is always done.
"""

from __future__ import annotations

import os
from collections import defaultdict

import pytest

THOROUGH = os.environ.get("THOROUGH") == "1"
LEFT_OUT = "takes its time: THOROUGH=1 make test does it too, as CI does"

EACH = 4

thorough = pytest.mark.thorough


def examples(number: int) -> int:
    """How many examples are tried of `number` that CI tries."""
    return number if THOROUGH else number // 5


def mark_most_of_many_cases(items: list[pytest.Item]) -> None:
    """Of a test with over EACH cases that each fill the database, a plain run tries one in EACH."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if "db" in getattr(item, "fixturenames", ()) or item.get_closest_marker("django_db"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for each in cases.values():
        for place, item in enumerate(each):
            if len(each) > EACH and place % EACH:
                item.add_marker(thorough)


def skip_unless_asked_for(item: pytest.Item) -> None:
    everything = item.config.args == item.config.getini("testpaths")
    if everything and not THOROUGH and item.get_closest_marker("thorough"):
        pytest.skip(LEFT_OUT)
