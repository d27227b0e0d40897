"""The download of a race's evidence."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from ladder.domain.latest import visible_races
from probes.views.evidence import evidence_file
from registry.teams.access import get_or_404


@require_safe
def race_evidence(request: HttpRequest, pk: UUID) -> StreamingHttpResponse:
    return evidence_file(request, get_or_404(visible_races(request.user), pk=pk).batch)
