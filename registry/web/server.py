"""The web process: uvicorn, started here, that ends every stream before it waits for them to end."""

from __future__ import annotations

import socket
from types import FrameType

import uvicorn

from registry.web.hub import hub

GRACE_SECONDS = 3


class Server(uvicorn.Server):
    """uvicorn waits for open answers at shutdown, and a stream is never finished by itself."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        hub.close()
        super().handle_exit(sig, frame)


def serve(listening: socket.socket) -> None:
    """Serve the site on a socket that is bound already, until SIGINT or SIGTERM.

    There is no access log: addresses name what people of a team look at.
    """
    config = uvicorn.Config(
        "registry.asgi:application",
        interface="asgi3",
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # BEHIND_PROXY says whom Django believes
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    Server(config).run(sockets=[listening])
