"""The API's lists and rows of ladders and races; a race's standing is the one its page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from django.urls import path
from django_filters import CharFilter, FilterSet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ladder.domain.latest import visible_races
from ladder.domain.standing import RaceCell, Standing, standings
from ladder.models import Ladder, Race, Rung
from probes.api.probe_shapes import VERSION
from probes.api.run_shapes import MARKS, MessageShape
from probes.api.shapes import TallyShape
from probes.domain.visible import visible_versions
from probes.models import State, Visibility
from registry.api.fields import Link, ListLink, PageLink, PersonName
from registry.api.filters import Named, OneOf, Whole
from registry.api.views import ReadRows
from registry.teams.access import Person

EDITION = {"team": "team.slug", "slug": "slug", "number": "number"}


def placed(path: str = "") -> dict[str, str]:
    """The arguments of a version's route, from a rung at `path`."""
    return {name: f"{path}version.{at}" for name, at in VERSION.items()}


class RungShape(serializers.ModelSerializer[Rung]):
    """A probe version placed on a ladder."""

    id = serializers.CharField(source="key", help_text="the published id, such as `ten-words`")
    probe = serializers.CharField(source="version.probe.__str__")
    version = serializers.IntegerField(source="version.number")
    version_url = Link("api-version", **placed())

    class Meta:
        model = Rung
        fields = ["index", "id", "label", "constraint", "probe", "version", "version_url"]


class LadderShape(serializers.ModelSerializer[Ladder]):
    """One published edition of a ladder. Rungs on probes that are hidden from you are left out."""

    url = Link("api-ladder", **EDITION)
    page = PageLink()
    name = serializers.SerializerMethodField(help_text="`team/slug`, as filters take it")
    team = serializers.CharField(source="team.slug")
    rungs = RungShape(many=True)
    races = ListLink("api-races", ladder=lambda row: f"{row.team.slug}/{row.slug}", edition="number")

    class Meta:
        model = Ladder
        fields = [
            "url", "page", "name", "team", "slug", "number", "title", "summary", "digest",
            "published_at", "rungs", "races",
        ]  # fmt: skip

    def get_name(self, ladder: Ladder) -> str:
        return f"{ladder.team.slug}/{ladder.slug}"


class ClimbShape(serializers.Serializer[Any]):
    """How one model stands.

    `score` counts trials, those that passed of those that were scored: with one repeat that is a trial
    a rung, with two `12 / 14`. `held` is the highest rung that is held without a break.
    """

    letter = serializers.CharField()
    endpoint = serializers.CharField(source="endpoint_name")
    model = serializers.CharField(source="climb.model")
    alters = serializers.ListField(child=serializers.CharField())
    score = serializers.CharField(help_text="trials passed / trials scored, over all rungs and repeats")
    held = serializers.IntegerField(help_text="the index of a rung; 0 is the ground")
    standing = serializers.CharField()
    problems = serializers.ListField(child=serializers.CharField(), help_text="why cells are unscored")
    tally = TallyShape()


def _run(cell: RaceCell) -> int:
    return cell.cells[0].run.pk


class RaceCellShape(serializers.Serializer[Any]):
    """One model at one rung."""

    letter = serializers.CharField()
    mark = serializers.ChoiceField(choices=MARKS)
    message = serializers.CharField()
    tally = TallyShape()
    run_url = Link("api-run", pk=_run)
    trials = ListLink("api-trials", run=_run)


class RaceRungShape(serializers.Serializer[Any]):
    index = serializers.IntegerField(source="rung.index")
    id = serializers.CharField(source="rung.key")
    label = serializers.CharField(source="rung.label")  # type: ignore[assignment]
    version_url = Link("api-version", **placed("rung."))
    heuristic = serializers.BooleanField(help_text="whether the verdict is an estimate")
    messages = MessageShape(many=True, help_text="as every model is asked, before an endpoint alters it")
    identical = serializers.BooleanField(
        allow_null=True, help_text="whether all models were sent the same; null while that is not known"
    )
    cells = RaceCellShape(many=True)


