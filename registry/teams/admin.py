"""People and teams in the admin. Nothing here is deleted: what people published stays theirs."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from registry.teams.models import Membership, Team, User


class NeverDeleted:
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["user", "team"]
    readonly_fields = ["joined_at"]


@admin.register(User)
class PersonAdmin(NeverDeleted, UserAdmin):
    list_display = ["email", "name", "is_active", "is_staff", "joined_at", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email", "name"]
    ordering = ["email"]
    readonly_fields = ["joined_at", "last_login"]
    inlines = [MembershipInline]
    fieldsets = [
        (None, {"fields": ["email", "name", "password"]}),
        ("What they may do on the whole site", {"fields": ["is_active", "is_staff", "is_superuser"]}),
        ("Dates", {"fields": ["joined_at", "last_login"]}),
    ]
    add_fieldsets = [
        (
            None,
            {"classes": ["wide"], "fields": ["email", "name", "usable_password", "password1", "password2"]},
        ),
    ]


@admin.register(Team)
class TeamAdmin(NeverDeleted, admin.ModelAdmin):
    list_display = ["slug", "name", "created_at"]
    search_fields = ["slug", "name"]
    readonly_fields = ["created_at"]
    inlines = [MembershipInline]

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> list[str]:
        """A slug is part of permanent addresses: it is chosen once."""
        return ["created_at", "slug"] if obj else ["created_at"]


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ["user", "team", "role", "joined_at"]
    list_filter = ["role"]
    list_select_related = ["user", "team"]
    search_fields = ["user__email", "team__slug"]
    autocomplete_fields = ["user", "team"]
    readonly_fields = ["joined_at"]
