"""manage.py load_library: publish the probes and the ladder that ship with the registry."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ladder.domain import load_everything
from ladder.domain.load import Loaded
from probes.domain.library import LibraryError


class Command(BaseCommand):
    help = "Publishes the probes and the ladder that ship with the registry. Doing it twice changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = load_everything()
        except LibraryError as error:
            raise CommandError(str(error)) from error
        for line in report(loaded):
            self.stdout.write(line)


def report(loaded: Loaded) -> list[str]:
    """What loading did, in words: a line for each new thing, and one for what was there."""
    new = [f"Published {one.version}" for one in loaded.probes if one.created]
    new += [f"Published {one.ladder}, edition {one.ladder.number}" for one in loaded.ladders if one.created]
    kept = len(loaded.probes) + len(loaded.ladders) - len(new)
    return [*new, f"{kept} of {kept + len(new)} were there already and are unchanged."] if kept else new
