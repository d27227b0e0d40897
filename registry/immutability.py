"""Rows that nobody may change: triggers in both databases, re-created after every migrate.

`save()` overrides are bypassed by `update()`, the admin, cascades and the shell; a trigger is not.
A model is frozen by a decorator: `@frozen()` for whole rows, `@frozen("visibility")` for columns,
`@frozen(when="finished_at")` for rows in which that column is no longer null. All may stand together.
`@bounded("rubric", "rule_count")` lets a row in only while its parent holds fewer than the parent says:
what was published whole cannot be added to.

An erasure opens rows for an update, and for that alone: nothing that is frozen is ever deleted. Where
`erasable` names columns, even an erasure changes no others.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from django.apps import AppConfig
from django.core import checks
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.models import Model
from django.db.models.signals import post_migrate

from registry.write_ahead import empty_log

logger = logging.getLogger(__name__)
ModelType = TypeVar("ModelType", bound=type[Model])
_erasing: ContextVar[bool] = ContextVar("registry_erasing", default=False)
_deleting: ContextVar[bool] = ContextVar("registry_deleting", default=False)
"""Set by no code of the product: tests empty their tables."""


@dataclass(frozen=True)
class Freeze:
    """What of a table may not change: whole rows, or `columns`; always, or once `when` is set.

    An erasure may change all, or the `erasable` columns of whole rows.
    """

    model: type[Model]
    columns: tuple[str, ...]
    when: str
    erasable: tuple[str, ...] | None = None

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def name(self) -> str:
        return f"frozen_{self.table}_{self.when or ('columns' if self.columns else 'rows')}"

    @property
    def message(self) -> str:
        what = f"{', '.join(self.columns)} of {self.table}" if self.columns else self.table
        return f"{what} cannot be changed" + (f" once {self.when} is set" if self.when else "")

    def condition(self, distinct: str) -> str:
        """SQL over OLD and NEW that is true for an update to refuse."""
        parts = [f"({self._changed(self.columns, distinct)})"] if self.columns else []
        parts += [f"OLD.{self.when} IS NOT NULL"] if self.when else []
        return " AND ".join(parts)

    def kept(self, distinct: str) -> str:
        """The same for an update that is an erasure; "" where that may change all."""
        if self.erasable is None:
            return ""
        names = [field.name for field in self.model._meta.concrete_fields]
        return self._changed([name for name in names if name not in self.erasable], distinct)

    def _changed(self, names: Iterable[str], distinct: str) -> str:
        columns = [f'"{self.model._meta.get_field(name).column}"' for name in names]  # type: ignore[union-attr]
        return " OR ".join(f"OLD.{column} {distinct} NEW.{column}" for column in columns)


FREEZES: list[Freeze] = []


def frozen(
    *columns: str, when: str = "", erasable: tuple[str, ...] | None = None
) -> Callable[[ModelType], ModelType]:
    """Class decorator for a model; see the module's docstring."""

    def mark(model: ModelType) -> ModelType:
        freeze = Freeze(model, columns, when, erasable)
        if freeze.name in {other.name for other in FREEZES}:
            raise TypeError(f"{model.__name__} is frozen twice under the name {freeze.name}.")
        FREEZES.append(freeze)
        return model

    return mark


@dataclass(frozen=True)
class Bound:
    """A parent, reached by the foreign key `parent`, holds at most as many rows as its `size` says."""

    model: type[Model]
    parent: str
    size: str

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def name(self) -> str:
        return f"frozen_{self.table}_full"

    @property
    def message(self) -> str:
        return f"{self.table} cannot be added to: its {self.parent} is whole"

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """The foreign key's column, the parent's table, its key's column and the size's."""
        field: Any = self.model._meta.get_field(self.parent)
        parent = field.related_model._meta
        return field.column, parent.db_table, parent.pk.column, parent.get_field(self.size).column


BOUNDS: list[Bound] = []


def bounded(parent: str, size: str) -> Callable[[ModelType], ModelType]:
    """Class decorator for a model; see the module's docstring."""

    def mark(model: ModelType) -> ModelType:
        BOUNDS.append(Bound(model, parent, size))
        return model

    return mark


Guard = Freeze | Bound


def guards() -> list[Guard]:
    return [*FREEZES, *BOUNDS]


@contextmanager
def erasure(reason: str, using: str = "default") -> Iterator[None]:
    """The only way past the triggers: one transaction in which frozen rows may be updated. Logged.

    What they held is then gone from SQLite's files, too.
    """
    logger.warning("Frozen rows are opened for erasure: %s", reason)
    already = _erasing.get()
    token = _erasing.set(True)
    try:
        with transaction.atomic(using=using):
            _tell_postgres(connections[using], "txid_current()::text")
            yield
            if not already:  # the transaction around this one may be an erasure too
                _tell_postgres(connections[using], "''")
                transaction.on_commit(partial(empty_log, using), using=using)
    finally:
        _erasing.reset(token)


