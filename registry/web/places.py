"""How many streams one person, and one address, have open in this web process at once.

A stream costs little until something happens; then it costs a rendering and a write, as often as
there are streams. So nobody has more of them than people look at.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock

from django.conf import settings
from django.http import HttpRequest

from registry.teams.models import User
from registry.web.limits import address_of, network


@dataclass(frozen=True)
class Holder:
    """Whose the open streams are: a person (`key` is their number) or a network."""

    kind: str
    key: str

    @property
    def most(self) -> int:
        return settings.STREAMS_PERSON if self.kind == "person" else settings.STREAMS_ADDRESS


def holders(request: HttpRequest) -> tuple[Holder, ...]:
    """Under whose names a stream that `request` opens is counted."""
    at = Holder("address", network(address_of(request)))
    user = request.user
    return (at, Holder("person", str(user.pk))) if isinstance(user, User) else (at,)


class Places:
    """Counts open streams by holder. Places are taken in the event loop, and freed from any thread."""

    def __init__(self) -> None:
        self._held: Counter[Holder] = Counter()
        self._lock = Lock()

    def full(self, asked: tuple[Holder, ...]) -> bool:
        """Whether one of them has as many as it may."""
        return any(self._held[holder] >= holder.most for holder in asked)

    def take(self, asked: tuple[Holder, ...]) -> bool:
        """One more for each of them, or for none; whether it was."""
        with self._lock:
            if self.full(asked):
                return False
            self._held.update(asked)
            return True

    def free(self, held: tuple[Holder, ...]) -> None:
        with self._lock:
            self._held.subtract(held)
            self._held = +self._held  # who has none left is forgotten
