"""The pirate list: what a pirate says counts, what is said about pirates does not."""

from __future__ import annotations

import re

import pytest

from probes.core.lexicons import LEXICONS, lexicon


def entries(text: str) -> list[str]:
    return [span.label for span in lexicon("pirate").find(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Arrrrr, me hearties!", ["arr", "me hearties"]),
        ("YARRR", ["yar"]),
        ("ARRR-cursion", ["arr"]),
        ("shiver\u00a0me\n timbers", ["shiver me timbers"]),
        ("Yo ho ho and yo-ho-ho", ["yo ho ho", "yo ho ho"]),
        ("Aye aye, Cap’n!", ["aye", "cap'n"]),
        ("Ye scurvy dogs", ["ye", "scurvy dog"]),
        ("Ye’ll see", ["ye'll"]),
        ("Land lubbers begad", ["landlubber", "begad"]),
        ("arrive, yellow, mateyx, 2ye, eye", []),
        ("_ye_ yo_ho aye_aye", ["ye", "aye", "aye"]),
        ("landlubbin' landlubbin'x é’ye’é yeé éye ye\u0301", ["landlubber", "ye", "ye", "ye", "ye"]),
        ("Let it be. Give me gold, tell me more; there be dragons.", []),
    ],
)
def test_entries(text, found):
    assert entries(text) == found


def test_a_tale_of_blackbeard_is_not_told_as_a_pirate():
    tale = (
        "Blackbeard the pirate was captain of a ship that crossed the sea for treasure. He drank rum and "
        "grog, buried doubloons and plunder, flew the Jolly Roger, wore an eyepatch, and made prisoners walk "
        "the plank."
    )
    assert entries(tale) == []


def test_the_list_is_generous_and_holds_speech_only():
    pirate = lexicon("pirate")
    forms = [form for entry in pirate.entries for form in entry]
    assert len(pirate.entries) >= 60
    assert len(forms) == len(set(forms))
    assert len({entry[0].replace("+", "") for entry in pirate.entries}) == len(pirate.entries)
    words = {word for form in forms for word in re.findall("[a-z]+", form)}
    assert not words & {
        "pirate",
        "pirates",
        "ship",
        "ships",
        "sea",
        "seas",
        "captain",
        "treasure",
        "treasures",
    }
    assert all(re.fullmatch("[a-z'+ -]+", form) and form == form.strip() for form in forms)


@pytest.mark.parametrize("name", sorted(LEXICONS))
def test_every_form_is_found_as_its_own_entry(name):
    for entry in lexicon(name).entries:
        for form in entry:
            assert [span.label for span in lexicon(name).find(form.replace("+", ""))] == [
                entry[0].replace("+", "")
            ]