class RaceShape(serializers.Serializer[Standing]):
    """A concept climbed by two or more models. A race is a batch: its id is the batch's."""

    id = serializers.UUIDField(source="race.pk")
    url = Link("api-race", pk="race.pk")
    page = PageLink("race")
    batch_url = Link("api-batch", pk="race.pk")
    evidence = Link("api-batch-evidence", pk="race.pk")
    ladder_url = Link("api-ladder", **{name: f"race.ladder.{at}" for name, at in EDITION.items()})
    concept = serializers.CharField(source="race.concept")
    team = serializers.CharField(source="batch.team.slug")
    started_by = PersonName(source="batch.started_by", allow_null=True)
    visibility = serializers.ChoiceField(source="batch.visibility", choices=Visibility.choices)
    hidden = serializers.BooleanField(
        source="batch.hidden", help_text="whether only members of the team see it"
    )
    practice = serializers.BooleanField(source="batch.practice")
    state = serializers.ChoiceField(source="batch.state", choices=State.choices)
    created_at = serializers.DateTimeField(source="batch.created_at")
    finished_at = serializers.DateTimeField(source="batch.finished_at", allow_null=True)
    tally = TallyShape()
    climbs = ClimbShape(source="totals", many=True)
    identical = serializers.CharField(help_text="whether all models received the same messages, in words")


class RaceDetailShape(RaceShape):
    """A race with its scoreboard."""

    rungs = RaceRungShape(source="rows", many=True)


class LadderFilters(FilterSet):
    team = CharFilter(field_name="team__slug", help_text="the slug of a team")
    slug = CharFilter()


class RaceFilters(FilterSet):
    ladder = Named(field_name="ladder", help_text="a ladder, as team/slug")
    edition = Whole(field_name="ladder__number", help_text="the number of a ladder's edition")
    team = CharFilter(field_name="batch__team__slug", help_text="the slug of the team that ran it")
    concept = CharFilter()
    state = OneOf(State.choices, field_name="batch__state")


class Ladders(ReadRows):
    """Every edition of every ladder, the newest first."""

    order = ("-published_at", "-id")
    lookups = {"team": "team__slug", "slug": "slug", "number": "number"}
    queryset = Ladder.objects.none()
    serializer_class = LadderShape
    filterset_class = LadderFilters

    def rows(self, person: Person) -> QuerySet[Ladder]:
        rungs = Rung.objects.filter(version__in=visible_versions(person)).order_by("index")
        seen = Prefetch("rungs", rungs.select_related("version__probe__team"))
        return Ladder.objects.select_related("team").prefetch_related(seen)


class CurrentLadder(Ladders):
    """The newest edition of a ladder."""

    @extend_schema(operation_id="ladders_current")
    def retrieve(self, request: Request, **named: Any) -> Response:
        wanted = {self.lookups[name]: value for name, value in named.items()}
        newest = self.get_queryset().filter(**wanted).order_by("-number").first()
        if newest is None:
            raise Http404
        return Response(self.get_serializer(newest).data)


class Races(ReadRows):
    """Races, the newest first; one alone comes with its scoreboard."""

    order = ("-batch__created_at", "-pk")
    queryset = Race.objects.none()
    serializer_class = RaceShape
    detail_serializer_class = RaceDetailShape
    filterset_class = RaceFilters

    def rows(self, person: Person) -> QuerySet[Race]:
        return visible_races(person)

    def present(self, rows: Sequence[Race]) -> Sequence[Standing]:
        return standings(rows)


urlpatterns = [
    path("ladders/", Ladders.many(), name="api-ladders"),
    path("ladders/<slug:team>/<slug:slug>/", CurrentLadder.one(), name="api-ladder-current"),
    path("ladders/<slug:team>/<slug:slug>/<int:number>/", Ladders.one(), name="api-ladder"),
    path("races/", Races.many(), name="api-races"),
    path("races/<uuid:pk>/", Races.one(), name="api-race"),
]
