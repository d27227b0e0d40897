"""An evidence file held against itself: what a liar who chains it anew could change, and is told."""

from __future__ import annotations

import pytest

from probes.core import evidence_ranges
from probes.core.evidence import FIELDS
from tests.core.evidence_file import at, changing, deeper, lying, recount, setting
from tests.core.test_evidence import lies


# --- a FAIL that is made to look like none -----------------------------------------------------------
# lines 11 to 16: trial 3, whose first attempt ran out and whose second fails both rules
def ran_out_last(records):
    """The attempt that was scored is taken away, and the one before it said to be the last."""
    scored = at(records, "attempt", 3)
    here = records.index(scored)
    del records[here : here + 3]
    at(records, "trial", 2).update(final=1)
    recount(records)


def failed_instead(error: str, **kept):
    def change(records):
        failing = at(records, "attempt", 1)
        here = records.index(failing)
        del records[here + 1 : here + 3]
        failing.update(outcome="error", error=error, passed=None, total=None, scored_with="", **kept)
        recount(records)

    return change


def renumbered(records):
    at(records, "trial").update(final=2)
    for record in records[4:7]:
        record.update(number=2)


EMPTY = {"output": "", "output_is": "", "finish": ""}
HIDDEN = [
    (changing(setting("trial", 2, final=1)), 17, "line 12: attempt 1 closed it, as it says, and its last on"),
    (ran_out_last, 14, "line 12: attempt 1 closed it, as it says, without a score: it would be asked again"),
    (changing(setting("trial", 1, state="waiting", final=None)), 12, "line 8: it is waiting, and its attemp"),
    (changing(setting("trial", 1, state="waiting", final=None)), 12, "and its run or its batch is over"),
    (changing(setting("trial", 1, state="cancelled", final=None)), 12, "line 8: it is cancelled, and its at"),
    (changing(setting("trial", 1, state="leased")), 12, "line 8: it is leased, and attempt 1 closed it"),
    (
        changing(
            setting("evidence", 0, state="running", finished_at=None),
            setting("run", 0, state="running"),
            setting("trial", 1, state="waiting", final=None),
        ),
        12,
        "line 8: it is waiting, and its attempt 1 was scored, which closes a trial",
    ),
    (failed_instead("timeout"), 9, "its error is timeout, and it keeps an output or a finish"),
    (failed_instead("timeout", output=""), 9, "its error is timeout, and it keeps an output or a finish"),
    (failed_instead("timeout", output="", output_is=""), 9, "it keeps an output or a finish"),
    (failed_instead("too_large"), 9, "its error is too_large, and its output has 30 characters"),
    (failed_instead("scorer_error"), 9, "its error is scorer_error, and here it scores 0 / 2"),
    (changing(setting("attempt", 1, late=True), setting("trial", 1, final=None)), 9, "it is late, and no"),
    (setting("attempt", 2, number=2), 13, "its number is 2, and must be 1: attempts are numbered from 1"),
    (setting("attempt", 3, number=3), 14, "its number is 3, and must be 2"),
    (renumbered, 5, "its number is 2, and must be 1"),
    (setting("attempt", 3, seq=301), 14, "its seq is 301, and that of an attempt before it is 301"),
    (setting("attempt", 3, passed=None, total=None, scored_with=""), 14, "it ran out of tokens once more"),
    (setting("attempt", 2, passed=0, total=2, scored_with="core/1"), 14, "an attempt above it was scored"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "line", "words"), HIDDEN, ids=range(len(HIDDEN)))
def test_a_fail_cannot_be_made_unscored_or_pending(change, line, words):
    found = lies(lying(change))
    assert any(said.startswith(f"line {line}: ") and words in said for said in found), found


def test_an_attempt_that_failed_keeps_nothing_that_would_be_scored():
    assert lies(lying(failed_instead("timeout", **EMPTY))) == []
    assert lies(lying(failed_instead("too_large", output="x" * 200_001))) == []


