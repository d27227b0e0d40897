"""Each row once, both ways, also where 1,500 rows share their time and while rows are inserted."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.utils import timezone

from probes.models import Batch, State
from registry.api.pagination import Cursor, Order
from tests.registry.api.asking import API, ask, pages, problem
from tests.thorough import thorough

CASES = Path(__file__).resolve().parents[2] / "cases"
BAD_CURSORS = json.loads((CASES / "bad_cursors.json").read_text())
NOW = timezone.now().replace(microsecond=0)

pytestmark = pytest.mark.django_db


def made(team, count: int, at=NOW, **fields) -> list[Batch]:
    given = {"visibility": "public", "state": State.FINISHED, "finished_at": NOW} | fields
    rows = (Batch(team=team, title="A batch", created_at=at, **given) for _ in range(count))
    return Batch.objects.bulk_create(rows)


@pytest.fixture
def many(team) -> list[UUID]:
    """1,550 batches in the order of the list, 1,500 of which were made at the same moment."""
    older, equal, newer = (
        made(team, count, NOW + timedelta(microseconds=shift))
        for count, shift in ((25, -1), (1500, 0), (25, 1))
    )
    groups = (sorted((batch.pk for batch in group), reverse=True) for group in (newer, equal, older))
    return [pk for group in groups for pk in group]


def ids(page) -> list[UUID]:
    return [UUID(row["id"]) for row in page["results"]]


@pytest.mark.parametrize("size", [100, pytest.param(97, marks=thorough)])
def test_each_row_comes_once_forwards_and_backwards(client, many, size):
    forwards = list(pages(client, f"{API}batches/?page_size={size}"))
    assert [pk for page in forwards for pk in ids(page)] == many
    assert forwards[0]["previous"] is None
    backwards = list(pages(client, forwards[-1]["previous"], "previous"))
    assert [pk for page in reversed(backwards) for pk in ids(page)] == many[: -len(ids(forwards[-1]))]


def test_one_may_turn_round_anywhere(client, many):
    first = ask(client, "batches/", page_size=100)
    second = ask(client, first["next"])
    third = ask(client, second["next"])
    assert ids(ask(client, third["previous"])) == ids(second)
    assert ids(ask(client, ask(client, third["previous"])["next"])) == ids(third)
    assert ids(ask(client, ask(client, third["previous"])["previous"])) == ids(first)


@pytest.mark.parametrize("way", ["next", pytest.param("previous", marks=thorough)])
def test_rows_inserted_meanwhile_move_no_other(client, team, many, way):
    address = f"{API}batches/?page_size=100"
    if way == "previous":
        address = list(pages(client, address))[-1]["previous"]
    seen: list[UUID] = []
    for page in pages(client, address, way):
        seen += ids(page)
        for shift in (-2, 0, 2):  # before, among and after those that share a moment
            made(team, 3, NOW + timedelta(microseconds=shift))
    known = set(many) if way == "next" else set(many[:-50])
    assert len(seen) == len(set(seen))
    assert known <= set(seen)


def test_rows_inserted_on_top_are_found_by_going_back(client, team):
    made(team, 3)
    second = ask(client, ask(client, "batches/", page_size=2)["next"])
    new = made(team, 2, NOW + timedelta(seconds=1))
    back = [pk for page in pages(client, second["previous"], "previous") for pk in ids(page)]
    assert set(back) >= {batch.pk for batch in new}


@pytest.mark.parametrize(("count", "expected"), [(0, [0]), (1, [1]), (2, [2]), (3, [2, 1]), (4, [2, 2])])
def test_the_ends_have_no_address(client, team, count, expected):
    made(team, count)
    found = list(pages(client, f"{API}batches/?page_size=2"))
    assert [len(page["results"]) for page in found] == expected
    assert found[-1]["next"] is None
    assert found[0]["previous"] is None


def test_the_filters_go_along(client, team):
    made(team, 3, practice=True)
    made(team, 3)
    found = list(pages(client, f"{API}batches/?practice=true&page_size=2"))
    assert [row["practice"] for page in found for row in page["results"]] == [True] * 3
    assert "practice=true" in found[0]["next"]


def test_a_list_without_a_size_has_25(client, team):
    made(team, 26)
    assert len(ask(client, "batches/")["results"]) == 25
    assert len(ask(client, "batches/", page_size=100)["results"]) == 26


@pytest.mark.parametrize("size", ["0", "101", "-1", "ten", "1.5", "٣", "9" * 400, " 5"])
def test_a_size_that_cannot_be_is_refused(client, size):
    said = problem(client.get(f"{API}batches/", {"page_size": size}), 400)
    assert said["errors"] == {"page_size": ["Write a whole number from 1 to 100."]}


def encoded(data) -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode().rstrip("=")


REFUSED = [
    pytest.param(path, case, id=f"{path}: {case['why']}")
    for path in ("batches/", "trials/", "models/")
    for case in BAD_CURSORS
    if path not in case.get("fits", [])
]


@pytest.mark.parametrize(("path", "case"), REFUSED)
def test_a_cursor_that_is_none_of_ours_is_refused(client, path, case):
    cursor = case["cursor"] if "cursor" in case else encoded(case["data"])
    said = problem(client.get(API + path, {"cursor": cursor}), 400)
    [message] = said["errors"]["cursor"]
    assert "cannot be read" in message
    assert "Follow the `next` or `previous` address" in message


@pytest.mark.parametrize("value", [0, -5, 2**63, 10**60])
def test_a_number_beyond_all_rows_is_an_empty_page(client, value):
    page = ask(client, "trials/", cursor=encoded([0, value]))
    assert page == {"next": None, "previous": None, "results": []}


def test_a_cursor_reads_back_as_it_was():
    order = Order(("-created_at", "-id"))
    cursor = Cursor((NOW, UUID(int=7)), True)
    assert order.decoded(cursor.encoded(), Batch) == cursor


def test_an_order_says_what_comes_after():
    order = Order(("-created_at", "id"))
    rows = str(order.beyond(Cursor((1, 2), False)))
    assert "created_at__lt" in rows
    assert "('id__gt', 2)" in rows
    assert "created_at__lte" in rows
    assert "('id__lt', 2)" in str(order.beyond(Cursor((1, 2), True)))
