from django.urls import path

from registry.audit import views

urlpatterns = [path("teams/<slug:team>/log/", views.audit_log, name="audit-log")]
