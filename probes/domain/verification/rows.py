"""What published rows say of themselves: digests that recompute, and triggers that keep them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import connection

from probes.core import Document, DocumentError
from probes.core.recomputing import same
from probes.domain.verification.property import Look
from probes.models import ProbeVersion
from registry.immutability import guards, trigger_problems, triggers


def versions_that_lie() -> tuple[int, list[str]]:
    """How many published versions there are, and what does not recompute from their documents."""
    count, wrong = 0, list[str]()
    rows = ProbeVersion.objects.select_related("probe__team", "rubric").order_by("pk")
    for version in rows.prefetch_related("rubric__rules", "fixtures").iterator(chunk_size=50):
        count += 1
        wrong += (f"{version}: differs from its document in {name}" for name in _lies(version))
    return count, wrong


def _lies(version: ProbeVersion) -> Iterator[str]:
    try:
        document = Document.from_json(version.document)
    except DocumentError as error:
        yield f"the document itself, which cannot be read: {error.problems[0]}"
        return
    stored = _stored(version)
    for name, value in _recomputed(document).items():
        if not same(stored[name], value):
            yield name


def _recomputed(document: Document) -> dict[str, Any]:
    return {
        "the digest": document.digest,
        "the request digest": document.request_digest,
        "the checks digest": document.checks_digest,
        "the rubric digest": document.rubric_digest,
        "the document": document.canonical(),
        "the prompt": document.prompt.as_json(),
        "the variables": list(document.variables),
        "the parameters": document.parameters.as_json(),
        "the prose": document.rubric.prose,
        "the criteria": list(document.rubric.criteria),
        "a rule": [rule.as_json() for rule in document.rubric.rules],
        "a fixture": [fixture.as_json() for fixture in document.fixtures],
    }


def _stored(version: ProbeVersion) -> dict[str, Any]:
    rubric = version.rubric
    rules = sorted(rubric.rules.all(), key=lambda rule: rule.position)
    fixtures = sorted(version.fixtures.all(), key=lambda fixture: fixture.position)
    return {
        "the digest": version.digest,
        "the request digest": version.request_digest,
        "the checks digest": rubric.checks_digest,
        "the rubric digest": rubric.rubric_digest,
        "the document": version.document,
        "the prompt": {"system": version.system, "user": version.user},
        "the variables": version.variables,
        "the parameters": version.parameters,
        "the prose": rubric.prose,
        "the criteria": rubric.criteria,
        "a rule": [{"name": rule.name, "check": rule.check_data, "why": rule.why} for rule in rules],
        "a fixture": [
            {"label": each.label, "expect": each.expect, "fails": each.fails, "output": each.output}
            for each in fixtures
        ],
    }


def look_at_triggers() -> Look:
    wanted = {name for guard in guards() for name in triggers(guard, connection.vendor)}
    tables = {guard.table for guard in guards()}
    if problems := trigger_problems():
        return False, [*problems, "manage.py migrate creates the triggers again"]
    return bool(wanted), [f"{len(wanted)} triggers on {len(tables)} tables refuse every change"]
