"""Each error says what happened and what to do; 400 and 500 need neither database nor session."""

from __future__ import annotations

from importlib import import_module

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.template import TemplateDoesNotExist
from django.test import AsyncClient, Client, RequestFactory
from django.urls import path

from registry.web import errors

site = import_module(settings.ROOT_URLCONF)


def denied(request):
    raise PermissionDenied("Your role in Acme does not let you publish probes.")


def refused(request):
    raise SuspiciousOperation("no")


def broken(request):
    raise RuntimeError("sk-secret")


urlpatterns = [*site.urlpatterns, path("denied", denied), path("refused", refused), path("broken", broken)]
handler400, handler403 = site.handler400, site.handler403
handler404, handler500 = site.handler404, site.handler500
pytestmark = pytest.mark.urls(__name__)


@pytest.fixture
def browser() -> Client:
    return Client(raise_request_exception=False)


def text_of(answer, status: int) -> str:
    assert answer.status_code == status
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert answer["Content-Security-Policy"]
    assert answer["Cross-Origin-Resource-Policy"]
    return answer.content.decode()


@pytest.mark.django_db
def test_403_gives_the_reason_and_whom_to_ask(browser, bob):
    browser.force_login(bob)
    text = text_of(browser.get("/denied"), 403)
    assert "Your role in Acme does not let you publish probes." in text
    assert "An owner of the team can give you another role." in text


@pytest.mark.django_db
def test_403_sends_a_visitor_to_sign_in_and_back(browser):
    assert "/sign-in/?next=%2Fdenied" in text_of(browser.get("/denied"), 403)


@pytest.mark.django_db
def test_404_names_the_address_escaped_and_says_where_to_look(browser):
    text = text_of(browser.get("/no/<script>alert(1)</script>/" + "x" * 300), 404)
    assert "There is nothing at" in text
    assert "&lt;script&gt;" in text
    assert "<script>alert" not in text
    assert "/probes/" in text
    assert text.count("x" * 300) == 1  # whole in the link to sign in, shortened where it is shown


@pytest.mark.django_db
def test_csrf_says_what_to_do_with_and_without_cookies():
    browser = Client(enforce_csrf_checks=True)
    assert "Your browser sent no cookie." in text_of(browser.post("/sign-in/", {"code": "x"}), 403)
    browser.get("/sign-in/")
    assert "signed in or out in another tab" in text_of(browser.post("/sign-in/", {"code": "x"}), 403)


def test_400_needs_no_database(browser):
    assert "Nothing was changed." in text_of(browser.get("/refused"), 400)


def test_400_for_a_name_that_the_site_does_not_go_by(browser):
    text = text_of(browser.get("/roles/", headers={"Host": "evil.example"}), 400)
    assert "a name the site does not go by" in text
    assert "evil.example" not in text


@pytest.mark.django_db
def test_400_for_a_form_that_is_too_large_says_how_large_one_may_be(browser, bob):
    browser.force_login(bob)
    text = text_of(browser.post("/sign-out/", {"document": "x" * 1_000_001}), 400)
    assert "too large: this site takes 1,000,000 bytes at once" in text
    assert "a name the site does not go by" not in text


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/nothing/here/", "/denied", "/results/"])
def test_400_for_a_form_too_large_where_none_is_taken(address):
    """The page of an error has forms of its own, and to give them their secret what was sent is read."""
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.cookies["csrftoken"] = "a" * 32
    answer = browser.post(address, {"text": "x" * 1_000_001})
    assert "this site takes 1,000,000 bytes at once" in text_of(answer, 400)


def test_500_needs_no_database_and_tells_no_secret(browser):
    text = text_of(browser.get("/broken"), 500)
    assert "our fault" in text
    assert "sk-secret" not in text


@pytest.mark.django_db
def test_500_when_the_database_is_gone(browser, bob, monkeypatch):
    browser.force_login(bob)

    def gone(*_, **__):
        raise OperationalError("gone")

    monkeypatch.setattr("django.db.models.sql.compiler.SQLCompiler.execute_sql", gone)
    assert "our fault" in text_of(browser.get("/account/"), 500)


def test_even_without_its_template_it_says_something(monkeypatch):
    def missing(name):
        raise TemplateDoesNotExist(name)

    monkeypatch.setattr(errors.loader, "get_template", missing)
    answer = errors.server_error(RequestFactory().get("/"))
    assert (answer.status_code, answer["Content-Type"]) == (500, "text/plain")
    assert b"500" in answer.content


@pytest.mark.django_db
def test_405_says_what_to_do(browser, bob):
    browser.force_login(bob)
    answer = browser.get("/sign-out/")
    text = text_of(answer, 405)
    assert answer["Allow"] == "POST, OPTIONS"
    assert "<code data-literal>/sign-out/</code> is where a form is sent to" in text
    assert "press its button" in text
    assert "This page takes no form" in text_of(browser.post("/probes/"), 405)


@pytest.mark.django_db
def test_405_of_a_served_page_says_it_too():
    answer = async_to_sync(AsyncClient().post)("/results/")
    assert "This page takes no form" in text_of(answer, 405)


@pytest.mark.django_db
def test_405_of_what_is_no_page_stays_as_it_is(browser):
    assert browser.post("/healthz", headers={"accept": "text/plain"}).content == b""
    assert browser.put("/api/v1/probes/")["Content-Type"] == "application/problem+json"
