"""Names for content: SHA-256, in hexadecimal, of a value's canonical JSON (RFC 8785)."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785


def canonical_bytes(value: Any) -> bytes:
    """The one spelling of a JSON value: sorted keys, no spaces, UTF-8."""
    return rfc8785.dumps(value)


def digest_of(value: Any) -> str:
    """64 hexadecimal digits that are equal exactly when the values are."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()
