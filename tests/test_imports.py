"""Importing any module opens no socket, thread, process or query."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.thorough import thorough

ROOT = Path(__file__).resolve().parent.parent

WATCH = """
import importlib, json, os, pkgutil, sys, threading


ACTIONS = {
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen",
    "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendto", "sqlite3.connect",
}
seen, current = [], ""

def audit(event, arguments):
    if event in ACTIONS:
        seen.append(f"{current}: {event}")

sys.addaudithook(audit)

def start(*arguments, **options):
    seen.append(f"{current}: a thread")

threading.Thread.start = start

def modules(package):
    yield package.__name__
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not found.name.endswith(".__main__"):
            yield found.name

def query(*arguments, **options):
    seen.append(f"{current}: a database connection")
    raise RuntimeError("a query at import")

os.environ["DJANGO_SETTINGS_MODULE"] = "registry.settings"
current = "django.setup"
import django
from django.db.backends.base.base import BaseDatabaseWrapper
BaseDatabaseWrapper.connect = query
django.setup()

names = []
for top in sys.argv[1:]:
    for current in modules(importlib.import_module(top)):
        importlib.import_module(current)
        names.append(current)
print(json.dumps({"seen": seen, "names": names}))
"""


def watched(*packages: str, path: Path = ROOT) -> dict[str, list[str]]:
    environment = os.environ | {"PYTHONPATH": f"{path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", WATCH, *packages]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_anything_does_nothing():
    found = watched("registry", "probes", "ladder")
    assert found["seen"] == []
    assert {"registry.asgi", "registry.urls", "registry.web.hub", "registry.web.child"} <= set(found["names"])
    assert {"probes.core", "probes.management.commands.work", "ladder.models"} <= set(found["names"])


RESTLESS = {
    "a thread": "import threading; threading.Thread(target=print).start()",
    "subprocess.Popen": "import subprocess, sys; subprocess.run([sys.executable, '-c', ''])",
    "socket.bind": "import socket; socket.create_server(('127.0.0.1', 0)).close()",
    "sqlite3.connect": "import sqlite3; sqlite3.connect(':memory:').close()",
    "a database connection": (
        "from contextlib import suppress\nfrom registry.teams.models import User\n"
        "with suppress(RuntimeError):\n    User.objects.exists()"
    ),
}


@thorough
def test_a_module_that_does_something_is_caught(tmp_path):
    package = tmp_path / "restless"
    package.mkdir()
    (package / "__init__.py").touch()
    for number, source in enumerate(RESTLESS.values()):
        (package / f"busy{number}.py").write_text(source)
    seen = watched("restless", path=tmp_path)["seen"]
    assert {f"restless.busy{number}: {action}" for number, action in enumerate(RESTLESS)} <= set(seen)
