from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from registry import immutability


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say():
    out = StringIO()
    call_command("makemigrations", "--check", "--dry-run", stdout=out)
    assert "No changes detected" in out.getvalue()


@pytest.mark.django_db
def test_every_trigger_is_there():
    assert len(immutability.FREEZES) >= 10
    assert immutability.trigger_problems() == []
