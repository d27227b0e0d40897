"""Each property is shown to fail: a lie is planted past the triggers, which only the operator could do."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from ladder.domain import load_everything, verification
from ladder.domain.verification import properties
from ladder.models import Climb, Ladder, Race, Rung
from probes.core.checks import Check
from probes.core.checks.counts import Words
from probes.core.finding import Finding
from probes.core.text import words
from probes.core.view import WHITE_SPACE
from probes.domain.verification import batches
from probes.domain.verification.recount import SPACES, recount
from probes.models import Attempt, Batch, ProbeVersion, Rubric, Rule, Run, Trial, Verdict
from registry.endpoints.models import Endpoint
from registry.endpoints.practice import ensure_practice_endpoints
from registry.immutability import FREEZES
from registry.teams.models import Team
from tests.deleting import deleting
from tests.ladder.lies import failing, plant, some_attempt, verify
from tests.ladder.raced import a_practice_race, climbed
from tests.probes.stage import an_endpoint


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.PROBE_HOME = tmp_path
    return tmp_path


@pytest.fixture
def race(library, team) -> Race:
    return climbed(a_practice_race(team))


def test_after_a_race_every_property_holds(race):
    status, printed = verify()
    assert status == 0
    assert printed.startswith("database: ")
    assert "[FAIL]" not in printed
    assert printed.count("[PASS]") == 10
    assert '       counted 12 words -> verdict "12 / 10 words" (ok=false)\n' in printed
    assert '       7/7 rungs reject "" and white space\n' in printed
    assert "       7 rungs of 1 race: all messages identical, 21 attempts compared\n" in printed
    assert "       ten-words/steady: verdict=11, recount=11\n" in printed
    assert "       4 of 4 word verdicts equal the recount\n" in printed
    assert "       A -> http://practice.invalid/a/v1 | B -> http://practice.invalid/b/v1\n" in printed
    assert "       21 attempts: Practice A 7, Practice B 14\n" in printed
    assert "       14 verdicts and 21 outcomes of 1 batch recomputed\n" in printed
    assert "       6 PASS, 8 FAIL, 0 UNSCORED\n" in printed
    assert printed.endswith("\nAll 10 properties hold.\n")
    assert re.search(r"\n       [0-9]+ tables, [0-9,]+ rows, [0-9,]+ values scanned\n", printed)


def test_the_database_is_named_without_what_opens_it(race, monkeypatch):
    if connection.vendor == "sqlite":
        assert verification.database() == str(connection.settings_dict["NAME"])
    given = {"HOST": "db.example", "PORT": "5432", "USER": "probe", "PASSWORD": "hunter2", "NAME": "registry"}
    other = SimpleNamespace(settings_dict=given, vendor="postgresql")
    monkeypatch.setattr(verification, "connection", other)
    assert verification.database() == "postgresql://probe@db.example:5432/registry"


def test_an_empty_database_proves_nothing(db):
    status, printed = verify()
    assert status == 1
    assert "[FAIL] every stored verdict recomputes" in printed
    assert "[FAIL] some verdicts pass\n       0 PASS, 0 FAIL, 0 UNSCORED\n" in printed
    assert printed.endswith("9 of 10 properties do not hold.\n")


def test_a_library_without_a_race_proves_little(library):
    assert set(failing()) == {
        "all models received byte-identical messages on every rung, as stored",
        "word-count verdicts equal an independent recount of the raw output",
        "reasoning text is nowhere: not in the database, the evidence or a log",
        "every attempt names the endpoint that served it",
        "every stored verdict recomputes",
        "some verdicts pass",
    }


def test_without_one_pass_it_fails_however_right_the_verdicts(library, team):
    climbed(a_practice_race(team, a="silent"))
    assert failing() == {"some verdicts pass": ("0 PASS, 14 FAIL, 0 UNSCORED",)}


# --- one lie each -----------------------------------------------------------------------------------
def ten_words() -> ProbeVersion:
    return ProbeVersion.objects.get(probe__slug="ten-words")


def test_a_rung_with_another_number(race):
    document = ten_words().document
    document["rubric"]["rules"][0]["check"]["n"] = 11
    plant(ProbeVersion.objects.filter(pk=ten_words().pk), document=document)
    found = failing()
    assert found["known 12-word string vs 10-word limit"] == ("no rung asks for exactly 10 words",)
    assert any(
        "registry/ten-words v1: differs from its document in the checks digest" in seen
        for seen in found["digests recompute"]
    )


def test_a_check_that_cannot_count(race, monkeypatch):
    monkeypatch.setattr(Words, "run", lambda *_: Finding(True, 12, 10, "words", "12 / 10 words"))
    monkeypatch.setattr(Words, "decider", Check.decider)  # which asks run
    found = failing()
    assert found["known 12-word string vs 10-word limit"] == (
        'counted 12 words -> verdict "12 / 10 words" (ok=true)',
    )
    assert '2 ten-words accepts ""' in found["every rung rejects empty output"]
    assert found["every rung rejects empty output"][-1] == '5/7 rungs reject "" and white space'


def test_a_ladder_without_rungs(race):
    with deleting():
        connection.cursor().execute("DELETE FROM ladder_hold")
        connection.cursor().execute("DELETE FROM ladder_rung")
    assert failing()["every rung rejects empty output"] == ('0/0 rungs reject "" and white space',)


def test_a_rung_that_cannot_be_read(race):
    plant(ProbeVersion.objects.filter(pk=ten_words().pk), document={"format": "probe/1"})
    found = failing()
    for name in ("known 12-word string vs 10-word limit", "every rung rejects empty output"):
        assert found[name][0].startswith("cannot be looked at: DocumentError: ")
    assert "which cannot be read: slug: the key 'slug' is missing" in found["digests recompute"][0]


def test_messages_that_differ_between_the_models(race):
    messages = [{"role": "user", "content": "Explain recursion in ten words, please."}]
    plant(some_attempt(trial__run__hold__rung__key="ten-words"), sent_messages=messages)
    found = failing()
    name = "all models received byte-identical messages on every rung, as stored"
    assert found[name][0] == "recursion: 2 ten-words: 2 different messages"
    assert found[name][1].startswith("6 rungs of 1 race")
    assert any("the sent_digest: stored" in seen for seen in found["digests recompute"])


def test_messages_are_compared_as_stored_and_not_by_their_digest(race):
    sent = Attempt.objects.filter(trial__run__hold__rung__key="pirate", trial__run__hold__climb__letter="B")
    plant(sent, sent_messages=[{"role": "user", "content": "Arr?"}])
    assert "all models received byte-identical messages on every rung, as stored" in failing()


def test_an_endpoint_that_says_that_it_folds_is_excused(race):
    messages = [{"role": "user", "content": "Folded."}]
    plant(some_attempt(trial__run__hold__rung__key="pirate"), sent_messages=messages)
    plant(Run.objects.filter(hold__rung__key="pirate"), alters=["system folded"])
    [found] = [each for each in properties() if each.name.startswith("all models received")]
    assert found.holds
    assert found.seen[1] == "1 rung: an endpoint folds system messages"
    plant(some_attempt(trial__run__hold__rung__key="haiku"), sent_messages=messages)
    [found] = [each for each in properties() if each.name.startswith("all models received")]
    assert found.seen[0] == "recursion: 6 haiku: 2 different messages"


def test_a_word_verdict_that_no_recount_gives(race):
    verdicts = Verdict.objects.filter(attempt__trial__run__hold__rung__key="ten-words", actual=11)
    plant(verdicts, actual=10, ok=True, message="10 / 10 words")
    found = failing()
    name = "word-count verdicts equal an independent recount of the raw output"
    assert found[name] == (
        "ten-words/steady: verdict=10, recount=11",
        "1 of 4 word verdicts differ from the recount",
    )
    assert any("actual of the verdict on" in seen for seen in found["every stored verdict recomputes"])


def test_a_word_verdict_with_the_right_number_and_the_wrong_answer(race):
    plant(Verdict.objects.filter(attempt__trial__run__hold__rung__key="ten-words", actual=11), ok=True)
    assert "word-count verdicts equal an independent recount of the raw output" in failing()


ENDPOINTS = "every attempt names the endpoint that served it"


def test_an_attempt_that_names_another_endpoint(race):
    plant(some_attempt(endpoint_name="Practice A"), endpoint_name="Elsewhere")
    assert "1 attempt named 'Elsewhere', of runs at Practice A" in failing()[ENDPOINTS]


def test_an_endpoint_may_be_renamed(race):
    Endpoint.objects.filter(name="Practice A").update(name="Rehearsal")
    assert failing() == {}


def test_a_run_at_another_endpoint_than_its_climb(race):
    lab = an_endpoint(race.batch.team, "lab")
    plant(Climb.objects.filter(race=race, letter="A"), endpoint=lab)
    assert "7 runs of races at another endpoint than their climb" in failing()[ENDPOINTS]


def test_a_trigger_that_is_gone(race):
    freeze = next(each for each in FREEZES if each.table == "probes_attempt")
    name = f"{freeze.name}_update"
    on = "" if connection.vendor == "sqlite" else " ON probes_attempt"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{on}")
    assert failing() == {
        "triggers keep published and recorded rows": (
            f"{name} is missing",
            "manage.py migrate creates the triggers again",
        )
    }


ZEROS = "0" * 64


def the_version() -> Any:
    return ProbeVersion.objects.filter(pk=ten_words().pk)


DIGESTS = [
    (the_version, {"digest": ZEROS}, "registry/ten-words v1: differs from its document in the digest"),
    (the_version, {"request_digest": ZEROS}, "in the request digest"),
    (the_version, {"user": "Say {{concept}}."}, "in the prompt"),
    (the_version, {"parameters": {}}, "in the parameters"),
    (lambda: Rubric.objects.filter(versions=ten_words()), {"rubric_digest": ZEROS}, "in the rubric digest"),
    (lambda: Rule.objects.filter(rubric__versions=ten_words()), {"why": "Because."}, "document in a rule"),
    (lambda: ten_words().fixtures.filter(position=0), {"output": "one"}, "document in a fixture"),
    (Ladder.objects.all, {"title": "Another"}, "Another, edition 1: the digest is not that of its rungs"),
    (lambda: Rung.objects.filter(key="pirate"), {"label": "Sailor"}, "edition 1: the digest is not that"),
    (some_attempt, {"sent_digest": ZEROS}, "the sent_digest: stored 0000"),
    (some_attempt, {"sent_messages": None, "sent_digest": ""}, "no messages were sent to get it"),
    (some_attempt, {"sent_parameters": {}}, "the token limit that was sent: stored none"),
]


@pytest.mark.parametrize(("rows", "values", "words"), DIGESTS, ids=range(len(DIGESTS)))
def test_a_digest_that_does_not_recompute(race, rows, values, words):
    plant(rows(), **values)
    seen = failing()["digests recompute"]
    assert any(words in said for said in seen), seen


def answered() -> Any:
    return some_attempt(outcome="answered")


def passing() -> Any:
    return Verdict.objects.filter(ok=True)


def a_trial(letter: str) -> Any:
    """One whose model ran out of tokens once, if it is B's."""
    trials = Trial.objects.filter(run__hold__climb__letter=letter)
    return Trial.objects.filter(pk=trials.earliest("pk").pk)


