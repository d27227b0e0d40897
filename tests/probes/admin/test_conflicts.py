"""Two authors at one probe: the second is told, keeps what they wrote, and may publish on top."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from probes.admin import probe as page
from probes.admin.editing import Line
from probes.domain.publish import StaleBase, publish
from probes.models import Probe, ProbeVersion
from registry.teams.models import Team, User
from tests.probes import stage
from tests.probes.admin import desk


@pytest.fixture
def overtaken(root, author, probe):
    """Root opened v1 and wrote; Anna published v2 meanwhile. What root's form holds."""
    fields = desk.opened(root, probe)
    fields["document"] = fields["document"].replace("Write three words.", "Three words <b>please</b>.")
    desk.edit(author, probe, "Write three words.", "Write 3 words & no more.")
    return fields


def changes(lines: list[Line]) -> list[str]:
    return [line.text for line in lines if line.kind in ("added", "removed")]


def newest(probe: Probe) -> ProbeVersion:
    return probe.versions.order_by("-number")[0]


def test_the_second_author_is_told_and_keeps_the_text(root, probe, overtaken):
    answer = desk.send(root, probe, overtaken)
    [told] = desk.problems(answer, "__all__")
    assert re.fullmatch(
        r"Not published: v2 was published by Anna at [-0-9]{10} [:0-9]{5} UTC, and you began on v1\.", told
    )
    assert desk.text_in(answer).replace("\r\n", "\n") == overtaken["document"]
    assert newest(probe).number == 2


def test_both_differences_are_shown_escaped(root, probe, overtaken):
    answer = desk.send(root, probe, overtaken)
    stale = answer.context["adminform"].form.stale
    first, second, third = (
        "prompt: {system: null, user: Write three words.}",
        'prompt: {system: null, user: "Write 3 words & no more."}',
        'prompt: {system: null, user: "Three words <b>please</b>."}',
    )
    assert changes(stale.theirs) == [f"-{first}", f"+{second}"]
    assert changes(stale.yours) == [f"-{second}", f"+{third}"]
    page = answer.content.decode()
    assert "Three words &lt;b&gt;please&lt;/b&gt;." in page
    assert "<b>please" not in page


def test_sending_again_is_refused_again(root, probe, overtaken):
    answer = desk.send(root, probe, overtaken)
    again = answer.context["adminform"].form["_base"].value()
    assert desk.problems(desk.send(root, probe, {**overtaken, "_base": again}), "__all__")
    assert newest(probe).number == 2


def test_the_text_is_published_on_top_when_asked(root, probe, overtaken):
    answer = desk.send(root, probe, overtaken)
    onto = answer.context["adminform"].form.stale.now.base
    assert f'name="_rebase" value="{onto}"' in answer.content.decode()
    answer = desk.send(root, probe, {**overtaken, "_rebase": onto})
    assert desk.said(answer) == ["Published acme/three-words v3."]
    assert newest(probe).user == "Three words <b>please</b>."


def test_on_top_of_one_that_was_overtaken_too_is_refused(root, author, probe, overtaken):
    onto = desk.send(root, probe, overtaken).context["adminform"].form.stale.now.base
    desk.edit(author, probe, "Write 3 words & no more.", "Three.")
    answer = desk.send(root, probe, {**overtaken, "_rebase": onto})
    assert "v3 was published" in desk.problems(answer, "__all__")[0]
    assert newest(probe).number == 3


def test_mistakes_and_the_conflict_are_told_at_once(root, probe, overtaken):
    text = overtaken["document"].replace("fixtures:", "examples:")
    answer = desk.send(root, probe, {**overtaken, "document": text})
    assert desk.problems(answer)
    assert desk.problems(answer, "__all__")
    assert desk.text_in(answer).replace("\r\n", "\n") == text


def test_two_who_write_the_same_are_no_conflict(root, author, probe):
    fields = desk.opened(root, probe)
    desk.edit(author, probe, "Write three words.", "Write 3 words.")
    fields["document"] = fields["document"].replace("Write three words.", "Write 3 words.")
    assert desk.said(desk.send(root, probe, fields)) == ["Nothing changed: v2 already says this."]


def test_an_edited_title_is_a_conflict_too(root, author, probe):
    fields = desk.opened(root, probe)
    desk.edit(author, probe, "title: Three words", "title: Anna's title")
    fields["document"] = fields["document"].replace("Write three words.", "Write 3 words.")
    answer = desk.send(root, probe, fields)
    assert desk.problems(answer, "__all__") == [
        "Not published: the title, category or summary was edited while you had this form open."
    ]
    probe.refresh_from_db()
    assert (probe.title, newest(probe).number) == ("Anna's title", 1)


