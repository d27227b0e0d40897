"""Endpoints in the administration: to look at. The team's own page changes them; the key is nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from registry.endpoints.models import Endpoint

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Endpoint]
else:
    Base = admin.ModelAdmin


@admin.register(Endpoint)
class EndpointAdmin(Base):
    list_display = ["name", "team", "base_url", "practice", "key_set_at", "closed_at"]
    list_filter = ["practice"]
    list_select_related = ["team"]
    search_fields = ["name", "slug", "team__slug"]
    exclude = ["key_cipher", "key_last4"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
