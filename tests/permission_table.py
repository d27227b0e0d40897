"""Who is answered how: every route of the site and of the API, for each actor, by GET and by POST.

A row is a route, what it is asked about (a name of `named_arguments`), and the answers to each of ACTORS in
order; one answer alone is everybody's. `in` is a redirect to sign-in. HEAD is answered as GET, and
PUT, PATCH and DELETE do nothing anywhere. A view that has been let in answers

- 405 to a method that it does not know,
- 422 to an empty form,
- 503 to whoever may see a stream: it streams over ASGI, which no test client speaks.

A new route needs a row here, one for what is public and one for what is a team's alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.registry.api.planted import Planted
from tests.thorough import thorough

ACTORS = ("visitor", "stranger", "viewer", "runner", "author", "owner", "staff")
"""Nobody signed in; a member of another team; the four roles in acme; a superuser without a team."""

PEOPLE = {
    "stranger": "charlie",
    "viewer": "vera",
    "runner": "bob",
    "author": "anna",
    "owner": "alice",
    "staff": "staff",
}
"""The fixture of each actor who has an account."""

USUAL = {"visitor", "stranger", "runner"}
ASKED = [actor if actor in USUAL else pytest.param(actor, marks=thorough) for actor in ACTORS]
"""A plain run asks for three of them, CI for all."""


@dataclass(frozen=True)
class Row:
    """`get` and `post`: the answer to each actor; `of` names what the route is asked about."""

    route: str
    of: str
    get: tuple[str, ...]
    post: tuple[str, ...]

    @property
    def readers(self) -> set[str]:
        return {actor for actor, answer in zip(ACTORS, self.get, strict=True) if answer == "200"}


def row(route: str, of: str, get: str, post: str) -> Row:
    return Row(route, of, _answers(get), _answers(post))


def _answers(said: str) -> tuple[str, ...]:
    words = tuple(said.split())
    assert len(words) in (1, len(ACTORS)), f"{said!r}: write one answer, or one for each of {ACTORS}"
    return words * len(ACTORS) if len(words) == 1 else words


MEMBERS = "404 404 200 200 200 200 404"
SIGNED_IN = "in 200 200 200 200 200 200"
IN_405 = "in 405 405 405 405 405 405"
STAFF_200 = "in in in in in in 200"

# fmt: off
SITE = [
    # route                     of                vis str vie run aut own sta    vis str vie run aut own sta
    row("home",                 "",               "200",                        "405"),
    row("results",              "",               "200",                        "405"),
    row("ladders",              "",               "200",                        "405"),
    row("ladder",               "ladder",         "200",                        "405"),
    row("race-new",             "ladder",         "302",                        "in 422 422 302 302 302 422"),
    row("race",                 "race",           "200",                        "405"),
    row("race",                 "team's race",    MEMBERS,                      "405"),
    row("race-stream",          "race",           "503",                        "405"),
    row("race-stream",          "team's race",    "404 404 503 503 503 503 404","405"),
    row("race-evidence",        "race",           "200",                        "405"),
    row("race-evidence",        "team's race",    MEMBERS,                      "405"),
    row("race-cancel",          "race",           IN_405,                       "in 404 403 302 302 302 404"),
    row("race-cancel",          "team's race",    IN_405,                       "in 404 403 302 302 302 404"),
    row("race-again",           "race",           "in 302 302 302 302 302 302", IN_405),
    row("race-again",           "team's race",    "in 404 302 302 302 302 404", IN_405),
    row("probes",               "",               "200",                        "405"),
    row("probe",                "probe",          "200",                        "405"),
    row("probe",                "hidden probe",   MEMBERS,                      "405"),
    row("version",              "version",        "200",                        "405"),
    row("version",              "hidden version", MEMBERS,                      "405"),
    row("run-version",          "version",        "in 302 302 302 302 302 302", "in 422 422 302 302 302 422"),
    row("run-version",          "hidden version", "in 404 302 302 302 302 404", "in 404 422 302 302 302 404"),
    row("try-it",               "version",        "302",                        "200"),
    row("try-it",               "hidden version", "404 404 302 302 302 302 404",MEMBERS),
    row("batch",                "batch",          "200",                        "405"),
    row("batch",                "team's batch",   MEMBERS,                      "405"),
    row("batch",                "blocked batch",  MEMBERS,                      "405"),
    row("batch",                "unseen batch",   MEMBERS,                       "405"),
    row("run",                  "run's page",     "200",                        "405"),
    row("run",                  "team's run's page", MEMBERS,                   "405"),
    row("run",                  "unseen run's page", MEMBERS,                   "405"),
    row("batch-stream",         "batch",          "503",                        "405"),
    row("batch-stream",         "team's batch",   "404 404 503 503 503 503 404","405"),
    row("batch-stream",         "unseen batch",   "404 404 503 503 503 503 404", "405"),
    row("batch-evidence",       "batch",          "200",                        "405"),
    row("batch-evidence",       "team's batch",   MEMBERS,                      "405"),
    row("batch-evidence",       "unseen batch",   MEMBERS,                       "405"),
    row("batch-cancel",         "batch",          IN_405,                       "in 404 403 302 302 302 404"),
    row("batch-cancel",         "team's batch",   IN_405,                       "in 404 403 302 302 302 404"),
    row("batch-again",          "batch",          IN_405,                       "in 404 403 302 302 302 404"),
    row("batch-again",          "team's batch",   IN_405,                       "in 404 403 302 302 302 404"),
    row("batch-moderate",       "batch",          "in 404 403 403 403 200 200", IN_405),
    row("batch-moderate",       "team's batch",   "in 404 403 403 403 200 404", IN_405),
    row("batch-moderate",       "unseen batch",   "in 404 403 403 403 200 404", IN_405),
    row("batch-hide",           "batch",          IN_405,                       "in 404 403 403 403 302 302"),
    row("batch-hide",           "team's batch",   IN_405,                       "in 404 403 403 403 302 404"),
    row("batch-unhide",         "unseen batch",   IN_405,                       "in 404 403 403 403 302 404"),
    row("attempt-redact",       "attempt",        "in 404 403 403 403 200 404", "in 404 403 403 403 302 404"),
    row("attempt-redact",       "team's attempt", "in 404 403 403 403 200 404", "in 404 403 403 403 302 404"),
    row("docs",                 "",               "200",                        "405"),
    row("probe-file-schema",    "",               "200",                        "405"),
    row("sign-in",              "",               "200",                        "422"),
    row("account_login",        "",               "200",                        "422"),
    row("mfa_authenticate",     "",               "in 302 302 302 302 302 302", "in 302 302 302 302 302 302"),
    row("account_signup",       "",              "200 302 302 302 302 302 302","200 302 302 302 302 302 302"),
    row("account_email_verification_sent", "",    "200",                        "405"),
    row("account_confirm_email", "no address",    "200",                        "404"),
    row("account_reset_password", "",             "200",                        "422"),
    row("account_reset_password_done", "",        "200",                        "405"),
    row("account_reset_password_from_key", "no reset", "200",                   "200"),
    row("account_reset_password_from_key_done", "", "200",                      "405"),
    row("account_change_password", "",            "in 302 302 302 302 302 302", "in 302 302 302 302 302 302"),
    row("account_set_password", "",               "in",                         "in"),
    row("account_reauthenticate", "",             "in",                         "in"),
    row("mfa_reauthenticate",   "",               "in",                         "in"),
    row("mfa_index",            "",               SIGNED_IN,                    IN_405),
    row("mfa_activate_totp",    "",               "in",                         "in"),
    row("mfa_deactivate_totp",  "",               "in 404 404 404 404 404 404", "in 404 404 404 404 404 404"),
    row("mfa_view_recovery_codes", "",            "in 404 404 404 404 404 404", IN_405),
    row("mfa_generate_recovery_codes", "",        "in",                         "in"),
    row("account_email",        "",               "in",                         "in"),
    row("account_email_confirm", "no address",    SIGNED_IN,                    "in 422 422 422 422 422 422"),
    row("sign-ins",             "",               SIGNED_IN,                    IN_405),
    row("account-close",        "",               "in",                         "in"),
    row("sign-out",             "",               "405",                        "302"),
    row("account",              "",               SIGNED_IN,                    IN_405),
    row("tokens",               "",               SIGNED_IN,                    "in 422 422 422 422 422 422"),
    row("token-revoke",         "token",          IN_405,                       "in 404 404 404 404 302 404"),
    row("roles",                "",               "200",                        "405"),
    row("invitation",           "",               "200",                        "422"),
    row("invitation-accept",    "",               IN_405,                       "in 409 409 409 409 409 409"),
    row("team-new",             "",               SIGNED_IN,                    "in 422 422 422 422 422 422"),
    row("team",                 "team",           "in 404 200 200 200 200 404", IN_405),
    row("team-rename",          "team",           IN_405,                       "in 404 403 403 403 422 404"),
    row("team-invite",          "team",           IN_405,                       "in 404 403 403 403 422 404"),
    row("team-transfer",        "team",           IN_405,                       "in 404 403 403 403 404 404"),
    row("team-leave",           "team",           IN_405,                       "in 404 302 302 302 409 404"),
    row("invitation-revoke",    "invitation",     IN_405,                       "in 404 403 403 403 302 404"),
    row("member-role",          "member",         IN_405,                       "in 404 403 403 403 422 404"),
    row("member-remove",        "member",         IN_405,                       "in 404 403 403 403 302 404"),
    row("endpoint-models",      "",               SIGNED_IN,                    SIGNED_IN),
    row("endpoints",            "team",           "in 404 403 200 200 200 404", IN_405),
    row("endpoint-new",         "team",           "in 404 403 403 403 200 404", "in 404 403 403 403 422 404"),
    row("endpoint",             "endpoint",       "in 404 403 200 200 200 404", "in 404 403 403 403 422 404"),
    row("endpoint-test",        "endpoint",       IN_405,                       "in 404 403 200 200 200 404"),
    row("endpoint-list-models", "endpoint",       IN_405,                       "in 404 403 200 200 200 404"),
    row("endpoint-pause",       "endpoint",       IN_405,                       "in 404 403 403 403 302 404"),
    row("endpoint-resume",      "endpoint",       IN_405,                       "in 404 403 403 403 302 404"),
    row("endpoint-delete",      "endpoint",       IN_405,                       "in 404 403 403 403 302 404"),
    row("audit-log",            "team",           "in 404 403 403 403 200 404", IN_405),
    row("healthz",              "",               "200",                        "405"),
    row("favicon.ico",          "",               "302",                        "302"),
    row("admin/login/",         "",               "in",                         "in"),
    row("admin/password_change/", "",             "302",                        "302"),
    row("admin/password_change/done/", "",        "302",                        "302"),
    row("admin/r/1/1/",         "",               "404",                        "404"),
    row("admin:index",          "",               STAFF_200,                    STAFF_200),
    row("admin:app_list",       "app",            STAFF_200,                    STAFF_200),
    row("admin:jsi18n",         "",               STAFF_200,                    "in in in in in in 405"),
    row("admin:autocomplete",   "",               "in in in in in in 403",      "in in in in in in 405"),
    row("admin:logout",         "",               "302 302 302 302 302 302 405","302"),
    row("admin:auth_user_password_change", "self", "in in in in in in 302",     "in in in in in in 302"),
    row("admin:auth_user_password_change", "user", STAFF_200,                   STAFF_200),
    row("admin/nothing/",       "",               "in in in in in in 404",      "in in in in in in 404"),
]

API = [
    # route                     of                vis str vie run aut own sta    vis str vie run aut own sta
    row("api-root",             "",               "200",                        "405"),
    row("api-schema",           "",               "200",                        "405"),
    row("api-docs",             "",               "200",                        "405"),
    row("api-probes",           "",               "200",                        "405"),
    row("api-probe",            "probe",          "200",                        "405"),
    row("api-probe",            "hidden probe",   MEMBERS,                      "405"),
    row("api-probe",            "no probe",       "404",                        "405"),
    row("api-versions",         "",               "200",                        "405"),
    row("api-version",          "version",        "200",                        "405"),
    row("api-version",          "hidden version", MEMBERS,                      "405"),
    row("api-version",          "no version",     "404",                        "405"),
    row("api-batches",          "",               "200",                        "405"),
    row("api-batch",            "batch",          "200",                        "405"),
    row("api-batch",            "team's batch",   MEMBERS,                      "405"),
    row("api-batch",            "blocked batch",  MEMBERS,                      "405"),
    row("api-batch",            "unseen batch",  MEMBERS,                      "405"),
    row("api-batch-evidence",   "batch",          "200",                        "405"),
    row("api-batch-evidence",   "team's batch",   MEMBERS,                      "405"),
    row("api-batch-evidence",   "unseen batch",   MEMBERS,                      "405"),
    row("api-runs",             "",               "200",                        "405"),
    row("api-run",              "run",            "200",                        "405"),
    row("api-run",              "team's run",     MEMBERS,                      "405"),
    row("api-run",              "blocked run",    MEMBERS,                      "405"),
    row("api-run",              "unseen run",    MEMBERS,                      "405"),
    row("api-trials",           "",               "200",                        "405"),
    row("api-trial",            "trial",          "200",                        "405"),
    row("api-trial",            "team's trial",   MEMBERS,                      "405"),
    row("api-trial",            "blocked trial",  MEMBERS,                      "405"),
    row("api-trial",            "unseen trial",  MEMBERS,                      "405"),
    row("api-models",           "",               "200",                        "405"),
    row("api-ladders",          "",               "200",                        "405"),
    row("api-ladder-current",   "ladder",         "200",                        "405"),
    row("api-ladder-current",   "no ladder",      "404",                        "405"),
    row("api-ladder",           "edition",        "200",                        "405"),
    row("api-ladder",           "no edition",     "404",                        "405"),
    row("api-races",            "",               "200",                        "405"),
    row("api-race",             "race",           "200",                        "405"),
    row("api-race",             "team's race",    MEMBERS,                      "405"),
    row("api-race",             "no race",        "404",                        "405"),
]
# fmt: on

ADMIN = {
    "probes_probe": "200 200 200 403 200",
    "probes_probeversion": "200 403 200 403 200",
    "probes_rubric": "200 403 200 403 200",
    "probes_rule": "200 403 200 403 200",
    "probes_fixture": "200 403 200 403 200",
    "probes_batch": "200 403 200 403 200",
    "probes_run": "200 403 200 403 200",
    "probes_trial": "200 403 200 403 200",
    "probes_attempt": "200 403 200 403 200",
    "probes_verdict": "200 403 200 403 200",
    "ladder_ladder": "200 403 200 403 200",
    "ladder_race": "200 403 200 403 200",
    "endpoints_endpoint": "200 403 200 403 200",
    "teams_user": "200 200 200 403 200",
    "teams_team": "200 200 200 403 200",
    "teams_membership": "200 200 200 200 200",
}
"""A row a model's pages: what a superuser is answered for the list, a new one, one of them, its
deletion and its history.

