"""Mail where no server for it is named: printed for the one person who is there, or refused."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from smtplib import SMTPException

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

RULE = "-" * 72


class Printed(BaseEmailBackend):
    """Prints each mail as it would be read, so that a link in it can be opened from the terminal."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            sys.stdout.write(_as_read(message))
        sys.stdout.flush()
        return len(email_messages)


class Refused(BaseEmailBackend):
    """For a site that others reach: what would stand in its log is a way into people's accounts."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise SMTPException("EMAIL_URL names no mail server.")


def _as_read(message: EmailMessage) -> str:
    head = f"Mail to {', '.join(message.to)} (printed, since EMAIL_URL names no server)"
    return f"{RULE}\n{head}\nSubject: {message.subject}\n\n{message.body}\n{RULE}\n"
