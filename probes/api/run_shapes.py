"""What the API shows of batches, runs, trials, attempts and verdicts.

Of an endpoint only its name is shown, and of a person only the name they chose.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from probes.api.probe_shapes import VERSION
from probes.api.shapes import TallyShape
from probes.domain.evidence import stated_parameters
from probes.domain.results import Cell
from probes.domain.runs import RunResult
from probes.models import Attempt, Batch, State, Trial, Verdict
from probes.models.probe import Visibility
from registry.api.fields import Link, ListLink, PageLink, PersonName

MARKS = ["pass", "fail", "unscored", "pending", "calling", "cancelled"]


class BatchShape(serializers.ModelSerializer[Batch]):
    """What one person started at once. A practice batch was answered by script: it is no result."""

    url = Link("api-batch", pk="pk")
    page = PageLink()
    team = serializers.CharField(source="team.slug")
    started_by = PersonName(allow_null=True)
    visibility = serializers.ChoiceField(choices=Visibility.choices)
    state = serializers.ChoiceField(choices=State.choices)
    hidden = serializers.BooleanField(read_only=True, help_text="whether only members of the team see it")
    tally = TallyShape()
    runs = ListLink("api-runs", batch="pk")
    trials = ListLink("api-trials", batch="pk")
    evidence = Link("api-batch-evidence", pk="pk")

    class Meta:
        model = Batch
        fields = [
            "id", "url", "page", "team", "title", "started_by", "visibility", "hidden", "practice",
            "state", "created_at", "cancelled_at", "finished_at", "tally", "runs", "trials", "evidence",
        ]  # fmt: skip


class BrokenShape(serializers.Serializer[Any]):
    """A rule, and in how many scored trials it failed."""

    rule = serializers.CharField()
    trials = serializers.IntegerField()

    def to_representation(self, instance: tuple[str, int]) -> dict[str, Any]:
        return dict(zip(("rule", "trials"), instance, strict=True))


class RunShape(serializers.Serializer[RunResult]):
    """One model answering one probe version `repeats` times.

    `alters` says what the endpoint does to messages or parameters: such a run is never pooled with
    others. `counts` is whether it is a result: public, and not on a practice endpoint.
    """

    id = serializers.IntegerField(source="run.pk")
    url = Link("api-run", pk="run.pk")
    batch = serializers.UUIDField(source="run.batch_id")
    batch_url = Link("api-batch", pk="run.batch_id")
    position = serializers.IntegerField(source="run.position")
    team = serializers.CharField(source="run.batch.team.slug")
    probe = serializers.CharField(source="run.version.probe.__str__")
    version = serializers.IntegerField(source="run.version.number")
    version_url = Link("api-version", **{name: f"run.version.{path}" for name, path in VERSION.items()})
    digest = serializers.CharField(source="run.version.digest", help_text="the version's digest")
    endpoint = serializers.CharField(source="run.endpoint_name", help_text="as it was called then")
    model = serializers.CharField(source="run.model")
    binding = serializers.DictField(source="run.binding", child=serializers.CharField())
    repeats = serializers.IntegerField(source="run.repeats")
    alters = serializers.ListField(source="run.alters", child=serializers.CharField())
    visibility = serializers.ChoiceField(source="run.batch.visibility", choices=Visibility.choices)
    practice = serializers.BooleanField(source="run.endpoint.practice")
    counts = serializers.BooleanField()
    state = serializers.ChoiceField(source="run.state", choices=State.choices)
    created_at = serializers.DateTimeField(source="run.batch.created_at")
    finished_at = serializers.DateTimeField(source="run.finished_at", allow_null=True)
    score = serializers.FloatField(
        allow_null=True, help_text="rules passed / rules, the mean over the scored trials, 0 to 1"
    )
    tally = TallyShape()
    broken = BrokenShape(many=True)
    trials = ListLink("api-trials", run="run.pk")


class SpanShape(serializers.Serializer[Any]):
    """A stretch of the output, in code points, the end exclusive."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()
    mark = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]

    def to_representation(self, instance: Iterable[Any]) -> dict[str, Any]:
        return dict(zip(("start", "end", "mark", "label"), instance, strict=True))


class VerdictShape(serializers.ModelSerializer[Verdict]):
    """One rule's finding on one attempt: `message` says all of it in a few words."""

    rule = serializers.CharField(source="rule.name")
    actual = serializers.JSONField(allow_null=True)
    expected = serializers.JSONField(allow_null=True)
    spans = SpanShape(many=True)

    class Meta:
        model = Verdict
        fields = ["position", "rule", "ok", "actual", "expected", "unit", "message", "spans"]


class MessageShape(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.CharField()


class AttemptShape(serializers.ModelSerializer[Attempt]):
    """One call: what was sent and what came back. Reasoning text is never kept, only its tokens.

    `sent_parameters` are those that the probe states, under the names they were sent by; what else
    an endpoint adds is named in the run's `alters`.
    """

    endpoint = serializers.CharField(source="endpoint_name")
    sent_messages = MessageShape(many=True, allow_null=True)
    sent_parameters = serializers.SerializerMethodField()
    verdicts = VerdictShape(many=True)

    class Meta:
        model = Attempt
        fields = [
            "number", "seq", "outcome", "error", "detail", "status", "output", "repaired", "finish",
            "served_model", "endpoint", "prompt_tokens", "completion_tokens", "reasoning_tokens",
            "sent_messages", "sent_parameters", "sent_digest", "late", "may_be_billed", "milliseconds",
            "started_at", "recorded_at", "passed", "total", "scored_with", "redacted_at",
            "output_digest", "verdicts",
        ]  # fmt: skip

    @extend_schema_field({"type": "object", "additionalProperties": {}})
    def get_sent_parameters(self, attempt: Attempt) -> dict[str, Any]:
        return stated_parameters(attempt.trial.run.version, attempt)


class TrialShape(serializers.Serializer[Cell]):
    """One repeat of a run with every call made for it.

    `mark` and `message` are of the attempt that closed it, else of the latest.
    """

    id = serializers.IntegerField(source="trial.pk")
    url = Link("api-trial", pk="trial.pk")
    run = serializers.IntegerField(source="trial.run_id")
    run_url = Link("api-run", pk="trial.run_id")
    batch = serializers.UUIDField(source="run.batch_id")
    repeat = serializers.IntegerField(source="trial.repeat")
    state = serializers.ChoiceField(source="trial.state", choices=Trial.State.choices)
    seq = serializers.IntegerField(source="trial.seq", help_text="the batch's event at its last change")
    closed_at = serializers.DateTimeField(source="trial.closed_at", allow_null=True)
    mark = serializers.ChoiceField(choices=MARKS)
    message = serializers.CharField()
    attempts = AttemptShape(many=True)


class ModelShape(serializers.Serializer[Any]):
    """A model by the name it was asked under, and where it has results: public runs, practice aside.

    Verdicts of different probes are not added up: they do not measure one thing. Follow `results`.
    """

    model = serializers.CharField()
    runs = serializers.IntegerField(help_text="public runs that are no practice")
    altered_runs = serializers.IntegerField(help_text="of these, runs whose endpoint altered what was sent")
    probes = serializers.IntegerField(help_text="how many probes it was run on")
    latest = serializers.DateTimeField(help_text="when its newest run was started")
    results = ListLink("api-runs", model=lambda row: row["model"], counts=lambda row: "true")
