from django.urls import path

from ladder.views import evidence, live, pages, races

urlpatterns = [
    path("", pages.home, name="home"),
    path("results/", pages.results_page, name="results"),
    path("ladders/", pages.ladders, name="ladders"),
    path("ladders/<slug:team>/<slug:slug>/", pages.ladder, name="ladder"),
    path("ladders/<slug:team>/<slug:slug>/race/", races.race_new, name="race-new"),
    path("races/<uuid:pk>/", races.race, name="race"),
    path("races/<uuid:pk>/stream", live.race_stream, name="race-stream"),
    path("races/<uuid:pk>/evidence", evidence.race_evidence, name="race-evidence"),
    path("races/<uuid:pk>/cancel/", races.race_cancel, name="race-cancel"),
    path("races/<uuid:pk>/again/", races.race_again, name="race-again"),
]
