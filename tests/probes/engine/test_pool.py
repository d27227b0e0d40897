"""The pool, with calls that the tests let land one by one."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from probes.engine import Pool


class Calls:
    """A `call` whose every piece of work lands when the test says so."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Future[str]] = {}

    async def __call__(self, work: str) -> str:
        return await self.gates.setdefault(work, asyncio.get_running_loop().create_future())


async def started(size: int, *works: str) -> tuple[Calls, Pool[str, str]]:
    calls = Calls()
    pool: Pool[str, str] = Pool(calls, size)
    for work in works:
        pool.start(work)
    await asyncio.sleep(0)
    return calls, pool


async def test_results_come_back_as_they_land():
    calls, pool = await started(3, "a", "b", "c")
    calls.gates["b"].set_result("two")
    [landed] = await pool.landed(5)
    assert (landed.work, landed.result, landed.crash, landed.interrupted) == ("b", "two", None, False)
    assert sorted(pool.in_flight) == ["a", "c"]
    assert pool.room == 1
    await pool.close(0)


async def test_a_full_pool_takes_no_more():
    _, pool = await started(2, "a", "b")
    assert pool.room == 0
    with pytest.raises(RuntimeError, match="All 2 places are taken"):
        pool.start("c")
    await pool.close(0)


async def test_nothing_lands_within_the_wait():
    _, pool = await started(1, "a")
    assert await pool.landed(0.01) == []
    await pool.close(0)


async def test_a_crash_touches_no_other_call():
    calls, pool = await started(3, "a", "b", "c")
    calls.gates["b"].set_exception(ValueError("broken"))
    [crashed] = await pool.landed(5)
    assert isinstance(crashed.crash, ValueError)
    calls.gates["a"].set_result("one")
    calls.gates["c"].set_result("three")
    assert [landed.result for landed in await pool.landed(5, gather=5, most=2)] == ["one", "three"]


async def test_gathering_ends_with_its_time():
    calls, pool = await started(2, "a", "b")
    calls.gates["a"].set_result("one")
    assert len(await pool.landed(5, gather=0.01, most=2)) == 1
    await pool.close(0)


async def test_closing_waits_for_the_grace_and_interrupts_the_rest():
    calls, pool = await started(3, "a", "b")
    pool.start("never begun")
    asyncio.get_running_loop().call_later(0.01, calls.gates["a"].set_result, "one")
    landed = {each.work: each for each in await pool.close(0.2)}
    assert landed["a"].result == "one"
    assert landed["b"].interrupted
    assert landed["never begun"].interrupted
    assert pool.in_flight == []
    with pytest.raises(RuntimeError, match="closed"):
        pool.start("d")


async def test_a_call_cancelled_before_its_first_step_is_interrupted():
    pool: Pool[str, str] = Pool(Calls(), 1)
    pool.start("a")
    next(iter(pool._tasks)).cancel()
    [landed] = await pool.landed(5)
    assert landed.interrupted


async def test_a_call_that_will_not_be_cancelled_is_given_up():
    freed = asyncio.Event()

    async def stubborn(work: str) -> str:
        while not freed.is_set():
            with suppress(asyncio.CancelledError):
                await freed.wait()
        return work

    pool: Pool[str, str] = Pool(stubborn, 1)
    pool.start("a")
    await asyncio.sleep(0)
    [landed] = await pool.close(0)
    assert landed.interrupted
    freed.set()


async def test_nothing_runs_on_after_closing():
    _, pool = await started(4, "a", "b", "c", "d")
    await pool.close(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