def _tell_postgres(connection: BaseDatabaseWrapper, value: str) -> None:
    """What is erasing is one transaction, by its number: a setting that stays on opens nothing."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT set_config('registry.erasing', {value}, true)")


def triggers(guard: Guard, vendor: str) -> dict[str, str]:
    """Trigger name to the SQL that creates it, for one of `sqlite` and `postgresql`."""
    if isinstance(guard, Bound):
        return {guard.name: _full_sqlite(guard) if vendor == "sqlite" else _full_postgresql(guard)}
    return _sqlite(guard) if vendor == "sqlite" else _postgresql(guard)


def _full_sqlite(bound: Bound) -> str:
    key, parents, parent_key, size = bound.columns
    held = f"SELECT count(*) FROM {bound.table} WHERE {key} = NEW.{key}"  # noqa: S608 - our own names
    most = f"SELECT {size} FROM {parents} WHERE {parent_key} = NEW.{key}"  # noqa: S608
    return (
        f"CREATE TRIGGER {bound.name} BEFORE INSERT ON {bound.table} "
        f"WHEN registry_erasing() = 0 AND ({held}) >= coalesce(({most}), 0) "
        f"BEGIN SELECT RAISE(ABORT, '{bound.message}'); END"
    )


def _full_postgresql(bound: Bound) -> str:
    arguments = ", ".join(f"'{each}'" for each in (bound.message, *bound.columns))
    return (
        f"CREATE TRIGGER {bound.name} BEFORE INSERT ON {bound.table} FOR EACH ROW "
        f"EXECUTE FUNCTION registry_refuse_more({arguments})"
    )


def _sqlite(freeze: Freeze) -> dict[str, str]:
    def refuse(event: str, condition: str, may: str = "registry_erasing", name: str = "") -> tuple[str, str]:
        name = f"{freeze.name}_{name or event.lower()}"
        when = f"{may}() = 0{f' AND ({condition})' if condition else ''}"
        body = f"SELECT RAISE(ABORT, '{freeze.message}')"
        return name, f"CREATE TRIGGER {name} BEFORE {event} ON {freeze.table} WHEN {when} BEGIN {body}; END"

    made = [refuse("UPDATE", freeze.condition("IS NOT"))]
    if kept := freeze.kept("IS NOT"):
        made.append(refuse("UPDATE", kept, "registry_deleting", "kept"))
    key = freeze.model._meta.pk.column
    # INSERT OR REPLACE deletes without firing triggers unless recursive_triggers is on
    exists = f"EXISTS (SELECT 1 FROM {freeze.table} WHERE {key} = NEW.{key})"  # noqa: S608 - our own names
    made.append(refuse("INSERT", exists))
    if not freeze.columns:
        gone = f"OLD.{freeze.when} IS NOT NULL" if freeze.when else ""
        made.append(refuse("DELETE", gone, "registry_deleting"))
    return dict(made)


def _postgresql(freeze: Freeze) -> dict[str, str]:
    def refuse(
        event: str,
        condition: str = "",
        each: str = "ROW",
        how: str = "registry_refuse_always",
        name: str = "",
    ) -> tuple[str, str]:
        name = f"{freeze.name}_{name or event.lower()}"
        when = f"WHEN ({condition}) " if condition else ""
        call = f"EXECUTE FUNCTION {how}('{freeze.message}')"
        return name, f"CREATE TRIGGER {name} BEFORE {event} ON {freeze.table} FOR EACH {each} {when}{call}"

    made = [refuse("UPDATE", freeze.condition("IS DISTINCT FROM"), how="registry_refuse")]
    if kept := freeze.kept("IS DISTINCT FROM"):
        made.append(refuse("UPDATE", kept, name="kept"))
    if not freeze.columns:
        made.append(refuse("DELETE", f"OLD.{freeze.when} IS NOT NULL" if freeze.when else ""))
        made.append(refuse("TRUNCATE", each="STATEMENT"))
    return dict(made)


POSTGRESQL_REFUSAL = """
CREATE OR REPLACE FUNCTION registry_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('registry.erasing', true) = txid_current()::text THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION registry_refuse_always() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION registry_refuse_more() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    held bigint;
    most bigint;
BEGIN
    IF current_setting('registry.erasing', true) = txid_current()::text THEN
        RETURN NEW;
    END IF;
    EXECUTE format('SELECT count(*) FROM %I WHERE %I = ($1).%I', TG_TABLE_NAME, TG_ARGV[1], TG_ARGV[1])
        INTO held USING NEW;
    EXECUTE format('SELECT %I FROM %I WHERE %I = ($1).%I', TG_ARGV[4], TG_ARGV[2], TG_ARGV[3], TG_ARGV[1])
        INTO most USING NEW;
    IF held >= coalesce(most, 0) THEN
        RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""

