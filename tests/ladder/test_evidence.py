from __future__ import annotations

import io
import json
import random
import uuid
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import CommandError, call_command
from django.test import AsyncClient
from django.urls import reverse

from ladder.core import LadderDocument
from ladder.domain.load import LIBRARY
from ladder.models import Race
from probes.core.verification import verify_lines
from probes.domain import evidence
from probes.domain.evidence import lines
from probes.models import Attempt, Batch, Trial
from registry.endpoints.practice import PRACTICE_BASE_URL, PRACTICE_CANARY
from registry.immutability import erasure
from tests.ladder.raced import a_practice_race, climbed
from tests.thorough import examples

pytestmark = pytest.mark.usefixtures("library")

SEED = 20260103


def bytes_of(batch: Batch) -> list[bytes]:
    return [f"{line}\n".encode() for line in lines(Batch.objects.get(pk=batch.pk))]


def records(batch: Batch) -> list[dict]:
    return [json.loads(line) for line in lines(Batch.objects.get(pk=batch.pk))]


def only(batch: Batch, kind: str) -> list[dict]:
    return [record for record in records(batch) if record["kind"] == kind]


@pytest.fixture
def race(team, alice) -> Race:
    return climbed(a_practice_race(team, by=alice))


def test_a_race_verifies_offline_and_nothing_lies(race):
    found = verify_lines(bytes_of(race.batch))
    assert found.lies == []
    assert found.recomputed == {"race": 1, "document": 7, "sent": 21, "outcome": 21, "verdict": 14}
    assert found.marks == {"pass": 6, "fail": 8}


def test_every_document_stands_there_once_before_its_runs(race):
    kinds = [record["kind"] for record in records(race.batch)]
    assert kinds[:3] == ["evidence", "race", "document"]
    assert kinds[-1] == "end"
    assert [kinds.count(kind) for kind in ("document", "run", "trial", "attempt", "verdict")] == [
        7,
        14,
        14,
        21,
        14,
    ]
    assert {record["document"] for record in only(race.batch, "run")} == {
        record["digest"] for record in only(race.batch, "document")
    }


def test_the_race_line_gives_the_ladder_as_its_file_says_it(race):
    [line] = only(race.batch, "race")
    shipped = LadderDocument.parse((LIBRARY / "torture-test.ladder.yaml").read_text("utf-8"))
    assert line["ladder"] == shipped.canonical()
    assert line["concept"] == "recursion"
    assert line["climbs"] == [
        {"letter": "A", "endpoint": "Practice A", "model": "steady"},
        {"letter": "B", "endpoint": "Practice B", "model": "silent"},
    ]
    assert len(line["holds"]) == 14


def test_it_names_people_and_endpoints_and_where_neither_is(race):
    text = "\n".join(lines(race.batch))
    assert only(race.batch, "evidence")[0]["started_by"] == "Alice"
    assert "alice@" not in text
    assert all(url not in text for url in PRACTICE_BASE_URL.values())
    assert PRACTICE_CANARY not in text
    endpoint = race.climbs.first().endpoint
    assert endpoint.key()
    assert endpoint.key() not in text
    assert endpoint.key_cipher not in text


def test_a_person_without_a_name_is_not_named_by_their_address(team, alice):
    alice.name = ""
    alice.save()
    race = a_practice_race(team, by=alice)
    assert only(race.batch, "evidence")[0]["started_by"] is None
    assert "alice@" not in "".join(lines(race.batch))


def test_an_attempt_says_all_that_was_observed(race):
    first, second, *_ = [
        each for each in only(race.batch, "attempt") if each["repeat"] == 1 and each["run"] == 1
    ]
    columns = {field.name for field in Attempt._meta.concrete_fields}
    unsaid = {"id", "batch", "trial", "endpoint_name", "redacted_at", "output_digest"}
    assert columns - unsaid <= first.keys()
    assert (first["outcome"], first["total"], first["output_is"]) == ("empty", None, "text")
    assert (second["outcome"], second["passed"], second["total"]) == ("empty", 0, 1)
    assert second["reasoning_tokens"] == 3200
    assert second["sent_parameters"]["max_tokens"] == 2 * first["sent_parameters"]["max_tokens"]
    assert first["sent_messages"][-1]["content"].count("recursion")


def test_the_same_rows_give_the_same_bytes(race):
    assert bytes_of(race.batch) == bytes_of(race.batch)


def test_it_takes_four_queries_a_document(race, django_assert_max_num_queries):
    batch = Batch.objects.select_related("team", "started_by").get(pk=race.pk)
    with django_assert_max_num_queries(4 + 7 * 4):
        assert len(list(lines(batch))) == 73


def test_of_a_race_that_goes_on_it_says_how_it_stands(team, alice):
    race = a_practice_race(team, by=alice)
    found = verify_lines(bytes_of(race.batch))
    assert (found.lies, found.marks["pending"]) == ([], 14)
    climbed(race)
    assert verify_lines(bytes_of(race.batch)).marks == {"pass": 6, "fail": 8}


