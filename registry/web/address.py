"""Where this registry is reached. The running site says so in a file, for commands beside it.

Their own PORT is only where a site would listen that they started; it is another one's if that runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings


def site_address() -> str:
    """What links that leave the site begin with: SITE_URL, or where the site runs, or would run."""
    if settings.EMBEDDED:
        with suppress(OSError, UnicodeDecodeError):
            return _file().read_text().strip() or str(settings.SITE_ADDRESS)
    return str(settings.SITE_ADDRESS)


@contextmanager
def announced() -> Iterator[None]:
    """While inside, this process's site is the one that runs."""
    if not settings.EMBEDDED:
        yield
        return
    _file().write_text(settings.SITE_ADDRESS)
    try:
        yield
    finally:
        if site_address() == settings.SITE_ADDRESS:  # another one may run by now
            _file().unlink(missing_ok=True)


def _file() -> Path:
    return Path(settings.PROBE_HOME) / "address.txt"
