"""How the lines of a batch follow each other: attempts in a trial, trials in a run, runs in a batch.

A trial is called until an attempt of it is scored, or fails for good: that one closes it. A late
attempt, whose reply came after the call was given up, stands below the one that says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from probes.core.problems import quoted

Values = Mapping[str, Any]

CLOSED, CANCELLED = "closed", "cancelled"


class TrialCourse:
    """Of one trial: give it every attempt in order, then ask for what is wrong at its `end`."""

    def __init__(self, trial: Values, *, over: bool) -> None:
        self._trial = trial
        self._over = over
        """Whether the run or the batch says that it is over."""
        self._latest: Values | None = None
        self._ran_out = False
        self._scored = False

    @property
    def final(self) -> Values | None:
        """The attempt that closed the trial, as far as it was given."""
        latest = self._latest
        return latest if latest and latest["number"] == self._trial["final"] else None

    @property
    def doubled(self) -> bool:
        """Whether an attempt so far ran out of tokens, after which twice as many are asked for."""
        return self._ran_out

    def attempt(self, values: Values) -> Iterator[str]:
        """Take the next attempt; what is wrong with where it stands."""
        number, latest = values["number"], self._latest
        last = latest["number"] if latest else 0
        if latest and values["seq"] <= latest["seq"]:
            yield f"its seq is {values['seq']}, and that of an attempt before it is {latest['seq']}"
        if values["late"]:
            if number != last:
                yield f"it is late, and no attempt {number} that was given up stands above it"
            return
        if number != last + 1:
            yield f"its number is {number}, and must be {last + 1}: attempts are numbered from 1"
        if self._scored:
            yield "an attempt above it was scored, which closes a trial: none can follow"
        self._latest = values
        self._scored = self._scored or is_scored(values)

    def ran_out(self, values: Values) -> None:
        """This attempt ran out of tokens before any text came, and was not scored."""
        self._ran_out = self._ran_out or not values["late"]

    def end(self) -> Iterator[str]:
        """What is wrong with the trial, now that all its attempts were given."""
        state, final = self._trial["state"], self._trial["final"]
        last = self._latest["number"] if self._latest else None
        if state == CLOSED:
            if final is None or final != last:
                yield f"attempt {final} closed it, as it says, and its last one is {last}"
            elif self._latest and not self._scored and self._latest["outcome"] != "error":
                yield f"attempt {final} closed it, as it says, without a score: it would be asked again"
            return
        if final is not None:
            yield f"it is {state}, and attempt {final} closed it, as it says"
        if self._scored:
            yield f"it is {state}, and its attempt {last} was scored, which closes a trial"
        if self._over and state != CANCELLED:
            yield f"it is {state}, and its run or its batch is over"


def is_scored(values: Values) -> bool:
    """Whether an attempt says that it was scored: then its verdicts follow."""
    return values["outcome"] != "error" and values["total"] is not None


def is_over(values: Values) -> bool:
    """Whether a batch or a run says that it is."""
    return bool(values["state"] != "running")


class BatchCourse:
    """Of a whole batch: what its header says, against its runs and how their trials came out."""

    def __init__(self) -> None:
        self._header: Values = {"state": "running"}
        self._practice: dict[str, bool] = {}
        self._positions: set[int] = set()
        self._versions: set[tuple[str, int]] = set()
        self._cancelled = False

    def header(self, values: Values) -> Iterator[str]:
        self._header = values
        if is_over(values) != (values["finished_at"] is not None):
            yield f"it is {values['state']}, and finished_at is {quoted(str(values['finished_at']))}"

    def document(self, values: Values) -> Iterator[str]:
        named = values["probe"], values["version"]
        if named in self._versions:
            yield f"{values['probe']} has another version {values['version']} above it"
        self._versions.add(named)

    def run(self, values: Values) -> Iterator[str]:
        position, endpoint, practice = values["position"], values["endpoint"], values["practice"]
        if position in self._positions:
            yield f"a run at position {position} stands above it"
        if self._practice.setdefault(endpoint, practice) != practice:
            yield f"practice is {_said(practice)}, and {_said(not practice)} of another run at {endpoint}"
        if is_over(self._header) and not is_over(values):
            yield "it is running, and its batch is over"
        self._positions.add(position)

    def run_ended(self, run: Values, cancelled: int) -> Iterator[str]:
        """`cancelled` of the trials of `run` were cancelled."""
        self._cancelled = self._cancelled or cancelled > 0
        yield from _cancelled(run, "it", cancelled > 0)

    def end(self) -> Iterator[str]:
        """What the header says and the runs do not bear out."""
        header = self._header
        if missing := set(range(len(self._positions))) - self._positions:
            yield f"a run at position {min(missing)} is missing"
        yield from _cancelled(header, "line 1: the batch", self._cancelled)
        if is_over(header) and self._cancelled and header["cancelled_at"] is None:
            yield "line 1: trials were cancelled, and cancelled_at says nothing"
        if self._practice and header["practice"] != all(self._practice.values()):
            yield f"line 1: practice is {_said(header['practice'])}, and its runs say otherwise"


def _cancelled(values: Values, subject: str, any_cancelled: bool) -> Iterator[str]:
    """A batch or run is cancelled if it is over and a trial of it was cancelled."""
    if is_over(values) and (values["state"] == CANCELLED) != any_cancelled:
        had = "trials of it were cancelled" if any_cancelled else "no trial of it was cancelled"
        yield f"{subject} is {values['state']}, and {had}"


def _said(flag: bool) -> str:
    return "true" if flag else "false"
