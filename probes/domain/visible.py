"""What a person may see of the probes and of what was run: every page and door asks here."""

from __future__ import annotations

from django.db.models import QuerySet

from probes.models import Batch, Probe, ProbeVersion, Run, Trial
from registry.teams import access
from registry.teams.access import Person


def visible_probes(person: Person) -> QuerySet[Probe]:
    return access.visible(person, Probe.objects.select_related("team"))


def visible_versions(person: Person) -> QuerySet[ProbeVersion]:
    rows = ProbeVersion.objects.select_related("probe__team", "rubric")
    return access.visible(person, rows, team="probe__team")


def visible_batches(person: Person) -> QuerySet[Batch]:
    """Batches the person may see, neither hidden nor on a probe that is: a batch shows its prompts."""
    hidden = Probe.objects.exclude(pk__in=access.visible(person, Probe.objects.all()).values("pk"))
    rows = access.visible(person, Batch.objects.select_related("team", "started_by"))
    return access.unhidden(person, rows).exclude(runs__version__probe__in=hidden)


def visible_runs(person: Person) -> QuerySet[Run]:
    return Run.objects.filter(batch__in=visible_batches(person))


def visible_trials(person: Person) -> QuerySet[Trial]:
    return Trial.objects.filter(run__batch__in=visible_batches(person))
