from django.urls import path

from probes.views import batches, docs, evidence, moderation, probes, runs, streams, try_it, versions

PROBE = "probes/<slug:team>/<slug:slug>/"
VERSION = PROBE + "v<int:number>/"
BATCH = "batches/<uuid:pk>/"

urlpatterns = [
    path("probes/", probes.probe_list, name="probes"),
    path(PROBE, versions.current_version, name="probe"),
    path(VERSION, versions.version, name="version"),
    path(VERSION + "run/", versions.run_version, name="run-version"),
    path(VERSION + "try/", try_it.try_it, name="try-it"),
    path(BATCH, batches.batch, name="batch"),
    path(BATCH + "runs/<int:position>/", runs.run, name="run"),
    path(BATCH + "stream", streams.batch_stream, name="batch-stream"),
    path(BATCH + "evidence", evidence.batch_evidence, name="batch-evidence"),
    path(BATCH + "cancel/", batches.cancel, name="batch-cancel"),
    path(BATCH + "again/", batches.again, name="batch-again"),
    path(BATCH + "moderate/", moderation.moderate, name="batch-moderate"),
    path(BATCH + "hide/", moderation.hide, name="batch-hide"),
    path(BATCH + "unhide/", moderation.unhide, name="batch-unhide"),
    path(BATCH + "attempts/<int:attempt>/redact/", moderation.redact, name="attempt-redact"),
    path("docs/", docs.how_we_count, name="docs"),
    path("docs/probe-file.schema.json", docs.probe_file_schema, name="probe-file-schema"),
]
