"""`manage.py serve`: the site and a worker, kept running together until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from argparse import ArgumentParser
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.migrations.executor import MigrationExecutor

from registry.immutability import trigger_problems
from registry.teams.domain import ensure_administrator, sign_in_link
from registry.web.address import announced
from registry.web.supervisor import Child, Supervisor


class Command(BaseCommand):
    help = "Serve the site with a worker beside it. Ctrl-C ends both."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--prepare", action="store_true", help="migrate and load the library first")
        parser.add_argument("--no-worker", action="store_true", help="web only: workers run elsewhere")

    def handle(self, *args: Any, prepare: bool, no_worker: bool, **options: Any) -> None:
        with closing(listening_socket(settings.BIND, settings.PORT)) as listening, announced():
            try:
                if prepare:
                    self._prepare()
                refuse_unready()
                link = sign_in_link(ensure_administrator()) if settings.EMBEDDED else ""
            except OperationalError as error:
                raise CommandError(
                    f"The database does not answer. Check DATABASE_URL.\n{str(error).strip()}"
                ) from None
            connections.close_all()
            code = asyncio.run(self._supervise(listening, link, no_worker))
        if code:
            sys.exit(code)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _prepare(self) -> None:
        self._say("Preparing the database and the library …")
        call_command("migrate", verbosity=0, interactive=False)
        call_command("load_library", verbosity=0, stdout=self.stdout)

    async def _supervise(self, listening: socket.socket, link: str, no_worker: bool) -> int:
        web = child("web", str(listening.fileno()), pass_fds=(listening.fileno(),))
        others = [] if no_worker else [child("work")]
        supervisor = Supervisor(web, others, self._say)
        return await supervisor.run(lambda: answered(listening), lambda: self._announce(link))

    def _announce(self, link: str) -> None:
        how = f" Sign in as its administrator, once and within the hour: {link}" if link else ""
        self._say(f"Probe Registry is at {settings.SITE_ADDRESS}/ (Ctrl-C ends it).{how}")


def child(role: str, *arguments: str, pass_fds: tuple[int, ...] = ()) -> Child:
    command = [sys.executable, "-m", "registry.web.child", role, *arguments]
    return Child({"work": "worker"}.get(role, role), command, settings.BASE_DIR, pass_fds)


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket on which nobody is answered yet: from here on the port is ours, or it is refused now."""
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(1024)
    except OSError as error:
        made.close()
        raise CommandError(why_not_bound(error, host, port)) from None
    return made


def why_not_bound(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken: run make run PORT={port + 1 if port < 65535 else 8000}"
    if error.errno == errno.EACCES:
        return f"Port {port} is for root only: run make run PORT=8000"
    return (
        f"Nothing can listen on {host} port {port}: {error.strerror}. Set BIND to an address of this machine."
    )


def refuse_unready(using: str = DEFAULT_DB_ALIAS) -> None:
    """CommandError when the database is not what the code expects."""
    executor = MigrationExecutor(connections[using])
    if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in plan[:3])
        more = f" and {len(plan) - 3} more" if len(plan) > 3 else ""
        raise CommandError(f"The database is behind: {names}{more}. Run manage.py migrate.")
    if problems := trigger_problems(using):
        told = ", ".join(problems[:3]) + (f" and {len(problems) - 3} more" if len(problems) > 3 else "")
        raise CommandError(f"Rows that must stay frozen are not: {told}. Run manage.py migrate.")


async def answered(listening: socket.socket) -> None:
    """Returns when the site has answered a request; the health page is asked for until it does."""
    host, port = reachable(listening)
    name = urlsplit(settings.SITE_ADDRESS).hostname or host
    request = (
        f"GET /healthz HTTP/1.1\r\nHost: {f'[{name}]' if ':' in name else name}\r\nConnection: close\r\n\r\n"
    )
    while True:
        try:
            reader, writer = await asyncio.open_connection(host, port)
            with closing(writer):
                writer.write(request.encode())
                if await reader.readline():
                    return
        except OSError:
            pass
        await asyncio.sleep(0.2)


def reachable(listening: socket.socket) -> tuple[str, int]:
    """Where this machine itself reaches the socket; one bound to every address is reached by loopback."""
    host, port = listening.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104
