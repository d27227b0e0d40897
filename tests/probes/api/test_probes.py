"""Probes and versions as programs read them."""

from __future__ import annotations

import pytest

from probes.core import Document
from probes.domain.publish import publish
from probes.models import Probe
from tests.probes.stage import a_version
from tests.registry.api.asking import ask, bearer, rows

pytestmark = pytest.mark.django_db
HERE = "http://testserver"


def test_a_probe_says_where_everything_of_it_is(client, team):
    a_version(team)
    a_version(team, user="Write three words, please.")
    [probe] = rows(client, "probes/")
    assert probe == ask(client, "probes/acme/three-words/")
    assert probe["url"] == f"{HERE}/api/v1/probes/acme/three-words/"
    assert probe["page"] == f"{HERE}/probes/acme/three-words/"
    assert (probe["name"], probe["team"], probe["slug"]) == ("acme/three-words", "acme", "three-words")
    assert (probe["title"], probe["category"]) == ("Three words", "Instruction following")
    assert (probe["visibility"], probe["current"]) == ("public", 2)
    assert ask(client, probe["current_version"])["number"] == 2
    assert [version["number"] for version in rows(client, probe["versions"])] == [2, 1]
    assert rows(client, probe["runs"]) == []


def test_a_probe_that_nothing_was_published_of_is_not_listed(client, team):
    Probe.objects.create(team=team, slug="empty", title="Empty", category="x")
    assert rows(client, "probes/") == []
    assert client.get("/api/v1/probes/acme/empty/").status_code == 404


def test_a_version_comes_with_its_rules_and_examples(client, version, shipped):
    found = ask(client, f"versions/acme/{shipped.slug}/1/")
    assert found["document"] == shipped.canonical()
    assert Document.from_json(found["document"]).digest == found["digest"] == shipped.digest
    assert found["request_digest"] == shipped.request_digest
    assert found["rubric_digest"] == shipped.rubric_digest
    assert found["checks_digest"] == shipped.checks_digest
    canonical = shipped.canonical()
    for part in ("prompt", "variables", "parameters"):
        assert found[part] == canonical[part]
    rules = [{key: rule[key] for key in ("name", "check", "why")} for rule in found["rubric"]["rules"]]
    assert rules == canonical["rubric"]["rules"]
    fixtures = [{k: v for k, v in one.items() if k != "position"} for one in found["fixtures"]]
    wanted = [{"fails": None, **fixture} for fixture in canonical["fixtures"]]
    assert fixtures == wanted


def test_a_list_of_versions_leaves_their_text_out(client, version):
    [row] = rows(client, "versions/")
    alone = ask(client, row["url"])
    assert set(alone) - set(row) == {"prompt", "variables", "parameters", "rubric", "fixtures", "document"}
    assert {name: alone[name] for name in row} == row


def test_who_published_is_a_name_or_nothing(client, team, alice, anna, shipped):
    publish(team, shipped, by=alice)
    assert rows(client, "versions/")[0]["published_by"] == "Alice"
    anna.name = ""
    anna.save()
    publish(team, shipped_again(shipped), by=anna)
    assert rows(client, "versions/")[0]["published_by"] == ""


def shipped_again(shipped: Document) -> Document:
    data = shipped.canonical()
    data["parameters"]["max_tokens"] += 1
    return Document.from_json(data)


FILTERS = [
    ("probes/", {"team": "acme"}, 2),
    ("probes/", {"team": "other"}, 0),
    ("probes/", {"category": "Instruction following"}, 2),
    ("probes/", {"category": "instruction"}, 0),
    ("versions/", {"probe": "acme/three-words"}, 1),
    ("versions/", {"probe": "other/three-words"}, 0),
    ("versions/", {"team": "acme"}, 2),
    ("versions/", {"digest": "0" * 64}, 0),
]


@pytest.mark.parametrize(("path", "query", "count"), FILTERS, ids=str)
def test_filters(client, team, path, query, count):
    a_version(team)
    a_version(team, slug="more-words", user="More.")
    assert len(rows(client, path, **query)) == count


@pytest.mark.parametrize("name", ["digest", "request_digest", "rubric_digest", "checks_digest"])
def test_a_version_is_found_by_any_of_its_digests(client, team, name):
    a_version(team)
    a_version(team, slug="more-words", user="More.", prose="Another.")
    everything = rows(client, "versions/")
    for version in everything:
        found = rows(client, "versions/", **{name: version[name]})
        assert version in found
        assert all(one[name] == version[name] for one in found)
    assert len(rows(client, "versions/", digest=everything[0]["digest"])) == 1


QUERIES = [("probes/", 1), ("versions/", 1)]


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("path", "queries"), QUERIES)
def test_a_list_asks_no_more_for_more(client, team, alice, path, queries, count, django_assert_num_queries):
    headers = bearer(alice)
    for number in range(count):
        a_version(team, slug=f"probe-{number}", user=f"Write {number} words.")
    ask(client, path, headers)  # notes the token's use
    with django_assert_num_queries(1 + queries):  # the token, and the rows
        assert len(rows(client, path, headers)) == count


@pytest.mark.parametrize(("slug", "rules"), [("three-words", 1), ("emit-a-terminator", 5)])
def test_a_version_asks_no_more_for_more_rules(client, team, version, slug, rules, django_assert_num_queries):
    a_version(team)
    with django_assert_num_queries(3):  # the version, its rules, its examples
        assert len(ask(client, f"versions/acme/{slug}/1/")["rubric"]["rules"]) == rules