They are Django's, all alike behind one door: who is not of the staff is led to sign in at every one.
What members of the staff who are no superusers see is in tests/probes/admin/test_permissions.py.
"""

SENT: dict[str, dict[str, str]] = {
    "batch-hide": {"reason": "an insult"},
    "batch-unhide": {"reason": "it was none"},
    "attempt-redact": {"reason": "it holds a key"},
    "try-it": {"output": "one two three"},
    "run-version": {"endpoint": "lab", "model": "m", "repeats": "1", "visibility": "team", "key": "a"},
    "race-new": {
        "concept": "love",
        "a-endpoint": "lab",
        "a-model": "m",
        "b-endpoint": "lab",
        "b-model": "n",
        "repeats": "1",
        "visibility": "team",
        "key": "b",
    },
}
"""What a POST carries where an empty form would not tell who may. `lab` becomes the endpoint's number."""


def named_arguments(planted: Planted) -> dict[str, dict[str, Any]]:
    """What each name of a row's `of` is, as the arguments of a route."""
    probe, hidden = planted.version.probe, planted.hidden.probe
    acme = {"team": probe.team.slug}
    one, two = acme | {"slug": probe.slug}, acme | {"slug": hidden.slug}
    ladder = acme | {"slug": planted.race.ladder.slug}
    endpoint = planted.shown.runs.get().endpoint
    return {
        "": {},
        "team": acme,
        "probe": one,
        "hidden probe": two,
        "no probe": acme | {"slug": "nothing"},
        "version": one | {"number": 1},
        "hidden version": two | {"number": 1},
        "no version": one | {"number": 2},
        "ladder": ladder,
        "no ladder": acme | {"slug": "nothing"},
        "edition": ladder | {"number": 1},
        "no edition": ladder | {"number": 2},
        "race": {"pk": planted.race.pk},
        "team's race": {"pk": planted.kept_race.pk},
        "no address": {"key": "none"},
        "no reset": {"uidb36": "1", "key": "a-b"},
        "no race": {"pk": planted.shown.pk},
        "endpoint": acme | {"slug": endpoint.slug},
        **_batches(planted),
    }


def _batches(planted: Planted) -> dict[str, dict[str, Any]]:
    """Batches, and a run, a trial and an attempt of each."""
    named = {
        "": planted.shown,
        "team's ": planted.kept,
        "blocked ": planted.blocked,
        "unseen ": planted.unseen,
    }
    found: dict[str, dict[str, Any]] = {}
    for whose, batch in named.items():
        run = batch.runs.get()
        found[f"{whose}batch"] = {"pk": batch.pk}
        found[f"{whose}run"] = {"pk": run.pk}
        found[f"{whose}run's page"] = {"pk": batch.pk, "position": run.position}
        trial = run.trials.all()[0]
        found[f"{whose}trial"] = {"pk": trial.pk}
        found[f"{whose}attempt"] = {"pk": batch.pk, "attempt": trial.attempts.all()[0].pk}
    return found
