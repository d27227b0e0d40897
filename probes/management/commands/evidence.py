"""manage.py evidence: a batch's evidence on standard output, as its page gives it to be kept."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from probes.domain.evidence import lines
from probes.models import Batch


class Command(BaseCommand):
    help = "Prints the evidence of a batch or race; python -m probes.core verify FILE recomputes it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", type=UUID, help="its id, as in the address of its page")

    def handle(self, *args: Any, **options: Any) -> None:
        batch = Batch.objects.select_related("team", "started_by").filter(pk=options["batch"]).first()
        if batch is None:
            raise CommandError(f"There is no batch {options['batch']}.", returncode=2)
        for line in lines(batch):
            self.stdout.write(line)