def test_what_closes_while_the_lines_are_read_is_no_lie(team, alice, monkeypatch):
    """Trials are read before their attempts: what is closed in between still waits there."""
    race = a_practice_race(team, by=alice)
    inner = evidence.Prefetch

    def meanwhile(*arguments):
        climbed(race)
        return inner(*arguments)

    monkeypatch.setattr(evidence, "Prefetch", meanwhile)
    found = verify_lines(bytes_of(race.batch))
    assert found.lies == []
    assert found.marks == {"pass": 5, "fail": 7, "pending": 2}
    assert found.header["state"] == "running"


def test_a_late_reply_stands_beside_the_one_that_counts(race):
    trial = Trial.objects.filter(run__batch=race.batch).earliest("run__position")
    Attempt.objects.create(
        batch=race.batch,
        trial=trial,
        number=1,
        seq=999,
        late=True,
        outcome="error",
        error="timeout",
        endpoint_name="Practice A",
        started_at=race.batch.created_at,
    )
    found = verify_lines(bytes_of(race.batch))
    assert found.lies == []
    assert found.kinds["attempt"] == 22


def test_a_flipped_byte_anywhere_is_caught_in_its_line(race):
    data = b"".join(bytes_of(race.batch))
    chance = random.Random(SEED)
    for _ in range(examples(60)):
        place = chance.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= chance.randrange(1, 256)
        if changed[place] == 10 or place < data.index(b"\n"):
            continue
        found = verify_lines(split(bytes(changed)))
        assert found.lies[0].line == data.count(b"\n", 0, place) + 1


def split(data: bytes) -> list[bytes]:
    return [line + b"\n" for line in data.split(b"\n")[:-1]]


def test_a_row_changed_past_the_triggers_is_named(race):
    attempt = Attempt.objects.filter(batch=race.batch, passed=1).earliest("seq")
    with erasure("a test"):
        Attempt.objects.filter(pk=attempt.pk).update(output="It is. Not.")
    found = verify_lines(bytes_of(race.batch))
    assert {lie.about for lie in found.lies} == {"outcome", "verdict"}


def test_the_operator_can_print_it(race):
    out = io.StringIO()
    call_command("evidence", str(race.pk), stdout=out)
    assert out.getvalue().encode() == b"".join(bytes_of(race.batch))
    with pytest.raises(CommandError, match="There is no batch 0000") as failure:
        call_command("evidence", str(uuid.UUID(int=0)))
    assert failure.value.returncode == 2


# --- the download -----------------------------------------------------------------------------------
def fetched(url: str, person=None) -> tuple[Any, bytes]:
    """The answer of the site as it is served, and its whole body."""

    async def ask() -> tuple[Any, bytes]:
        client = AsyncClient()
        if person:
            await client.aforce_login(person)
        answer: Any = await client.get(url)
        if answer.streaming:
            return answer, b"".join([piece async for piece in answer.streaming_content])
        return answer, answer.content

    return async_to_sync(ask)()


DOORS = ["race-evidence", "batch-evidence", "api-batch-evidence"]


@pytest.mark.parametrize("door", DOORS)
def test_the_download_is_the_evidence(race, door):
    answer, body = fetched(reverse(door, args=[race.pk]))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/x-ndjson"
    name = f"evidence-recursion-steady-silent-{str(race.pk)[:8]}.jsonl"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert body == b"".join(bytes_of(race.batch))
    assert verify_lines(split(body)).ok


def test_over_wsgi_it_is_the_same(race, client):
    answer = client.get(reverse("race-evidence", args=[race.pk]))
    assert b"".join(answer.streaming_content) == b"".join(bytes_of(race.batch))


def test_a_title_from_anywhere_makes_a_safe_name(team, alice):
    race = a_practice_race(team, by=alice, concept='"; rm -rf / 递归 é..')
    answer, _ = fetched(reverse("race-evidence", args=[race.pk]))
    assert answer["Content-Disposition"].startswith('attachment; filename="evidence-rm-rf-e-steady-silent-')


WHO = [
    ("public", None, 200),
    ("public", "charlie", 200),
    ("team", None, 404),
    ("team", "charlie", 404),
    ("team", "staff", 404),
    ("team", "vera", 200),
    ("team", "bob", 200),
    ("team", "alice", 200),
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("visibility", "who", "status"), WHO)
def test_those_who_see_a_race_can_keep_its_evidence(request, team, visibility, who, status, door):
    race = a_practice_race(team, visibility=visibility)
    person = request.getfixturevalue(who) if who else None
    answer, body = fetched(reverse(door, args=[race.pk]), person)
    assert answer.status_code == status
    assert (b'"evidence/1"' in body) == (status == 200)


@pytest.mark.parametrize("door", DOORS)
def test_nothing_can_be_posted_to_it(race, client, alice, door):
    client.force_login(alice)
    assert client.post(reverse(door, args=[race.pk])).status_code == 405


@pytest.mark.parametrize("page", ["race", "batch"])
def test_the_page_has_a_plain_button_for_everybody(race, client, page):
    html = client.get(reverse(page, args=[race.pk])).content.decode()
    assert f'href="{reverse(f"{page}-evidence", args=[race.pk])}" download>Download the evidence</a>' in html
    assert "jsonl" not in html
