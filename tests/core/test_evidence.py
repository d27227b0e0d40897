from __future__ import annotations

import io
import json
import random
import re

import pytest

from probes.core.evidence import Chain
from probes.core.verification import NotEvidence, verify
from tests.core.evidence_file import (
    batch_records,
    file_of,
    race_records,
)
from tests.thorough import examples

SEED = 20260102
FLIPS = examples(500)


def verified(data: bytes):
    return verify(io.BytesIO(data))


def lies(data: bytes) -> list[str]:
    return [str(lie) for lie in verified(data).lies]


WHOLE = file_of(batch_records())
RACE = file_of(race_records())


@pytest.mark.parametrize("data", [WHOLE, RACE], ids=["batch", "race"])
def test_a_whole_file_has_no_lie(data):
    found = verified(data)
    assert found.lies == []
    assert found.ok
    assert found.lines == data.count(b"\n")
    assert data.endswith(f'"chain":"{found.chain}"}}\n'.encode())


def test_everything_in_it_was_recomputed():
    found = verified(WHOLE)
    assert found.recomputed == {"document": 1, "sent": 8, "outcome": 10, "verdict": 14}
    assert found.wrong == {"document": 0, "sent": 0, "outcome": 0, "verdict": 0}
    assert found.marks == {"pass": 3, "fail": 4, "unscored": 1}
    assert verified(RACE).recomputed["race"] == 1


def test_the_same_batch_gives_the_same_bytes():
    assert file_of(batch_records()) == WHOLE


# --- bytes -----------------------------------------------------------------------------------------
def line_at(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def named(data: bytes) -> tuple[int, int]:
    """The first and the last line that are said to lie."""
    try:
        found = verified(data)
    except NotEvidence as error:
        return (1, 1) if "line 1" in str(error) else (0, 0)
    assert not found.ok
    return found.lies[0].line, found.lies[-1].line


@pytest.mark.parametrize("data", [WHOLE, RACE], ids=["batch", "race"])
def test_a_flipped_byte_is_caught_and_its_line_alone_named(data):
    chance = random.Random(SEED)
    for _ in range(FLIPS):
        place = chance.randrange(len(data))
        other = bytes([data[place] ^ chance.randrange(1, 256)])
        flipped = data[:place] + other + data[place + 1 :]
        line = line_at(data, place)
        first, last = named(flipped)
        # a byte that became a line break makes two lines of one; the end of the file may be gone
        broken_in_two = other == b"\n"
        at_end = line == data.count(b"\n")
        assert first == line, (place, data[place], other)
        assert last <= line + broken_in_two + at_end, (place, data[place], other, lies(flipped))


@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_of_every_line_break_is_caught(bit):
    for found in re.finditer(b"\n", WHOLE):
        place = found.start()
        flipped = WHOLE[:place] + bytes([WHOLE[place] ^ 1 << bit]) + WHOLE[place + 1 :]
        assert named(flipped)[0] == line_at(WHOLE, place)


def test_a_file_cut_off_anywhere_is_caught():
    chance = random.Random(SEED)
    for place in {len(WHOLE) - 1, *(chance.randrange(1, len(WHOLE)) for _ in range(200))}:
        cut = WHOLE[:place]
        assert named(cut)[1] in (line_at(WHOLE, place), line_at(WHOLE, place) - 1)


def test_a_line_taken_out_is_missed_where_it_stood():
    lines = WHOLE.splitlines(keepends=True)
    for taken in range(1, len(lines)):
        first, last = named(b"".join(lines[:taken] + lines[taken + 1 :]))
        assert first == min(taken + 1, len(lines) - 1), taken
        assert last in (first, len(lines) - 1)


def test_two_lines_that_changed_places_are_named():
    lines = WHOLE.splitlines(keepends=True)
    lines[4], lines[5] = lines[5], lines[4]
    assert verified(b"".join(lines)).lies[0].line == 5


def test_a_file_whose_line_ends_were_changed_says_so():
    assert lies(WHOLE.replace(b"\n", b"\r\n"))[0] == "line 1: its line break was changed to CRLF"


def test_what_stands_below_the_end_is_a_lie():
    assert verified(WHOLE + b'{"kind":"note"}\n').lies[0].line == WHOLE.count(b"\n") + 1
    assert not verified(WHOLE + b"\n").ok


def test_half_a_surrogate_pair_survives_the_file():
    line = Chain().seal({"kind": "x", "text": "\ud83d"})
    assert json.loads(line)["text"] == "\ud83d"
    assert line.encode()
