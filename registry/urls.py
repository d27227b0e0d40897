"""The site's routes. Apps are named as strings: this module composes and is imported by nobody."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", include("ladder.urls")),
    path("", include("probes.urls")),
    path("", include("registry.teams.urls")),
    path("", include("registry.endpoints.urls")),
    path("", include("registry.web.urls")),
    path("admin/login/", RedirectView.as_view(pattern_name="sign-in", query_string=True)),
    path("admin/", admin.site.urls),
]

handler400 = "registry.web.errors.bad_request"
handler403 = "registry.web.errors.denied"
handler404 = "registry.web.errors.not_found"
handler500 = "registry.web.errors.server_error"
