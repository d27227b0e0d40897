"""Endpoint keys at rest: MultiFernet over ENDPOINT_KEYS, the newest first."""

from __future__ import annotations

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class Unreadable(Exception):
    """The stored key was sealed with a secret this registry no longer has; it is never sent."""


def _fernets() -> list[Fernet]:
    return [Fernet(key.strip()) for key in settings.ENDPOINT_KEYS]


def _fernet() -> MultiFernet:
    return MultiFernet(_fernets())


def seal(key: str) -> str:
    return _fernet().encrypt(key.encode()).decode()


def open_sealed(cipher: str) -> str:
    """The key in clear. Raises Unreadable, without the cause: its traceback would hold the cipher."""
    try:
        return _fernet().decrypt(cipher.encode()).decode()
    except InvalidToken:
        raise Unreadable("This endpoint's key cannot be read: enter it again.") from None


def resealed(cipher: str) -> str:
    """The same key sealed with the newest secret; `cipher` itself where it is already. Raises Unreadable."""
    try:
        _fernets()[0].decrypt(cipher.encode())
        return cipher
    except InvalidToken:
        return seal(open_sealed(cipher))