# --- what else follows from other values --------------------------------------------------------------
FOLLOWS = [
    (setting("evidence", 0, practice=True), -1, "line 1: practice is true, and its runs say otherwise"),
    (setting("run", 1, practice=True), -6, "practice is true, and false of another run at Nimbus"),
    (setting("evidence", 0, state="running"), 1, "it is running, and finished_at is '2026-"),
    (setting("evidence", 0, finished_at=None), 1, "it is finished, and finished_at is 'None'"),
    (setting("evidence", 0, state="cancelled"), -1, "the batch is cancelled, and no trial of it was cancell"),
    (setting("run", 0, state="cancelled"), -6, "line 3: it is cancelled, and no trial of it was cancelled"),
    (setting("run", 0, state="running"), 3, "it is running, and its batch is over"),
    (changing(setting("trial", 0, state="cancelled")), -1, "line 1: trials were cancelled, and cancelled_at"),
    (setting("run", 1, position=0), -6, "a run at position 0 stands above it"),
    (setting("run", 1, position=2), -1, "a run at position 1 is missing"),
    (setting("trial", 1, repeat=3), 8, "repeat: stored 3, recomputed 2"),
    (setting("attempt", 0, endpoint="Elsewhere"), 5, "the endpoint: stored Elsewhere, recomputed Nimbus"),
    (setting("attempt", 0, sent_messages=None, sent_digest=""), 5, "its outcome is answered, and no message"),
    (setting("attempt", 6, sent_parameters={"a": 1}), 26, "it has sent parameters, and no messages"),
    (deeper("attempt", "sent_parameters", "temperature", value=1), 5, "the temperature that was sent: store"),
    (deeper("attempt", "sent_parameters", "max_tokens", value=50), 5, "the token limit that was sent: store"),
    (deeper("attempt", "sent_parameters", "top_k", value=5), 5, "'top_k' was sent, which neither the docume"),
    (setting("attempt", 0, sent_parameters={"max_tokens": 100}), 5, "the temperature that was sent: stored"),
    (setting("attempt", 3, sent_parameters={"max_tokens": 100, "temperature": 0}), 14, "recomputed 200"),
    (setting("attempt", 0, scored_with=""), 5, "it states a score, and not what it was scored with"),
    (setting("attempt", 2, scored_with="core/1"), 13, "it states no score, and what it was scored with"),
    (setting("attempt", 5, output="I cannot."), 22, "output_is: stored nothing"),
    (lambda r: r.insert(5, r.pop(6)), 6, "the verdict on 'no_please' stands above another that comes before"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "line", "words"), FOLLOWS, ids=range(len(FOLLOWS)))
def test_what_follows_from_other_values_is_recomputed(change, line, words):
    data = lying(change)
    wanted = line if line > 0 else data.count(b"\n") + 1 + line
    found = lies(data)
    assert any(said.startswith(f"line {wanted}: ") and words in said for said in found), found


def test_what_a_run_says_is_altered_may_differ():
    alters = ["no temperature", "reasoning off", "extra body: top_k"]
    sent = {"max_completion_tokens": 100, "chat_template_kwargs": {}, "top_k": 5}

    def change(records):
        at(records, "run", 1).update(alters=alters)
        at(records, "attempt", -1).update(sent_parameters=sent)

    assert lies(lying(change)) == []


@pytest.mark.parametrize(("sent", "fits"), [("low", True), ("high", False)])
def test_an_effort_that_was_sent_is_the_one_that_is_named(sent, fits):
    def change(records):
        at(records, "run", 1).update(alters=["reasoning effort: low"])
        attempt = at(records, "attempt", -1)
        attempt["sent_parameters"] = {**attempt["sent_parameters"], "reasoning_effort": sent}

    found = lies(lying(change))
    assert (found == []) is fits, found
    assert fits or "which neither the document nor the run's alters name" in found[0]


