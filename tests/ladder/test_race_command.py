from __future__ import annotations

import io
import re
import threading

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper
from django.db import connections

from ladder.domain.board import board, totals
from ladder.domain.lanes import LaneError, find_lanes
from ladder.domain.standing import race_standing
from ladder.management import racing
from ladder.models import Ladder, Race
from probes.domain import attend
from probes.domain.embedded import work
from probes.models import Attempt, Batch, State, Trial
from registry.endpoints.chat import Answer
from registry.endpoints.practice import ensure_practice_endpoints
from registry.teams.models import Team
from tests.deleting import deleting
from tests.ladder.raced import a_practice_race, climbed
from tests.ladder.stage import a_race, answered, climb, failed, the_ladder, two_endpoints
from tests.probes.stage import an_endpoint

pytestmark = pytest.mark.usefixtures("library")

A_AND_B = {"a": "practice-a:steady", "b": "practice-b:silent"}


# --- lanes ------------------------------------------------------------------------------------------
@pytest.fixture
def endpoints(team):
    ensure_practice_endpoints(team)
    an_endpoint(team, "lab", name="Lab: one")
    an_endpoint(team, "old", name="Old", closed_at="2026-01-01T00:00Z")


READINGS = [
    ("practice-a:steady", "practice-a", "steady"),
    ("Practice A:steady", "practice-a", "steady"),
    ("PRACTICE a: steady ", "practice-a", "steady"),
    ("lab:llama3:8b", "lab", "llama3:8b"),
    ("Lab: one:llama3:8b", "lab", "llama3:8b"),
    ("lab:maker/model@v1", "lab", "maker/model@v1"),
]


@pytest.mark.parametrize(("text", "slug", "model"), READINGS)
def test_an_endpoint_is_meant_by_its_slug_or_its_name(endpoints, team, text, slug, model):
    found, [(endpoint, named)] = find_lanes({"--a": text})
    assert (found, endpoint.slug, named) == (team, slug, model)


