"""Evidence of a batch that never was, made without a server; and the same with a lie in it, chained anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from probes.core import Document, Reply, score
from probes.core.digests import digest_of
from probes.core.evidence import FORMAT, Chain
from probes.core.recomputing import DIGESTS, mark_of
from tests.core.probe_file import TEXT

Record = dict[str, Any]

DOCUMENT = Document.parse(TEXT)
BINDING = {"concept": "recursion"}
BATCH = "0b7e5a3c-0000-4000-8000-000000000001"
WHEN = "2026-01-02T03:04:05+00:00"

ANSWERED: list[Reply | str] = [Reply("calls itself")]
REPLIES: list[list[Reply | str]] = [
    ANSWERED,
    [Reply("please, do: naïve 😀 “quotes”\u2028\t")],
    [Reply("", "length", None, 3200), Reply("", "length", None, 3200)],
    [Reply(None, "stop", "I cannot help.")],
    [Reply(None, "content_filter")],
    ["rate_limited", Reply("calls it", "length")],
    ["unauthorized"],
]
"""For each trial its attempts in order; a text is the code of an error."""


def header(**changes: Any) -> Record:
    return {
        "kind": "evidence", "format": FORMAT, "batch": BATCH, "title": "recursion: a × b",
        "team": {"slug": "acme", "name": "Acme"}, "started_by": "Alice", "visibility": "public",
        "practice": False, "state": "finished", "started_at": WHEN, "cancelled_at": None,
        "finished_at": WHEN, **changes,
    }  # fmt: skip


def document_record(document: Document = DOCUMENT) -> Record:
    digests = {name: getattr(document, name) for name in DIGESTS}
    return {
        "kind": "document", "probe": f"acme/{document.slug}", "version": 1, **digests,
        "document": document.canonical(),
    }  # fmt: skip


def run_records(position: int, trials: Sequence[Sequence[Reply | str]], **changes: Any) -> Iterator[Record]:
    yield {
        "kind": "run", "position": position, "document": DOCUMENT.digest, "endpoint": "Nimbus",
        "practice": False, "model": "maker/one", "binding": BINDING, "repeats": len(trials), "alters": [],
        "state": "finished", **changes,
    }  # fmt: skip
    for repeat, replies in enumerate(trials, 1):
        yield {"kind": "trial", "run": position, "repeat": repeat, "state": "closed", "final": len(replies)}
        limit = DOCUMENT.parameters.max_tokens
        for number, reply in enumerate(replies, 1):
            final = number == len(replies)
            yield from attempt_records((position, repeat, number), reply, final=final, limit=limit)
            limit *= 2 if isinstance(reply, Reply) and reply.ran_out else 1


def attempt_records(
    place: tuple[int, int, int], reply: Reply | str, *, final: bool, limit: int
) -> Iterator[Record]:
    keys = dict(zip(("run", "repeat", "number"), place, strict=True))
    messages = DOCUMENT.render(BINDING)
    attempt: Record = {
        "kind": "attempt", **keys, "seq": 100 * place[1] + place[2], "late": False, "outcome": "error",
        "error": "", "detail": "",
        "status": 200, "output": "", "output_is": "", "repaired": False, "finish": "",
        "endpoint": "Nimbus", "served_model": "one-2026", "prompt_tokens": 20, "completion_tokens": 3,
        "reasoning_tokens": None, "sent_messages": messages, "sent_digest": digest_of(messages),
        "sent_parameters": {"max_tokens": limit, "temperature": 0}, "may_be_billed": False,
        "milliseconds": 12, "started_at": WHEN, "recorded_at": WHEN, "passed": None, "total": None,
        "scored_with": "",
    }  # fmt: skip
    if isinstance(reply, str):
        yield {**attempt, "error": reply, "sent_messages": None, "sent_digest": "", "sent_parameters": {}}
        return
    result = score(DOCUMENT, reply)
    attempt |= {
        "outcome": reply.outcome, "output": reply.output, "output_is": reply.output_is,
        "finish": reply.finish or "", "reasoning_tokens": reply.reasoning_tokens,
    }  # fmt: skip
    if not final:
        yield attempt
        return
    yield {
        **attempt, "passed": result.passed, "total": result.total, "scored_with": result.scored_with,
    }  # fmt: skip
    for verdict in result.verdicts:
        yield {"kind": "verdict", **keys, "rule": verdict.rule, **verdict.finding.as_json()}


def ended(records: Sequence[Record]) -> list[Record]:
    """The records with the line that counts them."""
    kinds = [record["kind"] for record in records]
    counts = {f"{kind}s": kinds.count(kind) for kind in ("document", "run", "trial", "attempt", "verdict")}
    return [*records, {"kind": "end", **counts, "marks": marks(records)}]


def marks(records: Sequence[Record]) -> dict[str, int]:
    found = dict.fromkeys(("pass", "fail", "unscored", "pending", "cancelled"), 0)
    attempts = [record for record in records if record["kind"] == "attempt"]
    for trial in (record for record in records if record["kind"] == "trial"):
        own = [a for a in attempts if (a["run"], a["repeat"]) == (trial["run"], trial["repeat"])]
        final = next((each for each in own if each["number"] == trial["final"]), None)
        found[mark_of(trial, final)] += 1
    return found


def batch_records() -> list[Record]:
    """One document, two runs: every outcome there is."""
    runs = [*run_records(0, REPLIES), *run_records(1, [ANSWERED], model="maker/two")]
    return ended([header(), document_record(), *runs])


def race_record(**changes: Any) -> Record:
    rung = {"id": "two-words", "label": "Two words", "constraint": "Exactly 2 words", "probe": DOCUMENT.slug}
    ladder = {"format": "ladder/1", "slug": "short", "title": "Short", "summary": "One.", "rungs": [rung]}
    return {
        "kind": "race", "concept": "recursion", "team": "acme", "edition": 1, "ladder": ladder,
        "digest": digest_of([ladder, [DOCUMENT.digest]]), "documents": [DOCUMENT.digest],
        "climbs": [
            {"letter": "A", "endpoint": "Nimbus", "model": "maker/one"},
            {"letter": "B", "endpoint": "Nimbus", "model": "maker/two"},
        ],
        "holds": [{"run": 0, "letter": "A", "rung": 1}, {"run": 1, "letter": "B", "rung": 1}],
        **changes,
    }  # fmt: skip


def race_records(race: Record | None = None) -> list[Record]:
    runs = [*run_records(0, [ANSWERED]), *run_records(1, [["x"]], model="maker/two")]
    return ended([header(), race or race_record(), document_record(), *runs])


def file_of(records: Sequence[Record]) -> bytes:
    chain = Chain()
    return "".join(f"{chain.seal(record)}\n" for record in records).encode()


def lying(change: Callable[[list[Record]], object], records: list[Record] | None = None) -> bytes:
    """A whole file, chained by a liar: `change` edits its records in place."""
    copied: list[Record] = json.loads(json.dumps(batch_records() if records is None else records))
    change(copied)
    return file_of(copied)


# --- what a liar does ---------------------------------------------------------------------------------
def at(records: list[Record], kind: str, place: int = 0) -> Record:
    return [record for record in records if record["kind"] == kind][place]


Change = Callable[[list[Record]], object]


def setting(kind: str, place: int, /, **values: Any) -> Change:
    return lambda records: at(records, kind, place).update(values)


def dropping(kind: str, place: int) -> Change:
    return lambda records: records.remove(at(records, kind, place))


def deeper(kind: str, *path: Any, value: Any) -> Change:
    def change(records: list[Record]) -> None:
        inner: Any = at(records, kind)
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value

    return change


def recount(records: list[Record]) -> None:
    """Let the last line count what stands above it now."""
    records[:] = ended(records[:-1])


def changing(*changes: Change) -> Change:
    def change(records: list[Record]) -> None:
        for each in changes:
            each(records)
        recount(records)

    return change
