"""How we count, and the schema of the probe file: for everyone, made from the kinds themselves."""

from __future__ import annotations

import re
from html import unescape

from django.urls import reverse

from probes.core.json_schema import schema
from probes.core.kinds import described
from probes.core.patterns.examples import refused


def words(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def folded(text: str) -> str:
    return " ".join(text.split())


def test_every_kind_shows_its_examples_with_marks_and_verdicts(client, db):
    html = client.get(reverse("docs")).content.decode()
    articles = dict(re.findall(r'<article class="kind[^"]*" id="(\w+)">(.*?)</article>', html, re.DOTALL))
    assert list(articles) == [kind.name for kind in described()]
    for kind in described():
        shown = words(articles[kind.name])
        for example in kind.examples:
            assert (
                folded(f"{'✓ PASS' if example.finding.ok else '✕ FAIL'} {example.finding.message}") in shown
            )
            assert folded(example.written) in shown
    assert '<mark class="m m-forbidden' in articles["letters"]
    assert '<mark class="m m-word' in articles["words"]
    assert 'title="4 syllables, not 7"' in articles["syllables"]


def test_the_schema_is_public_cached_and_names_itself(client, db, settings):
    answer = client.get("/docs/probe-file.schema.json")
    assert answer.headers["Content-Type"].startswith("application/schema+json")
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Cookie" not in answer.headers.get("Vary", "")
    address = f"{settings.SITE_ADDRESS}/docs/probe-file.schema.json"
    assert answer.json() == {"$id": address, **schema()}
    assert f"# yaml-language-server: $schema={address}" in client.get(reverse("docs")).content.decode()
    same = client.get("/docs/probe-file.schema.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert same.status_code == 304


def test_an_author_has_every_kind_beside_the_text(client, staff):
    client.force_login(staff)
    html = client.get(reverse("admin:probes_probe_add")).content.decode()
    (aside,) = re.findall(r'<aside class="kinds-help".*?</aside>', html, re.DOTALL)
    for kind in described():
        said = [kind.summary, *(each.description for each in kind.parameters)]
        said += [each.finding.message for each in kind.examples]
        said = [re.sub("`([^`]+)`", r"\1", text) for text in said]
    assert [text for text in said if folded(text) not in words(aside)] == []


def test_the_patterns_that_are_refused_stand_with_their_reasons(client, db):
    shown = words(client.get(reverse("docs")).content.decode())
    for one in refused():
        said = (one.literal, one.message.replace("`", ""), one.hint)
        assert [text for text in said if folded(text) not in shown] == []
