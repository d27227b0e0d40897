from django.urls import path

from registry.api import views

urlpatterns = [
    path("schema/", views.Schema.as_view(), name="api-schema"),
    path("docs/", views.docs, name="api-docs"),
]
