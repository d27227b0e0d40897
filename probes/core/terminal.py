"""Text from strangers, fit for a terminal; and commands that end well whatever becomes of their output."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO

UNREAD = 141
"""The exit status of a command whose output nobody reads, as a shell reports it (128 + SIGPIPE)."""
INTERRUPTED = 130
"""The same for Ctrl-C (128 + SIGINT)."""
UNWRITABLE = 74
"""The exit status of a command whose output cannot be written (EX_IOERR)."""
_OF_OUTPUT = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(line: str) -> str:
    """`line` without what a terminal would obey, as it stays on one line."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def exit_status(main: Callable[[], int | None]) -> int:
    """What `main` returns, once all that it printed is written; it may as well raise SystemExit.

    Quiet where nobody reads the output any more (`… | head`), one line where it cannot be written.
    """
    try:
        try:
            return main() or 0
        finally:
            _flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.filename or error.errno not in _OF_OUTPUT:
            raise
        _lead_nowhere([stream for stream in _streams() if not _flushes(stream)])  # for the flush at the exit
        if isinstance(error, BrokenPipeError):
            return UNREAD
        with suppress(OSError):
            sys.stderr.write(f"The output cannot be written: {error.strerror}.\n")
        return UNWRITABLE


def open_closed_streams() -> None:
    """Lead a standard stream that is closed (`>&-`) nowhere: the next file opened would take its place."""
    for name, descriptor in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            _place_nowhere(descriptor)
            setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r"))


def _streams() -> list[IO[str]]:
    return [stream for stream in (sys.stdout, sys.stderr) if stream is not None]


def _flush() -> None:
    for stream in _streams():
        stream.flush()


def _flushes(stream: IO[str]) -> bool:
    try:
        stream.flush()
    except OSError:
        return False
    return True


def _lead_nowhere(streams: list[IO[str]]) -> None:
    for stream in streams:
        _place_nowhere(stream.fileno())


def _place_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != descriptor:
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
