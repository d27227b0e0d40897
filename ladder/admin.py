"""Ladders and races in the admin: to be read, never to be changed."""

from __future__ import annotations

from django.contrib import admin

from ladder.models import Climb, Ladder, Race, Rung
from registry.web.admin import ReadOnlyInline, ReadOnlyPage


class RungInline(ReadOnlyInline):
    model = Rung
    fields = ("index", "key", "label", "constraint", "version")
    joined = ("version__probe__team",)


class ClimbInline(ReadOnlyInline):
    model = Climb
    fields = ("letter", "endpoint", "model")
    joined = ("endpoint",)


@admin.register(Ladder)
class LadderAdmin(ReadOnlyPage):
    list_display = ("title", "number", "team", "published_at")
    list_select_related = ("team",)
    search_fields = ("title", "=slug", "=team__slug")
    inlines = (RungInline,)


@admin.register(Race)
class RaceAdmin(ReadOnlyPage):
    team_path = "batch__team"
    list_display = ("concept", "ladder", "batch")
    list_select_related = ("ladder", "batch")
    ordering = ("-batch__created_at",)
    search_fields = ("concept",)
    inlines = (ClimbInline,)
