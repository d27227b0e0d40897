from __future__ import annotations

import re
import subprocess
import sys

import pytest

from probes.core.digests import digest_of
from probes.core.evidence import MAX_LINE, Chain
from probes.core.recomputing import sent_complaints
from probes.core.verification import NotEvidence, verify_lines
from tests.core.evidence_file import (
    at,
    batch_records,
    changing,
    deeper,
    dropping,
    ended,
    file_of,
    header,
    lying,
    race_records,
    setting,
)
from tests.core.test_core_main import ROOT, run
from tests.core.test_evidence import WHOLE, lies, verified

# --- lies told by whoever wrote the whole file anew --------------------------------------------------
LIES = [
    (setting("document", 0, digest="0" * 64), 2, "the digest of two-words: stored 000"),
    (setting("document", 0, checks_digest="0" * 64), 2, "the checks_digest of"),
    (setting("document", 0, rubric_digest="0" * 64), 2, "the rubric_digest of"),
    (setting("document", 0, request_digest="0" * 64), 2, "the request_digest of"),
    (setting("document", 0, probe="acme/other"), 2, "the probe: stored acme/other, recomputed …/"),
    (deeper("document", "document", "prompt", "user", value="{{concept}}?"), 2, "the request_digest of"),
    (deeper("document", "document", "title", value=""), 2, "the document cannot be read: title: this text"),
    (deeper("document", "document", "rubric", "rules", 0, "check", "n", value=3), 2, "the checks_digest"),
    (lambda r: at(r, "document")["document"]["fixtures"][0].pop("fails"), 2, "not in its canonical form"),
    (setting("run", 0, binding={}), 3, "its binding does not fit the variables of its document"),
    (setting("run", 0, binding={"concept": 5}), 3, "its binding does not fit"),
    (setting("run", 0, binding={"concept": "x" * 201}), 3, "its binding does not fit"),
    (setting("run", 0, binding={"concept": "love"}), 5, "the sent messages are not those that the document"),
    (setting("attempt", 0, sent_messages=[]), 5, "the sent_digest: stored"),
    (setting("attempt", 0, sent_messages=None), 5, "recomputed none, as no messages are here"),
    (setting("attempt", 0, sent_digest="0" * 64), 5, "the sent_digest: stored 0000"),
    (setting("attempt", 0, outcome="truncated"), 5, "the outcome: stored truncated, recomputed answered"),
    (setting("attempt", 0, output_is="refusal"), 5, "the outcome: stored answered, recomputed refused"),
    (setting("attempt", 0, finish="length"), 5, "the outcome: stored answered, recomputed truncated"),
    (setting("attempt", 0, error="timeout"), 5, "its outcome is answered, and it names the error 'timeout'"),
    (setting("attempt", 0, outcome="error"), 5, "its outcome is error, and no error is named"),
    (setting("attempt", 0, passed=1), 5, "passed: stored 1, recomputed 2"),
    (setting("attempt", 0, total=3), 5, "total: stored 3, recomputed 2"),
    (setting("attempt", 0, total=None), 5, "its outcome is answered, and it states no score"),
    (setting("attempt", 0, output="x" * 200_001), 5, "it says that it was scored, and the output has"),
    (setting("attempt", 0, output="calls itself now"), 5, "passed: stored 2, recomputed 1"),
    (setting("verdict", 0, ok=False), 6, "ok of the verdict on two_words: stored false, recomputed true"),
    (setting("verdict", 0, actual=3), 6, "actual of the verdict on two_words: stored 3, recomputed 2 (2 / 2"),
    (setting("verdict", 0, ok=1), 6, "ok is 1, and must be true or false"),
    (setting("verdict", 0, message="3 / 2 words"), 6, "message of the verdict on two_words: stored 3 / 2"),
    (setting("verdict", 0, spans=[]), 6, "spans of the verdict on two_words: stored []"),
    (setting("verdict", 0, rule="no_such"), 6, "the attempt in line 5 gives no verdict on 'no_such'"),
    (dropping("verdict", 1), 7, "above it, verdicts of line 5 are missing: no_please"),
    (dropping("attempt", 0), 5, "it does not belong to the attempt above it"),
    (dropping("trial", 1), 8, "it does not belong to the trial above it"),
    (dropping("run", 1), -5, "it does not belong to the run above it"),
    (dropping("document", 0), 2, "it does not belong to the document above it"),
    (dropping("evidence", 0), 1, "its kind is 'document'"),
    (dropping("end", 0), -1, "the file ends here, without the line that counts its lines"),
    (setting("trial", 0, final=2), 8, "line 4: attempt 2 closed it, as it says, and its last one is 1"),
    (setting("run", 0, repeats=8), -6, "trials of the run of line 3 are missing or too many"),
    (setting("end", 0, attempts=4), -1, "the number of attempts: stored 4, recomputed 10"),
    (setting("end", 0, marks={"pass": 9}), -1, "how the trials came out: stored"),
    (lambda r: r.insert(5, header()), 6, "a second header: files were joined"),
    (lambda r: r.insert(-1, at(r, "document")), -2, "this document stands in the file already"),
    (setting("trial", 0, kind="try"), 4, 'its kind is "try": known are evidence, race'),
    (lambda r: at(r, "attempt").pop("output"), 5, "this attempt line lacks output"),
    (setting("attempt", 0, output=5), 5, "output is 5, and must be a text"),
    (setting("evidence", 0, format="evidence/9"), 1, "format is 'evidence/9': only evidence/1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "line", "words"), LIES, ids=[f"{n}-{w[:30]}" for n, (_, _, w) in enumerate(LIES)]
)
def test_a_lie_is_named_with_what_recomputes(change, line, words):
    data = lying(change)
    try:
        found = lies(data)
    except NotEvidence as error:
        found = [str(error)]
    wanted = line if line > 0 else data.count(b"\n") + 1 + line
    assert any(said.startswith(f"line {wanted}") and words in said for said in found), found


RACE_LIES = [
    (setting("race", 0, digest="0" * 64), 2, "the digest of the ladder: stored 000"),
    (deeper("race", "ladder", "rungs", 0, "label", value="Three"), 2, "the digest of the ladder"),
    (setting("race", 0, documents=["0" * 64]), 4, "the race in line 2 has another document"),
    (deeper("race", "climbs", 0, "model", value="maker/two"), 4, "the race in line 2 has another"),
    (setting("run", 0, endpoint="Elsewhere"), 4, "the race in line 2 has another document, endpoint"),
    (setting("race", 0, holds=[]), 2, "the runs it places: stored 0, recomputed 2"),
    (setting("race", 0, holds=[{"run": 0}]), 2, "the runs it places: stored 1, recomputed 2"),
    (setting("race", 0, holds=[5, None]), 2, "the runs it places"),
    (setting("race", 0, climbs=[]), 2, "the runs it places: stored 2, recomputed 0"),
    (deeper("race", "ladder", "rungs", value=[]), 2, "it does not name one document for each rung"),
    (setting("race", 0, concept="love"), 4, "the concept of the race in line 2: stored love, recomputed"),
    (deeper("race", "ladder", "rungs", 0, "probe", value="other"), 4, "the probe of this run's rung in line"),
    (deeper("race", "climbs", 1, "letter", value="C"), 2, "the letters of its climbs: stored AC, recomputed"),
    (deeper("race", "holds", 1, value={"run": 1, "letter": "A", "rung": 1}), 2, "the runs it places: stored"),
    (deeper("race", "climbs", 0, "letter", value="Z"), 2, "a list of objects with letter, endpoint and mode"),
    (deeper("race", "holds", 0, "rung", value="1"), 2, "a list of objects with run, letter and rung"),
    (setting("race", 0, edition=0), 2, "edition is 0, and must be"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "line", "words"), RACE_LIES, ids=range(len(RACE_LIES)))
def test_a_lie_about_a_race_is_named(change, line, words):
    found = lies(lying(change, race_records()))
    assert any(said.startswith(f"line {line}: ") and words in said for said in found), found


def test_the_endpoint_that_folds_the_system_message_is_no_liar():
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}]
    sent = [{"role": "user", "content": "Be brief.\n\nGo."}]
    values = {"sent_messages": sent, "sent_digest": digest_of(sent)}
    assert list(sent_complaints(values, ["system folded"], messages)) == []
    assert len(list(sent_complaints(values, [], messages))) == 1


