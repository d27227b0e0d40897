"""The site's routes. Apps are named as strings: this module composes and is imported by nobody."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("ladder.urls")),
    path("", include("probes.urls")),
    path("", include("registry.teams.urls")),
    path("", include("registry.endpoints.urls")),
    path("", include("registry.web.urls")),
    path("admin/", admin.site.urls),
]
