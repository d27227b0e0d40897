"""Keeps processes running: starts them, starts again those that end, and ends all of them together."""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

STOP_SECONDS = 4.0
"""From the wish to stop to SIGKILL; with what follows it all is over within 5 s."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
STEADY_SECONDS = 30.0
"""A process that ran this long is not failing in a loop: the next pause is the first again."""

Say = Callable[[str], None]


@dataclass
class Child:
    """One process: what it is called, how it is started and, while it runs, the process itself."""

    name: str
    command: list[str]
    directory: Path
    pass_fds: tuple[int, ...] = ()
    process: Process | None = None

    async def start(self) -> Process:
        # its own process group: Ctrl-C reaches the supervisor alone, which ends all in order
        self.process = await asyncio.create_subprocess_exec(
            *self.command, cwd=self.directory, stdin=PIPE, pass_fds=self.pass_fds, process_group=0
        )
        return self.process

    async def wait(self) -> int:
        """The exit code, once it has ended; negative when a signal ended it."""
        return await self.process.wait() if self.process else 0

    def signal(self, number: signal.Signals) -> None:
        if self.process and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)


class Supervisor:
    """`first` must answer before anything is announced; all are kept until a signal comes."""

    def __init__(self, first: Child, others: list[Child], say: Say) -> None:
        self.first, self.children = first, [first, *others]
        self.say = say
        self._stop = asyncio.Event()

    async def run(self, answered: Callable[[], Awaitable[None]], announce: Callable[[], None]) -> int:
        """The exit code: 0 after a signal, 1 when the first process ended before `answered` did."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop)
        try:
            for child in self.children:
                await child.start()
            if failure := await self._failure_before(answered):
                self.say(failure)
                return 1
            if not self._stop.is_set():
                announce()
            await self._keep_all()
        finally:
            await self._end_all()
        return 0

    def stop(self) -> None:
        """End everything, in order."""
        self._stop.set()

    async def _failure_before(self, answered: Callable[[], Awaitable[None]]) -> str:
        """What to say when the first process ends before `answered` returns; "" when it does not."""
        coming = asyncio.ensure_future(answered())
        ended = asyncio.ensure_future(self.first.wait())
        stopped = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait({coming, ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        failed = ended.done() and not stopped.done()
        for task in (coming, ended, stopped):
            task.cancel()
        how = _how(ended.result()) if failed else ""
        return f"The {self.first.name} process {how} before it answered: see above." if failed else ""

    async def _keep_all(self) -> None:
        keeping = [asyncio.ensure_future(self._keep(child)) for child in self.children]
        await self._stop.wait()
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)

    async def _keep(self, child: Child) -> None:
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE
        while True:
            started = loop.time()
            code = await child.wait()
            pause = FIRST_PAUSE if loop.time() - started > STEADY_SECONDS else pause
            self.say(f"The {child.name} process {_how(code)}; it is started again in {pause:g} s.")
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            await child.start()

    async def _end_all(self) -> None:
        running = [child for child in self.children if child.process]
        waits = [asyncio.ensure_future(child.wait()) for child in running]
        for child in running:
            child.signal(signal.SIGTERM)
        if waits:
            await asyncio.wait(waits, timeout=STOP_SECONDS)
        for child in running:
            child.signal(signal.SIGKILL)
        await asyncio.gather(*waits)


def _how(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with code {code}"
