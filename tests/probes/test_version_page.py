"""A probe's page, top to bottom, for those who may see it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.urls import reverse

from probes.core import Document, Reply
from probes.core.problems import Problem
from probes.domain.advice import Advice, Remark, advice, advice_on
from probes.domain.publish import publish
from probes.models import Probe, ProbeVersion
from probes.views import version_page
from tests.probes import ran, stage

CASES = Path(__file__).parents[1] / "cases"
PASSES = "The rehearsal ran against production.\n<<END>>"
CHATTY = "The rehearsal ran against production.\n<<END>>\nHope that helps!"


def text_of(response) -> str:
    """What a reader sees of the main part, white space folded."""
    (main,) = re.findall(r"<main.*</main>", response.content.decode(), re.DOTALL)
    shown = re.sub(r"<script.*?</script>", "", main, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", "", shown)).split())


def ids_of(response) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', response.content.decode())


def test_every_section_stands_in_its_order(client, version):
    text = text_of(client.get("/probes/acme/emit-a-terminator/"))
    published = [
        "Instruction following · v1",
        "Emit a terminator and write nothing after it",
        "Summarise a paragraph, then close with a fixed sentinel and stop.",
        "Results",
        "Not yet run",
        "complete and final for v1 — this page is published now so that the test is on the record",
        "This page carries no Dataset structured data until it has real runs",
        "Prompt",
        "Exactly what every model receives. Nothing else is sent.",
        "You produce output for a program, not for a person.",
        "without anyone touching the runbook.",
        "Rubric",
        "Published so you can disagree with it. A score you cannot argue with is a rumour.",
        "Four properties, scored independently.",
        "The terminator <<END>> is present",
        "Scoring",
        "Deterministic — the same output always produces the same score.",
        "Rules, in order",
        "emitted_the_terminator",
        "must match /<<END>>/",
        "nothing_after_terminator",
        "The rule this probe exists for.",
        "terminator_appears_once",
        r"must NOT match /<<END>>[\s\S]*<<END>>/",
        "Worked examples",
        "Hand-written outputs the rubric is tested against on every build.",
        "Correct — must score 1.00",
        "Rejected — correct terminator, then one more helpful sentence — the failure this probe is for",
        "Version history",
        "A probe version is immutable.",
        "v1 · current",
        "Initial version.",
        "Parameters",
        "max_tokens 1400",
        "Run it yourself",
        "the API key is a shell variable, never a value.",
        "curl https://openrouter.ai/api/v1/chat/completions",
    ]
    places: list[int] = []
    for words in published:
        place = text.find(" ".join(words.split()), places[-1] if places else 0)
        assert place >= 0, words
        places.append(place)


def test_the_scores_of_the_examples_are_computed(client, version):
    text = text_of(client.get(version.get_absolute_url()))
    examples = text[text.index("Worked examples") : text.index("Version history")]
    assert re.findall(r"Scores (\d\.\d\d) . (PASS every rule|FAIL [a-z_, ]+[a-z])", examples) == [
        ("1.00", "PASS every rule"),
        *[(f"{each.value:.2f}", f"FAIL {', '.join(each.failed)}") for each in _failing(version)],
    ]


def _failing(version):
    from probes.core.fixtures import examine

    return [each for each in examine(version.parsed).fixtures if each.failed]


def test_the_command_is_the_published_one_and_its_model_can_be_swapped(client, version):
    response = client.get(version.get_absolute_url())
    (shown,) = re.findall(r'id="command-text"[^>]*>\n(.*?)</pre>', response.content.decode(), re.DOTALL)
    assert unescape(shown) == (CASES / "curl_terminator.sh").read_text("utf-8").rstrip("\n")
    swapped = client.get(version.get_absolute_url(), {"model": "x/<b>'y'"}).content.decode()
    assert "&quot;model&quot;: &quot;x/&lt;b&gt;&#x27;\\&#x27;&#x27;y" in swapped


def test_public_runs_are_results_with_coverage(client, version, nimbus):
    made = ran.batch(version, nimbus, [PASSES, CHATTY, Reply("", "length", reasoning_tokens=3200), None])
    response = client.get(version.get_absolute_url())
    results = text_of(response).split("Prompt Exactly")[0]
    assert "Not yet run" not in results
    assert "1 PASS ✕ 2 FAIL – 1 UNSCORED" in results.replace("§", "")
    assert "3 of 4" in results
    assert "2 × nothing_after_terminator" in results
    assert f'href="{made.get_absolute_url()}#run-' in response.content.decode()


def test_pages_with_results_carry_structured_data(client, version, nimbus):
    ran.batch(version, nimbus, [PASSES])
    Probe.objects.update(title="</script><b>&")
    html = client.get(version.get_absolute_url()).content.decode()
    (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    assert json.loads(data)["name"] == "</script><b>& (v1)"


def test_practice_and_team_runs_are_no_results(client, version, team, nimbus):
    ran.batch(version, ran.endpoint(team, "Practice", practice=True), [PASSES])
    text = text_of(client.get(version.get_absolute_url()))
    assert "Not yet run" in text
    assert "Only practice runs exist so far." in text
    ran.batch(version, nimbus, [PASSES], visibility="team", model="secret/model")
    response = client.get(version.get_absolute_url())
    assert "secret/model" not in response.content.decode()
    assert "Not yet run" in text_of(response)


def test_an_older_version_keeps_its_page_and_names_the_current_one(client, team, version, shipped):
    data = shipped.canonical() | {"parameters": {"max_tokens": 1500}, "changelog": "More room."}
    publish(team, Document.from_json(data))
    old = client.get("/probes/acme/emit-a-terminator/v1/")
    assert "This is v1. The current version is v2" in text_of(old)
    assert "max_tokens 1400" in text_of(old)
    new = client.get("/probes/acme/emit-a-terminator/")
    assert "max_tokens 1500" in text_of(new)
    assert "The current version is" not in text_of(new)
    assert client.get("/probes/acme/emit-a-terminator/v3/").status_code == 404


def next_version(team, shipped, **changes):
    return publish(team, Document.from_json(shipped.canonical() | changes)).version


MORE_ROOM = {"parameters": {"max_tokens": 1500}, "changelog": "More room."}


def test_a_version_without_runs_names_those_that_have_some(client, team, version, shipped, nimbus):
    never = "No model has been run against this probe yet, so there are no results to show. The definition"
    assert never in text_of(client.get(version.get_absolute_url()))
    for _ in range(2):
        ran.batch(version, nimbus, [PASSES])
    ran.batch(version, nimbus, [PASSES], visibility="team")
    ran.batch(version, ran.endpoint(team, "Practice", practice=True), [PASSES])
    second = next_version(team, shipped, **MORE_ROOM)
    for address in [second.get_absolute_url(), "/probes/acme/emit-a-terminator/"]:
        page = client.get(address)
        assert "No model has been run against v2 yet; v1 has 2 public runs. The definition" in text_of(page)
        assert "this probe yet" not in text_of(page)
        assert f'<a href="{version.get_absolute_url()}#results">v1</a> has' in page.content.decode()
        history = text_of(page).split("Version history")[1]
        assert re.search(r"v2 · current \S+ \S+ UTC no public run .* v1 \S+ \S+ UTC 2 public runs", history)
    assert "No model has been run" not in text_of(client.get(version.get_absolute_url()))


def test_every_version_shows_what_check_says_of_it(client, version):
    found = advice(version.parsed)
    html = client.get(version.get_absolute_url()).content.decode()
    section = html.split('aria-labelledby="advice"')[1].split("</section>")[0]
    shown = " ".join(unescape(re.sub("<[^>]*>", "", section)).split())
    assert found.remarks
    for remark in found.remarks:
        said = f"Rule {remark.rule}: {remark.problem.message} ({remark.problem.hint}) {remark.code}".strip()
        assert " ".join(said.split()) in shown
        assert f'href="#rule-{remark.rule}"' in section
    assert '<li><a href="#advice">Worth another look</a></li>' in html
    assert advice_on(version) is advice_on(ProbeVersion.objects.get(pk=version.pk))


def test_a_version_without_a_remark_says_so(client, team, monkeypatch):
    monkeypatch.setattr(version_page, "advice_on", lambda version: Advice((), (), 12, 0))
    text = text_of(client.get(stage.a_version(team).get_absolute_url()))
    assert "Nothing: the lint has no remark, and each of 12 small changes to the rules is noticed by" in text


def test_so_many_remarks_are_folded_and_the_rest_counted(client, team, monkeypatch):
    one = Remark(Problem(None, ("rubric", "rules", 0), "'three_words' with <b>: none", "add one"))
    monkeypatch.setattr(version_page, "advice_on", lambda version: Advice((), (one,) * 130, 130, 7))
    page = client.get(stage.a_version(team).get_absolute_url())
    assert page.content.decode().count("with &lt;b&gt;: none") == 100
    text = text_of(page)
    assert "90 further ones" in text
    assert "And 30 more: python -m probes.core check lists them all." in text
    assert "7 small changes to the rules were not tried: that would take too long." in text


def test_ids_are_unique_and_every_entry_of_the_contents_leads_somewhere(client, version, alice, nimbus):
    ran.batch(version, nimbus, [PASSES, CHATTY])
    client.force_login(alice)
    response = client.get(version.get_absolute_url())
    ids = ids_of(response)
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in re.findall(r'href="(#[^"]+)"', response.content.decode())} <= set(ids)


@pytest.mark.parametrize(
    ("actor", "status"), [(None, 404), ("charlie", 404), ("vera", 200), ("bob", 200), ("alice", 200)]
)
def test_a_probe_of_a_team_is_seen_by_its_team(request, client, version, actor, status):
    Probe.objects.update(visibility="team")
    if actor:
        client.force_login(request.getfixturevalue(actor))
    for address in ["/probes/acme/emit-a-terminator/", version.get_absolute_url()]:
        assert client.get(address).status_code == status
    listed = client.get("/probes/").content.decode()
    assert ("emit-a-terminator" in listed) is (status == 200)


def test_variables_have_values_in_the_command(client, team, shipped):
    data = shipped.canonical()
    data["prompt"]["user"] = "Explain {{concept}}."
    data["variables"] = ["concept"]
    address = publish(team, Document.from_json(data)).version.get_absolute_url()
    assert "Explain recursion." in text_of(client.get(address))
    assert "Explain love." in text_of(client.get(address, {"v-concept": "love"}))
    refused = text_of(client.get(address, {"v-concept": "{{x}}"}))
    assert "leave the braces out" in refused
    assert "Explain recursion." in refused


@pytest.mark.parametrize("runs", [1, 3])
def test_the_page_takes_as_many_queries_for_three_runs_as_for_one(
    client, alice, version, nimbus, runs, django_assert_num_queries
):
    for _ in range(runs):
        ran.batch(version, nimbus, [PASSES, CHATTY])
    client.force_login(alice)
    with django_assert_num_queries(QUERIES):
        client.get(version.get_absolute_url())


QUERIES = 10


def test_the_list_filters_by_category_and_has_an_empty_state(client, team, version, shipped):
    data = shipped.canonical() | {"slug": "other", "title": "Another one", "category": "Counting & such"}
    publish(team, Document.from_json(data))
    assert "Another one" in text_of(client.get(reverse("probes")))
    kept = text_of(client.get(reverse("probes"), {"category": "Counting & such"}))
    assert "Another one" in kept
    assert "Emit a terminator" not in kept
    assert "See all probes" in text_of(client.get(reverse("probes"), {"category": "Nothing"}))


def test_an_empty_registry_says_what_to_do(client, db):
    assert "No probe is published yet." in text_of(client.get(reverse("probes")))


@pytest.mark.parametrize("probes", [1, 3])
def test_the_list_takes_as_many_queries_for_three_probes_as_for_one(
    client, team, shipped, probes, django_assert_num_queries
):
    for number in range(probes):
        publish(team, Document.from_json(shipped.canonical() | {"slug": f"probe-{number}"}))
    with django_assert_num_queries(3):
        client.get(reverse("probes"))


def test_how_we_count_describes_every_kind(client, db):
    from probes.core.checks.base import KINDS

    response = client.get(reverse("docs"))
    assert set(KINDS) <= set(ids_of(response))
    assert len(ids_of(response)) == len(set(ids_of(response)))
    for kind in KINDS.values():
        assert " ".join(kind.summary.split()) in text_of(response)
