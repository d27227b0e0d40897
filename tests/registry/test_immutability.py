"""Frozen rows, tried from every side that skips `save()`, on whichever database the tests use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from ladder.domain import start_race
from ladder.models import Climb, Ladder, Rung
from probes.models import (
    Attempt,
    Batch,
    Fixture,
    Probe,
    ProbeVersion,
    Rubric,
    Rule,
    Run,
    State,
    Trial,
    Verdict,
)
from registry import immutability
from registry.immutability import FREEZES, Freeze, erasure, frozen, trigger_problems
from tests.probes.stage import a_batch, a_version, an_endpoint, claim, good, keep

WHOLE = [ProbeVersion, Rubric, Rule, Fixture, Attempt, Verdict]
TEXT = {
    ProbeVersion: "user",
    Rubric: "prose",
    Rule: "why",
    Fixture: "output",
    Attempt: "output",
    Verdict: "message",
}


@pytest.fixture
def batch(team) -> Batch:
    """A finished batch of one trial, so that a row of every frozen table exists."""
    made = a_batch(team, a_version(team), an_endpoint(team))
    [call] = claim()
    keep(call, good())
    made.refresh_from_db()
    assert made.state == State.FINISHED
    return made


def refused(message: str):
    return pytest.raises(IntegrityError, match=message)


def each_way(row: Any, name: str) -> dict[str, Callable[[], object]]:
    """Every way to write one column of one row, as callables."""
    model: Any = type(row)
    pk = row.pk
    table, column = model._meta.db_table, model._meta.get_field(name).column
    setattr(row, name, "changed")

    def upsert():
        model.objects.bulk_create([row], update_conflicts=True, unique_fields=["id"], update_fields=[name])

    def raw():
        with connection.cursor() as cursor:
            cursor.execute(f'UPDATE {table} SET "{column}" = %s WHERE id = %s', ["changed", pk])

    return {
        "save": row.save,
        "update": lambda: model.objects.filter(pk=pk).update(**{name: "changed"}),
        "bulk_update": lambda: model.objects.bulk_update([row], [name]),
        "upsert": upsert,
        "raw": raw,
    }


@pytest.mark.parametrize("way", ["save", "update", "bulk_update", "upsert", "raw"])
@pytest.mark.parametrize("model", WHOLE, ids=lambda model: model.__name__)
def test_a_frozen_row_cannot_be_changed(batch, model, way):
    row = model.objects.first()
    before = model.objects.values().get(pk=row.pk)
    with refused("cannot be (changed|added to)"), transaction.atomic():
        each_way(row, TEXT[model])[way]()
    assert model.objects.values().get(pk=row.pk) == before


@pytest.mark.parametrize("model", WHOLE, ids=lambda model: model.__name__)
def test_a_frozen_row_cannot_be_deleted(batch, model):
    rows = model.objects.all()
    count = rows.count()
    with refused("cannot be changed"), transaction.atomic():
        rows._raw_delete(rows.db)
    assert rows.count() == count > 0


@pytest.mark.parametrize("model", [Verdict, Fixture], ids=lambda model: model.__name__)
def test_deleting_through_the_orm_is_refused_too(batch, model):
    with refused("cannot be changed"), transaction.atomic():
        model.objects.all().delete()
    with refused("cannot be changed"), transaction.atomic():
        model.objects.first().delete()


def test_a_cascade_in_the_database_is_refused(batch):
    """Not even a table that somebody made with ON DELETE CASCADE takes frozen rows along."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE owner (id integer PRIMARY KEY)")
        kind = "integer PRIMARY KEY"
        cursor.execute(f"CREATE TABLE owned (id {kind}, owner integer REFERENCES owner ON DELETE CASCADE)")
        cursor.execute("INSERT INTO owner VALUES (1)")
        cursor.execute("INSERT INTO owned VALUES (1, 1)")
        _freeze_by_hand(cursor, "owned")
        with refused("owned cannot be changed"), transaction.atomic():
            cursor.execute("DELETE FROM owner")


def _freeze_by_hand(cursor, table: str) -> None:
    class Meta:
        app_label = "probes"
        db_table = table
        managed = False

    from django.apps import apps
    from django.db import models

    fields = {"__module__": __name__, "Meta": Meta, "id": models.IntegerField(primary_key=True)}
    model = type("Owned", (models.Model,), fields)
    try:
        for sql in immutability.triggers(Freeze(model, (), ""), connection.vendor).values():
            cursor.execute(sql)
    finally:
        del apps.all_models["probes"]["owned"]
        apps.clear_cache()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="REPLACE is SQLite's own")
@pytest.mark.parametrize("model", WHOLE, ids=lambda model: model.__name__)
def test_insert_or_replace_is_refused(batch, model):
    table = model._meta.db_table
    with refused("cannot be (changed|added to)"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="REPLACE is SQLite's own")