@pytest.mark.parametrize("base", ["0", "2-abc", "nonsense", "-1", "99999999999999999-x", "²-x", "x" * 41, ""])
def test_a_planted_base_is_refused(root, probe, base):
    fields = desk.opened(root, probe)
    text = fields["document"].replace("Write three words.", "Write 3 words.")
    answer = desk.send(root, probe, {"document": text, "_base": base})
    assert desk.problems(answer, "__all__") or desk.problems(answer, "_base")
    assert newest(probe).number == 1


def test_without_a_base_the_form_says_what_to_do(root, probe):
    answer = root.post(desk.page_of(probe), {"document": stage.probe_text(user="Other.")})
    assert desk.problems(answer, "_base") == [
        "This form does not say what it was opened on: copy your text, open the page again and paste it."
    ]
    assert "copy your text" in answer.content.decode()
    assert newest(probe).number == 1


# --- the verb itself ------------------------------------------------------------------------------
def test_publish_refuses_a_base_that_is_not_the_newest(team, probe):
    publish(team, stage.probe_text(user="Second."), base_version=1)
    with pytest.raises(StaleBase, match="written on v1, and there is v2 by now") as refused:
        publish(team, stage.probe_text(user="Third."), base_version=1)
    assert (refused.value.base, refused.value.latest) == (1, 2)
    assert publish(team, stage.probe_text(user="Third."), base_version=2).version.number == 3


def test_publish_refuses_a_new_probe_that_is_there(team, probe):
    with pytest.raises(StaleBase, match="written for a new probe"):
        publish(team, stage.probe_text(user="Second."), base_version=0)
    assert not publish(team, stage.probe_text(), base_version=0).created


def test_a_refused_base_leaves_nothing_behind(team):
    with pytest.raises(StaleBase):
        publish(team, stage.probe_text(), base_version=4)
    assert not Probe.objects.exists()


def test_a_conflict_found_under_the_lock_is_told_by_the_form(root, team, monkeypatch):
    """The form was checked and found right; then `publish` finds the name taken, and it is asked again."""
    refusals = iter([StaleBase(0, 1)])

    def late(*args, **options):
        if refused := next(refusals, None):
            raise refused
        return publish(*args, **options)

    monkeypatch.setattr(page, "publish", late)
    answer = root.post(desk.ADD, {"team": team.pk, "document": stage.probe_text(), "_base": "0"})
    assert desk.said(answer) == ["Published acme/three-words v1."]


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
def test_a_name_taken_between_check_and_lock_is_told(root, team, monkeypatch):
    def publish_the_others() -> None:
        try:
            publish(team, stage.probe_text(user="The other's."))
        finally:
            connections.close_all()

    def late(*args, **options):
        monkeypatch.setattr(page, "publish", publish)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(publish_the_others).result(20)
        return publish(*args, **options)

    monkeypatch.setattr(page, "publish", late)
    text = stage.probe_text(user="Mine.")
    answer = root.post(desk.ADD, {"team": team.pk, "document": text, "_base": "0"})
    [problem] = desk.problems(answer)
    assert problem.startswith("acme/three-words is published already, at v1")
    assert desk.text_in(answer) == text
    assert ProbeVersion.objects.get().user == "The other's."


@pytest.mark.django_db(transaction=True)
def test_many_editors_at_once_lose_nothing():
    """Eight forms opened on v1 are sent at once: one publishes, seven are told, none gets an error page."""
    team = Team.objects.create(slug="acme", name="Acme")
    probe = stage.a_version(team).probe
    staff = User.objects.create_superuser("root@example.org")
    clients = [desk.at(staff) for _ in range(8)]
    forms = [desk.opened(client, probe) for client in clients]
    together = threading.Barrier(8)

    def one(number: int) -> tuple[int, bool]:
        text = forms[number]["document"].replace("Write three words.", f"Write words for editor {number}.")
        try:
            together.wait(20)
            answer = desk.send(clients[number], probe, {**forms[number], "document": text})
            kept = f"Write words for editor {number}." in answer.content.decode()
            return answer.status_code, kept or answer.status_code == 302
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(one, range(8)))
    assert answers == [(200, True)] * 7 + [(302, True)]
    assert newest(probe).number == 2
