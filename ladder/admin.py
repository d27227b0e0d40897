"""Ladders and races in the admin: to be read, never to be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest

from ladder.models import Climb, Ladder, Race, Rung

if TYPE_CHECKING:
    Inline = admin.TabularInline[Any, Any]
    Page = admin.ModelAdmin[Any]
else:
    Inline, Page = admin.TabularInline, admin.ModelAdmin


class ReadOnly:
    """No row can be added, changed or deleted; superusers are no exception."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class RungInline(ReadOnly, Inline):
    model = Rung
    extra = 0


class ClimbInline(ReadOnly, Inline):
    model = Climb
    extra = 0


@admin.register(Ladder)
class LadderAdmin(ReadOnly, Page):
    list_display = ("title", "team", "number", "published_at")
    list_select_related = ("team",)
    inlines: ClassVar = [RungInline]


@admin.register(Race)
class RaceAdmin(ReadOnly, Page):
    list_display = ("concept", "ladder", "batch")
    list_select_related = ("ladder", "batch")
    search_fields = ("concept",)
    inlines: ClassVar = [ClimbInline]