OPEN: dict[str, Any] = {"state": "waiting", "final": None, "closed_at": None}
VERDICTS = [
    (answered, {"outcome": "truncated"}, "the outcome: stored truncated, recomputed answered"),
    (answered, {"passed": 0}, "passed: stored 0, recomputed 1"),
    (answered, {"output": "Two. Sentences."}, "passed: stored 1, recomputed 0"),
    (passing, {"ok": False}, "ok of the verdict on"),
    (passing, {"spans": []}, "spans of the verdict on"),
    (lambda: Run.objects.filter(hold__rung__key="haiku"), {"model": "other"}, "the race in line 2 has"),
    (answered, {"outcome": "error", "error": "timeout", "passed": None, "total": None}, "keeps an output"),
    (answered, {"number": 5}, "its number is 5, and must be 1"),
    (answered, {"late": True}, "it is late, and no attempt 1 that was given up stands above it"),
    (Race.objects.all, {"concept": "love"}, "the concept of the race in line 2: stored love"),
    (Batch.objects.all, {"practice": False}, "line 1: practice is false, and its runs say otherwise"),
    (lambda: a_trial("B"), OPEN, "it is waiting, and its attempt 2 was scored, which closes a trial"),
    (lambda: a_trial("B"), OPEN, "and its run or its batch is over"),
    (lambda: a_trial("B"), {"state": "cancelled"}, "it is cancelled, and attempt 2 closed it, as it says"),
]