WRONG = [
    ("nowhere:m", "--a: there is no endpoint 'nowhere': known are practice-a (Practice A), practice-b"),
    ("old:m", "--a: there is no endpoint 'old': known are "),
    ("practice-a", "--a: 'practice-a' names no model: write ENDPOINT:MODEL, such as practice-a:steady."),
    ("practice-a:", "--a: 'practice-a:' names no model"),
    ("practice-a: ", "names no model"),
    (":m", "--a: there is no endpoint '': known are"),
    ("", "--a: '' names no model"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_a_lane_that_cannot_be_found_says_what_there_is(endpoints, text, words):
    with pytest.raises(LaneError, match=re.escape(words)):
        find_lanes({"--a": text, "--b": "practice-b:steady"})


def test_the_team_is_asked_for_where_several_have_the_endpoints(endpoints, team):
    other = Team.objects.create(slug="zoo", name="Zoo")
    ensure_practice_endpoints(other)
    with pytest.raises(LaneError, match="add --team acme or --team zoo"):
        find_lanes({"--a": "practice-a:steady", "--b": "practice-b:steady"})
    found, lanes = find_lanes({"--a": "practice-a:steady", "--b": "practice-b:steady"}, "zoo")
    assert [found, *(endpoint.team for endpoint, _ in lanes)] == [other] * 3
    assert find_lanes({"--a": "practice-a:steady", "--b": "lab:m"})[0] == team
    an_endpoint(other, "far")
    with pytest.raises(LaneError, match=r"belong to different teams: .*Far of team zoo"):
        find_lanes({"--a": "lab:m", "--b": "far:m"})
    with pytest.raises(LaneError, match="There is no team nobody: those with endpoints are acme, zoo"):
        find_lanes({"--a": "lab:m"}, "nobody")


def test_without_any_endpoint_it_says_where_to_add_one(db):
    with pytest.raises(LaneError, match="There is no endpoint yet: add one"):
        find_lanes({"--a": "lab:m"})


# --- the scoreboard ---------------------------------------------------------------------------------
def test_the_scoreboard_has_the_shape_that_was_published(team):
    lines = board(race_standing(climbed(a_practice_race(team))))
    assert len(lines) == 14
    assert lines[1] == " 1 one-sentence B FAIL  empty output      rt=3200  19030ms"
    assert lines[2] == " 2 ten-words    A FAIL  11 / 10 words"
    assert lines[4] == " 3 five-words   A PASS  5 / 5 words"
    assert lines[9] == " 5 binary       B FAIL  empty output      rt=3200  19030ms"
    assert lines[10] == " 6 haiku        A PASS  5-7-5 / 5-7-5 syllables"


def test_the_totals_say_who_stands_where_and_what_was_sent(team):
    assert totals(race_standing(climbed(a_practice_race(team)))) == [
        "A  6 / 7  unbroken to rung 1  steady at Practice A",
        "B  0 / 7  on the ground       silent at Practice B",
        "6 PASS, 8 FAIL, 0 UNSCORED",
        "Both models received identical messages on 7 of 7 rungs.",
    ]


def test_what_is_unscored_or_pending_is_named_and_stays_aligned(team, alice):
    race = a_race(alice, *two_endpoints(team))
    climb(race, {("ten-words", "A"): "one two", ("ten-words", "B"): failed("No.\x1b[31m")})
    lines = board(race_standing(race))
    assert lines[2] == " 2 ten-words    A FAIL      2 / 10 words"
    assert lines[3].startswith(" 2 ten-words    B UNSCORED  ")
    assert lines[0] == " 1 one-sentence A PENDING"
    assert "\x1b" not in "".join(lines)
    assert totals(race_standing(race))[2] == "0 PASS, 1 FAIL, 1 UNSCORED, 12 pending"


def test_an_output_that_was_cut_off_says_so(team, alice):
    race = a_race(alice, *two_endpoints(team))
    cut = Answer(text="one two", finish="length", reasoning_tokens=7, sent_digest="d" * 64, milliseconds=5)
    climb(race, {("ten-words", "A"): cut, ("ten-words", "B"): "one two"})
    lines = board(race_standing(race))
    assert lines[2] == " 2 ten-words    A FAIL     2 / 10 words      truncated  rt=7  5ms"
    assert lines[3] == " 2 ten-words    B FAIL     2 / 10 words"


def test_several_repeats_say_how_many_passed(team, alice):
    race = a_race(alice, *two_endpoints(team), repeats=2)
    climb(race, {("binary", "A"): answered("01")})
    assert " 5 binary       A PASS     2 / 2 passed" in board(race_standing(race))


def test_a_scoreboard_of_nothing_is_empty(team):
    batch = Batch.objects.create(team=team, title="bare", visibility="public")
    standing = race_standing(Race.objects.create(batch=batch, ladder=the_ladder(), concept="x"))
    assert board(standing) == []
    assert totals(standing)[0] == "0 PASS, 0 FAIL, 0 UNSCORED"


# --- progress ---------------------------------------------------------------------------------------
class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_terminal_the_progress_is_written_over_itself(team):
    race = a_practice_race(team)
    out = Terminal()
    line = racing.ProgressLine(race.batch, OutputWrapper(out))
    line.tell()
    line.tell()
    climbed(race)
    line.tell()
    line.end()
    assert out.getvalue() == "\r0 of 14 trials closed\r14 of 14 trials closed\n"


def test_elsewhere_it_is_a_line_now_and_then_and_at_the_end(team):
    race = a_practice_race(team)
    out = io.StringIO()
    line = racing.ProgressLine(race.batch, OutputWrapper(out))
    line.tell()
    first = Trial.objects.filter(run__batch=race.batch, run__position=0)
    first.update(state="cancelled", closed_at="2026-01-01T00:00Z")
    line.tell()
    climbed(race)
    line.tell()
    line.end()
    assert out.getvalue().splitlines() == ["0 of 14 trials closed", "13 of 14 trials closed, 1 cancelled"]


# --- the command ------------------------------------------------------------------------------------
def race_command(*arguments: str, **options) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("race", *arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def instant(settings):
    settings.PRACTICE_DELAY_MS = 0


@pytest.fixture
def racers(transactional_db, instant):
    from ladder.domain import load_everything

    load_everything()
    team = Team.objects.create(slug="acme", name="Acme")
    ensure_practice_endpoints(team)
    return team


def test_the_command_races_and_prints_the_scoreboard(racers):
    printed, progress = race_command("recursion", **A_AND_B)
    assert printed.startswith("recursion: steady × silent  [The One-Sentence Torture Test]\n")
    assert "\n 2 ten-words    A FAIL  11 / 10 words\n" in printed
    assert re.search(r"\n 5 binary       B FAIL  empty output      rt=3200  [0-9]+ms\n", printed)
    assert (
        "\n6 PASS, 8 FAIL, 0 UNSCORED\nBoth models received identical messages on 7 of 7 rungs.\n" in printed
    )
    race = Race.objects.get()
    assert printed.endswith(f"/races/{race.pk}/\n")
    assert progress.endswith("14 of 14 trials closed\n")
    assert (race.batch.started_by, race.batch.visibility, race.batch.team) == (None, "team", racers)
    assert race.batch.state == State.FINISHED


def test_it_says_who_may_see_it_and_how_often_to_try(racers):
    printed, _ = race_command("love", **A_AND_B, repeats=2, visibility="public", team="acme")
    assert " 3 five-words   A PASS  2 / 2 passed\n" in printed
    assert Race.objects.get().batch.visibility == "public"
    assert Trial.objects.count() == 28


def test_beside_a_worker_every_call_is_made_once(racers):
    stop = threading.Event()

    def beside():
        work(stop)
        connections.close_all()

    other = threading.Thread(target=beside)
    other.start()
    try:
        printed, _ = race_command("recursion", a="practice-a:steady", b="practice-b:chatty", repeats=3)
    finally:
        stop.set()
        other.join()
    assert "0 UNSCORED" in printed
    assert Attempt.objects.count() == 42
    assert not Attempt.objects.filter(late=True).exists()


def test_where_nothing_could_be_scored_it_exits_with_1_and_says_why(racers):
    an_endpoint(racers, "gone", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(CommandError, match="Nothing could be scored") as failure:
        race_command("recursion", a="gone:x", b="gone:y")
    assert failure.value.returncode == 1


def test_ctrl_c_cancels_what_was_not_called_and_prints_how_it_stands(racers, monkeypatch):
    looks = iter([KeyboardInterrupt])
    inner = racing.ProgressLine.tell

    def tell(line):
        if error := next(looks, None):
            raise error
        inner(line)

    monkeypatch.setattr(racing.ProgressLine, "tell", tell)
    monkeypatch.setattr(attend, "work", lambda stop, _: stop.wait(10))  # nobody has called anything yet
    with pytest.raises(CommandError, match="Nothing could be scored"):
        race_command("recursion", **A_AND_B)
    assert Race.objects.get().batch.state == State.CANCELLED


def test_a_second_ctrl_c_leaves_it_with_one_line(racers, monkeypatch):
    def interrupted(batch, tell):
        raise KeyboardInterrupt

    monkeypatch.setattr(racing, "see_through", interrupted)
    with pytest.raises(CommandError, match=r"\ALeft: .*/races/[0-9a-f-]+/\Z") as left:
        race_command("recursion", **A_AND_B)
    assert left.value.returncode == 130


BAD = [
    (["recursion", "--a", "practice-a:steady"], {}, "the following arguments are required: --b"),
    ([], A_AND_B, "the following arguments are required: concept"),
    (["recursion"], {"a": "x:y", "b": "practice-b:steady"}, "--a: there is no endpoint 'x': known are pra"),
    (["recursion"], {"a": "practice-a:lazy", "b": "practice-b:steady"}, "Practice A has no model lazy"),
    (["{{x}}"], A_AND_B, "The concept holds {{"),
    ([""], A_AND_B, "Write a concept"),
    (["x" * 201], A_AND_B, "The concept has 201 characters"),
    (["recursion"], {**A_AND_B, "repeats": 0}, "Write a whole number of repeats from 1 to 100."),
    (["recursion"], {**A_AND_B, "team": "nobody"}, "There is no team nobody"),
    (["recursion", "--visibility", "all", "--a", "x:y", "--b", "x:y"], {}, "argument --visibility: invalid"),
    (["recursion", "--repeats", "two", "--a", "x:y", "--b", "x:y"], {}, "argument --repeats: invalid"),
]  # fmt: skip


def test_one_limit_is_said_at_once(endpoints):
    with pytest.raises(CommandError, match=r"\AWrite a whole number of repeats from 1 to 100\.\Z"):
        race_command("recursion", **A_AND_B, repeats=100_000)


@pytest.mark.parametrize(("arguments", "options", "words"), BAD, ids=[words[:30] for *_, words in BAD])
def test_what_cannot_be_used_is_said_and_exits_with_2(endpoints, arguments, options, words):
    with pytest.raises(CommandError) as failure:
        race_command(*arguments, **options)
    assert words in str(failure.value)
    assert getattr(failure.value, "returncode", 2) in (1, 2)
    assert not Race.objects.exists()


def test_without_a_ladder_it_says_how_to_load_one(endpoints):
    with deleting():
        for ladder in Ladder.objects.all():
            ladder.rungs.all().delete()
            ladder.delete()
    with pytest.raises(CommandError, match=r"No ladder is loaded: run manage\.py load_library") as failure:
        race_command("recursion", **A_AND_B)
    assert failure.value.returncode == 2
