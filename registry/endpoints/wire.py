"""One exchange with a server: bounded in time and size, and observed as it leaves.

httpx's requests over an aiohttp session of our own: no proxy, no cookies, no redirects, no decompression.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from types import SimpleNamespace

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from registry.endpoints import practice
from registry.endpoints.egress import DIAL, Dial, guarded_socket
from registry.endpoints.failures import Failure
from registry.endpoints.request import Target

LARGEST_BODY = 2 * 1024 * 1024
CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 4.0
"""Shorter than the usual five after which servers hang up: a call on a dying connection is lost."""

PROBLEMS = (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError, ValueError)
"""What an exchange raises when the server or the way to it fails."""


class TooLarge(ValueError):
    """The body grew past LARGEST_BODY."""


class Compressed(ValueError):
    """The body is compressed although that was asked not to be: its true size is unknown."""


@dataclass(frozen=True)
class Received:
    status: int
    headers: Mapping[str, str]
    body: bytes


@cache
def _certificates() -> SSLContext:
    return httpx.create_ssl_context()


class Wire:
    """The way out of one event loop. Open it with `async with`."""

    def __init__(self) -> None:
        self._practice = httpx.ASGITransport(practice.app, raise_app_exceptions=False)

    async def __aenter__(self) -> Wire:
        connector = aiohttp.TCPConnector(
            limit=0,  # the engine bounds what is in flight
            ssl=_certificates(),
            keepalive_timeout=_IDLE_SECONDS,
            resolver=aiohttp.ThreadedResolver(),
            socket_factory=guarded_socket,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
            trace_configs=[_observed()],
        )
        self._network = AiohttpTransport(verify=_certificates(), trust_env=False, client=self._session)
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self._network.aclose()

    async def exchange(
        self, request: httpx.Request, dial: Dial, *, in_process: bool, seconds: float
    ) -> Received:
        """Send `request` and read its whole reply within `seconds`. Raises one of PROBLEMS."""
        token = DIAL.set(dial)
        request.extensions["timeout"] = {"connect": min(CONNECT_SECONDS, seconds)}
        try:
            async with asyncio.timeout(seconds):
                if not in_process:
                    return await _received(await self._network.handle_async_request(request))
                dial.sent = True
                dial.body += request.content
                return await _received(await self._practice.handle_async_request(request))
        finally:
            DIAL.reset(token)


async def _received(response: httpx.Response) -> Received:
    try:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise Compressed
        body = bytearray()
        async for chunk in response.stream:  # type: ignore[union-attr]  # both transports stream asynchronously
            body += chunk
            if len(body) > LARGEST_BODY:
                raise TooLarge
        return Received(response.status_code, response.headers, bytes(body))
    finally:
        await response.aclose()


def _observed() -> aiohttp.TraceConfig:
    """Notes on the request's dial that it was sent, and the very bytes of its body."""

    async def on_headers(*_: object) -> None:
        if dial := DIAL.get():
            dial.sent = True

    async def on_chunk(
        _session: aiohttp.ClientSession, _context: SimpleNamespace, sent: aiohttp.TraceRequestChunkSentParams
    ) -> None:
        if dial := DIAL.get():
            dial.body += sent.chunk

    trace = aiohttp.TraceConfig()
    trace.on_request_headers_sent.append(on_headers)
    trace.on_request_chunk_sent.append(on_chunk)
    return trace


def failure_of(problem: Exception, dial: Dial, target: Target) -> Failure:
    """What went wrong on the way, told apart by how far the request got."""
    name = target.name
    if dial.was_refused:
        detail = f'The address of "{name}" is not public, and only public addresses are called.'
        return Failure("refused_address", f"{detail} The operator can allow it in EGRESS_ALLOW.", final=True)
    if isinstance(problem, TooLarge):
        detail = f'The reply of "{name}" is larger than {LARGEST_BODY // 1024**2} MiB and was cut off.'
        return Failure("too_large", detail, may_be_billed=True)
    if isinstance(problem, Compressed):
        detail = f'"{name}" compressed its reply although it was asked not to. Turn its compression off.'
        return Failure("not_json", detail, may_be_billed=True)
    if isinstance(problem, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return Failure(
            "refused_address", f'The base URL of "{name}" cannot be called. Correct it.', final=True
        )
    if not dial.sent:
        return _unconnected(problem, name)
    if isinstance(problem, TimeoutError | httpx.TimeoutException) and not _was_cut(problem):
        detail = (
            f'"{name}" did not answer within {target.deadline:g} seconds. Raise its deadline if it is slow.'
        )
        return Failure("timeout", detail, may_be_billed=True)
    detail = f'"{name}" closed the connection before its reply was complete.'
    return Failure("endpoint_error", detail, retryable=True, may_be_billed=True)


def _was_cut(problem: Exception) -> bool:
    """httpx-aiohttp reports every connection error as a time-out; its cause tells."""
    cause = problem.__cause__
    return isinstance(cause, aiohttp.ClientConnectionError) and not isinstance(cause, TimeoutError)


def _unconnected(problem: Exception, name: str) -> Failure:
    """Nothing was sent: another try costs nothing, unless it cannot help."""
    cause = problem.__cause__ or problem
    if isinstance(cause, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        detail = f'The certificate of "{name}" cannot be verified. Check its base URL.'
        return Failure("connect", detail, final=True)
    if isinstance(cause, aiohttp.ClientConnectorDNSError):
        detail = f'The host of "{name}" is not known. Check its base URL.'
        return Failure("connect", detail, retryable=True)
    detail = f'"{name}" cannot be reached. Check that its server is running and its base URL is right.'
    return Failure("connect", detail, retryable=True)
