from __future__ import annotations

from pathlib import Path

import pytest

from ladder.core import LadderDocument
from probes.core import Document, DocumentError

LIBRARY = Path(__file__).resolve().parent.parent.parent / "ladder/library"
FILE = LIBRARY / "torture-test.ladder.yaml"
TEXT = FILE.read_text(encoding="utf-8")
IDS = ["one-sentence", "ten-words", "five-words", "pirate", "binary", "haiku", "no-e"]


def changed(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


def test_the_shipped_ladder_has_the_seven_rungs_in_order():
    ladder = LadderDocument.parse(TEXT)
    assert (ladder.slug, ladder.title) == ("one-sentence-torture-test", "The One-Sentence Torture Test")
    assert [rung.id for rung in ladder.rungs] == IDS
    assert [rung.index for rung in ladder.rungs] == [1, 2, 3, 4, 5, 6, 7]
    assert [rung.constraint for rung in ladder.rungs] == [
        "Exactly one sentence",
        "Exactly 10 words",
        "Exactly 5 words",
        "As a pirate",
        "Only the characters 0 and 1",
        "As a haiku (5-7-5)",
        "One sentence, no letter e",
    ]


def test_each_rung_is_a_shipped_probe_about_the_same_variable():
    for rung in LadderDocument.parse(TEXT).rungs:
        probe = Document.parse((LIBRARY / f"{rung.probe}.yaml").read_text(encoding="utf-8"))
        assert (probe.slug, probe.variables) == (rung.id, ("concept",))


def test_a_ladder_reads_back_as_itself():
    ladder = LadderDocument.parse(TEXT)
    assert LadderDocument.parse(ladder.to_yaml()) == ladder
    assert LadderDocument.from_json(ladder.canonical()) == ladder


def test_the_digest_is_of_the_rungs_and_their_order():
    ladder = LadderDocument.parse(TEXT)
    assert LadderDocument.parse(changed("title: The One", "title: A One")).digest == ladder.digest
    assert LadderDocument.parse(changed("Ten words", "10 words")).digest != ladder.digest
    data = ladder.canonical()
    data["rungs"].reverse()
    assert LadderDocument.from_json(data).digest != ladder.digest


BAD = [
    ("format: ladder/1", "format: probe/1", 1, "'probe/1' is not allowed here"),
    (
        "slug: one-sentence-torture-test",
        "slug: One Sentence",
        2,
        "'One Sentence' is not a name that can be used here",
    ),
    ("title: The One-Sentence Torture Test\n", "", 1, "the key 'title' is missing"),
    ("id: no-e, ", "", None, "the key 'id' is missing"),
    ("id: no-e", "id: haiku", None, "'haiku' stands on the ladder before"),
    ("probe: no-e", "probe: haiku", None, "'haiku' stands on the ladder before"),
    ("label: Pirate", "label: ''", None, "this text is blank"),
    ("label: Pirate, ", "label: Pirate, heuristic: true, ", None, "unknown key 'heuristic'"),
]


@pytest.mark.parametrize(("old", "new", "line", "message"), BAD)
def test_a_bad_ladder_file_names_the_line(old, new, line, message):
    text = changed(old, new)
    line = line or next(i for i, each in enumerate(TEXT.splitlines(), 1) if old in each)
    with pytest.raises(DocumentError, match="1 problem in the ladder file") as caught:
        LadderDocument.parse(text)
    (problem,) = caught.value.problems
    assert (problem.line, problem.message) == (line, message)
    assert problem.hint


def test_a_ladder_has_rungs_and_not_too_many():
    head = TEXT[: TEXT.index("rungs:")]
    with pytest.raises(DocumentError, match="a ladder without rungs cannot be climbed"):
        LadderDocument.parse(head + "rungs: []\n")
    rungs = [f"  - {{id: r{i}, label: R, constraint: C, probe: p{i}}}\n" for i in range(21)]
    assert LadderDocument.parse(head + "rungs:\n" + "".join(rungs[:20]))
    with pytest.raises(DocumentError, match="21 are listed and 20 are allowed"):
        LadderDocument.parse(head + "rungs:\n" + "".join(rungs))


@pytest.mark.parametrize("text", ["", "rungs: &a [*a]\n", "- x\n", "rungs: {a: b}\n", "\0"])
def test_what_is_no_ladder_is_refused(text):
    with pytest.raises(DocumentError, match="in the ladder file"):
        LadderDocument.parse(text)
