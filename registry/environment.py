"""What the environment says, read one variable at a time; each error says what to write instead."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    value = text(name, "1" if default else "0").lower()
    if value not in {"1", "true", "yes", "on", "0", "false", "no", "off"}:
        raise ImproperlyConfigured(f"{name}={value!r} is neither on nor off: write 1 or 0.")
    return value in {"1", "true", "yes", "on"}


def number(name: str, default: int, low: int = 0, high: int = 1_000_000) -> int:
    value = text(name, str(default))
    if not value.isdecimal() or len(value) > 18 or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number from {low} to {high}.")
    return int(value)


def rate(name: str, default: str) -> str:
    """So many requests in a span of time: `120/minute`."""
    value = text(name, default)
    if not re.fullmatch("[1-9][0-9]{0,6}/(second|minute|hour|day)", value):
        raise ImproperlyConfigured(
            f"{name}={value!r}: write a number and a span of time, such as 120/minute."
        )
    return value


def per_address(value: str) -> str:
    """A rate as allauth counts it for one address: `30/minute` is `30/m/ip`."""
    number_of, _, span = value.partition("/")
    return f"{number_of}/{span[0]}/ip"


def listed(name: str) -> list[str]:
    return [part.strip() for part in text(name).split(",") if part.strip()]


def one_of(name: str, choices: tuple[str, ...]) -> str:
    """One of `choices`, the first when nothing is said."""
    value = text(name, choices[0]).lower()
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r}: write one of {', '.join(choices)}.")
    return value


def fernet_keys(value: str) -> list[str]:
    keys = [part.strip() for part in value.split(",")]
    try:
        [Fernet(key) for key in keys]
    except ValueError:
        how = 'python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'
        raise ImproperlyConfigured(f"ENDPOINT_KEYS holds something that is no key. Make one: {how}") from None
    return keys


def is_origin(address: str) -> bool:
    parts = urlsplit(address)
    whole = f"{parts.scheme}://{parts.netloc}" == address and "@" not in address
    return whole and parts.scheme in {"http", "https"} and bool(parts.hostname)


MAIL_SCHEMES = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
"""How a mail server may be reached, and the port that is usual for it."""


def mail_server(url: str) -> dict[str, Any]:
    """Django's settings for the server of EMAIL_URL: `smtp+tls://user:password@host:587`."""
    wrong = ImproperlyConfigured(
        "EMAIL_URL: write smtp+tls://user:password@host:587, smtps://… for TLS from the start, or smtp://host."
    )
    try:
        parts = urlsplit(url)
        port = parts.port or MAIL_SCHEMES[parts.scheme]
    except (ValueError, KeyError):
        raise wrong from None
    if not parts.hostname or parts.path.strip("/") or parts.query:
        raise wrong
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": 10,
    }


MOST_COUNTED = 100_000
"""Keys: people and addresses that are counted at once. With fewer, who has many would push others out."""


def counts(shared: bool) -> dict[str, Any]:
    """Where tries are counted: in the database that web processes share, or in the one process there is."""
    options = {"OPTIONS": {"MAX_ENTRIES": MOST_COUNTED}, "KEY_FUNCTION": "registry.web.limits.key_of"}
    if shared:
        return {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "web_count"} | options
    return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"} | options
