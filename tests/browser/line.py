"""The line between a browser and the site, which can be cut or fall silent: a tunnel, a sleeping laptop."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from tests.served import Site


@dataclass
class Line:
    """Carries every connection to `beyond` until it fails; after `mend` new ones are carried again."""

    beyond: Site
    listening: socket.socket
    ends: list[socket.socket] = field(default_factory=list)
    up: bool = True
    silent: set[socket.socket] = field(default_factory=set)

    @property
    def site(self) -> Site:
        """The site as it is reached by this line."""
        return replace(self.beyond, url=f"http://127.0.0.1:{self.listening.getsockname()[1]}")

    def fail(self, *, silently: bool) -> None:
        """Nothing gets through any more; what is open breaks, or `silently` stays open and dead."""
        self.up = False
        if silently:
            self.silent.update(self.ends)
            return
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self.up = True

    def carry(self) -> None:
        while True:
            try:
                near, _ = self.listening.accept()
            except OSError:
                return
            if not self.up:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", urlsplit(self.beyond.url).port or 80))
            self.ends += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if source not in self.silent:
                    target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        for end in self.ends:
            end.close()


@contextmanager
def line_to(site: Site) -> Iterator[Line]:
    line = Line(site, socket.create_server(("127.0.0.1", 0)))
    carrying = threading.Thread(target=line.carry, daemon=True)
    carrying.start()
    try:
        yield line
    finally:
        line.close()
        carrying.join(5)
