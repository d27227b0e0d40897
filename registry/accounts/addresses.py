"""How a person changes their own e-mail address: asked for, then verified by who holds account and mail.

Nothing is stored in between. A link is signed over what the account is now, so another password, an
end of all sessions, or another address makes it void; so do three days.
"""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from django.core import signing
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from registry.accounts import domain
from registry.accounts.models import SignIn
from registry.teams.models import User
from registry.web.address import site_address

SALT = "registry.accounts.addresses"
GOOD_FOR_SECONDS = 3 * 24 * 3600
DEAD = "This link does not work any more: it is good for three days, and once."
ANOTHERS = "This link is for another account: sign out, then sign in to the one that asked for it."
TAKEN = "This address belongs to an account by now: ask for another one."


class AddressRefused(ValueError):
    """The address stays as it is; the message says why and what to do."""


class AskedTooOften(Exception):
    """Nothing was sent: this person, or for this address, was sent enough for now."""


def ask(request: HttpRequest, user: User, email: str) -> None:
    """Mail a link to the new address and a notice to the old one, which stays in force for now.

    An address that has an account gets a mail too, without a link: whoever asks is told of no account.
    Raises AskedTooOften.
    """
    if not ratelimit.consume(request, app="allauth.account", action="manage_email", key=email, user=user):
        raise AskedTooOften
    domain.note(request, user, SignIn.What.ADDRESS_ASKED)
    adapter = get_adapter()
    if User.objects.filter(email__iexact=email).exists():
        adapter.send_mail("account/email/address_taken", email, {})
    else:
        link = site_address() + reverse("account_email_confirm", args=[make_key(user, email)])
        adapter.send_mail("account/email/address_asked", email, {"activate_url": link})
    adapter.send_notification_mail("account/email/address_change", user, email=user.email)


def confirm(request: HttpRequest, user: User, key: str) -> str:
    """The address that is in force from now on. Raises AddressRefused."""
    try:
        with transaction.atomic():
            held = User.objects.select_for_update(no_key=True).get(pk=user.pk)
            email, before = asked_for(held, key), held.email
            domain.change_address(held, email)
    except IntegrityError:  # of two who verify one address, the first has it
        raise AddressRefused(TAKEN) from None
    domain.note(request, held, SignIn.What.ADDRESS_CHANGED)
    get_adapter().send_notification_mail("account/email/address_changed", held, email=before)
    return email


def make_key(user: User, email: str) -> str:
    """What the link for `email` ends with."""
    return signing.dumps([user.pk, email, _bound(user)], salt=SALT)


def asked_for(user: User, key: str) -> str:
    """The address that `key` gives to `user`. Raises AddressRefused."""
    try:
        pk, email, bound = signing.loads(key, salt=SALT, max_age=GOOD_FOR_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        raise AddressRefused(DEAD) from None
    if pk != user.pk:
        raise AddressRefused(ANOTHERS)
    if not constant_time_compare(bound, _bound(user)):
        raise AddressRefused(DEAD)
    if User.objects.filter(email__iexact=email).exists():
        raise AddressRefused(TAKEN)
    return str(email)


def _bound(user: User) -> str:
    """Another one as soon as the account's address or password is, or its sessions were ended."""
    return salted_hmac(
        SALT, f"{user.sessions_ended} {user.email} {user.password}", algorithm="sha256"
    ).hexdigest()
