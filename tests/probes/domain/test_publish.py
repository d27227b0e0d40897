"""Publishing: what makes a version, what does not, and twenty at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connections
from django.http import Http404

from probes.core import DocumentError
from probes.domain.library import LibraryError, load_library, publish_files
from probes.domain.publish import GateRefused, publish
from probes.models import Fixture, Probe, ProbeVersion, Rubric, Rule
from registry.teams.models import Team
from tests.probes.stage import a_document, probe_text


def test_a_first_version_holds_the_whole_file(team, anna):
    publication = publish(team, probe_text(), by=anna)
    version, document = publication.version, a_document()
    assert publication.created
    assert (version.number, str(version), version.published_by) == (1, "acme/three-words v1", anna)
    assert (version.digest, version.request_digest) == (document.digest, document.request_digest)
    assert (version.system, version.user) == (None, "Write three words.")
    assert version.parameters == {"max_tokens": 40, "temperature": 0}
    version = ProbeVersion.objects.get()  # as the database gives it back
    assert version.parsed == document
    assert version.parsed.digest == version.digest
    assert (version.rubric.rubric_digest, version.rubric.checks_digest) == (
        document.rubric_digest,
        document.checks_digest,
    )
    assert [(rule.name, rule.check_data["n"]) for rule in version.rubric.rules.all()] == [("three_words", 3)]
    assert list(Fixture.objects.values_list("position", "label", "expect", "fails")) == [
        (0, "three", "pass", []),
        (1, "four", "fail", ["three_words"]),
    ]


def test_the_same_content_makes_no_version_but_its_title_is_edited(team):
    first = publish(team, probe_text()).version
    again = publish(team, probe_text(title="A better title"))
    assert (again.version, again.created) == (first, False)
    assert Probe.objects.get().title == "A better title"
    assert ProbeVersion.objects.count() == 1


def test_a_changed_prompt_shares_the_rubric(team):
    first = publish(team, probe_text()).version
    second = publish(team, probe_text(user="Write 3 words."))
    assert (second.version.number, second.created) == (2, True)
    assert second.version.rubric == first.rubric
    assert (Rubric.objects.count(), Rule.objects.count(), Fixture.objects.count()) == (1, 1, 4)


def test_a_changed_rubric_is_a_new_one(team):
    publish(team, probe_text())
    second = publish(team, probe_text(prose="Other prose.")).version
    assert second.number == 2
    assert Rubric.objects.count() == 2
    back = publish(team, probe_text(user="Write 3 words.")).version
    assert back.rubric != second.rubric
    assert Rubric.objects.count() == 2


def test_the_content_of_an_older_version_is_that_version(team):
    first = publish(team, probe_text(title="First")).version
    publish(team, probe_text(title="Second", user="Write 3 words."))
    again = publish(team, probe_text(title="First"))
    assert (again.version, again.created) == (first, False)
    assert Probe.objects.get().title == "Second"
    assert publish(team, probe_text(user="Three words, please.")).version.number == 3


def test_two_teams_may_have_a_probe_of_the_same_name(team):
    other = Team.objects.create(slug="other", name="Other")
    assert publish(team, probe_text()).version.probe != publish(other, probe_text()).version.probe


def test_a_file_with_mistakes_is_refused_with_lines(team):
    with pytest.raises(DocumentError, match="line 2"):
        publish(team, probe_text(slug="Three Words"))
    assert not Probe.objects.exists()


def test_the_gate_refuses_examples_that_do_not_hold(team):
    with pytest.raises(GateRefused, match=r"'three' must pass and scores 0\.00") as refused:
        publish(team, probe_text().replace("output: one two three}", "output: one two}"))
    assert not refused.value.examination.ok
    assert not Probe.objects.exists()


@pytest.mark.parametrize(("person", "error"), [("bob", PermissionDenied), ("charlie", Http404)])
def test_only_authors_publish(team, person, error, request):
    with pytest.raises(error):
        publish(team, probe_text(), by=request.getfixturevalue(person))
    assert not Probe.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_twenty_at_once_take_twenty_numbers_without_a_gap():
    team = Team.objects.create(slug="acme", name="Acme")
    publish(team, probe_text())
    together = threading.Barrier(20)

    def one(number: int) -> int:
        try:
            together.wait(10)
            return publish(team, probe_text(user=f"Write three words about {number}.")).version.number
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        numbers = list(pool.map(one, range(20)))
    assert sorted(numbers) == list(range(2, 22))
    assert sorted(ProbeVersion.objects.values_list("number", flat=True)) == list(range(1, 22))
    assert Rubric.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_new_probe_published_at_once_is_made_once():
    team = Team.objects.create(slug="acme", name="Acme")
    together = threading.Barrier(8)

    def one(_: int) -> tuple[int, bool]:
        try:
            together.wait(10)
            publication = publish(team, probe_text())
            return publication.version.pk, publication.created
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(one, range(8)))
    assert len({pk for pk, _ in made}) == 1
    assert sum(created for _, created in made) == 1


def test_a_folder_is_published_file_by_file(team, tmp_path):
    (tmp_path / "b.yaml").write_text(probe_text(slug="b"))
    (tmp_path / "a.yaml").write_text(probe_text(slug="a"))
    (tmp_path / "steps.ladder.yaml").write_text("format: ladder/1")
    (tmp_path / "notes.txt").write_text("no probe")
    published = publish_files(team, tmp_path)
    assert [str(each.version) for each in published] == ["acme/a v1", "acme/b v1"]
    assert [each.created for each in publish_files(team, tmp_path)] == [False, False]


def test_a_broken_file_is_named(team, tmp_path):
    (tmp_path / "broken.yaml").write_text("format: probe/1\n")
    with pytest.raises(LibraryError, match=r"broken\.yaml: 9 problems"):
        publish_files(team, tmp_path)


@pytest.mark.django_db
def test_loading_the_library_twice_changes_nothing():
    first = load_library()
    assert first
    assert all(each.created and each.version.number == 1 for each in first)
    before = list(ProbeVersion.objects.order_by("pk").values())
    assert not any(each.created for each in load_library())
    assert list(ProbeVersion.objects.order_by("pk").values()) == before
    assert Probe.objects.filter(slug="emit-a-terminator", team__slug="registry").exists()
