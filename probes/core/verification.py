"""Verify an evidence file line by line, offline and in bounded memory: which line lies, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Literal

from probes.core import recomputing
from probes.core.course import BatchCourse, TrialCourse, Values, is_over, is_scored
from probes.core.document import Document
from probes.core.evidence import FORMAT, MAX_LINE, Links, UnreadableLine, other_file, read_line
from probes.core.evidence_ranges import range_complaints
from probes.core.problems import quoted
from probes.core.recomputing import Placed, differs
from probes.core.scoring import Verdict, scored_with

About = Literal["line", "order", "race", "document", "sent", "outcome", "verdict"]

MOST_LIES = 50
"""Lies that are kept; those that follow are counted."""

SENT = ("sent_messages", "sent_digest", "sent_parameters")
MARKS = ("pass", "fail", "unscored", "pending", "cancelled")


class NotEvidence(ValueError):
    """What was given is no evidence file of a known format; the message says why."""


@dataclass(frozen=True, slots=True)
class Lie:
    """What is wrong with one line: what is stored there, and what recomputes."""

    line: int
    about: About
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass
class Verification:
    """What came of it. `recomputed` counts what was recomputed by what it is about; `wrong`, what lied."""

    header: Mapping[str, Any] = field(default_factory=dict)
    lines: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    recomputed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    redacted: int = 0
    lies: list[Lie] = field(default_factory=list)
    more: int = 0
    lying_lines: int = 0
    chain: str = ""
    """The chain of the last line: it names the whole file, as a digest does."""

    @property
    def ok(self) -> bool:
        return not self.lies


def distribution(marks: Mapping[str, int]) -> str:
    """`12 PASS, 2 FAIL, 0 UNSCORED`, and what is not over or was cancelled."""
    said = [f"{marks[mark]} {mark.upper()}" for mark in MARKS[:3]]
    return ", ".join(said + [f"{marks[mark]} {mark}" for mark in MARKS[3:] if marks[mark]])


def verify(file: IO[bytes]) -> Verification:
    """Verify an open evidence file. Raises NotEvidence."""
    return verify_lines(iter(lambda: file.readline(MAX_LINE + 1), b""))


def verify_lines(lines: Iterable[bytes]) -> Verification:
    """Verify the lines of an evidence file, each with its line break. Raises NotEvidence."""
    verifier = Verifier()
    for raw in lines:
        verifier.feed(raw)
    return verifier.close()


@dataclass(slots=True)
class Place:
    """The latest line of a kind, to which lines below it belong.

    `sound`: no byte of it or of what it belongs to was changed, so that what follows from it can
    be held against the lines below.
    """

    values: Values
    line: int
    sound: bool


@dataclass(slots=True)
class Due:
    """The verdicts that must stand below an attempt, in order; None is one that cannot be given again."""

    attempt: Place
    verdicts: dict[str, Verdict | None]
    ok: int = 0


class Verifier:
    """`feed` it every line in order, then `close` it."""

    def __init__(self) -> None:
        self.found = Verification()
        self._links = Links()
        self._broken = False
        """A line was changed: what does not fit together below it is not the fault of other lines."""
        self._batch = BatchCourse()
        self._race: dict[int, Placed] = {}
        self._digests: set[str] = set()
        self._document: Place | None = None
        self._parsed: Document | None = None
        self._run: Place | None = None
        self._messages: list[dict[str, str]] | None = None
        self._trials = self._cancelled = 0
        """Of the run: how many so far, and how many of them were cancelled."""
        self._trial: Place | None = None
        self._course: TrialCourse | None = None
        self._attempt: Place | None = None
        self._due: Due | None = None
        """What must follow the latest attempt; None where that is not known."""
        self._last_lie = 0
        self._ended = False

    def feed(self, raw: bytes) -> None:
        """Take the next line, with its line break. Raises NotEvidence where the first is no header."""
        self.found.lines += 1
        if len(raw) > MAX_LINE:
            raise NotEvidence(f"line {self.found.lines} is longer than any line of evidence")
        if self.found.lines == 1 and (why := other_file(raw)):
            raise NotEvidence(why)
        complaint = self._links.complaint(raw)
        try:
            values = read_line(raw)
        except UnreadableLine as error:
            if self.found.lines == 1:
                raise NotEvidence(f"line 1 is no evidence header: {error}") from None
            self._broken = True
            self._lie("line", str(error))
            return
        if complaint:
            self._broken = True
            self._lie("line", complaint)
        self._follow(values, sound=not complaint)

    def close(self) -> Verification:
        """What came of it. Raises NotEvidence for nothing at all."""
        if not self.found.lines:
            raise NotEvidence("there is nothing in it")
        if not self._ended:
            self._lie("order", "the file ends here, without the line that counts its lines: it was cut off")
        self.found.chain = self._links.last
        return self.found

    def _follow(self, values: Values, *, sound: bool) -> None:
        number, kind = self.found.lines, values["kind"]
        if number == 1:
            _require_header(values)
        elif kind == "evidence":
            self._misfit("a second header: files were joined")
        if self._ended:
            self._misfit("it stands below the line that ends the file")
        if values["line"] != number:
            self._misfit(f"it says that it is line {values['line']}: one above it is missing or too many")
        if kind != "verdict":
            self._end_attempt()
        if sound:
            for message in range_complaints(values):
                self._lie("line", message)
        self.found.kinds[kind] += 1
        getattr(self, f"_read_{kind}")(values, sound)

    # --- what was found -----------------------------------------------------------------------------
    def _lie(self, about: About, message: str) -> None:
        found, line = self.found, self.found.lines
        found.lying_lines += line != self._last_lie
        self._last_lie = line
        if len(found.lies) < MOST_LIES:
            found.lies.append(Lie(line, about, message))
        else:
            found.more += 1

    def _recomputed(self, about: About, complaints: Iterable[str]) -> None:
        messages = list(complaints)
        self.found.recomputed[about] += 1
        self.found.wrong[about] += bool(messages)
        for message in messages:
            self._lie(about, message)

    def _misfit(self, message: str) -> None:
        if not self._broken:
            self._lie("order", message)

    def _misfits(self, complaints: Iterable[str], above: Place | None = None) -> None:
        """With `above`, they are about a line that what follows it has shown to lie."""
        where = f"above it, line {above.line}: " if above else ""
        for message in complaints:
            self._misfit(f"{where}{message}")

    def _belongs(self, place: Place | None, fits: bool, noun: str) -> bool:
        """Whether a line belongs to `place`, and what follows from that can be relied on."""
        if place is None or not fits:
            self._misfit(f"it does not belong to the {noun} above it")
            return False
        return place.sound

    # --- one line of each kind ----------------------------------------------------------------------
    def _read_evidence(self, values: Values, sound: bool) -> None:
        self.found.header = self.found.header or values
        if self.found.lines == 1:
            self._misfits(self._batch.header(values))

    def _read_race(self, values: Values, sound: bool) -> None:
        if self.found.lines != 2:
            self._misfit("a race stands in the second line only")
        self._recomputed("race", recomputing.race_complaints(values))
        self._race = recomputing.placed_runs(values) if sound else {}

    def _read_document(self, values: Values, sound: bool) -> None:
        self._end_run()
        if values["digest"] in self._digests:
            self._misfit("this document stands in the file already")
        self._digests.add(values["digest"])
        self._misfits(self._batch.document(values))
        self._recomputed("document", recomputing.document_complaints(values))
        self._document = Place(values, self.found.lines, sound)
        self._parsed = recomputing.parsed(values) if sound else None

    def _read_run(self, values: Values, sound: bool) -> None:
        self._end_run()
        document = self._document
        fits = document is not None and document.values["digest"] == values["document"]
        known = self._belongs(document, fits, "document") and sound
        if self._race:
            self._read_placed(values, document)
        self._run = Place(values, self.found.lines, known)
        self._misfits(self._batch.run(values))
        self._trials = self._cancelled = 0
        self._messages = None
        if known and self._parsed:
            self._messages = recomputing.rendered(self._parsed, values)
            if self._messages is None:
                self._lie("document", "its binding does not fit the variables of its document")

    def _read_placed(self, values: Values, document: Place | None) -> None:
        placed = self._race.get(values["position"])
        above = document.values if document and document.sound else None
        if placed is None:
            self._lie("race", "the race in line 2 has no such run")
        elif message := placed.complaint(values, above):
            self._lie("race", message)

    def _read_trial(self, values: Values, sound: bool) -> None:
        self._end_trial()
        run = self._run
        fits = run is not None and run.values["position"] == values["run"]
        self._trial = Place(values, self.found.lines, self._belongs(run, fits, "run") and sound)
        self._trials += 1
        self._cancelled += values["state"] == "cancelled"
        if fits and values["repeat"] != self._trials:
            self._misfit(differs("repeat", values["repeat"], self._trials))
        over = is_over(self.found.header) or (run is not None and is_over(run.values))
        self._course = TrialCourse(values, over=over)

    def _read_attempt(self, values: Values, sound: bool) -> None:
        trial, run, course = self._trial, self._run, self._course
        fits = trial is not None and all(trial.values[key] == values[key] for key in ("run", "repeat"))
        known = self._belongs(trial, fits, "trial") and sound
        self._attempt = Place(values, self.found.lines, known)
        if run is None or course is None or not fits:
            self._due = None
            return
        if values["endpoint"] != run.values["endpoint"]:
            self._misfit(differs("the endpoint", values["endpoint"], run.values["endpoint"]))
        self._misfits(course.attempt(values))
        if values["outcome"] != "error" or any(values[name] for name in SENT):
            self._recomputed("sent", self._sent(values, run, course, known))
        self._due = self._score(self._attempt, course)

    def _sent(self, values: Values, run: Place, course: TrialCourse, known: bool) -> Iterator[str]:
        alters = [name for name in run.values["alters"] if isinstance(name, str)]
        yield from recomputing.sent_complaints(values, alters, self._messages if known else None)
        if known and self._parsed and not self._broken:  # the limit follows from lines above
            doubled = course.doubled
            yield from recomputing.parameter_complaints(values, alters, self._parsed, doubled=doubled)

    def _score(self, attempt: Place, course: TrialCourse) -> Due | None:
        values = attempt.values
        document = self._parsed if attempt.sound else None
        if recomputing.ran_out(values):
            if course.doubled:
                self._misfit("it ran out of tokens once more, and states no score")
            course.ran_out(values)
        if values.get("redacted") is True:
            self.found.redacted += 1
            self._recomputed("outcome", recomputing.redaction_complaints(values))
            if document is None:
                return None
            rules = document.rubric.rules if is_scored(values) else ()
            if is_scored(values) and values["total"] != len(rules):
                self._lie("outcome", differs("total", values["total"], len(rules)))
            return Due(attempt, {rule.name: None for rule in rules})
        complaints, verdicts = recomputing.scored_again(values, document)
        self._recomputed("outcome", complaints)
        return None if verdicts is None else Due(attempt, dict(verdicts))

    def _read_verdict(self, values: Values, sound: bool) -> None:
        attempt, due, keys = self._attempt, self._due, ("run", "repeat", "number")
        fits = attempt is not None and all(attempt.values[key] == values[key] for key in keys)
        if not self._belongs(attempt, fits, "attempt") or attempt is None or due is None:
            return
        rule = values["rule"]
        if rule not in due.verdicts:
            self._misfit(f"the attempt in line {attempt.line} gives no verdict on {quoted(rule)}")
            return
        if rule != next(iter(due.verdicts)):
            self._misfit(f"the verdict on {quoted(rule)} stands above another that comes before it")
        verdict = due.verdicts.pop(rule)
        due.ok += values["ok"]
        if verdict is not None:
            scorer = _other_scorer(attempt.values)
            found = recomputing.verdict_complaints(values, verdict)
            self._recomputed("verdict", (f"{message}{scorer}" for message in found))

    def _read_end(self, values: Values, sound: bool) -> None:
        self._end_run()
        self._ended = True
        if self._broken:
            return
        counted = {f"{kind}s": self.found.kinds[kind] for kind in ("document", "run", "trial", "attempt")}
        counted["verdicts"] = self.found.kinds["verdict"]
        for name, count in counted.items():
            if values[name] != count:
                self._lie("order", differs(f"the number of {name}", values[name], count))
        marks = {mark: self.found.marks[mark] for mark in MARKS}
        if not recomputing.same(values["marks"], marks):
            self._lie("order", differs("how the trials came out", values["marks"], marks))
        if self._race and len(self._race) != counted["runs"]:
            self._lie("race", differs("the runs of the race", len(self._race), counted["runs"]))
        self._misfits(self._batch.end())

    # --- what must stand above a line of the next kind ----------------------------------------------
    def _end_attempt(self) -> None:
        due = self._due
        self._attempt = self._due = None
        if due is None:
            return
        values, line = due.attempt.values, due.attempt.line
        if due.verdicts:
            self._misfit(f"above it, verdicts of line {line} are missing: {', '.join(due.verdicts)}")
        elif values.get("redacted") is True and is_scored(values) and due.ok != values["passed"]:
            self._misfit(f"above it, {differs(f'passed of line {line}', values['passed'], due.ok)}")

    def _end_trial(self) -> None:
        trial, course = self._trial, self._course
        self._trial = self._course = None
        if trial and course:
            self.found.marks[recomputing.mark_of(trial.values, course.final)] += 1
            self._misfits(course.end(), above=trial)

    def _end_run(self) -> None:
        self._end_trial()
        run, self._run = self._run, None
        if run is None:
            return
        if run.values["repeats"] != self._trials:
            said = differs("its trials", run.values["repeats"], self._trials)
            self._misfit(f"above it, trials of the run of line {run.line} are missing or too many: {said}")
        self._misfits(self._batch.run_ended(run.values, self._cancelled), above=run)


def _require_header(values: Values) -> None:
    if values["kind"] != "evidence":
        raise NotEvidence(f"line 1 is no evidence header: its kind is {quoted(values['kind'])}")
    if values["format"] != FORMAT:
        said = quoted(values["format"])
        raise NotEvidence(f"line 1 says that its format is {said}: only {FORMAT} can be verified here")


def _other_scorer(attempt: Values) -> str:
    """A note where something else scored the attempt, as a verdict must recompute for ever."""
    here = scored_with()
    return "" if attempt["scored_with"] == here else f" (scored with {attempt['scored_with']}; here: {here})"
