"""The site's routes. Apps are named as strings: this module composes and is imported by nobody."""

from typing import Any

from django.contrib import admin
from django.http import Http404
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from registry.api.views import Root
from registry.web.errors import not_found

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

# What Django's admin would do by itself with accounts is done on this site's own pages, with its
# limits and its mails; and its way to any row's page by number would tell what the row is called.
admin_doors: list[Any] = [
    path("login/", RedirectView.as_view(pattern_name="sign-in", query_string=True)),
    path("password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    path("password_change/done/", RedirectView.as_view(pattern_name="account")),
    re_path("^r/", not_found, {"exception": Http404()}),
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
    path("admin/", include(admin_doors)),
    path("admin/", admin.site.urls),
]

handler400 = "registry.web.errors.bad_request"
handler403 = "registry.web.errors.denied"
handler404 = "registry.web.errors.not_found"
handler429 = "registry.accounts.views.too_many"
handler500 = "registry.web.errors.server_error"
