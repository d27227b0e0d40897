"""Imports run one way: ladder, then probes, then registry; relations between models too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.db.models import Model

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("registry", "probes", "ladder")


def floor(module: str) -> int:
    name = module.split(".")[0]
    return FLOORS.index(name) if name in FLOORS else -1


def test_the_import_contracts_hold():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def own_models() -> list[type[Model]]:
    return [model for model in apps.get_models() if floor(model.__module__) >= 0]


@pytest.mark.parametrize("model", own_models(), ids=lambda model: model._meta.label)
def test_a_relation_never_points_upwards(model):
    # a string foreign key is an import that no import tool sees
    for field in model._meta.get_fields():
        if field.concrete and field.related_model:
            assert floor(field.related_model.__module__) <= floor(model.__module__), field


def test_composition_modules_are_imported_by_nobody():
    composed = ("registry.urls", "registry.asgi")
    for path in [p for floor in FLOORS for p in (ROOT / floor).rglob("*.py")]:
        text = path.read_text()
        for module in composed:
            assert f"import {module}" not in text, path
            assert f"from {module}" not in text, path


def test_no_module_hides_behind_a_vague_name():
    vague = {"utils", "util", "common", "helpers", "misc"}
    assert [p for floor in FLOORS for p in (ROOT / floor).rglob("*") if p.stem in vague] == []


def test_files_stay_short():
    long = {
        str(path.relative_to(ROOT)): lines
        for top in (*FLOORS, "tests", "templates")
        for path in (ROOT / top).rglob("*")
        if path.suffix in {".py", ".html", ".css", ".js"}
        and "migrations" not in path.parts
        and (lines := len(path.read_text().splitlines())) > 400
    }
    assert long == {}
