from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.web.sse import DONE, HEARTBEAT, OPENING, Frame, encoded, joined

CASES = json.loads((Path(__file__).parents[2] / "cases" / "sse.json").read_text())


def as_a_browser(stream: bytes) -> list[dict[str, str]]:
    """The events that the standard's parser makes of `stream`; events without data are dropped."""
    lines = stream.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    events: list[dict[str, str]] = []
    fields: dict[str, str] = {}
    last = ""
    for line in lines:
        if not line:
            if "data" in fields:
                events.append({"name": fields.get("event", "message"), "id": last, "data": fields["data"]})
            fields = {}
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            fields["data"] = f"{fields['data']}\n{value}" if "data" in fields else value
        elif name == "id":
            last = value
        elif name == "event":
            fields["event"] = value
    return events


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_a_text_arrives_whole_and_forges_nothing(case):
    stream = OPENING + encoded(Frame(7, case["html"])) + HEARTBEAT
    assert as_a_browser(stream) == [{"name": "message", "id": "7", "data": case["data"]}]


def test_done_has_a_name_and_data():
    assert as_a_browser(DONE) == [{"name": "done", "id": "", "data": "done"}]


@pytest.mark.parametrize("number", ["7", "7\ndata: x", -1, 1.0, True, None])
def test_an_id_is_a_whole_number(number):
    with pytest.raises(TypeError, match="whole number"):
        Frame(number, "<p>x</p>")


def test_frames_of_one_id_travel_together():
    assert joined([Frame(2, "b"), Frame(1, "a"), Frame(2, "c")]) == [Frame(1, "a"), Frame(2, "b\nc")]
