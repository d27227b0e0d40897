"""What a line of an evidence file says, against what recomputes. Pure functions: each gives complaints."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from probes.core.course import Values, is_scored
from probes.core.digests import canonical_bytes, digest_of
from probes.core.document import Document
from probes.core.evidence import MAX_LINE
from probes.core.evidence_ranges import EFFORT, EXTRA
from probes.core.problems import DocumentError, quoted
from probes.core.scoring import OutputIs, Reply, Result, TooLarge, Verdict, score
from probes.core.template import MAX_VALUE, BindingError
from probes.core.view import MAX_CHARACTERS, is_blank

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
        if values["sent_parameters"]:
            yield "it has sent parameters, and no messages that were sent with them"
        if values["outcome"] != "error":
            yield f"its outcome is {values['outcome']}, and no messages were sent to get it"
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


def parameter_complaints(
    values: Values, alters: Collection[str], document: Document, *, doubled: bool
) -> Iterator[str]:
    """Of an attempt's sent parameters: those of the document, but for what its run says is altered.

    After an attempt that ran out of tokens the limit is `doubled`.
    """
    sent = dict(values["sent_parameters"])
    if values["sent_messages"] is None:
        return
    stated = document.parameters.as_json()
    limits = [sent.pop(name) for name in ("max_tokens", "max_completion_tokens") if name in sent]
    limit = stated.pop("max_tokens") * (2 if doubled else 1)
    if not same(limits, [limit]):
        yield differs("the token limit that was sent", " and ".join(map(str, limits)) or "none", limit)
    for name, value in stated.items():
        left_out = name == "temperature" and name not in sent and "no temperature" in alters
        if not left_out and (name not in sent or not same(sent[name], value)):
            yield differs(f"the {name} that was sent", sent.get(name, "none"), value)
    for name in sent.keys() - stated.keys():
        off = name == "chat_template_kwargs" and "reasoning off" in alters
        effort = name == "reasoning_effort" and f"{EFFORT}{sent[name]}" in alters
        if not off and not effort and f"{EXTRA}{name}" not in alters:
            yield f"{quoted(name)} was sent, which neither the document nor the run's alters name"


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
        return [*complaints, *_unscored_complaints(values, document)], {}
    if not values["scored_with"]:
        complaints.append("it states a score, and not what it was scored with")
    if document is None:
        return complaints, None
    try:
        result = score(document, reply_of(values))
    except TooLarge as error:
        return [*complaints, f"it says that it was scored, and {error}"], None
    complaints += score_complaints(values, result)
    return complaints, {verdict.rule: verdict for verdict in result.verdicts}


def _unscored_complaints(values: Values, document: Document | None) -> Iterator[str]:
    """An attempt without a score keeps an output only where the scorer could not take it."""
    if values["scored_with"] or values["passed"] is not None:
        yield "it states no score, and what it was scored with or how many rules passed"
    if values["outcome"] != "error":
        return
    error, output = values["error"], values["output"]
    if error == "too_large" and output:
        if len(output) <= MAX_CHARACTERS:
            yield f"its error is too_large, and its output has {len(output):,} characters, which are scored"
    elif error == "scorer_error":
        if document and (result := score(document, reply_of(values))):
            yield f"its error is scorer_error, and here it scores {result.passed} / {result.total}"
    elif output or values["output_is"] or values["finish"]:
        yield f"its error is {error}, and it keeps an output or a finish, as only an answer does"


def reply_of(values: Values) -> Reply:
    kind = cast("OutputIs", values["output_is"])
    return Reply.stored(values["output"], kind, values["finish"], values["reasoning_tokens"])


def ran_out(values: Values) -> bool:
    """Whether an attempt has no score because its tokens ran out before any text came."""
    if values["outcome"] == "error" or values["total"] is not None:
        return False
    return values.get("redacted") is True or reply_of(values).ran_out


REDACTED = "[redacted]"
"""What stands in the place of an output whose text was taken away."""


def redaction_complaints(values: Values) -> Iterator[str]:
    """Of an attempt that says it is redacted: what is still there could be recomputed."""
    if values["output"] != REDACTED and not is_blank(values["output"]):
        yield "it says that it is redacted, and its output is there"


def mark_of(trial: Values, final: Values | None) -> str:
    """How a trial came out, by its state and the attempt that closed it."""
    if trial["state"] == "cancelled":
        return "cancelled"
    if trial["state"] != "closed":
        return "pending"
    if final is None or not is_scored(final):
        return "unscored"
    return "pass" if final["passed"] == final["total"] else "fail"


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
    reply = reply_of(values)
    if reply.outcome != values["outcome"]:
        yield differs("the outcome", values["outcome"], reply.outcome)
    elif values["total"] is None and not reply.ran_out:
        yield f"its outcome is {reply.outcome}, and it states no score"
    if reply.output != values["output"] or reply.output_is != values["output_is"]:
        yield differs("output_is", values["output_is"], "another, as this output is none of that")


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
    if len(_probes(values)) != len(values["documents"]):
        yield "it does not name one document for each rung"
    letters = "".join(str(climb.get("letter")) for climb in values["climbs"] if isinstance(climb, dict))
    if not LETTERS.startswith(letters):
        yield differs("the letters of its climbs", letters, LETTERS[: len(values["climbs"])])
    wanted = len(values["climbs"]) * len(values["documents"])
    if not wanted or len(placed_runs(values)) != wanted:
        yield differs("the runs it places", len(values["holds"]), wanted)


LETTERS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Placed:
    """What a race says of one of its runs."""

    document: str
    endpoint: str
    model: str
    probe: str
    concept: str

    def complaint(self, run: Values, document: Values | None) -> str:
        """What the run, with the document above it, says differently; "" if nothing."""
        if (self.document, self.endpoint, self.model) != (run["document"], run["endpoint"], run["model"]):
            return "the race in line 2 has another document, endpoint or model for this run"
        if document and not str(document["probe"]).endswith(f"/{self.probe}"):
            return differs("the probe of this run's rung in line 2", self.probe, document["probe"])
        if not same(run["binding"], {"concept": self.concept}):
            return differs("the concept of the race in line 2", self.concept, run["binding"])
        return ""


def placed_runs(values: Values) -> dict[int, Placed]:
    """By a run's position what a race says of it; each climb at each rung once. Empty where it misfits."""
    try:
        climbs = {climb["letter"]: (climb["endpoint"], climb["model"]) for climb in values["climbs"]}
        documents = list(zip(values["documents"], _probes(values), strict=True))
        rungs = dict(enumerate(documents, 1))
        places = {(hold["rung"], hold["letter"]): hold["run"] for hold in values["holds"]}
        found = {
            run: Placed(rungs[rung][0], *climbs[letter], rungs[rung][1], values["concept"])
            for (rung, letter), run in places.items()
        }
    except (KeyError, TypeError, ValueError):
        return {}
    return found if len(found) == len(values["holds"]) else {}


def _probes(values: Values) -> list[str]:
    """The slugs of the probes at the rungs of a race's ladder."""
    rungs = values["ladder"].get("rungs")
    return (
        [str(rung.get("probe")) for rung in rungs if isinstance(rung, dict)]
        if isinstance(rungs, list)
        else []
    )


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
