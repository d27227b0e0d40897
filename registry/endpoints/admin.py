"""Endpoints in the admin: to look at. The team's own page changes them; the key is nowhere."""

from __future__ import annotations

from django.contrib import admin

from registry.endpoints.models import Endpoint
from registry.web.admin import ReadOnlyPage


@admin.register(Endpoint)
class EndpointAdmin(ReadOnlyPage):
    right = "manage endpoints"
    why_kept = "Endpoints are added, changed and closed on their team's own page."
    list_display = ("name", "team", "base_url", "practice", "key_set_at", "closed_at")
    list_filter = ("practice",)
    list_select_related = ("team",)
    search_fields = ("name", "slug", "team__slug")
    exclude = ("key_cipher", "key_last4")
