"""The command survives bash: what a server receives is the probe, byte for byte."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from probes.core import Document
from probes.core.curl import ADDRESS, KEY_VARIABLE, LONGEST_ARGUMENT, command

ROOT = Path(__file__).resolve().parents[2]
TERMINATOR = Document.parse((ROOT / "probes/library/emit-a-terminator.yaml").read_text("utf-8"))
PROMPTS = json.loads((ROOT / "tests/cases/shell_prompts.json").read_text("utf-8"))


class Counterparty(HTTPServer):
    """Keeps the bodies and bearers it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Keep)
        self.bodies: list[bytes] = []
        self.bearers: list[str] = []


class _Keep(BaseHTTPRequestHandler):
    server: Counterparty

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bearers.append(self.headers["Authorization"])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Counterparty]:
    with Counterparty() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def run(text: str, server: Counterparty) -> None:
    """Give the command to bash as a reader would, with the address replaced and a key set."""
    local = text.replace(ADDRESS, f"http://127.0.0.1:{server.server_port}/", 1)
    environment = {KEY_VARIABLE: "sk-of-the-reader", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    shell = ["bash", "--noprofile", "--norc", "-s"]
    done = subprocess.run(shell, input=local.encode(), env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"not found" not in done.stderr


def with_prompt(user: str, system: str | None = None) -> Document:
    data = TERMINATOR.canonical()
    data["prompt"] = {"system": system, "user": user}
    return Document.from_json(data)


def test_the_shipped_probe_has_its_published_command():
    assert command(TERMINATOR) == (ROOT / "tests/cases/curl_terminator.sh").read_text("utf-8").rstrip("\n")


@pytest.mark.parametrize("prompt", PROMPTS, ids=range(len(PROMPTS)))
def test_what_arrives_is_the_prompt(prompt, server):
    run(command(with_prompt(prompt, prompt), model=f"maker/{prompt}"), server)
    (body,) = server.bodies
    assert server.bearers == ["Bearer sk-of-the-reader"]
    received = json.loads(body)
    assert [message["content"] for message in received["messages"]] == [prompt, prompt]
    assert received["model"] == f"maker/{prompt}"
    expected = {
        "model": f"maker/{prompt}",
        "messages": received["messages"],
        "max_tokens": 1400,
        "temperature": 0,
    }
    assert body == json.dumps(expected, ensure_ascii=False, indent=2).encode()


def test_a_body_too_long_for_an_argument_goes_by_standard_input(server):
    prompt = 'it\'s $HOME `id` \\ "é"\n' * (LONGEST_ARGUMENT // 20)
    run(command(with_prompt(prompt)), server)
    (body,) = server.bodies
    assert json.loads(body)["messages"][0]["content"] == prompt


def test_the_values_of_variables_are_sent(server):
    data = TERMINATOR.canonical()
    data["prompt"]["user"] = "Explain {{concept}}."
    data["variables"] = ["concept"]
    run(command(Document.from_json(data), {"concept": "a 'for' loop"}), server)
    (body,) = server.bodies
    assert json.loads(body)["messages"][1]["content"] == "Explain a 'for' loop."
