"""The site's routes. Apps are named as strings: this module composes and is imported by nobody."""

from typing import Any

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from registry.api.views import Root

API_ROUTES = {
    "probes": "api-probes",
    "versions": "api-versions",
    "batches": "api-batches",
    "runs": "api-runs",
    "trials": "api-trials",
    "models": "api-models",
    "ladders": "api-ladders",
    "races": "api-races",
    "schema": "api-schema",
    "docs": "api-docs",
}

api: list[Any] = [
    path("", Root.as_view(routes=API_ROUTES), name="api-root"),
    path("", include("registry.api.urls")),
    path("", include("probes.api.urls")),
    path("", include("ladder.api")),
]

urlpatterns = [
    path("", include("ladder.urls")),
    path("", include("probes.urls")),
    path("", include("registry.accounts.urls")),
    path("", include("registry.teams.urls")),
    path("", include("registry.endpoints.urls")),
    path("", include("registry.audit.urls")),
    path("", include("registry.web.urls")),
    path("api/v1/", include(api)),
    path("admin/login/", RedirectView.as_view(pattern_name="sign-in", query_string=True)),
    path("admin/", admin.site.urls),
]

handler400 = "registry.web.errors.bad_request"
handler403 = "registry.web.errors.denied"
handler404 = "registry.web.errors.not_found"
handler429 = "registry.accounts.views.too_many"
handler500 = "registry.web.errors.server_error"
