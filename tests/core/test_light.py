"""Importing the core loads its declared libraries and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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