def test_a_redacted_output_is_reported_and_not_recomputed():
    def redact(records):
        at(records, "attempt").update(redacted=True, output="[redacted]")

    found = verified(lying(redact))
    assert found.ok
    assert found.redacted == 1
    assert found.recomputed["verdict"] == 12


REDACTED_LIES = [
    (setting("verdict", 0, ok=False), 8, "above it, passed of line 5: stored 2, recomputed 1"),
    (setting("attempt", 0, redacted=True, total=3), 5, "total: stored 3, recomputed 2"),
    (dropping("verdict", 0), 7, "verdicts of line 5 are missing: two_words"),
    (setting("verdict", 0, rule="no_such"), 6, "gives no verdict on 'no_such'"),
]


@pytest.mark.parametrize(("change", "line", "words"), REDACTED_LIES, ids=range(len(REDACTED_LIES)))
def test_the_verdicts_of_a_redacted_output_still_add_up(change, line, words):
    found = lies(lying(changing(setting("attempt", 0, redacted=True, output="[redacted]"), change)))
    assert any(said.startswith(f"line {line}: ") and words in said for said in found), found


@pytest.mark.parametrize(("output", "is_told"), [("a word", True), ("[redacted] no", True), (" \n", False)])
def test_an_output_that_is_there_is_not_redacted(output, is_told):
    found = lies(lying(setting("attempt", 0, redacted=True, output=output)))
    told = [said for said in found if "it says that it is redacted, and its output is there" in said]
    assert bool(told) is is_told


