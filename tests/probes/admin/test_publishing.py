"""The probe's form: what saving publishes, what it says, and that nothing typed is lost."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from probes.admin.forms import STARTER
from probes.core import Document, mutations
from probes.models import Probe, ProbeVersion
from tests.probes import stage
from tests.probes.admin import desk

FORM = "application/x-www-form-urlencoded"
LOOK = "Worth another look, though nothing refuses it. The lines are those of the file below."


def numbers(probe: Probe) -> list[int]:
    return list(probe.versions.order_by("number").values_list("number", flat=True))


def test_the_form_holds_the_current_document(root, probe):
    fields = desk.opened(root, probe)
    assert Document.parse(fields["document"]) == stage.a_document()
    assert fields["_base"].startswith("1-")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Write three words.", "Write 3 words."),
        ("max_tokens: 40", "max_tokens: 50"),
        ("One property.", "A single property."),
        ("The instruction says three.", "Three was asked for."),
        ("one two three four", "one two three four five"),
    ],
    ids=["prompt", "parameters", "prose", "rule", "fixture"],
)
def test_a_change_publishes_the_next_version(root, staff, probe, before, after):
    answer = desk.edit(root, probe, before, after)
    assert (answer.status_code, answer["Location"]) == (302, desk.page_of(probe))
    assert desk.said(answer) == ["Published acme/three-words v2."]
    newest = probe.versions.first()
    assert (newest.number, newest.published_by) == (2, staff)
    assert after in newest.parsed.to_yaml()
    assert root.get(newest.get_absolute_url()).status_code == 200


def test_the_answer_shows_the_history_and_a_fresh_form(root, probe):
    desk.edit(root, probe, "Write three words.", "Write 3 words.")
    page = root.get(desk.page_of(probe)).content.decode()
    assert "Published" in page
    assert page.index(">v2</a> (current)") < page.index(">v1</a>")
    assert desk.opened(root, probe)["_base"].startswith("2-")


def test_identical_content_makes_no_version(root, probe):
    answer = desk.send(root, probe, desk.opened(root, probe))
    assert desk.said(answer) == ["Nothing changed: v1 already says this."]
    assert numbers(probe) == [1]


@pytest.mark.parametrize("written", [lambda text: text + "\n# a comment\n", lambda text: text.rstrip("\n")])
def test_another_way_to_write_the_same_is_identical(root, probe, written):
    fields = desk.opened(root, probe)
    answer = desk.send(root, probe, {**fields, "document": written(fields["document"])})
    assert desk.said(answer) == ["Nothing changed: v1 already says this."]


def test_a_changelog_alone_makes_no_version_and_that_is_said(root, probe):
    answer = desk.edit(root, probe, "Initial version.", "A note.")
    assert desk.said(answer) == [
        "Nothing changed: v1 already says this. "
        "Its changelog is published too; another one goes with the next version."
    ]


@pytest.mark.parametrize(
    ("edits", "named"),
    [
        ({"title: Three words": "title: 3 words"}, "title"),
        ({"title: Three words": "title: 3 words", "no more.": "no fewer."}, "title and summary"),
        (
            {"title: Three words": "title: 3 words", "no more.": "no fewer.", "Instruction": "Rule"},
            "title, category and summary",
        ),
    ],
)
def test_a_title_is_edited_without_a_version(root, probe, edits, named):
    fields = desk.opened(root, probe)
    for before, after in edits.items():
        fields["document"] = fields["document"].replace(before, after)
    answer = desk.send(root, probe, fields)
    assert desk.said(answer) == [
        f"Saved the {named} of acme/three-words without a new version: v1 stays as it is."
    ]
    probe.refresh_from_db()
    assert (probe.title, numbers(probe)) == ("3 words", [1])
    assert Document.parse(desk.opened(root, probe)["document"]).title == "3 words"


def test_the_content_of_an_older_version_is_refused_and_kept(root, probe):
    old = desk.opened(root, probe)["document"]
    desk.edit(root, probe, "Write three words.", "Write 3 words.")
    fields = desk.opened(root, probe)
    answer = desk.send(root, probe, {**fields, "document": old})
    [problem] = desk.problems(answer)
    assert problem.startswith("Not published: this is exactly v1")
    assert Document.parse(desk.text_in(answer)) == Document.parse(old)
    assert numbers(probe) == [1, 2]


def test_saving_says_what_is_worth_another_look(root, probe):
    published, advice = desk.said(desk.edit(root, probe, "Write three words.", "Write the words."))
    assert published == "Published acme/three-words v2."
    assert unescape(advice) == (
        f"{LOOK} line 14, rubric.rules[0].check: 'three_words' "
        "wants exactly 3, and the prompt does not name 3 (say the number in the prompt, or ask for at least "
        "or at most so many) L001"
    )
    fields = desk.opened(root, probe)
    text = fields["document"].replace('op: "=="', 'op: "<="').replace("two three four", "two three four five")
    [_, advice] = desk.said(desk.send(root, probe, {**fields, "document": text}))
    assert "line 12, rubric.rules: every rule only forbids something" in advice
    assert advice.endswith("n 4 instead of 3: no example has exactly 4 words (add one) ")


def test_saving_says_what_was_not_looked_at(root, probe, monkeypatch):
    monkeypatch.setattr(mutations, "MAX_WORK", 1)
    _, advice = desk.said(desk.edit(root, probe, "Write three words.", "Write exactly 3 words."))
    assert unescape(advice) == (
        f"{LOOK} 2 small changes to the rules not tried on the "
        "examples, as that would take too long: with shorter examples or smaller patterns more are"
    )


def test_a_failed_gate_lists_every_problem(root, probe):
    fields = desk.opened(root, probe)
    text = (
        fields["document"]
        .replace("one two three four", "three more words")
        .replace("output: one two three", "output: one two")
    )
    answer = desk.send(root, probe, {**fields, "document": text})
    assert desk.problems(answer) == [
        "Not published: the worked examples do not hold.",
        "line 17, fixtures[0].expect: 'three' must pass and scores 0.00: it fails three_words "
        "(mend the output or the rule)",
        "line 18, fixtures[1].expect: 'four' must fail and scores 1.00 "
        "(mend the output, or add the rule that it breaks)",
    ]
    assert desk.text_in(answer).replace("\r\n", "\n") == text
    assert numbers(probe) == [1]


def test_a_file_with_mistakes_names_their_lines(root, probe):
    fields = desk.opened(root, probe)
    text = fields["document"].replace("category: Instruction following", "categorie: Instruction following")
    text = text.replace("temperature: 0", "temperature: hot")
    answer = desk.send(root, probe, {**fields, "document": text})
    found = desk.problems(answer)
    lines = text.split("\n")
    for problem in found:
        assert problem.startswith("line "), problem
    named = {int(problem.removeprefix("line ").split(",")[0]) for problem in found}
    assert lines.index("categorie: Instruction following") + 1 in named
    assert next(i for i, line in enumerate(lines, 1) if "temperature: hot" in line) in named
    assert desk.text_in(answer).replace("\r\n", "\n") == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: the file is empty (begin with the line 'format: …')"),
        ("  \n ", "the file is empty"),
        ("[1, 2]", "this is a list, and must be keys"),
        ("a: [", "line 1"),
        ("a: 1\nb: \x00", "line 2: the file holds a NUL, which can neither be sent nor stored (remove it)"),
        ("a: &x 1\nb: *x\n", "line 1"),
        ("x" * 300_000, "bytes"),
        ("<script>alert(1)</script>: 1\n", "script"),
    ],
    ids=["empty", "blank", "list", "broken", "NUL", "alias", "huge", "markup"],
)
def test_bad_text_is_a_message_and_is_kept(root, probe, text, problem):
    fields = desk.opened(root, probe)
    answer = desk.send(root, probe, {**fields, "document": text})
    assert any(problem in each for each in desk.problems(answer)), desk.problems(answer)
    assert "<script>alert" not in answer.content.decode()
    assert numbers(probe) == [1]


def test_the_lines_of_advice_are_those_of_the_file_that_is_shown(root, probe):
    fields = desk.opened(root, probe)
    text = "# a comment\n# and one more\n" + fields["document"].replace("Write three words.", "Write words.")
    answer = desk.send(root, probe, {**fields, "document": text})
    line = int(re.findall(r"line (\d+), rubric.rules\[0\].check", desk.said(answer)[1])[0])
    page = root.get(desk.page_of(probe))
    assert "check:" in desk.text_in(page).split("\n")[line - 1]
    assert "# a comment" not in desk.text_in(page)
    assert "Comments are not kept" in page.content.decode()


@pytest.mark.parametrize("size", [300_000, 1_200_000, 3_900_000])
@pytest.mark.parametrize("added", [True, False], ids=["add", "change"])
def test_a_file_that_is_far_too_large_is_given_back(root, team, probe, size, added):
    text = "x" * size
    sent = {"document": text, "_base": "0" if added else "1-elsewhere", "team": team.pk}
    answer = root.post(desk.ADD if added else desk.page_of(probe), urlencode(sent), content_type=FORM)
    assert any(f"has {size:,} bytes and may have 262,144" in each for each in desk.problems(answer))
    assert desk.text_in(answer) == text
    assert numbers(probe) == [1]


@pytest.mark.parametrize("size", [10, 1_200_000])
def test_a_large_form_of_another_site_or_another_person_is_not_read(staff, bob, probe, size):
    sent = urlencode({"document": "x" * size, "_base": "1"})
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(staff)
    assert strict.post(desk.page_of(probe), sent, content_type=FORM).status_code == 403
    assert desk.at(bob).post(desk.page_of(probe), sent, content_type=FORM).status_code == 302
    assert numbers(probe) == [1]


def test_a_slug_is_for_good(root, probe):
    answer = desk.edit(root, probe, "slug: three-words", "slug: two-words")
    assert desk.problems(answer) == [
        "line 2, slug: is two-words, and this probe is three-words for good "
        "(write that, or add another probe)"
    ]
    assert Probe.objects.count() == 1


def test_a_probe_is_added_from_the_starter(root, staff, team):
    page = root.get(desk.ADD)
    form = page.context["adminform"].form
    assert form["document"].value() == STARTER
    answer = root.post(desk.ADD, {"team": team.pk, "document": STARTER, "_base": form["_base"].value()})
    assert desk.said(answer) == ["Published acme/three-words v1."]
    made = ProbeVersion.objects.get()
    assert (made.probe.team, made.published_by, made.probe.title) == (team, staff, "Write three words")
    assert answer["Location"] == desk.page_of(made.probe)


def test_a_probe_needs_a_team(root):
    answer = root.post(desk.ADD, {"document": STARTER, "_base": "0"})
    assert desk.problems(answer, "team") == ["This field is required."]
    assert desk.text_in(answer) == STARTER
    assert not Probe.objects.exists()


def test_a_new_probe_never_overruns_one_of_its_name(root, team, probe):
    text = stage.probe_text(user="Something else entirely.").replace("\n", "\r\n")
    answer = root.post(desk.ADD, {"team": team.pk, "document": text, "_base": "0"})
    [problem] = desk.problems(answer)
    assert problem.startswith("acme/three-words is published already, at v1")
    assert desk.page_of(probe) in answer.content.decode()
    assert numbers(probe) == [1]


def test_a_new_probe_sent_twice_is_made_once(root, team):
    sent = {"team": team.pk, "document": stage.probe_text(), "_base": "0"}
    assert desk.said(root.post(desk.ADD, sent)) == ["Published acme/three-words v1."]
    again = root.post(desk.ADD, sent)
    assert desk.said(again)[-1] == "Nothing changed: v1 already says this."
    assert again["Location"] == desk.page_of(Probe.objects.get())


def test_the_admins_history_holds_no_text(root, probe):
    desk.edit(root, probe, "Write three words.", "Write 3 words.")
    desk.send(root, probe, desk.opened(root, probe))
    told = LogEntry.objects.order_by("pk").values_list("change_message", "object_repr")
    assert list(told) == [
        ("Published v2.", "acme/three-words"),
        ("Sent a file that v2 says already.", "acme/three-words"),
    ]
    assert root.get(f"/admin/probes/probe/{probe.pk}/history/").status_code == 200
