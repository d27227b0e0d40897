"""manage.py load_library: publish the probes and the ladder that ship with the registry."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ladder.domain import load_everything
from ladder.domain.load import Edition, Loaded
from probes.domain.advice import advice
from probes.domain.library import LibraryError
from probes.domain.publish import Publication


class Command(BaseCommand):
    help = "Publishes the probes and the ladder that ship with the registry. Doing it twice changes nothing."

    def handle(self, *args: Any, verbosity: int, **options: Any) -> None:
        try:
            loaded = load_everything()
        except LibraryError as error:
            raise CommandError(str(error)) from error
        for line in report(loaded):
            self.stdout.write(line)
        for line in _advice(loaded) if verbosity else ():
            self.stdout.write(line)


def report(loaded: Loaded) -> list[str]:
    """What loading did, in words: a line for each thing that is new or edited, one for what was there."""
    told = [_of_probe(one) for one in loaded.probes] + [_of_ladder(one) for one in loaded.ladders]
    new = [line for line in told if line]
    kept = len(told) - len(new)
    return [*new, f"{kept} of {len(told)} were there already and are unchanged."] if kept else new


def _of_probe(one: Publication) -> str:
    version = one.version
    if one.created:
        return f"Published {version}"
    if one.newer:
        return f"{version.probe} equals v{version.number}, an older version; v{one.newer} stays current"
    return f"Updated the {', '.join(one.edited)} of {version.probe}" if one.edited else ""


def _advice(loaded: Loaded) -> list[str]:
    """For whoever writes the files: what `check` says of those that are new."""
    return [
        f"Look again at {one.version}: {line}"
        for one in loaded.probes
        if one.created
        for line in advice(one.version.parsed).lines()
    ]


def _of_ladder(one: Edition) -> str:
    title, number = one.ladder.title, one.ladder.number
    if one.created:
        return f"Published {one.ladder}, edition {number}"
    return (
        f"{title} equals edition {number}, an older one; edition {one.newer} stays current"
        if one.newer
        else ""
    )
