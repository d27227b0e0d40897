"""Which addresses may be called: decided on the socket that connects, not on the name that was written.

A name may lead elsewhere at call time, and an address has many spellings; the dialled one has only
itself. Public addresses may be called on ports 80, 443 and from 1024; loopback too while embedded; and
whatever host:port the operator lists in EGRESS_ALLOW, if the request names exactly that host.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_PORTS = {"http": 80, "https": 443}
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_SPECIAL = tuple(
    ipaddress.ip_network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    )
)  # fmt: skip
"""IANA's special-purpose registries, those of IPv6 as far as they are global unicast, with multicast and
reserved addresses. All of them, as no Python's own table is of today, and blocks that are reachable
from everywhere are here too where they are no place for a server: relays, anycast, Teredo."""
_OF_A_CLOUD = frozenset({ipaddress.ip_address("168.63.129.16")})
"""Public by number, and inside a cloud its host, which tells a machine its secrets. 192.0.0.192,
100.100.100.200, fd00:ec2::254 and those at 169.254 stand in blocks that are refused whole."""
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\Z")
_PATH = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*\Z")
_EXAMPLE = "https://api.example.com/v1"


class BaseUrlError(ValueError):
    """A base URL that cannot be used; the message says what to write instead."""


class RefusedAddress(OSError):
    """The address a name led to may not be called. Says nothing about the address."""


@dataclass(frozen=True)
class Policy:
    """What may be called; `allow` holds host:port pairs in lower case."""

    embedded: bool
    allow: frozenset[str] = frozenset()

    def lists(self, host: str, port: int) -> bool:
        return f"{host}:{port}" in self.allow

    def permits(self, address: str, port: int) -> bool:
        """Whether the numeric `address` may be called without being listed."""
        if port not in (80, 443) and port < 1024:
            return False
        found = unwrapped(ipaddress.ip_address(address.partition("%")[0]))
        return is_public(found) or (self.embedded and found.is_loopback)


def current_policy() -> Policy:
    return Policy(bool(settings.EMBEDDED), frozenset(map(_entry, settings.EGRESS_ALLOW)))


def _entry(text: str) -> str:
    """`http://Localhost:11434/` and `localhost:11434` are the same entry."""
    parts = urlsplit(text if "://" in text else f"//{text}")
    port = parts.port or _PORTS.get(parts.scheme, 443)
    return f"{parts.hostname or ''}:{port}"


def unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 one carries (mapped, compatible, 6to4, NAT64), else itself."""
    if not isinstance(address, ipaddress.IPv6Address):
        return address
    if carried := address.ipv4_mapped or address.sixtofour:
        return carried
    number = int(address)
    if address in _NAT64 or 1 < number < 1 << 32:
        return ipaddress.IPv4Address(number & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Global unicast, and nothing special; what a newer Python knows to be special is refused as well."""
    if not address.is_global or address in _OF_A_CLOUD or any(address in block for block in _SPECIAL):
        return False
    return address.version == 4 or address in _GLOBAL_UNICAST


# --- at the socket -------------------------------------------------------------------------------
@dataclass
class Dial:
    """One request's way out: what it may reach, and how far it got.

    `refused` and `permitted` count the addresses tried; `sent` is set once a request line has left;
    `body` holds the bytes of the request body as they were written.
    """

    host: str
    port: int
    policy: Policy
    refused: int = 0
    permitted: int = 0
    sent: bool = False
    body: bytearray = field(default_factory=bytearray)

    @classmethod
    def to(cls, base_url: str, policy: Policy) -> Dial:
        """For a request below `base_url`; one that cannot be read leads nowhere."""
        try:
            parts = urlsplit(base_url)
            return cls(parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 443), policy)
        except ValueError:
            return cls("", 0, policy)

    @property
    def was_refused(self) -> bool:
        return self.refused > 0 and self.permitted == 0

    def admits(self, address: str, port: int) -> bool:
        if port == self.port and self.policy.lists(self.host, port):
            return True
        return self.policy.permits(address, port)


DIAL: ContextVar[Dial | None] = ContextVar("dial", default=None)
"""The dial of the current request; tasks started for it inherit it. Without one nothing is called."""


def guarded_socket(info: tuple[Any, ...]) -> socket.socket:
    """aiohttp's `socket_factory`: sees every address that is about to be connected."""
    family, kind, protocol, _, address = info
    dial = DIAL.get()
    if dial is None or not dial.admits(str(address[0]), int(address[1])):
        if dial is not None:
            dial.refused += 1
        raise RefusedAddress("The address may not be called.")
    dial.permitted += 1
    return socket.socket(family, kind, protocol)


# --- what a person writes ------------------------------------------------------------------------
def check_base_url(url: str, policy: Policy | None = None, *, look_up: bool = False) -> str:
    """`url` in its normal form: no trailing slash, no /chat/completions. Raises BaseUrlError.

    With `look_up` a name is resolved too, so that one which leads inside is refused when it is saved;
    a name that does not resolve now is left to the test call.
    """
    policy = policy or current_policy()
    parts = _split(url.strip())
    host, port = _host(parts), _port(parts)
    if not policy.lists(host, port):
        _check_reach(host, port, policy, look_up)
    shown = f"[{host}]" if ":" in host else host
    suffix = "" if port == _PORTS[parts.scheme] else f":{port}"
    return f"{parts.scheme}://{shown}{suffix}{_path(parts)}"


def final_url(base_url: str) -> str:
    """Where the calls go, given a checked base URL."""
    return f"{base_url}/chat/completions"


def _split(url: str) -> SplitResult:
    if not url:
        raise BaseUrlError(f"Write the endpoint's base URL, such as {_EXAMPLE}.")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise BaseUrlError("A base URL has no spaces, backslashes or letters outside ASCII: correct it.")
    if not url.lower().startswith(("http://", "https://")):
        raise BaseUrlError(f"Start the base URL with https:// (or http://), such as {_EXAMPLE}.")
    if "?" in url or "#" in url:
        raise BaseUrlError("Leave out everything from ? or # on: a base URL ends with its path.")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BaseUrlError(f"The host cannot be read: write the base URL like {_EXAMPLE}.") from None
    if "@" in parts.netloc:
        raise BaseUrlError("Leave out user:password@ and put the key into the key field.")
    return parts


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if parts.netloc.startswith("["):
        return _ipv6(host)
    if not _HOST.match(host):
        raise BaseUrlError(f"The host cannot be read: write the base URL like {_EXAMPLE}.")
    if _is_ipv4(host):
        return host
    if _spells_a_number(host):
        raise BaseUrlError(f"Write the address {host} out in full: four plain numbers, such as 203.0.113.7.")
    return host


def _ipv6(host: str) -> str:
    try:
        if "%" in host:
            raise ValueError
        return str(ipaddress.IPv6Address(host))
    except ValueError:
        raise BaseUrlError("The address in brackets is not a full IPv6 address: correct it.") from None


def _is_ipv4(host: str) -> bool:
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True


def _spells_a_number(host: str) -> bool:
    """`127.1`, `2852039166`, `0x7f.0.0.1`: what a resolver reads as an address without asking anybody."""
    try:
        socket.inet_aton(host)
    except OSError:
        return host.rpartition(".")[2].isdigit()
    return True


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise BaseUrlError("The port cannot be read: write a number from 1 to 65535, or leave it out.")
    return port or _PORTS[parts.scheme]


def _path(parts: SplitResult) -> str:
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    if not _PATH.match(path) or "//" in path or re.search(r"/(?:\.|%2e){1,2}(?:/|\Z)", path, re.IGNORECASE):
        raise BaseUrlError("The path of the base URL cannot be used: write it plainly, such as /v1.")
    return path


def _check_reach(host: str, port: int, policy: Policy, look_up: bool) -> None:
    if port not in (80, 443) and port < 1024:
        raise BaseUrlError(f"Port {port} is not called: use 80, 443 or one from 1024 on. {_ask(host, port)}")
    literal = ":" in host or _is_ipv4(host)
    if literal or host == "localhost" or host.endswith(".localhost"):
        addresses = [host] if literal else ["127.0.0.1"]
    else:
        addresses = _resolved(host, port) if look_up else []
    if not all(policy.permits(address, port) for address in addresses):
        raise BaseUrlError(f"{host} is not a public address, and only those are called. {_ask(host, port)}")


def _resolved(host: str, port: int) -> list[str]:
    try:
        return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []


def _ask(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"The operator of this registry can allow it: EGRESS_ALLOW={shown}:{port}."
