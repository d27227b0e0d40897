"""The one way past the triggers: a transaction that may update, and for as long as it lasts."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone

from probes.domain.moderate import hide_batch
from probes.models import Attempt, Batch, Moderation, Verdict
from registry.audit.models import Entry
from registry.immutability import erasure
from tests.registry.test_immutability import AT_ONCE, WHOLE, batch, refused

__all__ = ["batch"]


def test_erasure_lets_through_and_is_logged(batch, caplog):
    with erasure("a test redacts an output"):
        assert Attempt.objects.update(output="[redacted]") == 1
    assert Attempt.objects.get().output == "[redacted]"
    assert "a test redacts an output" in caplog.text
    with refused("cannot be changed"), transaction.atomic():
        Attempt.objects.update(output="again")


def test_erasures_may_be_nested(batch):
    with erasure("outer"):
        with erasure("inner"):
            assert Attempt.objects.update(output="inner") == 1
        assert Attempt.objects.update(output="outer") == 1
    with refused("cannot be changed"), transaction.atomic():
        Attempt.objects.update(output="again")


def test_a_failed_erasure_closes_the_door_behind_it(batch):
    def redact() -> None:
        Attempt.objects.update(output="[redacted]")
        raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"), erasure("fails"):
        redact()
    assert Attempt.objects.get().output == "one two three"
    with refused("cannot be changed"), transaction.atomic():
        Attempt.objects.update(output="again")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such settings")
@pytest.mark.parametrize("value", ["on", "1", "true", "0", ""])
def test_a_setting_that_somebody_left_on_opens_nothing(batch, value):
    """An erasure is one transaction, and says so by its number."""
    with connection.cursor() as cursor:
        cursor.execute(AT_ONCE)
        cursor.execute("SELECT set_config('registry.erasing', %s, false)", [value])
    for change in (
        lambda: Verdict.objects.update(message="changed"),
        lambda: Verdict.objects.all()._raw_delete("default"),
        lambda: Entry.objects.all()._raw_delete("default"),
    ):
        with refused("cannot be changed"), transaction.atomic():
            change()


NEVER_DELETED = [*WHOLE, Moderation, Entry]


@pytest.fixture
def noted(batch, alice) -> Batch:
    """With a line of the log and an act of its owner."""
    hide_batch(batch, alice, "a reason")
    return batch


@pytest.mark.parametrize("model", NEVER_DELETED, ids=lambda model: model.__name__)
def test_an_erasure_deletes_nothing(noted, model):
    count = model.objects.count()
    with refused("cannot be changed"), erasure("a test"):
        model.objects.all()._raw_delete("default")
    if connection.vendor == "postgresql":
        with refused("cannot be changed"), erasure("a test"), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"TRUNCATE {model._meta.db_table} CASCADE")
    assert model.objects.count() == count > 0


ERASED = {Entry: {"by_name", "about", "details"}, Moderation: set()}


@pytest.mark.parametrize("model", ERASED, ids=lambda model: model.__name__)
def test_an_erasure_changes_only_what_may_name_somebody(noted, model, charlie):
    """Whatever the column: a new one is kept unless the model says that it is erasable."""
    row = model.objects.latest("pk")
    others = {
        "batch": uuid4(),
        "by": charlie.pk,
        "whom": charlie.pk,
        "team": charlie.memberships.get().team_id,
        "attempt": 1,
    }
    for field in model._meta.concrete_fields:
        given = {"at": timezone.now(), "details": {}, "id": row.pk + 1, "as_staff": True} | others
        change = {field.attname: given.get(field.name, "unhide")}
        if field.name in ERASED[model]:
            with erasure("a test"):
                assert model.objects.filter(pk=row.pk).update(**change) == 1
        else:
            with refused("cannot be changed"), erasure("a test"):
                model.objects.filter(pk=row.pk).update(**change)
