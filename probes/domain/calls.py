"""One call of a trial, with all that a worker needs to make it and to score what comes back."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from probes.core import Document, DocumentError
from probes.models import ProbeVersion, Trial
from registry.endpoints.models import Endpoint

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Call:
    """The `number`th call of a trial, leased by one worker.

    `endpoint_name` is what its run calls the endpoint, whatever that is called since.
    `alone` marks a trial that was in flight when workers died: it is called with nothing beside
    it, so that what kills a worker takes no other trial along.
    """

    trial_id: int
    number: int
    run_id: int
    batch_id: UUID
    version_id: int
    endpoint: Endpoint
    endpoint_name: str
    model: str
    binding: dict[str, str]
    doubled: bool
    alone: bool
    begun_at: datetime


@dataclass(frozen=True)
class Prepared:
    """A published version, read once: its document and the ids of its rules, in order."""

    document: Document
    rule_ids: list[int]

    def request(self, call: Call) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """The messages and parameters of `call`, before its endpoint alters anything."""
        parameters = self.document.parameters.as_json()
        if call.doubled:
            parameters["max_tokens"] *= 2
        return self.document.render(call.binding), parameters


class Unreadable(Exception):
    """A stored version that cannot be read. Its trials end unscored; all others go on."""


class Versions:
    """The versions that one turn of work has met. They never change, so none is read twice."""

    def __init__(self) -> None:
        self._prepared: dict[int, Prepared] = {}

    def __contains__(self, version_id: int) -> bool:
        return version_id in self._prepared

    def __getitem__(self, version_id: int) -> Prepared:
        """What `load` has read. Raises Unreadable; asks the database nothing."""
        if version_id not in self._prepared:
            raise Unreadable(f"version {version_id}")
        return self._prepared[version_id]

    def load(self, version_ids: Iterable[int]) -> None:
        missing = set(version_ids) - self._prepared.keys()
        if not missing:
            return
        for version in ProbeVersion.objects.filter(pk__in=missing).prefetch_related("rubric__rules"):
            rules = sorted(version.rubric.rules.all(), key=lambda rule: rule.position)
            try:
                self._prepared[version.pk] = Prepared(version.parsed, [rule.pk for rule in rules])
            except DocumentError as error:
                logger.error("The stored version %s cannot be read: %s", version.pk, error)


def call_of(trial: Trial, *, alone: bool) -> Call:
    """The call that `trial` was just leased for; its run and endpoint are loaded."""
    run = trial.run
    if trial.leased_at is None:
        raise ValueError(f"Trial {trial.pk} is not leased.")
    return Call(
        trial_id=trial.pk,
        number=trial.tries,
        run_id=run.pk,
        batch_id=run.batch_id,
        version_id=run.version_id,
        endpoint=run.endpoint,
        endpoint_name=run.endpoint_name,
        model=run.model,
        binding=run.binding,
        doubled=trial.doubled,
        alone=alone,
        begun_at=trial.leased_at,
    )
