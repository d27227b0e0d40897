"""Another e-mail address for an account: asked for, verified, refused; what the old one still opens."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import IntegrityError

from registry.accounts import addresses, domain
from registry.accounts.models import FormerAddress, SignIn
from registry.audit.domain import record
from registry.audit.models import Entry
from registry.teams import signin
from registry.teams.models import User
from tests.registry.accounts.people import PASSWORD, sign_in, who, with_password, with_second_factor

pytestmark = pytest.mark.django_db
AT, NEW = "/account/email/", "alice@new.example"


def shown_to_be(client, user: User):
    """Signed in, and having shown who they are just now."""
    sign_in(client, with_password(user))
    client.post("/account/confirm/", {"password": PASSWORD})
    return client


def asked(client, email: str = NEW) -> str:
    """The path of the link that was mailed to the new address."""
    assert client.post(AT, {"email": email}).status_code == 200
    [sent] = [each for each in mail.outbox if each.to == [email.lower()]]
    [path] = re.findall(r"http://127\.0\.0\.1:8000(/account/email/confirm/\S+)", str(sent.body))
    return path


def told(address: str) -> list[str]:
    return [each.subject.removeprefix("[Probe Registry] ") for each in mail.outbox if each.to == [address]]


def noted(user: User) -> list[str]:
    return [each.what for each in user.sign_ins.all() if each.what != SignIn.What.ENTERED]


def test_from_one_address_to_another(client, alice):
    shown_to_be(client, alice)
    assert 'href="/account/email/"' in client.get("/account/").content.decode()
    assert "stays so until" in client.get(AT).content.decode()
    old_code, path = signin.make_code(User.objects.get(pk=alice.pk)), asked(client, "Alice@New.example")
    assert (told("alice@example.org"), told(NEW)) == (
        ["Another e-mail address for your account"],
        ["Is this your new address?"],
    )
    assert sign_in(type(client)(), alice)["Location"] == "/", "the old one is in force"
    early = type(client)()
    assert early.post("/sign-in/", {"login": NEW, "password": PASSWORD}).status_code == 422
    early.post("/password/reset/", {"email": NEW})
    early.post("/password/reset/", {"email": "alice@example.org"})
    [reset] = re.findall(r"8000(/password/reset/key/\S+)", str(mail.outbox[-1].body))
    assert told(NEW)[1:] == ["No account has this address"]

    assert NEW in client.get(path).content.decode()
    assert User.objects.get(pk=alice.pk).email == "alice@example.org", "only a form changes it"
    assert client.post(path)["Location"] == "/account/"
    alice.refresh_from_db()
    assert (alice.email, who(client)) == (NEW, str(alice.pk))
    assert told("alice@example.org")[-1] == "Your e-mail address was changed"
    assert "tell whoever runs the site" in mail.outbox[-1].body
    assert noted(alice) == ["address-changed", "address-asked"]
    page = client.get("/account/sign-ins/").content.decode()
    assert "Changed the e-mail address" in page

    late = type(client)()
    assert late.post("/sign-in/", {"login": "alice@example.org", "password": PASSWORD}).status_code == 422
    assert late.post("/sign-in/", {"code": old_code}).status_code == 422
    assert "does not work any more" in late.get(reset, follow=True).content.decode()
    late.post("/password/reset/", {"email": "alice@example.org"})
    assert told("alice@example.org")[-1] == "No account has this address"
    assert sign_in(late, alice)["Location"] == "/"
    assert list(EmailAddress.objects.values_list("email", "verified")) == [(NEW, True)]
    assert client.post(path).status_code == 422, "a link works once"


def test_who_has_not_shown_who_they_are_is_asked_for_the_password(client, alice):
    sign_in(client, with_password(alice))
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    for answer in (client.get(AT), client.post(AT, {"email": NEW})):
        assert answer["Location"] == "/account/confirm/?next=%2Faccount%2Femail%2F"
    assert mail.outbox == []
    with_second_factor(alice)
    assert "Use authenticator app or code" in client.get("/account/confirm/").content.decode()


@pytest.mark.parametrize(
    ("email", "says"),
    [
        ("", "required"),
        ("nobody", "valid email"),
        ("a@b.example\nBcc: x@y.example", "valid email"),
        ("x" * 250 + "@b.example", "at most 254 characters"),
        ("ALICE@example.org", "the address of your account already"),
    ],
)
def test_what_is_no_new_address_is_refused(client, alice, email, says):
    answer = shown_to_be(client, alice).post(AT, {"email": email})
    assert (answer.status_code, says in answer.content.decode()) == (422, True)
    assert mail.outbox == []


def test_a_taken_address_looks_like_a_free_one(client, alice, bob):
    shown_to_be(client, alice)
    free, taken = (client.post(AT, {"email": email}) for email in (NEW, "Bob@example.org"))
    assert free.content.decode().replace(NEW, "…") == taken.content.decode().replace(bob.email, "…")
    assert told(bob.email) == ["This address has an account"]
    assert "/confirm/" not in mail.outbox[-2].body
    assert len(told(alice.email)) == 2


def test_two_people_do_not_get_one_address(client, alice, bob):
    other = type(client)()
    path = asked(shown_to_be(client, alice))
    mail.outbox.clear()
    assert other.post(asked(shown_to_be(other, bob)))["Location"] == "/account/"
    answer = client.post(path)
    assert (answer.status_code, "belongs to an account by now" in answer.content.decode()) == (422, True)
    assert list(User.objects.filter(email=NEW)) == [bob]


def test_of_two_at_the_same_moment_one_gets_it(client, alice, bob, rf, monkeypatch):
    """Both have looked before either writes: the database decides."""
    key = addresses.make_key(alice, NEW)
    monkeypatch.setattr(addresses, "asked_for", lambda user, key: NEW)
    domain.change_address(bob, NEW)
    with pytest.raises(addresses.AddressRefused, match="belongs to an account"):
        addresses.confirm(rf.post("/"), alice, key)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    with pytest.raises(IntegrityError):
        User.objects.filter(pk=alice.pk).update(email=NEW.upper())


def another_password(alice: User) -> None:
    alice.set_password("otter-under-old-bridge")
    alice.save()


def all_sessions_ended(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(sessions_ended=5)


def another_address(alice: User) -> None:
    domain.change_address(alice, "alice@third.example")


@pytest.mark.parametrize("change", [another_password, all_sessions_ended, another_address])
def test_a_link_is_void_once_the_account_is_another(client, alice, change):
    path = asked(shown_to_be(client, alice))
    change(User.objects.get(pk=alice.pk))
    client.force_login(User.objects.get(pk=alice.pk))
    assert "does not work any more" in client.get(path).content.decode()
    assert client.post(path).status_code == 422
    assert User.objects.get(pk=alice.pk).email != NEW


def test_a_link_is_good_for_three_days(client, alice, monkeypatch):
    path = asked(shown_to_be(client, alice))
    monkeypatch.setattr(addresses, "GOOD_FOR_SECONDS", -1)
    assert client.post(path).status_code == 422
    assert client.post("/account/email/confirm/forged:key/").status_code == 422


def test_a_link_works_for_its_own_account_only(client, alice, bob):
    path = asked(shown_to_be(client, alice))
    visitor = type(client)()
    assert visitor.get(path)["Location"] == f"/sign-in/?next={quote(path)}"
    assert visitor.post(path)["Location"].startswith("/sign-in/")
    visitor.force_login(bob)
    assert "for another account" in visitor.get(path).content.decode()
    assert visitor.post(path).status_code == 422
    assert who(visitor) == str(bob.pk), "nobody is signed out by it"
    assert set(User.objects.values_list("email", flat=True)) == {"alice@example.org", "bob@example.org"}


def test_it_is_not_asked_for_ever(client, alice, bob):
    shown_to_be(client, alice)
    answers = [client.post(AT, {"email": f"{number}@new.example"}).status_code for number in range(6)]
    assert answers == [200] * 5 + [429]
    assert len(mail.outbox) == 10


def test_one_address_is_not_written_to_for_ever(client, alice, monkeypatch, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"manage_email": "2/h/key"}
    shown_to_be(client, alice)
    answers = [
        client.post(AT, {"email": email}).status_code for email in (NEW, NEW, NEW.upper(), "b@new.example")
    ]
    assert answers == [200, 200, 429, 200]


def test_a_site_without_mail_says_who_can_help(client, alice, settings):
    settings.MAIL = "none"
    assert "Ask whoever runs it" in shown_to_be(client, alice).get(AT).content.decode()


def test_closing_forgets_the_address_before_too(alice, bob, team):
    dora = User.objects.create_user("dora@example.org")
    record(team, alice, "member-added", dora, role="viewer")
    domain.change_address(dora, "dora@new.example")
    domain.change_address(bob, "bob@new.example")
    domain.change_address(alice, "bob@example.org")
    record(team, alice, "member-added", "bob@example.org")
    for person in (dora, bob):
        domain.close_account(User.objects.get(pk=person.pk))
    assert "dora" not in str(list(Entry.objects.values_list("about", "by_name")))
    assert Entry.objects.filter(about="bob@example.org").exists(), "who has the address now is not forgotten"
    assert list(FormerAddress.objects.values_list("email", flat=True)) == ["alice@example.org"]
