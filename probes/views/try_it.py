"""Try it: what every rule of a version says of a pasted output. Nothing of the text is stored or logged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from probes.core import Result, TooLarge, score
from probes.core.budget import steps
from probes.core.view import repair
from probes.domain.visible import visible_batches
from probes.models import Attempt, ProbeVersion
from probes.models.run import Outcome
from probes.views.version_page import FAR_OVER
from probes.views.versions import version_or_404, version_page
from registry.teams.access import get_or_404
from registry.web.limits import Throttle, address_of, network
from registry.web.numbers import row_number

MAX_WORK = 100_000_000
"""Steps that the patterns may take on one output here, in the worst case: about a second."""


class TryItThrottle(Throttle):
    """Each person who is signed in, and each address of people who are not."""

    scope = "try-it"

    def get_rate(self) -> str:
        return settings.TRY_IT_RATE

    def get_cache_key(self, request: Any, view: Any) -> str:
        user = request.user
        ident = f"user-{user.pk}" if user.is_authenticated else network(address_of(request))
        return self.cache_format % {"scope": self.scope, "ident": ident}


@dataclass(frozen=True)
class Tried:
    """An output and its result, or why it was not checked; `wait` is in seconds."""

    output: str = ""
    result: Result | None = None
    problem: str = ""
    status: int = 200
    wait: int = 0
    attempt: Attempt | None = None
    """Whose output it is, where it was taken from a run."""

    @property
    def characters(self) -> int:
        return len(self.output)


# The token is asked for all the same, by `_checked`: reading it reads the body, which may be too large.
@csrf_exempt
@never_cache
@sensitive_post_parameters("output")
@require_http_methods(["GET", "HEAD", "POST"])
def try_it(request: HttpRequest, team: str, slug: str, number: int) -> HttpResponse:
    """The verdicts on `output`: a fragment for htmx, else the version's page with them in it.

    Asked for with `?attempt=`, the page has the output of that attempt in its box, scored.
    """
    version = version_or_404(request.user, team, slug, number)
    if request.method != "POST" and "attempt" in request.GET:
        return _of_a_run(request, version)
    if request.method != "POST":
        return redirect(f"{version.get_absolute_url()}#try-it")
    try:
        request.POST  # noqa: B018 - this reads the body
    except RequestDataTooBig:
        return _answer(request, version, Tried(problem=FAR_OVER, status=413))
    return _checked(request, version)


@csrf_protect
def _checked(request: HttpRequest, version: ProbeVersion) -> HttpResponse:
    # a browser ends the lines of a text area as no model does
    output = repair(request.POST.get("output", "").replace("\r\n", "\n"))
    return _answer(request, version, _limited(request, output) or tried(version, output))


def _of_a_run(request: HttpRequest, version: ProbeVersion) -> HttpResponse:
    rows = Attempt.objects.filter(trial__run__version=version, batch__in=visible_batches(request.user))
    rows = rows.exclude(outcome=Outcome.ERROR).select_related("batch", "trial__run")
    attempt = get_or_404(rows, pk=row_number(request.GET["attempt"]))
    if attempt.redacted_at:
        problem = "That output was redacted: its text is gone, and the verdicts on it stand with the run."
        return _answer(request, version, Tried(problem=problem, status=410))
    found = _limited(request, attempt.output) or tried(version, attempt.output)
    return _answer(request, version, replace(found, attempt=attempt))


def _limited(request: HttpRequest, output: str) -> Tried | None:
    """None, unless this reader has had too many outputs checked of late."""
    wait = TryItThrottle().seconds_to_wait(request)
    if not wait:
        return None
    problem = (
        f"Too many outputs in a short time: the next one can be checked in {wait} s. "
        "Press the button again then."
    )
    return Tried(output, problem=problem, status=429, wait=wait)


def tried(version: ProbeVersion, output: str) -> Tried:
    """What `version` says of `output`, as a worker would score it."""
    most = MAX_WORK // max(1, steps(version.parsed.rubric.rules))
    if len(output) > most:
        problem = f"Not checked: with patterns as large as these, paste at most {most:,} characters here."
        return Tried(output, problem=problem, status=413)
    try:
        return Tried(output, score(version.parsed, output))
    except TooLarge as error:
        return Tried(output, problem=f"Not checked: {error}. Paste less.", status=413)


def _answer(request: HttpRequest, version: ProbeVersion, tried: Tried) -> HttpResponse:
    if request.headers.get("HX-Request"):
        context = {"tried": tried, "version": version}
        answer = render(request, "probes/_try_answer.html", context, status=tried.status)
    else:
        answer = version_page(request, version, status=tried.status, tried=tried)
    if tried.wait:
        answer["Retry-After"] = str(tried.wait)
    return answer
