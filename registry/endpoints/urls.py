from django.urls import path

from registry.endpoints import views

urlpatterns = [
    path("endpoints/models/", views.endpoint_models, name="endpoint-models"),
    path("teams/<slug:team>/endpoints/", views.endpoints, name="endpoints"),
    path("teams/<slug:team>/endpoints/new/", views.endpoint_new, name="endpoint-new"),
    path("teams/<slug:team>/endpoints/<slug:slug>/", views.endpoint, name="endpoint"),
    path("teams/<slug:team>/endpoints/<slug:slug>/test/", views.endpoint_test, name="endpoint-test"),
    path(
        "teams/<slug:team>/endpoints/<slug:slug>/models/",
        views.endpoint_list_models,
        name="endpoint-list-models",
    ),
    path("teams/<slug:team>/endpoints/<slug:slug>/pause/", views.endpoint_pause, name="endpoint-pause"),
    path("teams/<slug:team>/endpoints/<slug:slug>/resume/", views.endpoint_resume, name="endpoint-resume"),
    path("teams/<slug:team>/endpoints/<slug:slug>/delete/", views.endpoint_delete, name="endpoint-delete"),
]
