"""How we count: every check kind, described by the code that decides the verdicts; and the file's schema."""

from __future__ import annotations

import hashlib
import json
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import etag, require_safe

from probes.core.json_schema import schema
from probes.core.kinds import described
from probes.core.patterns.examples import LIMITS, refused
from probes.core.scoring import scored_with
from probes.core.view import MAX_CHARACTERS

HOUR = 3600


@require_safe
def how_we_count(request: HttpRequest) -> HttpResponse:
    context = {
        "kinds": described(),
        "limits": LIMITS,
        "refused": refused(),
        "scored_with": scored_with(),
        "most": MAX_CHARACTERS,
        "schema": _schema_address(),
    }
    return render(request, "probes/docs.html", context)


@cache
def _schema_text() -> str:
    made = {"$id": _schema_address(), **schema()}
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _schema_address() -> str:
    return f"{settings.SITE_ADDRESS}{reverse('probe-file-schema')}"


def _schema_etag(request: HttpRequest) -> str:
    return f'"{hashlib.sha256(_schema_text().encode()).hexdigest()[:32]}"'


@require_safe
@cache_control(public=True, max_age=HOUR)
@etag(_schema_etag)
def probe_file_schema(request: HttpRequest) -> HttpResponse:
    """For any editor, also one that runs in a browser under another address."""
    return HttpResponse(
        _schema_text(),
        content_type="application/schema+json; charset=utf-8",
        headers={"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"},
    )
