"""By what the lists of probes and of what was run can be narrowed. A filter's name is a parameter's."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import CharFilter, FilterSet, UUIDFilter

from probes.domain.runs import counts_as_result
from probes.models import Run, State, Trial
from probes.models.probe import Visibility
from registry.api.filters import Named, OneOf, Whole, YesNo

A_PROBE = "a probe, as team/slug"
OF_THE_TEAM = "the slug of the team that ran it"


class ProbeFilters(FilterSet):
    team = CharFilter(field_name="team__slug", help_text="the slug of a team")
    category = CharFilter()


class VersionFilters(FilterSet):
    team = CharFilter(field_name="probe__team__slug", help_text="the slug of a team")
    probe = Named(field_name="probe", help_text=A_PROBE)
    digest = CharFilter()
    request_digest = CharFilter()
    rubric_digest = CharFilter(field_name="rubric__rubric_digest")
    checks_digest = CharFilter(field_name="rubric__checks_digest")


class BatchFilters(FilterSet):
    team = CharFilter(field_name="team__slug", help_text=OF_THE_TEAM)
    state = OneOf(State.choices)
    visibility = OneOf(Visibility.choices)
    practice = YesNo()


class RunFilters(FilterSet):
    batch = UUIDFilter(error_messages={"invalid": "Write the id of a batch."})
    team = CharFilter(field_name="batch__team__slug", help_text=OF_THE_TEAM)
    probe = Named(field_name="version__probe", help_text=A_PROBE)
    version = Whole(field_name="version__number", help_text="a version's number")
    digest = CharFilter(field_name="version__digest", help_text="a version's digest")
    model = CharFilter()
    endpoint = CharFilter(field_name="endpoint_name", help_text="the name of an endpoint, as it was then")
    state = OneOf(State.choices)
    practice = YesNo(field_name="endpoint__practice")
    counts = YesNo(method="filter_counts", help_text="whether it is a result: public, and no practice")

    def filter_counts(self, rows: QuerySet[Run], name: str, value: Any) -> QuerySet[Run]:
        return rows.filter(counts_as_result()) if value else rows.exclude(counts_as_result())


class TrialFilters(FilterSet):
    batch = UUIDFilter(field_name="run__batch", error_messages={"invalid": "Write the id of a batch."})
    run = Whole(most=2**63 - 1, help_text="the id of a run")
    team = CharFilter(field_name="run__batch__team__slug", help_text=OF_THE_TEAM)
    probe = Named(field_name="run__version__probe", help_text=A_PROBE)
    version = Whole(field_name="run__version__number", help_text="a version's number")
    model = CharFilter(field_name="run__model")
    state = OneOf(Trial.State.choices)


class ModelFilters(FilterSet):
    probe = Named(field_name="version__probe", help_text=A_PROBE)
