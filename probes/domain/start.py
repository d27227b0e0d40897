"""Start a batch: everything is checked, then batch, runs and trials are written in one transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from probes.core.template import value_problem
from probes.core.view import WHITE_SPACE
from probes.domain import doorbell
from probes.models import Batch, Probe, ProbeVersion, Run, Trial, Visibility
from registry.endpoints import vault
from registry.endpoints.chat import alterations
from registry.endpoints.models import Endpoint
from registry.teams import access
from registry.teams.models import Team, User

RIGHT = "start and cancel runs"
MOST_REPEATS = 100
MOST_TRIALS = 2000
LONGEST_MODEL = 200
LONGEST_TITLE = 300
LONGEST_KEY = 100

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True)
class RunRequest:
    """One model to answer one version, `repeats` times, with `binding` for the version's variables.

    A form with several models gives each a `prefix` (`a-`), which the names of its fields begin with.
    """

    version: ProbeVersion
    endpoint: Endpoint
    model: str
    binding: Mapping[str, str] = field(default_factory=dict)
    repeats: int = 1
    prefix: str = ""


class StartRefused(ValueError):
    """Nothing was started. `problems` holds all that is wrong, by field, each with what to do."""

    def __init__(self, problems: dict[str, str]) -> None:
        self.problems = problems
        super().__init__("\n".join(f"{name}: {problem}" for name, problem in problems.items()))


def start_batch(
    *,
    team: Team,
    by: User | None,
    runs: Sequence[RunRequest],
    title: str,
    visibility: str,
    idempotency_key: str | None = None,
) -> Batch:
    """Write the batch with its runs and trials, and ring for a worker once that is committed.

    The same `idempotency_key` in the same team gives the same batch again, however many ask at once.
    `by` None is the operator at the command line. Raises StartRefused, and what `access.require` does.
    """
    if by:
        access.require(by, team, RIGHT)
    if already := _with_key(team, idempotency_key):
        return already
    if problems := _problems(team, by, runs, title, visibility, idempotency_key):
        raise StartRefused(problems)
    batch = Batch(
        team=team,
        started_by=by,
        title=title.strip(WHITE_SPACE),
        visibility=visibility,
        practice=all(request.endpoint.practice for request in runs),
        idempotency_key=idempotency_key or None,
    )
    return _write_once(batch, runs)


def _with_key(team: Team, key: str | None) -> Batch | None:
    return Batch.objects.filter(team=team, idempotency_key=key).first() if key else None


def _write_once(batch: Batch, runs: Sequence[RunRequest]) -> Batch:
    try:
        with transaction.atomic():
            _write(batch, runs)
    except IntegrityError:
        # somebody else started with this key in the meantime; on any other ground it is raised again
        already = _with_key(batch.team, batch.idempotency_key)
        if already is None:
            raise
        return already
    return batch


def _write(batch: Batch, requests: Sequence[RunRequest]) -> None:
    batch.save(force_insert=True)
    made = [_run(batch, position, request) for position, request in enumerate(requests)]
    Run.objects.bulk_create(made)
    Trial.objects.bulk_create(
        Trial(run=run, repeat=repeat, due_at=Now()) for run in made for repeat in range(1, run.repeats + 1)
    )
    transaction.on_commit(doorbell.ring, robust=True)


def _run(batch: Batch, position: int, request: RunRequest) -> Run:
    document = request.version.parsed
    messages, parameters = document.render(request.binding), document.parameters.as_json()
    return Run(
        batch=batch,
        position=position,
        version=request.version,
        endpoint=request.endpoint,
        endpoint_name=request.endpoint.name,
        model=request.model.strip(WHITE_SPACE),
        binding=dict(request.binding),
        repeats=request.repeats,
        alters=alterations(request.endpoint, messages, parameters),
    )


class _Problems(dict[str, str]):
    """Field to message; a message that stands at another field already is not said again."""

    def note(self, name: str, message: str) -> None:
        if message and name not in self and message not in self.values():
            self[name] = message


def _problems(
    team: Team, by: User | None, runs: Sequence[RunRequest], title: str, visibility: str, key: str | None
) -> dict[str, str]:
    found = _Problems()
    found.note("title", _line_problem("title", title, LONGEST_TITLE))
    if key and len(key) > LONGEST_KEY:
        found.note("idempotency_key", f"The key has {len(key)} characters: use at most {LONGEST_KEY}.")
    found.note("runs", _amount_problem(runs))
    for request in runs:
        found.note(f"{request.prefix}endpoint", _endpoint_problem(team, request.endpoint))
        found.note(f"{request.prefix}model", _line_problem("model", request.model, LONGEST_MODEL))
        found.note("repeats", _repeats_problem(request.repeats))
        for name, problem in _binding_problems(request):
            found.note(name, problem)
    found.note("version", _version_problem(by, runs))
    found.note("visibility", _visibility_problem(visibility, runs))
    return found


def _line_problem(what: str, text: str, longest: int) -> str:
    stripped = text.strip(WHITE_SPACE)
    if not stripped:
        return f"Write the {what}: nothing is entered."
    if len(stripped) > longest:
        return f"The {what} has {len(stripped):,} characters: shorten it to {longest} or fewer."
    if _UNPRINTABLE.search(stripped):
        return f"The {what} holds a line break or a control character: write it on one line."
    return ""


def _amount_problem(runs: Sequence[RunRequest]) -> str:
    trials = sum(max(request.repeats, 0) for request in runs)
    if not runs:
        return "Choose at least one model to run."
    if trials > MOST_TRIALS:
        return f"These are {trials:,} trials: start at most {MOST_TRIALS:,} at once."
    return ""


def _repeats_problem(repeats: int) -> str:
    return (
        "" if 1 <= repeats <= MOST_REPEATS else f"Write a whole number of repeats from 1 to {MOST_REPEATS}."
    )


def _endpoint_problem(team: Team, endpoint: Endpoint) -> str:
    if endpoint.team_id != team.pk:
        return f"Choose an endpoint of {team.name}: this one belongs to another team."
    if endpoint.closed_at:
        return f"The endpoint {endpoint.name} is closed: choose another one."
    try:
        endpoint.key()
    except vault.Unreadable:
        return f"The key of {endpoint.name} cannot be read: enter it again on the endpoint's page."
    return ""


def _binding_problems(request: RunRequest) -> list[tuple[str, str]]:
    """A pair for each variable that is missing or cannot be filled in, and for each that is not one."""
    wanted, given = request.version.variables, request.binding
    found = [(name, value_problem(given.get(name, ""))) for name in wanted]
    known = ", ".join(wanted) or "none"
    return found + [
        (name, f"{request.version} has no variable of this name; it has: {known}.")
        for name in given
        if name not in wanted
    ]


def _version_problem(by: User | None, runs: Sequence[RunRequest]) -> str:
    wanted = {request.version.pk for request in runs}
    rows = ProbeVersion.objects.filter(pk__in=wanted)
    seen = access.visible(by, rows, team="probe__team") if by else rows
    missing = wanted - set(seen.values_list("pk", flat=True))
    return "There is no such probe version: choose one that you can see." if missing else ""


def _visibility_problem(visibility: str, runs: Sequence[RunRequest]) -> str:
    if visibility not in Visibility.values:
        return f"Choose who may see this: {' or '.join(Visibility.values)}."
    probes = Probe.objects.filter(versions__in=[request.version.pk for request in runs])
    if visibility == Visibility.PUBLIC and (hidden := probes.exclude(visibility=Visibility.PUBLIC).first()):
        return f"{hidden} is for its team only, and a public run would show its prompt: choose team."
    return ""