RANGES = [
    ("evidence", {"batch": "0b7e"}, 'batch is "0b7e", and must be a UUID'),
    ("evidence", {"team": {"slug": "acme"}}, "and must be an object with slug and name"),
    ("evidence", {"team": {"slug": 1, "name": "Acme"}}, "and must be an object with slug and name"),
    ("evidence", {"visibility": "all"}, 'visibility is "all", and must be public or team'),
    ("evidence", {"state": "done"}, "and must be running or finished or cancelled"),
    ("evidence", {"started_at": "yesterday"}, 'started_at is "yesterday", and must be a time in UTC'),
    ("evidence", {"finished_at": "2026-02-30T00:00:00+00:00"}, "must be a time in UTC"),
    ("document", {"version": 0}, "version is 0, and must be a whole number from 1"),
    ("run", {"alters": [{}]}, "alters is [{}], and must be a list of known alterations"),
    ("run", {"alters": ["reasoning effort: "]}, "and must be a list of known alterations"),
    ("run", {"alters": ["nothing"]}, "and must be a list of known alterations: no temperature"),
    ("run", {"repeats": 0}, "repeats is 0, and must be"),
    ("run", {"position": -1}, "position is -1, and must be"),
    ("run", {"endpoint": ""}, 'endpoint is "", and must be a text of 1 to 100'),
    ("run", {"state": "over"}, 'state is "over"'),
    ("trial", {"state": "done"}, "and must be waiting or leased or closed or cancelled"),
    ("attempt", {"outcome": "fine"}, "and must be answered or empty"),
    ("attempt", {"error": "No!"}, "and must be a code such as rate_limited, or empty"),
    ("attempt", {"reasoning_tokens": -1}, "reasoning_tokens is -1, and must be a whole number from 0"),
    ("attempt", {"reasoning_tokens": 1.5}, "reasoning_tokens is 1.5, and must be a whole number or null"),
    ("attempt", {"prompt_tokens": 2**31}, "prompt_tokens is 2147483648, and must be"),
    ("attempt", {"completion_tokens": -1}, "completion_tokens is -1"),
    ("attempt", {"output_is": "words"}, "and must be text or refusal or nothing"),
    ("attempt", {"status": -1}, "status is -1"),
    ("attempt", {"milliseconds": -1}, "milliseconds is -1"),
    ("attempt", {"seq": 0}, "seq is 0"),
    ("attempt", {"served_model": "x" * 201}, "and must be a text of 0 to 200 characters"),
    ("attempt", {"sent_messages": [5]}, "sent_messages is [5], and must be a list of messages"),
    ("attempt", {"recorded_at": "2026-01-02 03:04"}, "and must be a time in UTC"),
    ("attempt", {"redacted": "no"}, 'redacted is "no", and must be true or false'),
    ("verdict", {"spans": [[3, 1, "word", ""]]}, "and must be a list of spans: start, end, mark and label"),
    ("verdict", {"unit": "x" * 61}, "and must be a text of 0 to 60 characters"),
]


@pytest.mark.parametrize(("kind", "values", "words"), RANGES, ids=range(len(RANGES)))
def test_a_value_out_of_its_range_is_named(kind, values, words):
    found = lies(lying(setting(kind, 0, **values)))
    assert any(words in said for said in found), found


def test_every_value_is_recomputed_or_has_a_range_or_is_free():
    """A field that is added must be looked at: it is named here, or checked."""
    free = {"evidence": {"title", "started_by"}, "attempt": {"detail", "repaired", "may_be_billed"}}
    again = {
        "evidence": {"format", "practice"},
        "race": {"ladder"},
        "document": {"probe", "digest", "request_digest", "checks_digest", "rubric_digest", "document"},
        "run": {"document", "binding", "practice"},
        "trial": {"run"},
        "attempt": {"run", "repeat", "late", "output", "sent_parameters"},
        "verdict": {"run", "repeat", "number", "rule", "ok", "actual", "expected", "message"},
        "end": FIELDS["end"].keys(),
    }
    for kind, fields in FIELDS.items():
        looked_at = evidence_ranges.RANGES.get(kind, {}).keys() | free.get(kind, set()) | again[kind]
        assert fields.keys() == looked_at - {"redacted"}, kind
