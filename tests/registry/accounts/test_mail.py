"""Mail where no server is named."""

from __future__ import annotations

from smtplib import SMTPException

import pytest
from django.core.mail import EmailMessage

from registry.accounts.mail import Printed, Refused

MAIL = EmailMessage("Is this you?", "Open http://127.0.0.1:8000/sign-up/verify/é:1:x/", to=["a@example.org"])


def test_it_is_printed_as_it_would_be_read(capsys):
    assert Printed().send_messages([MAIL]) == 1
    printed = capsys.readouterr().out
    assert "Mail to a@example.org" in printed
    assert "Subject: Is this you?" in printed
    assert "http://127.0.0.1:8000/sign-up/verify/é:1:x/\n" in printed


def test_it_is_refused_without_a_trace(capsys):
    with pytest.raises(SMTPException, match="EMAIL_URL"):
        Refused().send_messages([MAIL])
    assert capsys.readouterr().out == ""
