"""What tests of the queue stand on: a small probe, an endpoint, a batch, and a provider that obeys."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import Model

from probes.core import Document
from probes.domain.calls import Call, Versions
from probes.domain.claim import claim_trials, seconds_until_due
from probes.domain.publish import publish
from probes.domain.record import Recorded, record
from probes.domain.start import RunRequest, start_batch
from probes.engine import Landed
from probes.models import Batch, ProbeVersion, Trial
from registry.endpoints.chat import Answer, Target
from registry.endpoints.models import Endpoint
from registry.teams.models import Team

PROBE = """\
format: probe/1
slug: {slug}
title: {title}
category: Instruction following
summary: Three words, no more.
prompt:
  system: null
  user: {user}
variables: {variables}
parameters: {{max_tokens: 40, temperature: 0}}
rubric:
  prose: {prose}
  criteria: [Three words]
  rules:
    - name: three_words
      check: {{kind: words, op: "==", n: 3, token: whitespace}}
      why: The instruction says three.
fixtures:
  - {{label: three, expect: pass, output: one two three}}
  - {{label: four, expect: fail, fails: [three_words], output: one two three four}}
changelog: Initial version.
"""


def probe_text(
    slug: str = "three-words",
    title: str = "Three words",
    user: str = "Write three words.",
    prose: str = "One property.",
    variables: str = "[]",
) -> str:
    return PROBE.format(slug=slug, title=title, user=user, prose=prose, variables=variables)


def a_document(**changes: str) -> Document:
    return Document.parse(probe_text(**changes))


def a_version(team: Team, **changes: str) -> ProbeVersion:
    return publish(team, probe_text(**changes)).version


def an_endpoint(team: Team, slug: str = "lab", **fields: Any) -> Endpoint:
    given = {"name": slug.title(), "base_url": f"https://{slug}.example/v1", "concurrency": 64} | fields
    return Endpoint.objects.create(team=team, slug=slug, **given)


def a_batch(
    team: Team, version: ProbeVersion, *endpoints: Endpoint, repeats: int = 1, model: str = "m", **fields: Any
) -> Batch:
    """A batch with one run an endpoint."""
    runs = [RunRequest(version, endpoint, model, repeats=repeats) for endpoint in endpoints]
    return start_batch(team=team, by=None, runs=runs, **{"title": "A batch", "visibility": "public"} | fields)


def trials_of(batch: Batch) -> list[Trial]:
    return list(Trial.objects.filter(run__batch=batch).order_by("pk"))


def only(model: type[Model], **lookup: Any) -> Any:
    """The one row of a table."""
    return model._default_manager.get(**lookup)


def wait() -> Any:
    """Seconds until the queue has something due; None if nothing waits."""
    return seconds_until_due()


def good(text: str = "one two three", **fields: Any) -> Answer:
    return Answer(text=text, finish="stop", sent_messages=[], sent_digest="d" * 64, milliseconds=5, **fields)


def failed(error: str = "endpoint_error", **fields: Any) -> Answer:
    return Answer(error=error, detail="It failed. Try again.", **fields)


def claim(worker: str = "w", limit: int = 64, **options: Any) -> list[Call]:
    return claim_trials(worker, limit, **options)


def keep(call: Call, answer: Answer | None = None, worker: str = "w", **landed: Any) -> Recorded:
    """Record one landed call as `worker`."""
    versions = Versions()
    versions.load([call.version_id])
    return record([Landed(call, answer, **landed)], worker, versions)


Script = Callable[[str, Sequence[Mapping[str, Any]], Mapping[str, Any], int], Answer]


class Provider:
    """A `complete` that answers by a script: `script(model, messages, parameters, times called)`.

    `gate`, where given, is awaited by every call; `calls` lists the models called, `most` how many
    calls there were at once.
    """

    def __init__(self, script: Script | None = None, gate: threading.Event | None = None) -> None:
        self.script = script or (lambda *_: good())
        self.gate = gate
        self.calls: list[str] = []
        self.targets: list[Target] = []
        self.now = self.most = 0

    async def __call__(
        self,
        target: Target,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        parameters: Mapping[str, Any],
    ) -> Answer:
        self.calls.append(model)
        self.targets.append(target)
        times = len(self.calls)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0)
            while self.gate and not self.gate.is_set():  # noqa: ASYNC110 - it is set in another thread
                await asyncio.sleep(0.005)
            return self.script(model, messages, parameters, times)
        finally:
            self.now -= 1
