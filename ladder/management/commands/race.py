"""manage.py race: two models up the ladder, from a terminal."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ladder.domain.lanes import LIKE
from ladder.management import racing
from probes.models import Visibility


class Command(BaseCommand):
    help = (
        "Races two models up the ladder and prints the scoreboard. Exit status: 0 the race could be run, "
        "whatever the verdicts; 1 nothing could be scored; 2 something given cannot be used."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("concept", help="what to explain, such as recursion")
        parser.add_argument("--a", required=True, metavar="ENDPOINT:MODEL", help=f"model A: {LIKE}")
        parser.add_argument("--b", required=True, metavar="ENDPOINT:MODEL", help="model B")
        parser.add_argument("--repeats", type=int, default=1, metavar="N", help="tries at each rung")
        parser.add_argument("--team", default="", metavar="SLUG", help="whose endpoints are meant")
        parser.add_argument("--visibility", choices=Visibility.values, default=Visibility.TEAM.value)

    def handle(self, *args: Any, **options: Any) -> None:
        race = racing.start(
            options["concept"],
            {"--a": options["a"], "--b": options["b"]},
            team=options["team"],
            repeats=options["repeats"],
            visibility=options["visibility"],
        )
        standing = racing.run(race, self.stdout, self.stderr)
        if standing.tally.scored == 0:
            problems = dict.fromkeys(problem for total in standing.totals for problem in total.problems)
            raise CommandError("\n".join(["Nothing could be scored.", *problems]), returncode=1)
