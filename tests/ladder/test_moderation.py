"""An owner hides a race and redacts an output, by the pages; what others are answered then."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from ladder.models import Race
from ladder.views import live
from probes.core.verification import verify_lines
from probes.domain.evidence import lines
from probes.domain.moderate import may_hide, redact_attempt, redactable
from probes.models import Batch
from probes.views import streams
from registry.immutability import erasure
from registry.teams.models import ApiToken, Membership, Role, User
from tests.ladder.raced import a_practice_race, climbed

pytestmark = pytest.mark.django_db
CONCEPT = "an insult to Charlie"


@pytest.fixture
def race(library, team, alice) -> Race:
    return climbed(a_practice_race(team, by=alice, concept=CONCEPT))


def as_one(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def addresses(race: Race) -> list[str]:
    """Every page, stream, file and door by which the race could be read."""
    run = race.batch.runs.all()[0]
    named = ("race", "race-stream", "race-evidence", "batch", "batch-stream", "batch-evidence", "api-race")
    more = [reverse("api-run", args=[run.pk]), reverse("api-trial", args=[run.trials.all()[0].pk])]
    again = f"{race.ladder.get_absolute_url()}?again={race.pk}"
    return [reverse(name, args=[race.pk]) for name in (*named, "api-batch", "api-batch-evidence")] + [
        *more,
        again,
    ]


LISTS = [
    "/",
    "/results/",
    "/ladders/registry/one-sentence-torture-test/",
    "/api/v1/races/",
    "/api/v1/batches/",
]
LISTS += ["/api/v1/runs/", "/api/v1/trials/", "/probes/registry/haiku/"]


def statuses(client: Client, asked: list[str]) -> set[int]:
    answers = [client.get(address) for address in asked]
    assert [bool(answer.getvalue()) for answer in answers]
    return {answer.status_code for answer in answers}


def test_a_hidden_race_is_there_for_members_alone(client, race, alice, vera):
    owner, member = as_one(alice), as_one(vera)
    hide = reverse("batch-hide", args=[race.pk])
    answer = owner.post(hide, {"reason": " "})
    assert answer.status_code == 422
    assert "Write the reason" in answer.content.decode()
    assert owner.post(hide, {"reason": "its concept is an insult"}).status_code == 302
    assert statuses(client, addresses(race)) == {404}
    assert not [address for address in LISTS if CONCEPT in client.get(address).content.decode()]
    page = member.get(race.get_absolute_url()).content.decode()
    assert "Hidden by an owner: only members of Acme see this page." in page
    assert "Hide or redact" not in page
    assert '<span class="label">hidden</span>' in member.get("/results/").content.decode()
    assert member.get(reverse("api-race", args=[race.pk])).json()["hidden"] is True
    done = owner.get(reverse("batch-moderate", args=[race.pk])).content.decode()
    assert "Hidden. " in done
    assert "its concept is an insult" in done
    assert owner.post(reverse("batch-unhide", args=[race.pk]), {"reason": "it was none"}).status_code == 302
    assert client.get(race.get_absolute_url()).status_code == 200


def test_an_open_stream_of_a_hidden_race_ends_and_tells_nothing(race, alice):
    for replay in (live.replay, streams.replay):
        assert replay(str(race.pk), 0).frames
    as_one(alice).post(reverse("batch-hide", args=[race.pk]), {"reason": "an insult"})
    for replay in (live.replay, streams.replay):
        told = replay(str(race.pk), 0)
        assert (list(told.frames), told.done) == ([], True)


def test_evidence_verifies_however_much_of_it_is_redacted(race, alice):
    """Also where an attempt ran out of tokens, and its trial was asked again with twice as many."""
    marks = verified(race).marks
    with erasure("a test plants what a server wrote"):
        race.batch.attempts.exclude(outcome="empty").update(finish="a secret")
        race.batch.attempts.update(served_model="it served a secret")
    wanted = list(redactable(race.batch))
    assert sum(attempt.total is None for attempt in wanted) == 7
    for attempt in wanted:
        redact_attempt(attempt, alice, "it holds a secret")
    found = verified(race)
    assert (found.lies, found.redacted, found.marks) == ([], len(wanted), marks)
    assert "secret" not in "".join(lines(race.batch))


def test_a_redacted_output_is_nowhere_and_the_evidence_verifies(client, race, alice):
    owner = as_one(alice)
    passed = redactable(race.batch).filter(passed=1).exclude(trial__run__model="silent").first()
    assert passed
    secret, marks = passed.output, verified(race).marks
    address = reverse("attempt-redact", args=[race.pk, passed.pk])
    assert secret in words(owner, address)
    assert owner.post(address, {"reason": ""}).status_code == 422
    assert owner.post(address, {"reason": "it holds a key"}).status_code == 302
    assert owner.get(address).status_code == 404
    found = verified(race)
    assert found.lies == []
    assert (found.redacted, found.marks) == (1, marks)
    for page in (race.get_absolute_url(), reverse("batch", args=[race.pk])):
        shown = words(client, page)
        assert "an owner of the team erased this text" in shown
        assert secret not in shown
    trial = client.get(reverse("api-trial", args=[passed.trial_id])).json()
    attempt = next(each for each in trial["attempts"] if each["redacted_at"])
    assert (attempt["output"], len(attempt["output_digest"])) == ("[redacted]", 64)


def words(client: Client, address: str) -> str:
    """What a page says: an output stands in it with its white space in elements."""
    return html.unescape(re.sub("<[^>]+>", "", client.get(address).content.decode()))


def verified(race: Race):
    return verify_lines(f"{line}\n".encode() for line in lines(Batch.objects.get(pk=race.pk)))


def test_site_staff_hide_a_race_of_another_team(race, alice, charlie, staff):
    by_staff, owner = as_one(staff), as_one(alice)
    at = reverse("batch-moderate", args=[race.pk])
    assert at in by_staff.get(race.get_absolute_url()).content.decode()
    assert "Redact an output" not in by_staff.get(at).content.decode()
    hide = reverse("batch-hide", args=[race.pk])
    assert by_staff.post(hide, {"reason": " "}).status_code == 422
    assert by_staff.post(hide, {"reason": "it insults Charlie"})["Location"] == at
    for client in (Client(), as_one(charlie), by_staff):
        assert statuses(client, addresses(race)) == {404}
        assert CONCEPT not in "".join(client.get(address).content.decode() for address in LISTS)
    assert "Hidden by site staff" in owner.get(race.get_absolute_url()).content.decode()
    log = owner.get("/teams/acme/log/").content.decode()
    assert ("site staff" in log, "it insults Charlie" in log, str(staff) in log) == (True, True, False)
    told = owner.get(at).content.decode()
    assert ("site staff" in told, str(staff) in told) == (True, False)

    shown = reverse("batch-unhide", args=[race.pk])
    refused = owner.post(shown, {"reason": "it does not"})
    assert (refused.status_code, "only they show it again" in refused.content.decode()) == (422, True)
    assert by_staff.get(at).status_code == 200, "they see what they did, and can undo it"
    assert by_staff.post(shown, {"reason": "a mistake"})["Location"] == at
    assert Client().get(race.get_absolute_url()).status_code == 200
    assert [(act.act, act.who) for act in race.batch.moderations.all()] == [
        ("unhide", "site staff"),
        ("hide", "site staff"),
    ]


def test_site_staff_touch_nothing_else(race, alice, bob, staff):
    """Not what an owner hid, not a team's own, no output; and nobody who is not staff and superuser."""
    kept = climbed(a_practice_race(alice.memberships.get().team, by=alice, concept="kept", visibility="team"))
    by_staff, attempt = as_one(staff), redactable(race.batch)[0]
    reason = {"reason": "because"}
    redact = reverse("attempt-redact", args=[race.pk, attempt.pk])
    assert by_staff.post(redact, reason).status_code == 404
    for name in ("batch-hide", "batch-unhide", "batch-moderate"):
        assert by_staff.post(reverse(name, args=[kept.pk]), reason).status_code in (404, 405)
    assert by_staff.get(reverse("batch-moderate", args=[kept.pk])).status_code == 404
    as_one(alice).post(reverse("batch-hide", args=[race.pk]), reason)
    assert by_staff.get(reverse("batch-moderate", args=[race.pk])).status_code == 404
    assert by_staff.post(reverse("batch-unhide", args=[race.pk]), reason).status_code == 404
    as_one(alice).post(reverse("batch-unhide", args=[race.pk]), reason)
    for taken in ("is_staff", "is_superuser"):
        User.objects.filter(pk=staff.pk).update(**{"is_staff": True, "is_superuser": True, taken: False})
        assert as_one(staff).post(reverse("batch-hide", args=[race.pk]), reason).status_code == 404
    assert Batch.objects.filter(hidden_at=None).count() == 2


def test_an_owner_among_the_staff_acts_as_an_owner(race, team, staff):
    Membership.objects.create(team=team, user=staff, role=Role.OWNER)
    as_one(staff).post(reverse("batch-hide", args=[race.pk]), {"reason": "ours"})
    assert [act.who for act in race.batch.moderations.all()] == [str(staff)]


def test_a_token_of_the_staff_is_no_staff(race, staff):
    person = User.objects.get(pk=staff.pk)
    assert may_hide(person, race.batch)
    person.came_with = ApiToken(scopes=["read"])
    assert not may_hide(person, race.batch)
