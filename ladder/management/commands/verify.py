"""manage.py verify: the properties that a registry must have, looked up in its database."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ladder.domain.lanes import LIKE
from ladder.domain.verification import database, properties
from ladder.management import racing


class Command(BaseCommand):
    help = (
        "Looks up properties of this registry, prints what was seen for each, and how the verdicts are "
        "distributed. Exit status: 0 every property holds, 1 one does not, 2 something given cannot be used. "
        "Verdicts that fail are data; a database without a passing one is not."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--live", nargs=2, metavar=("A", "B"), help=f"race these two first: {LIKE}")
        parser.add_argument("--concept", default="recursion", help="what they are asked to explain")
        parser.add_argument("--team", default="", metavar="SLUG", help="whose endpoints are meant")
        parser.add_argument(
            "--log", action="append", default=[], type=Path, metavar="FILE", help="a log to scan as well"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if missing := [str(path) for path in options["log"] if not path.is_file()]:
            raise CommandError(f"There is no file {', '.join(missing)}.", returncode=racing.BAD_ARGUMENTS)
        self.stdout.write(f"database: {database()}")
        racing.require_tables()
        if options["live"]:
            a, b = options["live"]
            lanes = {"--live A": a, "--live B": b}
            race = racing.start(options["concept"], lanes, team=options["team"])
            racing.run(race, self.stdout, self.stderr)
        self.stdout.write("")
        self._print(options["log"])

    def _print(self, logs: list[Path]) -> None:
        broken = total = 0
        for found in properties(logs):
            total += 1
            broken += not found.holds
            for line in found.lines():
                self.stdout.write(line)
        self.stdout.write("")
        if broken:
            raise CommandError(f"{broken} of {total} properties do not hold.", returncode=1)
        self.stdout.write(f"All {total} properties hold.")
