from django.urls import path

from registry.web import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
]
