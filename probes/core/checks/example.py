"""What a kind shows of itself: a check by its parameters, and an output to run it on."""

from __future__ import annotations

from typing import Any, NamedTuple


class Example(NamedTuple):
    """`parameters` without the kind; what the check finds in `output` is computed wherever it is shown."""

    parameters: dict[str, Any]
    output: str


Examples = tuple[Example, Example, Example]
