from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView

from registry.web import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    # pages name their icon; what asks without reading one, such as the admin, finds it here
    path("favicon.ico", RedirectView.as_view(url=static("registry/mark.svg"))),
]
