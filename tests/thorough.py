"""What takes minutes together: every page, every actor, real kills, all of a fuzz. CI does it all.

`THOROUGH=1 make test` does it too. A plain `make test` leaves it out, and one line says so; what is
asked for by the name of its file is always done.
"""

from __future__ import annotations

import os

import pytest

THOROUGH = os.environ.get("THOROUGH") == "1"
LEFT_OUT = "takes its time: THOROUGH=1 make test does it too, as CI does"

thorough = pytest.mark.thorough


def examples(number: int) -> int:
    """How many examples are tried of `number` that CI tries."""
    return number if THOROUGH else number // 5


def skip_unless_asked_for(item: pytest.Item) -> None:
    everything = item.config.args == item.config.getini("testpaths")
    if everything and not THOROUGH and item.get_closest_marker("thorough"):
        pytest.skip(LEFT_OUT)