SQLITE_TRIGGERS = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
POSTGRESQL_TRIGGERS = """
SELECT tgname, relname, CASE WHEN tgenabled IN ('O', 'A') THEN pg_get_triggerdef(t.oid, true) ELSE 'off' END
FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = {schema}::regnamespace
"""
POSTGRESQL_FUNCTIONS = """
SELECT proname, prosrc, lanname = 'plpgsql' AND proconfig IS NULL
FROM pg_proc p JOIN pg_language l ON l.oid = prolang
WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, 'registry_refuse')
"""
POSTGRESQL_SESSION = "SELECT current_setting('session_replication_role')"


def connect() -> None:
    """Hook into Django: called once from the app's `ready`."""
    connection_created.connect(_add_function, dispatch_uid="registry_erasing")
    post_migrate.connect(_create_triggers, dispatch_uid="frozen_rows")
    checks.register(_check_triggers, checks.Tags.database)


def _add_function(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.vendor == "sqlite":
        connection.connection.create_function("registry_erasing", 0, lambda: int(_erasing.get()))
        connection.connection.create_function("registry_deleting", 0, lambda: int(_deleting.get()))


def _create_triggers(sender: AppConfig, using: str, **_: Any) -> None:
    connection = connections[using]
    own = [guard for guard in guards() if guard.model._meta.app_label == sender.label]
    tables = set(connection.introspection.table_names()) if own else set()
    with transaction.atomic(using=using), connection.cursor() as cursor:
        if own and connection.vendor == "postgresql":
            cursor.execute(POSTGRESQL_REFUSAL)
        for table in tables & {guard.table for guard in own}:
            _create(cursor, [guard for guard in own if guard.table == table], connection.vendor)


def _create(cursor: Any, own: list[Guard], vendor: str) -> None:
    """Make the triggers of one table anew; those of a guard that is no longer declared go."""
    table = own[0].table
    on = f" ON {table}" if vendor == "postgresql" else ""
    for name in sorted(_present(cursor, vendor, table)):
        cursor.execute(f"DROP TRIGGER {name}{on}")
    for guard in own:
        for sql in triggers(guard, vendor).values():
            cursor.execute(sql)


def _present(cursor: Any, vendor: str, table: str = "", schema: str = "current_schema()") -> dict[str, str]:
    """Our triggers that the database has, of one table or of all, with the SQL that would make each."""
    cursor.execute(SQLITE_TRIGGERS if vendor == "sqlite" else POSTGRESQL_TRIGGERS.format(schema=schema))
    return {
        name: sql for name, on, sql in cursor.fetchall() if name.startswith("frozen_") and table in ("", on)
    }


def trigger_problems(using: str = "default") -> list[str]:
    """What is wrong with the triggers of the database's tables: `NAME is missing`, `NAME was altered`."""
    connection = connections[using]
    tables = set(connection.introspection.table_names())
    own = [guard for guard in guards() if guard.table in tables]
    with connection.cursor() as cursor:
        present = _present(cursor, connection.vendor)
        if connection.vendor == "sqlite":
            wanted = {name: sql for guard in own for name, sql in triggers(guard, "sqlite").items()}
            return _differences(wanted, present)
        wanted = _as_postgresql_says(cursor, own, using)
        return [*_differences(wanted, present), *(_postgresql_problems(cursor) if own else [])]


def _differences(wanted: Mapping[str, str], present: Mapping[str, str]) -> list[str]:
    return [
        f"{name} {'was altered' if name in present else 'is missing'}"
        for name, sql in wanted.items()
        if present.get(name) != sql
    ]


def _as_postgresql_says(cursor: Any, own: list[Guard], using: str) -> dict[str, str]:
    """The triggers in PostgreSQL's own words, which are not ours: made on empty copies and undone."""
    with transaction.atomic(using=using):
        for table in sorted({guard.table for guard in own}):
            cursor.execute(f"CREATE TEMPORARY TABLE {table} (LIKE {table})")
        for guard in own:
            for sql in triggers(guard, "postgresql").values():
                cursor.execute(sql)
        made = _present(cursor, "postgresql", schema="pg_my_temp_schema()")
        transaction.set_rollback(True, using=using)
    return made


def _postgresql_problems(cursor: Any) -> list[str]:
    """Of what the triggers call, and of a setting that silences them all."""
    bodies = dict(re.findall(r"FUNCTION (\w+)\(\).*?\$\$(.*?)\$\$", POSTGRESQL_REFUSAL, re.DOTALL))
    cursor.execute(POSTGRESQL_FUNCTIONS)
    present = {name: body if plain else "" for name, body, plain in cursor.fetchall()}
    cursor.execute(POSTGRESQL_SESSION)
    [role] = cursor.fetchone()
    silent = [f"the setting session_replication_role is {role}"] if role == "replica" else []
    return [*_differences(bodies, present), *silent]


def _check_triggers(databases: Any = None, **_: Any) -> list[checks.CheckMessage]:
    """A warning, as an error would keep `migrate` from creating them."""
    problems = [problem for using in databases or [] for problem in trigger_problems(using)]
    hint = "Run manage.py migrate: it creates them again."
    return [
        checks.Warning(f"Rows could be changed: {problem}.", hint=hint, id="registry.W001")
        for problem in problems
    ]
