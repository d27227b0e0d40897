"""`manage.py rotate_keys`: every key is sealed with the newest secret, said in numbers, and never shown."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from registry.endpoints import vault
from registry.endpoints.domain import delete_endpoint
from registry.endpoints.models import Endpoint
from tests.registry.endpoints.conftest import KEY
from tests.registry.endpoints.test_domain import added

pytestmark = pytest.mark.django_db

OLD, NEW, LOST = (Fernet.generate_key().decode() for _ in range(3))


def ciphers() -> list[str]:
    return list(Endpoint.objects.order_by("pk").values_list("key_cipher", flat=True))


def test_every_key_is_sealed_with_the_first_secret_once(team, settings, capsys):
    settings.ENDPOINT_KEYS = [OLD]
    one = added(team, name="One")
    added(team, name="Keyless", key="")
    delete_endpoint(added(team, name="Gone"))
    settings.ENDPOINT_KEYS = [NEW, OLD]
    added(team, name="Two")
    before = ciphers()
    call_command("rotate_keys")
    sealed = ciphers()
    assert [was != now for was, now in zip(before, sealed, strict=True)] == [True, False, False, False]
    call_command("rotate_keys")
    assert ciphers() == sealed
    said = capsys.readouterr().out
    assert said.splitlines() == [
        "Sealed anew: 1. Sealed with the first secret already: 1.",
        "Sealed anew: 0. Sealed with the first secret already: 2.",
    ]
    settings.ENDPOINT_KEYS = [NEW]
    set_at = one.key_set_at
    one.refresh_from_db()
    assert (one.key(), one.key_set_at) == (KEY, set_at)
    assert KEY not in said


def test_what_cannot_be_read_is_named_and_left_as_it_is(team, settings, capsys):
    settings.ENDPOINT_KEYS = [LOST]
    added(team, name="Lost one")
    settings.ENDPOINT_KEYS = [OLD]
    added(team, name="Fine")
    before = ciphers()
    settings.ENDPOINT_KEYS = [NEW, OLD]
    with pytest.raises(CommandError) as refused:
        call_command("rotate_keys")
    assert "  Lost one (acme/lost-one)" in str(refused.value).splitlines()
    assert "Fine" not in str(refused.value)
    assert "Sealed anew: 1." in capsys.readouterr().out
    assert ciphers()[0] == before[0]
    assert "entered anew on its page" in str(refused.value)
    assert not any(secret in str(refused.value) for secret in (KEY, OLD, NEW, *before))


def test_second_factors_are_sealed_anew_too(alice, settings):
    settings.ENDPOINT_KEYS = [OLD]
    factor = Authenticator.objects.create(user=alice, type="totp", data={"secret": vault.seal("a seed")})
    settings.ENDPOINT_KEYS = [NEW, OLD]
    call_command("rotate_keys")
    settings.ENDPOINT_KEYS = [NEW]
    factor.refresh_from_db()
    assert vault.open_sealed(factor.data["secret"]) == "a seed"
    settings.ENDPOINT_KEYS = [LOST]
    with pytest.raises(CommandError, match="Second factors that cannot be read: 1"):
        call_command("rotate_keys")
