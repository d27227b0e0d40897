"""Lies planted past the triggers, and what the command says of them."""

from __future__ import annotations

import io
from typing import Any

from django.core.management import CommandError, call_command

from ladder.domain.verification import properties
from probes.models import Attempt
from registry.immutability import erasure


def verify(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("verify", *arguments, stdout=out, stderr=io.StringIO())
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}\n"
    return 0, out.getvalue()


def failing() -> dict[str, tuple[str, ...]]:
    """The properties that do not hold, by name, with what was seen."""
    return {found.name: found.seen for found in properties() if not found.holds}


def plant(rows: Any, **values: Any) -> None:
    with erasure("a test plants a lie"):
        assert rows.update(**values) > 0


def some_attempt(**lookup: Any) -> Any:
    pk = Attempt.objects.filter(**lookup).earliest("pk").pk
    return Attempt.objects.filter(pk=pk)
