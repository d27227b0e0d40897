"""What a deployment starts from: the image holds all that the code needs, and its settings are known ones."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from cryptography.fernet import Fernet

from tests.test_readme import settings_read
from tests.thorough import thorough

ROOT = Path(__file__).resolve().parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
OURS = {name: service for name, service in COMPOSE["services"].items() if "build" in service}
GIVEN = {
    "SITE_URL": "https://probes.example.org",
    "SECRET_KEY": "a-secret-of-more-than-fifty-characters-that-nobody-guesses-1234",
    "ENDPOINT_KEYS": Fernet.generate_key().decode(),
    "DATABASE_PASSWORD": "hush",
}


def filled(value: str) -> str:
    """With what the operator gives; `:?` names what must be given, `:-` a default."""

    def found(variable: re.Match[str]) -> str:
        name, _, default = variable[1].partition(":")
        return GIVEN[name] if name in GIVEN else default.removeprefix("-")

    return re.sub(r"\$\{([^}]+)\}", found, value)


def test_the_containers_are_given_known_settings_and_say_what_they_want():
    for service in OURS.values():
        assert set(service["environment"]) <= settings_read()
    wanted = set(re.findall(r"\$\{(\w+):\?", (ROOT / "compose.yaml").read_text()))
    assert wanted == set(GIVEN)


def test_only_the_proxy_of_this_machine_reaches_a_container():
    published = {name: service.get("ports") for name, service in COMPOSE["services"].items()}
    assert {name: ports for name, ports in published.items() if ports} == {"web": ["127.0.0.1:8000:8000"]}


@thorough
def test_the_image_holds_what_the_code_needs(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    for copied in re.findall(r"^COPY (\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE):
        assert f"!{copied}\n" in (ROOT / ".dockerignore").read_text()
        source, target = ROOT / copied, tmp_path / copied
        shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy(source, target)
    environment = {name: filled(str(value)) for name, value in OURS["web"]["environment"].items()}
    environment |= {"BIND": "0.0.0.0", "PROBE_HOME": str(tmp_path / "var"), "PATH": os.environ["PATH"]}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
