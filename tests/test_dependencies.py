"""Every declared dependency is imported, and every import is declared; the locks name no address."""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

IMPORTED_AS = {
    "django-allauth[mfa]": "allauth",
    "django-csp": "csp",
    "django-filter": "django_filters",
    "djangorestframework": "rest_framework",
    "google-re2": "re2",
    "psycopg[binary]": "psycopg",
    "celery[redis]": "celery",
    "pyyaml": "yaml",
}


def declared() -> dict[str, str]:
    """Import name to requirement name, of the runtime dependencies."""
    names = [re.split(r"[<>=~!;]", line)[0].strip() for line in PYPROJECT["project"]["dependencies"]]
    return {IMPORTED_AS.get(name, name.replace("-", "_")): name for name in names}


@functools.cache
def imported() -> set[str]:
    found: set[str] = set()
    for path in [p for top in ("registry", "probes", "ladder") for p in (ROOT / top).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found


def named_as_strings() -> str:
    return (ROOT / "registry" / "settings.py").read_text()


def test_every_declared_dependency_is_used():
    unused = [
        name
        for module, name in declared().items()
        if module not in imported() and f'"{module}' not in named_as_strings()
    ]
    assert unused == []


def test_every_import_is_declared():
    own = {"registry", "probes", "ladder"}
    beside = {"asgiref", "pydantic_core"}  # parts of Django and of pydantic
    assert imported() - set(declared()) - own - beside - set(sys.stdlib_module_names) == set()


@pytest.mark.parametrize("lock", ["requirements.txt", ".ci/requirements-dev.txt"])
def test_a_lock_has_hashes_and_no_address(lock):
    text = (ROOT / lock).read_text()
    assert "--hash=sha256:" in text
    assert "://" not in text
    assert "--index-url" not in text.split("\n", 4)[-1]