@pytest.mark.parametrize(("rows", "values", "words"), VERDICTS, ids=range(len(VERDICTS)))
def test_a_verdict_that_does_not_recompute(race, rows, values, words):
    plant(rows(), **values)
    seen = failing()["every stored verdict recomputes"]
    assert any(words in said and said.startswith(f"batch {race.pk}, line ") for said in seen), seen


def test_a_trial_that_an_earlier_attempt_is_said_to_have_closed(race):
    [first, _] = a_trial("B").get().attempts.order_by("number")
    plant(a_trial("B"), final=first)
    seen = failing()["every stored verdict recomputes"]
    assert any("attempt 1 closed it, as it says, and its last one is 2" in said for said in seen), seen


@pytest.mark.parametrize("seq", [None, 0])
def test_a_trial_that_is_open_though_it_was_scored_in_a_batch_that_goes_on(race, seq):
    """However the trial is dated: what came after its last change is not in the evidence."""
    going_on = {"state": "running", "finished_at": None}
    plant(Batch.objects.all(), **going_on)
    plant(Run.objects.all(), **going_on)
    plant(a_trial("B"), **OPEN, **({} if seq is None else {"seq": seq}))
    seen = failing()["every stored verdict recomputes"]
    wanted = f"batch {race.pk}: attempt 2 of run 1, repeat 1 is more than its open trial knows of"
    assert wanted in seen, seen


