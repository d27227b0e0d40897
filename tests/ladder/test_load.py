"""The library becomes rows once; what changes in it becomes the next version and the next edition."""

from __future__ import annotations

import shutil

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from ladder.domain import load, load_everything
from ladder.domain.latest import current_ladders, rungs_of
from ladder.models import Ladder, Rung
from probes.domain.library import LibraryError
from probes.models import Probe, ProbeVersion
from tests.ladder.stage import RUNGS

pytestmark = pytest.mark.django_db

LADDER_FILE = "torture-test.ladder.yaml"


def rows() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in (Probe, ProbeVersion, Ladder, Rung)}


@pytest.fixture
def folder(tmp_path):
    """A copy of the shipped files, to be changed."""
    return shutil.copytree(load.LIBRARY, tmp_path / "library")


def change(path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_the_ladder_stands_on_the_seven_rungs_in_order():
    load_everything()
    ladder = current_ladders().get()
    assert (ladder.team.slug, ladder.slug, ladder.number) == ("registry", "one-sentence-torture-test", 1)
    assert [(rung.index, rung.key) for rung in rungs_of(ladder)] == list(enumerate(RUNGS, 1))
    assert all(rung.version.variables == ["concept"] for rung in rungs_of(ladder))


def test_loading_twice_changes_nothing():
    load_everything()
    before = rows()
    again = load_everything()
    assert rows() == before
    assert not any(one.created for one in again.probes)
    assert not any(one.created for one in again.ladders)


def test_a_changed_rung_makes_the_next_version_and_the_next_edition(folder):
    load.load_ladders(folder)
    change(folder / "ten-words.yaml", "in exactly 10 words", "in exactly ten (10) words")
    _, (edition,) = load.load_ladders(folder)
    assert (edition.created, edition.ladder.number) == (True, 2)
    moved = [rung.key for rung in rungs_of(edition.ladder) if rung.version.number == 2]
    assert moved == ["ten-words"]
    assert current_ladders().get() == edition.ladder
    assert Ladder.objects.get(number=1).rungs.count() == 7


def test_a_changed_ladder_file_makes_the_next_edition_of_the_same_rungs(folder):
    load.load_ladders(folder)
    change(folder / LADDER_FILE, "title: The One-Sentence Torture Test", "title: The Torture Test")
    published, (edition,) = load.load_ladders(folder)
    assert not any(one.created for one in published)
    assert (edition.ladder.number, edition.ladder.title) == (2, "The Torture Test")


def test_going_back_to_an_older_file_makes_no_third_edition(folder):
    load.load_ladders(folder)
    change(folder / LADDER_FILE, "label: Ten words", "label: 10 words")
    load.load_ladders(folder)
    change(folder / LADDER_FILE, "label: 10 words", "label: Ten words")
    _, (edition,) = load.load_ladders(folder)
    assert (edition.created, edition.ladder.number) == (False, 1)


def test_a_ladder_that_names_a_missing_probe_is_refused_and_nothing_of_it_stays(folder):
    (folder / "pirate.yaml").unlink()
    with pytest.raises(LibraryError, match="Rung pirate stands on the probe pirate, which is not here"):
        load.load_ladders(folder)
    assert Ladder.objects.count() == Rung.objects.count() == 0


def test_a_broken_ladder_file_is_named(folder):
    change(folder / LADDER_FILE, "slug: one-sentence-torture-test", "slug: One Sentence")
    with pytest.raises(LibraryError, match=LADDER_FILE):
        load.load_ladders(folder)


def test_the_command_says_what_it_did(capsys):
    call_command("load_library")
    first = capsys.readouterr().out.splitlines()
    assert "Published registry/ten-words v1" in first
    assert "Published The One-Sentence Torture Test, edition 1" in first
    *_, again = first
    assert again.startswith("Look again at registry/emit-a-terminator v1: L006 rubric.rules[0]: ")
    total = len(first) - 1
    call_command("load_library")
    assert capsys.readouterr().out.splitlines() == [
        f"{total} of {total} were there already and are unchanged."
    ]


def loaded(folder, monkeypatch, capsys) -> list[str]:
    """What the command says of that folder's files."""
    monkeypatch.setattr(load, "LIBRARY", folder)
    capsys.readouterr()
    call_command("load_library")
    return capsys.readouterr().out.splitlines()


def published(lines: list[str]) -> int:
    return sum(line.startswith("Published ") for line in lines)


def test_the_command_says_what_was_edited_without_a_new_version(folder, monkeypatch, capsys):
    total = published(loaded(folder, monkeypatch, capsys))
    path = folder / "haiku.yaml"
    title = next(line for line in path.read_text("utf-8").splitlines() if line.startswith("title: "))
    change(path, title, "title: A poem")
    assert loaded(folder, monkeypatch, capsys) == [
        "Updated the title of registry/haiku",
        f"{total - 1} of {total} were there already and are unchanged.",
    ]
    assert Probe.objects.get(slug="haiku").title == "A poem"


def test_the_command_says_what_equals_an_older_version_or_edition(folder, monkeypatch, capsys):
    total = published(loaded(folder, monkeypatch, capsys))
    change(folder / "ten-words.yaml", "in exactly 10 words", "in exactly ten (10) words")
    assert "Published registry/ten-words v2" in loaded(folder, monkeypatch, capsys)
    change(folder / "ten-words.yaml", "in exactly ten (10) words", "in exactly 10 words")
    assert loaded(folder, monkeypatch, capsys) == [
        "registry/ten-words equals v1, an older version; v2 stays current",
        "The One-Sentence Torture Test equals edition 1, an older one; edition 2 stays current",
        f"{total - 2} of {total} were there already and are unchanged.",
    ]


def test_the_command_fails_in_words(monkeypatch, folder):
    (folder / "haiku.yaml").write_text("format: probe/1\n")
    monkeypatch.setattr(load, "LIBRARY", folder)
    with pytest.raises(CommandError, match=r"haiku\.yaml: "):
        call_command("load_library")
