"""An author at the admin's form: opens it, sends it, and reads what it says."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.contrib.messages import get_messages
from django.core.serializers.json import DjangoJSONEncoder
from django.test import Client
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from probes.models import Probe, ProbeVersion
from registry.teams.models import User

ADD = "/admin/probes/probe/add/"


def at(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page_of(probe: Probe) -> str:
    return f"/admin/probes/probe/{probe.pk}/change/"


def opened(client: Client, probe: Probe) -> dict[str, Any]:
    """The fields of the form as a browser would send them back unchanged."""
    answer = client.get(page_of(probe))
    assert answer.status_code == 200, answer.status_code
    form = answer.context["adminform"].form
    return {"document": form["document"].value(), "_base": form["_base"].value()}


def send(client: Client, probe: Probe, fields: dict[str, Any]) -> Any:
    """POST as a browser does: the lines of a text area end in CR LF."""
    text = fields["document"].replace("\n", "\r\n")
    return client.post(page_of(probe), {**fields, "document": text})


def edit(client: Client, probe: Probe, before: str, after: str) -> Any:
    """Open, replace, publish."""
    fields = opened(client, probe)
    assert before in fields["document"]
    return send(client, probe, {**fields, "document": fields["document"].replace(before, after)})


def said(answer: Any) -> list[str]:
    """The messages, as their reader sees them."""
    return [_read(message.message) for message in get_messages(answer.wsgi_request)]


def _read(words: Any) -> str:
    return strip_tags(words) if isinstance(words, SafeString) else str(words)


def problems(answer: Any, field: str = "document") -> list[str]:
    assert answer.status_code == 200, answer.status_code
    errors = answer.context["adminform"].form.errors
    return [_read(each) for each in errors.get(field, [])]


def text_in(answer: Any) -> str:
    """What the text area holds in an answer."""
    return str(answer.context["adminform"].form["document"].value())


def fingerprint(version: ProbeVersion) -> str:
    """A hash of every column of the version, its rubric, rules and fixtures, as they are stored."""
    rows = [
        *ProbeVersion.objects.filter(pk=version.pk).values(),
        *type(version.rubric).objects.filter(pk=version.rubric_id).values(),
        *version.rubric.rules.order_by("pk").values(),
        *version.fixtures.order_by("pk").values(),
    ]
    assert len(rows) > 4
    return hashlib.sha256(json.dumps(rows, cls=DjangoJSONEncoder).encode()).hexdigest()