def test_a_verdict_that_was_taken_away(race):
    with deleting():
        Verdict.objects.filter(attempt__in=some_attempt(outcome="answered")).delete()
    seen = failing()["every stored verdict recomputes"]
    assert any("verdicts of line 6 are missing" in said for said in seen), seen


def test_a_batch_of_which_no_evidence_can_be_made_hides_no_other(race, team, monkeypatch):
    def lines(batch):
        if batch.pk == race.pk:
            raise RuntimeError("broken")
        return inner(batch)

    inner = batches.lines
    monkeypatch.setattr(batches, "lines", lines)
    climbed(a_practice_race(team))
    seen = failing()["every stored verdict recomputes"]
    assert seen[0] == f"batch {race.pk}: no evidence can be made: RuntimeError: broken"
    assert seen[-1].startswith("14 verdicts")


# --- the recount, and the command ----------------------------------------------------------------------
def test_the_recount_has_a_list_of_its_own_and_counts_alike():
    assert {chr(code) for code in SPACES} == set(WHITE_SPACE)
    for text in ("", " ", "one", " one\n two ", "a\u3000b\u2028c", "a\xa0b\x85c", "a-b -- c", "\ufeffx y"):
        assert recount(text) == len(list(words(text, "whitespace"))), ascii(text)


@pytest.mark.django_db(transaction=True)
def test_live_races_first_and_looks_then(settings):
    settings.PRACTICE_DELAY_MS = 0
    load_everything()
    ensure_practice_endpoints(Team.objects.create(slug="acme", name="Acme"))
    status, printed = verify("--live", "practice-a:steady", "practice-b:chatty", "--concept", "love")
    assert status == 0
    assert "love: steady × chatty  [The One-Sentence Torture Test]\n" in printed
    assert " 2 ten-words    A FAIL  11 / 10 words\n" in printed
    assert "       7 PASS, 7 FAIL, 0 UNSCORED\n" in printed
    assert "[FAIL]" not in printed


def test_a_database_that_was_never_migrated_is_named(monkeypatch, db):
    def missing():
        raise OperationalError("no such table: ladder_race\n")

    monkeypatch.setattr(Race.objects, "exists", missing)
    status, printed = verify()
    assert status == 2
    assert printed.endswith("read (no such table: ladder_race): run manage.py migrate first.\n")
    with pytest.raises(CommandError, match=r"run manage\.py migrate first"):
        call_command("race", "recursion", a="a:b", b="c:d")


def test_what_cannot_be_used_is_said_and_exits_with_2(race):
    assert verify("--log", "/nowhere.log") == (2, "There is no file /nowhere.log.\n")
    status, printed = verify("--live", "nowhere:x", "practice-b:steady")
    assert status == 2
    assert "--live A: there is no endpoint 'nowhere': known are practice-a (Practice A)" in printed
