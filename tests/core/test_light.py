"""Importing the core loads its declared libraries and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]

ROOT = Path(__file__).parents[2]

DECLARED = {"pydantic", "re2", "rfc8785", "yaml"}
BROUGHT_ALONG = {
    "_re2",
    "_yaml",
    "annotated_types",
    "pydantic_core",
    "typing_extensions",
    "typing_inspection",
}
"""What the declared libraries import themselves."""
RUNTIME = ("_sysconfigdata_", "_cython_", "cython_runtime")
"""What a Python and its compiled modules hold for themselves."""


def loaded(statement: str) -> list[str]:
    """The modules that a new Python has after `statement` and not before it."""
    code = (
        "import json, sys; before = set(sys.modules)\n"
        f"{statement}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def foreign(modules: list[str]) -> set[str]:
    """The packages that are neither Python's own nor expected."""
    known = set(sys.stdlib_module_names) | DECLARED | BROUGHT_ALONG | {"probes"}
    found = {name.partition(".")[0] for name in modules} - known
    return {name for name in found if not name.startswith(RUNTIME)}


def test_the_core_is_light():
    modules = loaded("import probes.core")
    assert foreign(modules) == set()
    own = [name for name in modules if name.startswith("probes.")]
    assert all(name == "probes.core" or name.startswith("probes.core.") for name in own)
    assert len(own) < 80
    assert {"asyncio", "ssl", "http.client", "unittest", "multiprocessing"}.isdisjoint(modules)


def test_what_is_not_declared_is_seen():
    assert foreign(["json", "re2", "probes.core", "django.db", "_cython_3"]) == {"django"}


def patterns_of(value: object) -> Iterator[re.Pattern[str]]:
    """The compiled patterns in a value, and in what it holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | set | frozenset):
        yield from (found for each in value for found in patterns_of(each))
    elif isinstance(value, dict):
        yield from patterns_of(list(value.values()))


def test_no_pattern_needs_what_some_pythons_do_wrong():
    """Possessive groups lose their place in Python 3.11.0 to 3.11.4, and Debian 12 has one of these."""
    modules = [name for name in sys.modules if name.startswith("probes.core")]
    found = [
        each for name in modules for value in vars(sys.modules[name]).values() for each in patterns_of(value)
    ]
    assert len(found) > 20
    read = {each.pattern: str(_parser.parse(each.pattern, each.flags)) for each in found}
    assert [each for each, said in read.items() if "POSSESSIVE" in said or "ATOMIC" in said] == []
