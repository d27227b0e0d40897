"""A process of `manage.py serve`: `python -m registry.web.child web FD` or `… work`.

Its standard input is a pipe that nobody writes to. The pipe closes when the parent ends, however
it ends, and then this process ends too: no worker is left behind that nobody watches.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time

from django.core.management import execute_from_command_line

LAST_GRACE_SECONDS = 5


def end_with_the_parent() -> None:
    threading.Thread(target=_await_end, name="parent", daemon=True).start()


def _await_end() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LAST_GRACE_SECONDS)
    os._exit(1)


def main(role: str, descriptor: str = "") -> None:
    end_with_the_parent()
    if role == "work":
        execute_from_command_line(["manage.py", "work"])
        return
    import django

    django.setup()
    from registry.web.server import serve  # needs the settings

    serve(socket.socket(fileno=int(descriptor)))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    main(*sys.argv[1:])
