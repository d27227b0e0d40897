"""Start a batch: everything is checked, then batch, runs and trials are written in one transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from probes.core.template import is_blank, line_problem, value_problem
from probes.core.view import WHITE_SPACE
from probes.domain import doorbell
from probes.models import Batch, Probe, ProbeVersion, Run, Trial, Visibility
from registry.audit.domain import record
from registry.endpoints.chat import alterations
from registry.endpoints.models import Endpoint
from registry.endpoints.picker import may_use
from registry.teams import access
from registry.teams.models import Team, User

RIGHT = "start and cancel runs"
MOST_REPEATS = 100
MOST_TRIALS = 2000
LONGEST_MODEL = 200
LONGEST_TITLE = 300
LONGEST_KEY = 100

KEY_TAKEN = "This key has started something else: use a new one."


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

    The same `idempotency_key` in the same team gives the same batch again, however many ask at once;
    a key that started other runs, or the same for other readers, is refused.
    `by` None is the operator at the command line. Raises StartRefused, and what `access.require` does.
    """
    if by:
        access.require(by, team, RIGHT)
    if already := _with_key(team, idempotency_key):
        return _same(already, runs, visibility)
    if problems := start_problems(team, by, runs, title, visibility, idempotency_key):
        raise StartRefused(problems)
    batch = Batch(
        team=team,
        started_by=by,
        title=title.strip(WHITE_SPACE),
        visibility=visibility,
        practice=all(request.endpoint.practice for request in runs),
        run_count=len(runs),
        idempotency_key=idempotency_key or None,
    )
    return _write_once(batch, runs)


def key_of(form_key: str, *asked: object) -> str | None:
    """The key under which a form that carries `form_key` starts what is `asked` there.

    Sent twice it is the same; sent again with something else in it (the browser's Back brings the
    old form) it is a new start, as whoever sent it means it.
    """
    told = json.dumps([form_key, *asked], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest() if form_key else None


def _with_key(team: Team, key: str | None) -> Batch | None:
    if not key or _key_problem(key):
        return None
    return Batch.objects.filter(team=team, idempotency_key=key).first()


def _same(batch: Batch, runs: Sequence[RunRequest], visibility: str) -> Batch:
    """The batch that a key has started, if it is what is asked now. Raises StartRefused."""
    asked = [
        (run.version.pk, run.endpoint.pk, run.model.strip(WHITE_SPACE), dict(run.binding), run.repeats)
        for run in runs
    ]
    rows = batch.runs.order_by("position")
    if batch.visibility != visibility or asked != list(
        rows.values_list("version", "endpoint", "model", "binding", "repeats")
    ):
        raise StartRefused({"idempotency_key": KEY_TAKEN})
    return batch


def _write_once(batch: Batch, runs: Sequence[RunRequest]) -> Batch:
    try:
        with transaction.atomic():
            _write(batch, runs)
    except IntegrityError:
        # somebody else started with this key in the meantime; on any other ground it is raised again
        already = _with_key(batch.team, batch.idempotency_key)
        if already is None:
            raise
        return _same(already, runs, batch.visibility)
    return batch


def _write(batch: Batch, requests: Sequence[RunRequest]) -> None:
    batch.save(force_insert=True)
    made = [_run(batch, position, request) for position, request in enumerate(requests)]
    Run.objects.bulk_create(made)
    Trial.objects.bulk_create(
        Trial(run=run, repeat=repeat, due_at=Now()) for run in made for repeat in range(1, run.repeats + 1)
    )
    seen_by = batch.get_visibility_display()
    record(
        batch.team, batch.started_by, "batch-started", batch.title, runs=len(made), seen_by=seen_by.lower()
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


def start_problems(
    team: Team, by: User | None, runs: Sequence[RunRequest], title: str, visibility: str, key: str | None
) -> dict[str, str]:
    """All that keeps these runs from being started, by field."""
    found = _Problems()
    found.note("idempotency_key", _key_problem(key or ""))
    found.note("runs", _amount_problem(runs))
    for request in runs:
        endpoint_problem = _endpoint_problem(team, by, request.endpoint)
        found.note(f"{request.prefix}endpoint", endpoint_problem)
        found.note(f"{request.prefix}model", _line_problem("model", request.model, LONGEST_MODEL))
        if not endpoint_problem:
            found.note(f"{request.prefix}model", _unknown_model(request))
        found.note("repeats", _repeats_problem(request.repeats))
        for name, problem in _binding_problems(request):
            found.note(name, problem)
    found.note("version", _version_problem(by, runs))
    found.note("visibility", _visibility_problem(visibility, runs))
    if not found:  # titles are made of the fields above, and what is wrong is said there
        found.note("title", _line_problem("title", title, LONGEST_TITLE))
    return found


def _key_problem(key: str) -> str:
    if len(key) > LONGEST_KEY:
        return f"The key has {len(key)} characters: use at most {LONGEST_KEY}."
    return line_problem(key, "The key")


def _line_problem(what: str, text: str, longest: int) -> str:
    stripped = text.strip(WHITE_SPACE)
    if is_blank(stripped):
        return f"Write the {what}: nothing is entered."
    if len(stripped) > longest:
        return f"The {what} has {len(stripped):,} characters: shorten it to {longest} or fewer."
    return line_problem(stripped, f"The {what}")


def _unknown_model(request: RunRequest) -> str:
    """Said before the start only where the list of models is surely complete: of practice endpoints."""
    endpoint, model = request.endpoint, request.model.strip(WHITE_SPACE)
    offered = endpoint.models_offered if endpoint.practice else []
    if not offered or model in offered:
        return ""
    return f"{endpoint.name} has no model {model}: write one of {', '.join(offered)}."


def _amount_problem(runs: Sequence[RunRequest]) -> str:
    trials = sum(min(max(request.repeats, 0), MOST_REPEATS) for request in runs)  # more are refused alone
    if not runs:
        return "Choose at least one model to run."
    if trials > MOST_TRIALS:
        return f"These are {trials:,} trials: start at most {MOST_TRIALS:,} at once."
    return ""


def _repeats_problem(repeats: int) -> str:
    return (
        "" if 1 <= repeats <= MOST_REPEATS else f"Write a whole number of repeats from 1 to {MOST_REPEATS}."
    )


def _endpoint_problem(team: Team, by: User | None, endpoint: Endpoint) -> str:
    if endpoint.team_id != team.pk:
        return f"Choose an endpoint of {team.name}: this one belongs to another team."
    if endpoint.closed_at:
        return f"The endpoint {endpoint.name} is closed: choose another one."
    if endpoint.paused_at:
        return f"The endpoint {endpoint.name} is paused: an owner of {team.name} can resume it."
    if by and not may_use(by, endpoint):
        return f"Only owners of {team.name} may use {endpoint.name}: choose another endpoint."
    if endpoint.unreadable:
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
