"""What is published or recorded is read in the admin and changed nowhere: the five attacks, and more."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib import admin
from django.db import IntegrityError, transaction

from probes.models import (
    Attempt,
    Batch,
    Fixture,
    Probe,
    ProbeVersion,
    Rubric,
    Rule,
    Run,
    Trial,
    Verdict,
)
from registry.endpoints.models import Endpoint
from registry.immutability import erasure
from registry.teams.models import Membership, User
from tests.probes import stage
from tests.probes.admin import desk

READ_ONLY = [ProbeVersion, Rubric, Rule, Fixture, Batch, Run, Trial, Attempt, Verdict]


def path(model: Any, rest: str = "") -> str:
    return f"/admin/probes/{model._meta.model_name}/{rest}"


@pytest.fixture
def ran(team, probe) -> Batch:
    """A finished batch of one trial: a row in every table."""
    batch = stage.a_batch(team, probe.versions.get(), stage.an_endpoint(team))
    [call] = stage.claim()
    stage.keep(call, stage.good())
    return batch


@pytest.fixture
def third(root, author, anna, probe) -> ProbeVersion:
    """v3, published by Anna from the admin."""
    desk.edit(author, probe, "Write three words.", "Write 3 words.")
    desk.edit(author, probe, "Write 3 words.", "Just 3 words.")
    version = probe.versions.get(number=3)
    assert version.published_by == anna
    return version


def planted(version: ProbeVersion) -> dict[str, str]:
    """Form data for every column and child row that a hand-made request might hope to reach."""
    children: dict[str, str] = {}
    for prefix, rows in (("fixtures", version.fixtures.all()), ("rules", version.rubric.rules.all())):
        children |= {f"{prefix}-TOTAL_FORMS": "3", f"{prefix}-INITIAL_FORMS": str(len(rows))}
        for i, row in enumerate(rows):
            children |= {f"{prefix}-{i}-id": str(row.pk), f"{prefix}-{i}-DELETE": "on"}
            children |= {
                f"{prefix}-{i}-{name}": "planted" for name in ("expect", "output", "label", "name", "why")
            }
    return {**children, "user": "planted", "number": "9", "document": "{}", "digest": "0" * 64}


OWNERS_ONLY = "reserved-for-owners"


@pytest.mark.parametrize("role", ["viewer", "runner", "author"])
def test_what_an_endpoint_adds_to_a_request_is_for_those_who_manage_it(client, team, ran, charlie, role):
    """Whatever page of the admin they open: of each table that is shown there, a list and a row."""
    with erasure("a test plants an extra body"):
        Endpoint.objects.update(extra_body={"preset": OWNERS_ONLY}, key_cipher=OWNERS_ONLY)
        Attempt.objects.update(sent_parameters={"max_tokens": 1400, "preset": OWNERS_ONLY})
    Membership.objects.create(team=team, user=charlie, role=role)
    User.objects.filter(pk=charlie.pk).update(is_staff=True)
    client.force_login(charlie)
    seen = []
    for model in admin.site._registry:
        page = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        changes = [f"{page}{row.pk}/change/" for row in model._default_manager.all()[:3]]
        for address in (page, *changes):
            answer = client.get(address)
            assert OWNERS_ONLY not in answer.content.decode(), address
            seen += [model] if answer.status_code == 200 and address != page else []
    assert {Attempt, Run, Trial, Batch} <= set(seen)
    attempt = client.get(path(Attempt, f"{Attempt.objects.get().pk}/change/")).content.decode()
    assert "&quot;max_tokens&quot;: 1400" in attempt


# --- the five attacks -----------------------------------------------------------------------------
def test_nothing_alters_a_published_version(root, probe, third, anna):
    before = desk.fingerprint(third)
    change = path(ProbeVersion, f"{third.pk}/change/")

    assert root.post(change, planted(third)).status_code == 403
    assert desk.fingerprint(third) == before

    for page in (change, desk.page_of(probe)):
        assert root.post(page, {**planted(third), "_saveasnew": "1"}).status_code == 403
    assert (ProbeVersion.objects.count(), desk.fingerprint(third)) == (3, before)

    chosen = {"action": "delete_selected", "_selected_action": [third.pk], "post": "yes", "index": "0"}
    assert root.post(path(ProbeVersion), chosen).status_code == 403
    assert root.post(path(ProbeVersion, f"{third.pk}/delete/"), {"post": "yes"}).status_code == 403
    assert desk.fingerprint(third) == before

    for rows in (ProbeVersion.objects.all(), Rule.objects.all(), Fixture.objects.all()):
        with pytest.raises(IntegrityError, match="cannot be changed"), transaction.atomic():
            rows.update(id=1)
    assert desk.fingerprint(third) == before

    assert root.post(f"/admin/teams/user/{anna.pk}/delete/", {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=anna.pk).exists()
    assert desk.fingerprint(third) == before


def test_planted_rows_do_not_ride_along_with_a_publication(root, probe, third):
    before = desk.fingerprint(third)
    fields = desk.opened(root, probe)
    text = fields["document"].replace("Just 3 words.", "Only 3 words.")
    extra = {key: value for key, value in planted(third).items() if key != "document"}
    extra |= {"slug": "stolen", "team": "999", "visibility": "team", "versions-TOTAL_FORMS": "1"}
    assert desk.send(root, probe, {**extra, **fields, "document": text}).status_code == 302
    assert desk.fingerprint(third) == before
    fourth = probe.versions.get(number=4)
    assert set(fourth.fixtures.values_list("pk")).isdisjoint(third.fixtures.values_list("pk"))
    assert [each.output for each in fourth.fixtures.all()] == ["one two three", "one two three four"]
    assert Probe.objects.values_list("team__slug", "slug", "visibility").get() == (
        "acme",
        "three-words",
        "public",
    )


def test_the_next_version_has_rows_of_its_own(root, probe, third):
    before = desk.fingerprint(third)
    desk.edit(root, probe, "The instruction says three.", "Three, it says.")
    fourth = probe.versions.get(number=4)
    assert set(fourth.rubric.rules.values_list("pk")).isdisjoint(third.rubric.rules.values_list("pk"))
    assert desk.fingerprint(third) == before


# --- every table, every door ----------------------------------------------------------------------
@pytest.mark.parametrize("model", READ_ONLY, ids=lambda model: model.__name__)
def test_rows_are_shown_and_every_door_is_shut(root, ran, model):
    row = model.objects.first()
    before = list(model.objects.order_by("pk").values())
    page = root.get(path(model, f"{row.pk}/change/"))
    assert page.status_code == 200
    shown = page.content.decode()
    assert not re.search(
        r'<(textarea|select)|type="(text|number|checkbox)"|type="submit" [^>]*name="_', shown
    )

    listed = root.get(path(model)).content.decode()
    assert 'name="action"' not in listed
    assert "/add/" not in listed.partition('id="content"')[2]

    doors = [
        (path(model, "add/"), {"number": "1"}),
        (path(model, f"{row.pk}/change/"), {"_save": "1"}),
        (path(model, f"{row.pk}/delete/"), {"post": "yes"}),
        (path(model), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}),
        (path(model), {"form-TOTAL_FORMS": "1", "_save": "1"}),
    ]
    for door, sent in doors:
        answer = root.post(door, sent)
        assert answer.status_code == 403, door
        assert "Nothing was changed" in answer.content.decode(), door
    assert root.get(path(model, "add/")).status_code == 403
    assert list(model.objects.order_by("pk").values()) == before


def test_a_probe_is_never_deleted(root, probe):
    chosen = {"action": "delete_selected", "_selected_action": [probe.pk], "post": "yes"}
    for answer in (
        root.post(path(Probe, f"{probe.pk}/delete/"), {"post": "yes"}),
        root.post(path(Probe), chosen),
        root.get(path(Probe, f"{probe.pk}/delete/")),
    ):
        assert answer.status_code == 403
        assert "A probe stays" in answer.content.decode()
    assert "deletelink" not in root.get(desk.page_of(probe)).content.decode()
    assert Probe.objects.count() == 1


def test_a_person_or_team_is_kept_and_the_reason_told(root, anna, team):
    for kind, row, reason in (("user", anna, "What people published"), ("team", team, "A team stays")):
        answer = root.post(f"/admin/teams/{kind}/{row.pk}/delete/", {"post": "yes"})
        assert answer.status_code == 403
        assert reason in answer.content.decode()
        chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        assert root.post(f"/admin/teams/{kind}/", chosen).status_code == 403


# --- what a version's page shows ------------------------------------------------------------------
def test_a_version_shows_its_document_rules_and_fixtures(root, team):
    version = stage.a_version(team, user='"<b>Three</b> words & no more."')
    page = root.get(path(ProbeVersion, f"{version.pk}/change/")).content.decode()
    assert f'href="{version.get_absolute_url()}" class="viewsitelink"' in page
    assert "user: &quot;&lt;b&gt;Three&lt;/b&gt; words &amp; no more.&quot;" in page
    assert "<code>three_words</code>: <code>{" in page
    assert "&quot;kind&quot;: &quot;words&quot;" in page
    assert "The instruction says three." in page
    for fixture in version.fixtures.all():
        assert fixture.label in page
        assert path(Fixture, f"{fixture.pk}/change/") in page


def test_an_endpoints_key_is_on_no_page(root, team):
    endpoint = stage.an_endpoint(team)
    endpoint.set_key("sk-demo-1234567890")
    endpoint.save()
    pages = [f"/admin/endpoints/endpoint/{endpoint.pk}/change/", "/admin/endpoints/endpoint/"]
    for page in pages:
        shown = root.get(page).content.decode()
        assert endpoint.name in shown
        assert endpoint.key_cipher not in shown
        assert "7890" not in shown
        assert root.post(page, {"name": "x"}).status_code == 403