def test_another_scorer_is_named_beside_the_difference():
    def change(records):
        at(records, "attempt").update(scored_with="core/0 re2 1 js-re2/0")
        at(records, "verdict").update(message="2 words")

    said = lies(lying(change))[0]
    assert "(scored with core/0 re2 1 js-re2/0; here: core/1 re2 " in said


# --- what is no evidence -----------------------------------------------------------------------------
NO_EVIDENCE = [
    (b"", "there is nothing in it"),
    (b"\n", "line 1 is no evidence header: not JSON"),
    (b"\xff\n", "not UTF-8 at byte 0"),
    (b"\xff\xfe\n", "it is UTF-16: save it as UTF-8"),
    (b"\xef\xbb\xbf" + WHOLE, "it begins with a byte order mark"),
    (b"PK\x03\x04" + bytes(100), "it is a zip archive: unzip it first"),
    (b"[1]\n", "not a JSON object"),
    (b"[" * 100_000, "line 1 is no evidence header: not JSON"),
    (b'{"kind":"evidence","kind":"end"}\n', "stands there twice"),
    (b'{"kind":NaN}\n', "NaN is no number in JSON"),
    (b'{"kind":' + b"9" * 5000 + b"}\n", "a number with 5,000 digits"),
    (b'{"kind":"evidence"}\n', "this evidence line lacks line"),
    (b"\x1f\x8b\x08" + bytes(100), "it is compressed with gzip: unzip it first"),
]


@pytest.mark.parametrize(("data", "words"), NO_EVIDENCE, ids=range(len(NO_EVIDENCE)))
def test_what_is_no_evidence_is_refused_with_the_reason(data, words):
    with pytest.raises(NotEvidence, match=re.escape(words)):
        verified(data)


def test_a_line_longer_than_any_evidence_is_refused():
    with pytest.raises(NotEvidence, match="line 2 is longer"):
        verify_lines([file_of([header()]), b" " * (MAX_LINE + 1)])


def test_lines_that_cannot_be_read_are_named_and_nothing_is_raised():
    first = file_of([header()])
    for junk in (b"null\n", b"{}\n", b"\x00\n", b"[" * 50_000 + b"\n", b'{"a":1e999}\n'):
        assert verified(first + junk).lies[0].line == 2


def test_deeply_nested_values_are_no_traceback():
    deep: object = []
    for _ in range(400):
        deep = [deep]
    assert any("sent_digest" in said for said in lies(lying(setting("attempt", 0, sent_messages=[deep]))))
    assert lies(lying(setting("verdict", 0, actual=deep)))
    assert lies(lying(deeper("document", "document", "prompt", "user", value=deep)))


# --- the command -------------------------------------------------------------------------------------
@pytest.fixture
def path(tmp_path):
    return tmp_path / "evidence.jsonl"


def test_the_command_says_what_recomputes(path):
    path.write_bytes(WHOLE)
    status, printed, errors = run("verify", str(path))
    assert (status, errors) == (0, "")
    assert "  recursion: a × b  [batch 0b7e5a3c-0000-4000-8000-000000000001, finished]\n" in printed
    assert "     10 of 10 attempts: outcome and score\n" in printed
    assert "     14 of 14 verdicts\n" in printed
    assert "  3 PASS, 4 FAIL, 1 UNSCORED\n" in printed
    assert f"  OK: nothing lies in {WHOLE.count(bytes([10]))} lines; their chain ends with " in printed


def test_the_command_names_the_line_that_lies(path):
    path.write_bytes(WHOLE.replace(b'"calls itself"', b'"calls itselg"', 1))
    status, printed, _ = run("verify", str(path))
    assert status == 1
    assert "  LIES  line 5: its bytes do not give its chain: stored " in printed


def test_the_command_exits_with_2_for_no_evidence_and_prints_no_traceback(path):
    path.write_bytes(b"\x1b[31mred\n")
    for name in (str(path), "nowhere.jsonl", str(path.parent)):
        status, printed, errors = run("verify", name)
        assert (status, printed) == (2, "")
        assert errors.startswith(f"{name}: ")
        assert "Traceback" not in errors
        assert "\x1b" not in errors


def test_a_terminal_obeys_nothing_in_the_file(path):
    path.write_bytes(file_of(ended([header(title="\x1b[31mred\n")])))
    status, printed, _ = run("verify", str(path))
    assert status == 0
    assert "\\u001b[31mred\\u000a" in printed


def test_memory_stays_bounded_whatever_the_length(path):
    records = batch_records()
    body = records[2:-1]
    runs = 400
    with path.open("wb") as file:
        chain = Chain()
        many = [*records[:2], *(each for _ in range(runs) for each in body)]
        for record in many:
            file.write(f"{chain.seal(record)}\n".encode())
    program = (
        "import resource, sys; from probes.core.__main__ import main;"
        "before = resource.getrusage(0).ru_maxrss;"
        "main(['verify', sys.argv[1]]); print(resource.getrusage(0).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, cwd=ROOT, text=True, check=True
    )
    assert path.stat().st_size > 4_000_000
    assert int(done.stdout.splitlines()[-1]) < 3_000, done.stdout[-200:]
