"""A line of the log is one line, and no terminal obeys it: what people send is in some of them."""

from __future__ import annotations

import logging
from types import TracebackType

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
_TURNS = (0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SEPARATORS = {code: f"\\u{code:04x}" for code in _TURNS}
ESCAPED = _CONTROLS | _SEPARATORS
IN_A_TRACEBACK = {code: shown for code, shown in ESCAPED.items() if chr(code) not in "\n\t"}

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LineFormatter(logging.Formatter):
    """Control characters are written as escapes; a traceback keeps the ends of its lines."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - its name in logging
        return super().formatMessage(record).translate(ESCAPED)

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - its name in logging
        return super().formatException(ei).translate(IN_A_TRACEBACK)
