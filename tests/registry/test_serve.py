"""`manage.py serve` as `make run` starts it: two processes that live and end together."""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from http.cookiejar import CookieJar

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from registry.immutability import FREEZES, triggers
from registry.management.commands import serve
from tests.registry.web.processes import children, ended
from tests.served import Site, answers_http, free_port, running_site, serving
from tests.thorough import thorough

pytestmark = pytest.mark.xdist_group("serve")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("served")) as running:
        yield running


def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"


def worker_of(site: Site) -> int:
    return children(site.process.pid).get("work", 0)


class Browser:
    """Enough of one to fill in a form."""

    def __init__(self) -> None:
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def get(self, address: str) -> str:
        with self.opener.open(address, timeout=10) as answer:
            return answer.read().decode()

    def sign_in(self, link: str) -> str:
        """The page that is led to, or the error page."""
        address, _, code = link.partition("#")
        secret = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(address))
        assert secret
        sent = {"csrfmiddlewaretoken": secret[1], "code": code, "next": "/account/"}
        try:
            with self.opener.open(address, urllib.parse.urlencode(sent).encode(), timeout=10) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.read().decode()


def test_it_says_where_it_is_and_lets_the_administrator_in_once(site):
    assert f"Probe Registry is at {site.url}/" in site.log
    link = re.search(r"http://\S+/sign-in/#\S+", site.log)
    assert link
    assert "admin@localhost" in Browser().sign_in(link[0])
    assert "each one signs in once" in Browser().sign_in(link[0])
    assert link[0].partition("#")[2] not in site.log.replace(link[0], "")


@thorough
def test_another_link_can_be_made(site):
    elsewhere = replace(site, environment=site.environment | {"PORT": "8000"})  # the site says its own
    link = elsewhere.sign_in_link()
    assert link.startswith(f"{site.url}/")
    assert "admin@localhost" in Browser().sign_in(link)


def test_a_killed_worker_is_started_again(site):
    until(lambda: worker_of(site) > 0)
    before = worker_of(site)
    os.kill(before, signal.SIGKILL)
    until(lambda: worker_of(site) not in (0, before))
    until(lambda: "The worker process was ended by SIGKILL; it is started again" in site.log)
    assert answers_http(f"{site.url}/healthz")


@thorough
def test_all_of_it_ends_together_whichever_way_and_starts_again(site):
    """The last on this site: it leaves it stopped."""
    both = children(site.process.pid).values()
    held = socket.create_connection(("127.0.0.1", int(site.url.rpartition(":")[2])))
    began = time.monotonic()
    site.process.send_signal(signal.SIGINT)
    site.process.wait(10)
    assert time.monotonic() - began < 5
    assert site.process.returncode == 0
    assert all(ended(process) for process in both)
    assert not answers_http(f"{site.url}/healthz")
    assert not (site.home / "address.txt").exists()
    held.close()

    database = {name: text for name, text in site.environment.items() if name == "DATABASE_URL"}
    with serving(site.home, **database) as again:
        assert "unchanged" in again.log
        until(lambda: len(children(again.process.pid)) == 2)
        both = children(again.process.pid).values()
        again.process.kill()  # it cannot tell them: they must notice
        again.process.wait(10)
        until(lambda: all(ended(process) for process in both))


def refusal(**options: bool) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("serve", **options)
    return str(refused.value)


@pytest.fixture
def nothing_starts(monkeypatch) -> None:
    def start(*_: object) -> None:
        raise AssertionError("it started")

    monkeypatch.setattr(serve.Command, "_prepare", start)
    monkeypatch.setattr(serve.Command, "_supervise", start)


@pytest.mark.usefixtures("nothing_starts")
def test_a_busy_port_is_told_before_anything_starts(settings):
    with socket.create_server(("127.0.0.1", 0)) as other:
        settings.PORT = other.getsockname()[1]
        assert (
            refusal(prepare=True) == f"Port {settings.PORT} is taken: run make run PORT={settings.PORT + 1}"
        )


@pytest.mark.usefixtures("nothing_starts")
def test_an_address_of_another_machine_is_refused(settings):
    settings.BIND, settings.PORT = "192.0.2.1", free_port()
    said = refusal(prepare=True)
    assert said.startswith("Nothing can listen on 192.0.2.1")
    assert said.endswith("Set BIND to an address of this machine.")


@pytest.mark.parametrize(
    ("number", "port", "said"),
    [
        (errno.EADDRINUSE, 8000, "Port 8000 is taken: run make run PORT=8001"),
        (errno.EADDRINUSE, 65535, "Port 65535 is taken: run make run PORT=8000"),
        (errno.EACCES, 80, "Port 80 is for root only: run make run PORT=8000"),
    ],
)
def test_why_a_port_is_not_ours(number, port, said):
    assert serve.why_not_bound(OSError(number, os.strerror(number)), "127.0.0.1", port) == said


@pytest.mark.usefixtures("nothing_starts")
def test_a_database_that_does_not_answer_is_named(settings, monkeypatch):
    def gone() -> None:
        raise OperationalError("connection refused")

    settings.PORT = free_port()
    monkeypatch.setattr(serve, "refuse_unready", gone)
    assert refusal() == "The database does not answer. Check DATABASE_URL.\nconnection refused"


@pytest.mark.django_db
@pytest.mark.usefixtures("nothing_starts")
def test_a_database_that_is_behind_is_named_with_what_to_do(settings):
    settings.PORT = free_port()
    MigrationRecorder(connection).migration_qs.filter(app="ladder").delete()
    assert refusal() == "The database is behind: ladder.0001_initial. Run manage.py migrate."


@pytest.mark.django_db
@pytest.mark.usefixtures("nothing_starts")
def test_triggers_that_do_not_refuse_are_named_with_what_to_do(settings):
    settings.PORT = free_port()
    name = next(iter(triggers(FREEZES[0], connection.vendor)))
    on = f" ON {FREEZES[0].table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{on}")
    assert refusal() == f"Rows that must stay frozen are not: {name} is missing. Run manage.py migrate."


@pytest.mark.django_db
def test_a_database_that_is_ready_is_not_refused():
    serve.refuse_unready()


@pytest.mark.parametrize(
    ("bound", "reached"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::1", "::1"), ("::", "::1")],
)
def test_the_site_is_asked_where_this_machine_reaches_it(bound, reached):
    try:
        listening = serve.listening_socket(bound, 0)
    except CommandError:
        pytest.skip(f"this machine has no {bound}")
    with closing(listening):
        assert serve.reachable(listening)[0] == reached
