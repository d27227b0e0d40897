"""The download of a batch's evidence."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from probes.domain.evidence import lines
from probes.models import Batch
from probes.views.batches import batch_or_404
from registry.web.downloads import download, file_name


@require_safe
def batch_evidence(request: HttpRequest, pk: UUID) -> StreamingHttpResponse:
    return evidence_file(request, batch_or_404(request.user, pk))


def evidence_file(request: HttpRequest, batch: Batch) -> StreamingHttpResponse:
    """The evidence as a file. That the person may see the batch is the caller's to check."""
    name = file_name("evidence", batch.title, str(batch.pk)[:8], ending="jsonl")
    return download(request, lines(batch), name, "application/x-ndjson")