def test_replace_by_another_unique_key_is_refused(batch):
    row: dict[str, Any] = dict(Fixture.objects.values()[0]) | {"id": 999, "output": "changed"}
    names, marks = ", ".join(row), ", ".join(["%s"] * len(row))
    row["fails"] = None
    with refused("cannot be (changed|added to)"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT OR REPLACE INTO probes_fixture ({names}) VALUES ({marks})", list(row.values())
        )


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
@pytest.mark.parametrize("table", ["probes_verdict", "probes_fixture", "probes_batch", "teams_team"])
def test_truncate_is_refused(batch, table):
    with refused("cannot be changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"TRUNCATE {table} CASCADE")


FROZEN_COLUMNS = [
    (Batch, "visibility", "team"),
    (Batch, "practice", True),
    (Batch, "idempotency_key", "other"),
    (Run, "model", "other"),
    (Run, "binding", {"concept": "other"}),
    (Trial, "repeat", 9),
    (Probe, "slug", "other"),
]


@pytest.mark.parametrize(("model", "name", "value"), FROZEN_COLUMNS)
def test_identity_cannot_be_changed(team, model, name, value):
    a_batch(team, a_version(team), an_endpoint(team))
    with refused(f"{name}.* cannot be changed"), transaction.atomic():
        model.objects.update(**{name: value})


def test_other_columns_can(team):
    batch = a_batch(team, a_version(team), an_endpoint(team))
    assert Probe.objects.update(title="Other") == 1
    assert Batch.objects.update(seq=7) == 1
    assert Trial.objects.update(tries=1) == 1
    assert Run.objects.update(alters=["no temperature"]) == 1
    batch.refresh_from_db()
    assert batch.seq == 7


def test_what_is_finished_stays_as_it_is(batch):
    changes: list[tuple[Any, dict[str, Any]]] = [
        (Batch, {"state": State.RUNNING, "finished_at": None}),
        (Batch, {"title": "Another"}),
        (Run, {"alters": ["no temperature"]}),
        (Trial, {"state": Trial.State.WAITING, "closed_at": None}),
        (Trial, {"final": None}),
    ]
    for model, values in changes:
        with refused("cannot be changed once"), transaction.atomic():
            model.objects.update(**values)
    with refused("cannot be changed"), transaction.atomic():
        Run.objects.all()._raw_delete("default")
    # a late reply still takes the batch's next event
    assert Batch.objects.update(seq=99) == Trial.objects.update(seq=99) == 1


def test_a_row_that_says_two_things_is_refused(team):
    """What the triggers do not guard the constraints do."""
    a_batch(team, a_version(team), an_endpoint(team))
    changes: list[tuple[Any, dict[str, Any]]] = [
        (Trial, {"state": Trial.State.CLOSED, "closed_at": timezone.now()}),
        (Trial, {"closed_at": timezone.now()}),
        (Batch, {"state": State.FINISHED}),
        (Run, {"finished_at": timezone.now()}),
    ]
    for model, values in changes:
        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.update(**values)


UPDATES = "frozen_probes_verdict_rows_update"
FULL = "frozen_probes_verdict_full"
ON_SQLITE = [
    (f"DROP TRIGGER {UPDATES}", f"{UPDATES} is missing"),
    (
        f"DROP TRIGGER {UPDATES}; "
        f"CREATE TRIGGER {UPDATES} BEFORE UPDATE ON probes_verdict BEGIN SELECT 1; END",
        f"{UPDATES} was altered",
    ),
    (
        f"DROP TRIGGER {FULL}; CREATE TRIGGER {FULL} BEFORE INSERT ON probes_verdict BEGIN SELECT 1; END",
        f"{FULL} was altered",
    ),
]
LETS_THROUGH = "RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
ON_POSTGRESQL = [
    (f"DROP TRIGGER {UPDATES} ON probes_verdict", f"{UPDATES} is missing"),
    (f"ALTER TABLE probes_verdict DISABLE TRIGGER {UPDATES}", f"{UPDATES} was altered"),
    (f"ALTER TABLE probes_verdict ENABLE REPLICA TRIGGER {UPDATES}", f"{UPDATES} was altered"),
    (
        f"CREATE OR REPLACE TRIGGER {UPDATES} BEFORE UPDATE ON probes_verdict FOR EACH ROW WHEN (OLD.id < 0) "
        "EXECUTE FUNCTION registry_refuse('probes_verdict cannot be changed')",
        f"{UPDATES} was altered",
    ),
    (
        f"CREATE FUNCTION other() {LETS_THROUGH}; CREATE OR REPLACE TRIGGER {UPDATES} BEFORE UPDATE "
        "ON probes_verdict FOR EACH ROW EXECUTE FUNCTION other()",
        f"{UPDATES} was altered",
    ),
    (f"CREATE OR REPLACE FUNCTION registry_refuse() {LETS_THROUGH}", "registry_refuse was altered"),
    (f"CREATE OR REPLACE FUNCTION registry_refuse_more() {LETS_THROUGH}", "registry_refuse_more was altered"),
    (
        f"CREATE OR REPLACE FUNCTION registry_refuse_always() {LETS_THROUGH}",
        "registry_refuse_always was altered",
    ),
    ("ALTER FUNCTION registry_refuse() SET registry.erasing = 'on'", "registry_refuse was altered"),
]
AT_ONCE = "SET CONSTRAINTS ALL IMMEDIATE"
SABOTAGE = ON_SQLITE if connection.vendor == "sqlite" else ON_POSTGRESQL


@pytest.mark.parametrize(("sql", "problem"), SABOTAGE, ids=range(len(SABOTAGE)))
def test_a_guard_that_no_longer_refuses_is_noticed_and_made_again(batch, sql, problem):
    assert trigger_problems() == []
    with connection.cursor() as cursor:
        for statement in sql.split("; ", 1) if connection.vendor == "sqlite" else [AT_ONCE, sql]:
            cursor.execute(statement)
    assert trigger_problems() == [problem]
    call_command("migrate", verbosity=0)
    assert trigger_problems() == []
    with refused("cannot be changed"), transaction.atomic():
        Verdict.objects.update(message="changed")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such settings")
def test_a_setting_that_silences_the_triggers_is_noticed(batch):
    with connection.cursor() as cursor:
        cursor.execute(AT_ONCE)
        cursor.execute("SET LOCAL session_replication_role = 'replica'")
    assert trigger_problems() == ["the setting session_replication_role is replica"]


def test_looking_at_the_triggers_leaves_nothing_behind(batch):
    tables = connection.introspection.table_names()
    assert trigger_problems() == []
    assert connection.introspection.table_names() == tables
    with erasure("a test"):
        assert trigger_problems() == []


def test_django_s_own_checks_name_a_missing_trigger(batch, capsys):
    with connection.cursor() as cursor:
        cursor.execute(SABOTAGE[0][0])
    call_command("check", databases=["default"])
    said = capsys.readouterr()
    assert f"{UPDATES} is missing" in said.out + said.err


def test_a_trigger_that_is_no_longer_declared_goes(batch):
    at = "BEFORE UPDATE ON probes_probe"
    body = "FOR EACH ROW EXECUTE FUNCTION registry_refuse('old')"
    if connection.vendor == "sqlite":
        body = "BEGIN SELECT RAISE(ABORT, 'old'); END"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TRIGGER frozen_probes_probe_old_update {at} {body}")
    with refused("old"), transaction.atomic():
        Probe.objects.update(title="Other")
    call_command("migrate", verbosity=0)
    assert Probe.objects.update(title="Other") == 1


def test_two_freezes_of_one_name_are_refused_when_the_class_is_made():
    with pytest.raises(TypeError, match="frozen twice"):
        frozen()(Verdict)
    assert len({freeze.name for freeze in FREEZES}) == len(FREEZES)


def test_all_that_must_not_change_is_frozen():
    whole = {freeze.model for freeze in FREEZES if not freeze.columns and not freeze.when}
    assert whole >= set(WHOLE)


class TestWhatIsWholeCannotBeAddedTo:
    """A row more in a published set would change it as surely as an update."""

    def refused(self, row) -> None:
        with pytest.raises(IntegrityError, match="cannot be added to"), transaction.atomic():
            row.save(force_insert=True)
        with pytest.raises(IntegrityError, match="cannot be added to"), transaction.atomic():
            type(row).objects.bulk_create([row])

    def test_a_rule_a_fixture_and_a_rung(self, library):
        rung = Rung.objects.select_related("version__rubric", "ladder")[0]
        self.refused(Rule(rubric=rung.version.rubric, position=99, name="x", check_data={}, why="y"))
        self.refused(Fixture(version=rung.version, position=99, label="x", expect="pass", output="y"))
        self.refused(Rung(ladder=rung.ladder, index=99, key="x", label="x", version=rung.version))

    def test_a_run_a_trial_a_verdict_and_a_climb(self, team, alice, practice_endpoints, library):
        lanes = [(practice_endpoints[0], "steady"), (practice_endpoints[1], "chatty")]
        race = start_race(
            team=team, by=alice, ladder=Ladder.objects.get(), concept="x", lanes=lanes, visibility="team"
        )
        run = race.batch.runs.all()[0]
        copy = Run.objects.get(pk=run.pk)
        copy.pk, copy.position = None, 99
        self.refused(copy)
        self.refused(Trial(run=run, repeat=2, due_at=timezone.now()))
        self.refused(Climb(race=race, letter="C", endpoint=run.endpoint, model="x"))
        unscored = Attempt.objects.create(
            batch=race.batch, trial=run.trials.get(), number=1, seq=999, outcome="error", error="timeout",
            endpoint_name="x", started_at=timezone.now(),
        )  # fmt: skip
        rule = run.version.rubric.rules.all()[0]
        self.refused(Verdict(attempt=unscored, rule=rule, position=0, ok=True, message="x"))

    def test_an_erasure_may(self, library):
        rung = Rung.objects.select_related("version", "ladder")[0]
        with erasure("a test"):
            Rung.objects.create(ladder=rung.ladder, index=99, key="x", label="x", version=rung.version)
        assert Rung.objects.filter(index=99).exists()
