from django.urls import path

from probes.api import views

urlpatterns = [
    path("probes/", views.Probes.many(), name="api-probes"),
    path("probes/<slug:team>/<slug:slug>/", views.Probes.one(), name="api-probe"),
    path("versions/", views.Versions.many(), name="api-versions"),
    path("versions/<slug:team>/<slug:slug>/<int:number>/", views.Versions.one(), name="api-version"),
    path("batches/", views.Batches.many(), name="api-batches"),
    path("batches/<uuid:pk>/", views.Batches.one(), name="api-batch"),
    path("batches/<uuid:pk>/evidence/", views.BatchEvidence.as_view(), name="api-batch-evidence"),
    path("runs/", views.Runs.many(), name="api-runs"),
    path("runs/<int:pk>/", views.Runs.one(), name="api-run"),
    path("trials/", views.Trials.many(), name="api-trials"),
    path("trials/<int:pk>/", views.Trials.one(), name="api-trial"),
    path("models/", views.Models.many(), name="api-models"),
]
