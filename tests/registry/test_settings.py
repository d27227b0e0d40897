"""What the environment may say, and how loudly it is told when it may not."""

from __future__ import annotations

import importlib.util
import json
import os
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from tests.thorough import thorough

ROOT = Path(__file__).resolve().parents[2]
CASES = json.loads((ROOT / "tests" / "cases" / "settings.json").read_text())
PRODUCTION = {
    "SITE_URL": "https://probes.example.org",
    "SECRET_KEY": "c0ffee-" * 9,
    "ENDPOINT_KEYS": Fernet.generate_key().decode(),
}
NAMES = {name for case in CASES for name in case["environment"]} | set(PRODUCTION) | {"BIND", "DATABASE_URL"}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """The settings as another process would read them, from an environment of the test's own."""

    def loaded(**environment: str) -> ModuleType:
        for name in NAMES:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PROBE_HOME", str(tmp_path / "home"))
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        spec = importlib.util.spec_from_file_location("settings_of_a_test", ROOT / "registry" / "settings.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return loaded


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["environment"]))
def test_what_is_wrong_is_told_with_what_to_write(case, load):
    with pytest.raises(ImproperlyConfigured) as refused:
        load(**case["environment"])
    for part in case["says"]:
        assert part in str(refused.value)
    assert "sk-" not in str(refused.value)


def test_without_an_environment_it_is_embedded(load):
    settings = load()
    assert settings.EMBEDDED
    assert settings.DEBUG is False
    assert settings.SITE_ADDRESS == "http://127.0.0.1:8000"
    assert "sqlite3" in settings.DATABASES["default"]["ENGINE"]
    assert not settings.SESSION_COOKIE_SECURE


@pytest.mark.parametrize(
    ("bind", "address"), [("localhost", "http://localhost:8000"), ("::1", "http://[::1]:8000")]
)
def test_every_loopback_is_embedded(load, bind, address):
    settings = load(BIND=bind)
    assert settings.EMBEDDED
    assert address == settings.SITE_ADDRESS


def test_debug_cannot_be_turned_on(load):
    assert load(DEBUG="1", DJANGO_DEBUG="1").DEBUG is False


def test_a_site_with_a_name_is_not_embedded(load):
    settings = load(**PRODUCTION, BIND="0.0.0.0", PORT="80")
    assert not settings.EMBEDDED
    assert settings.SITE_ADDRESS == "https://probes.example.org"
    assert settings.ALLOWED_HOSTS == ["probes.example.org"]
    assert settings.SESSION_COOKIE_SECURE
    assert settings.CSRF_COOKIE_SECURE
    assert settings.SECURE_HSTS_SECONDS >= 31_536_000


@pytest.mark.parametrize(
    ("url", "port", "tls", "ssl"),
    [
        ("smtp+tls://me%40x:p%3Aw@mail.example.org", 587, True, False),
        ("smtps://me%40x:p%3Aw@mail.example.org", 465, False, True),
        ("smtp://me%40x:p%3Aw@mail.example.org:2525", 2525, False, False),
    ],
)
def test_one_address_names_the_mail_server(load, url, port, tls, ssl):
    settings = load(EMAIL_URL=url, **PRODUCTION)
    assert settings.MAIL == "sent"
    assert settings.EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend"
    assert ("mail.example.org", port) == (settings.EMAIL_HOST, settings.EMAIL_PORT)
    assert (settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD) == ("me@x", "p:w")
    assert (tls, ssl) == (settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL)
    assert settings.DEFAULT_FROM_EMAIL == "no-reply@probes.example.org"


def test_mail_without_a_server_is_printed_on_loopback_only(load):
    assert load().EMAIL_BACKEND == "registry.accounts.mail.Printed"
    assert load(**PRODUCTION).EMAIL_BACKEND == "registry.accounts.mail.Refused"


def test_several_keys_may_be_given(load):
    keys = [Fernet.generate_key().decode() for _ in range(2)]
    assert keys == load(ENDPOINT_KEYS=" , ".join(keys)).ENDPOINT_KEYS


@pytest.mark.parametrize("missing", ["SECRET_KEY", "ENDPOINT_KEYS"])
def test_a_site_with_a_name_makes_up_no_secret(load, tmp_path, missing):
    environment = {name: value for name, value in PRODUCTION.items() if name != missing}
    with pytest.raises(ImproperlyConfigured, match=f"{missing} must be set"):
        load(**environment)
    assert list((tmp_path / "home").iterdir()) == []


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_secrets_are_made_once_and_for_their_owner_only(load, tmp_path):
    first, again = load(), load()
    assert first.SECRET_KEY == again.SECRET_KEY
    assert first.ENDPOINT_KEYS == again.ENDPOINT_KEYS
    assert first.SECRET_KEY not in first.ENDPOINT_KEYS
    home = tmp_path / "home"
    assert mode(home) == 0o700
    assert {path.name: mode(path) for path in home.iterdir()} == {
        "secret_key.txt": 0o600,
        "endpoint_keys.txt": 0o600,
    }


def test_the_environment_is_preferred_to_the_file(load):
    load()
    assert load(SECRET_KEY="from-the-environment").SECRET_KEY == "from-the-environment"


def test_an_open_home_is_closed(load, tmp_path):
    (tmp_path / "home").mkdir(mode=0o755)
    load()
    assert mode(tmp_path / "home") == 0o700


def test_an_empty_secret_is_not_taken_for_one(load, tmp_path):
    load()
    (tmp_path / "home" / "secret_key.txt").write_text("")
    with pytest.raises(ImproperlyConfigured, match=r"secret_key\.txt is empty"):
        load()


def test_all_who_make_a_secret_at_once_agree(load, tmp_path):
    settings = load()
    together = threading.Barrier(12)

    def make() -> str:
        time.sleep(0.02)  # long enough for the others to look for the file meanwhile
        return f"made by {threading.get_ident()}"

    def ask(_: int) -> str:
        together.wait(10)
        return settings.generated("SHARED_SECRET", make)

    with ThreadPoolExecutor(12) as pool:
        assert len(set(pool.map(ask, range(12)))) == 1
    assert {path.name for path in (tmp_path / "home").glob("*")} == {
        "secret_key.txt",
        "endpoint_keys.txt",
        "shared_secret.txt",
    }


@thorough
def test_the_deployment_check_is_clean(tmp_path):
    environment = os.environ | PRODUCTION | {"PROBE_HOME": str(tmp_path), "BIND": "0.0.0.0"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-W", "error", "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize("kind", ["file", "below a file", "proc", "loop"])
def test_a_home_that_cannot_be_used_is_told_with_what_to_set(load, tmp_path, kind):
    file, loop = tmp_path / "file", tmp_path / "loop"
    file.touch()
    loop.symlink_to(loop)
    home = {"file": file, "below a file": file / "home", "proc": Path("/proc/x"), "loop": loop}[kind]
    with pytest.raises(ImproperlyConfigured, match="set PROBE_HOME to a folder") as refused:
        load(PROBE_HOME=str(home))
    assert str(refused.value).startswith(f"{home} cannot be used (")


def test_manage_tells_a_wrong_setting_in_one_line(tmp_path):
    environment = os.environ | {"PROBE_HOME": str(tmp_path), "PORT": "many"}
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "PORT='many': write a whole number from 1 to 65535.\n"
