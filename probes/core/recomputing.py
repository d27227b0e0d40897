"""What a line of an evidence file says, against what recomputes. Pure functions: each gives complaints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from probes.core.digests import canonical_bytes, digest_of
from probes.core.document import Document
from probes.core.evidence import MAX_LINE
from probes.core.problems import DocumentError, quoted
from probes.core.scoring import OutputIs, Reply, Result, TooLarge, Verdict, score
from probes.core.template import MAX_VALUE, BindingError

Values = Mapping[str, Any]

DIGESTS = ("digest", "request_digest", "checks_digest", "rubric_digest")


def parsed(values: Values) -> Document | None:
    """The document of a `document` line; None where it is none."""
    try:
        return Document.from_json(values["document"])
    except DocumentError:
        return None


def document_complaints(values: Values) -> Iterator[str]:
    try:
        document = Document.from_json(values["document"])
    except DocumentError as error:
        yield f"the document cannot be read: {error.problems[0]}"
        return
    if not same(document.canonical(), values["document"]):
        yield "the document is not in its canonical form"
    if not str(values["probe"]).endswith(f"/{document.slug}"):
        yield differs("the probe", values["probe"], f"…/{document.slug}")
    for name in DIGESTS:
        if getattr(document, name) != values[name]:
            yield differs(f"the {name} of {document.slug}", values[name], getattr(document, name))


def rendered(document: Document, run: Values) -> list[dict[str, str]] | None:
    """The messages that a run asks with; None where its binding does not fit the document."""
    binding: dict[str, Any] = run["binding"]
    if any(not isinstance(value, str) or len(value) > MAX_VALUE for value in binding.values()):
        return None
    try:
        return document.render(binding)
    except BindingError:
        return None


def sent_complaints(
    values: Values, alters: Sequence[str], messages: Sequence[Mapping[str, str]] | None
) -> Iterator[str]:
    """Of an attempt's sent messages: their digest, and that they are those of the document, if known."""
    sent = values["sent_messages"]
    if sent is None:
        if values["sent_digest"]:
            yield differs("the sent_digest", values["sent_digest"], "none, as no messages are here")
        return
    if _digest(sent) != values["sent_digest"]:
        yield differs("the sent_digest", values["sent_digest"], _digest(sent))
    if messages is None:
        return
    asked = [list(map(dict, messages))]
    if "system folded" in alters:
        asked.append(folded(messages))
    if not any(same(sent, each) for each in asked):
        yield "the sent messages are not those that the document gives with the run's binding"


def folded(messages: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The messages for a server without a system role: that text opens the user's message."""
    return [{"role": "user", "content": "\n\n".join(message["content"] for message in messages)}]


def _digest(value: Any) -> str:
    try:
        return digest_of(value)
    except (ValueError, RecursionError):
        return "nothing"


def scored_again(values: Values, document: Document | None) -> tuple[list[str], dict[str, Verdict] | None]:
    """Complaints about an attempt's outcome and score, and the verdicts that its output gives, by rule.

    Without the document, or where the output cannot be scored, the verdicts are not known.
    """
    complaints = list(outcome_complaints(values))
    if not is_scored(values):
        return complaints, {}
    if document is None:
        return complaints, None
    try:
        result = score(document, reply_of(values))
    except TooLarge as error:
        return [*complaints, f"it says that it was scored, and {error}"], None
    complaints += score_complaints(values, result)
    return complaints, {verdict.rule: verdict for verdict in result.verdicts}


def reply_of(values: Values) -> Reply:
    kind = cast("OutputIs", values["output_is"])
    return Reply.stored(values["output"], kind, values["finish"], values["reasoning_tokens"])


def mark_of(trial: Values, final: Values | None) -> str:
    """How a trial came out, by its state and the attempt that closed it."""
    if trial["state"] == "cancelled":
        return "cancelled"
    if trial["state"] != "closed":
        return "pending"
    if final is None or not is_scored(final):
        return "unscored"
    return "pass" if final["passed"] == final["total"] else "fail"


def is_scored(values: Values) -> bool:
    """Whether an attempt says that it was scored: then its verdicts follow."""
    return values["outcome"] != "error" and values["total"] is not None


def outcome_complaints(values: Values) -> Iterator[str]:
    """Of an attempt's outcome, which is decided from its finish and output alone."""
    if values["outcome"] == "error":
        if not values["error"]:
            yield "its outcome is error, and no error is named"
        if values["passed"] is not None or values["total"] is not None:
            yield "its outcome is error, and it states a score"
        return
    if values["error"]:
        yield f"its outcome is {values['outcome']}, and it names the error {quoted(values['error'])}"
    outcome = reply_of(values).outcome
    if outcome != values["outcome"]:
        yield differs("the outcome", values["outcome"], outcome)
    elif values["total"] is None and not reply_of(values).ran_out:
        yield f"its outcome is {outcome}, and it states no score"


def score_complaints(values: Values, result: Result) -> Iterator[str]:
    for name, recomputed in (("passed", result.passed), ("total", result.total)):
        if values[name] != recomputed:
            yield differs(name, values[name], recomputed)


def verdict_complaints(values: Values, verdict: Verdict) -> Iterator[str]:
    finding = verdict.finding.as_json()
    for name, recomputed in finding.items():
        if not same(values[name], recomputed):
            said = differs(f"{name} of the verdict on {verdict.rule}", values[name], recomputed)
            yield said if name == "message" else f"{said} ({verdict.finding.message})"


def race_complaints(values: Values) -> Iterator[str]:
    """Of a race: the digest of its ladder, and one run for each climb at each rung."""
    recomputed = _digest([values["ladder"], values["documents"]])
    if recomputed != values["digest"]:
        yield differs("the digest of the ladder", values["digest"], recomputed)
    rungs = values["ladder"].get("rungs")
    if not isinstance(rungs, list) or len(rungs) != len(values["documents"]):
        yield "it does not name one document for each rung"
    wanted = len(values["climbs"]) * len(values["documents"])
    if not wanted or len(placed_runs(values)) != wanted:
        yield differs("the runs it places", len(values["holds"]), wanted)


def placed_runs(values: Values) -> dict[int, tuple[str, str, str]]:
    """By a run's position what a race says of it: document, endpoint and model. Empty where it misfits."""
    try:
        climbs = {climb["letter"]: (climb["endpoint"], climb["model"]) for climb in values["climbs"]}
        documents = dict(enumerate(values["documents"], 1))
        return {hold["run"]: (documents[hold["rung"]], *climbs[hold["letter"]]) for hold in values["holds"]}
    except (KeyError, TypeError):
        return {}


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: true is no 1, and 1.0 is."""
    return _spelt(one) == _spelt(other)


def _spelt(value: Any) -> bytes:
    try:
        return canonical_bytes(value)
    except (ValueError, RecursionError):
        return shown(value, most=MAX_LINE).encode()  # a number too large, or half a surrogate pair


def differs(what: str, stored: Any, recomputed: Any) -> str:
    return f"{what}: stored {shown(stored)}, recomputed {shown(recomputed)}"


def shown(value: Any, most: int = 80) -> str:
    """A value as JSON, fit for a message; a text as it is."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    except RecursionError:
        return "values nested too deeply"
    return text if len(text) <= most else f"{text[: most - 1]}…"
