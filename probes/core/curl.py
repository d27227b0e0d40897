"""The probe as one shell command: what every model receives, for anyone with a key and a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping

from probes.core.document import Document

ADDRESS = "https://openrouter.ai/api/v1/chat/completions"
KEY_VARIABLE = "OPENROUTER_API_KEY"
MODEL = "anthropic/claude-opus-5"
"""The model slug a reader sees first, to be swapped for any other."""
LONGEST_ARGUMENT = 120_000
"""Bytes; Linux takes no argument of 128 KiB."""
END = "END_OF_REQUEST"
"""Ends a long body; no line of JSON is this."""


def command(document: Document, binding: Mapping[str, str] | None = None, model: str = MODEL) -> str:
    """A `curl` command that sends the probe to `model`; the key is a shell variable, never a value.

    Raises BindingError as `Document.render` does.
    """
    body = {"model": model, "messages": document.render(binding), **document.parameters.as_json()}
    data = json.dumps(body, ensure_ascii=False, indent=2)
    return (
        f"curl {ADDRESS} \\\n"
        f'  -H "Authorization: Bearer ${KEY_VARIABLE}" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        f"  {_data_option(data)}"
    )


def _data_option(data: str) -> str:
    """The body as an argument, or on standard input where it is too long for one."""
    if len(data.encode()) <= LONGEST_ARGUMENT:
        return f"-d {shell_quoted(data)}"
    return f"--data-binary @- <<'{END}'\n{data}\n{END}"


def shell_quoted(text: str) -> str:
    """`text` in single quotes, in which a shell reads nothing but the closing quote."""
    return "'" + text.replace("'", "'\\''") + "'"
