"""Run this version: what a member may start from a version's page."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from probes.core.template import value_problem
from probes.domain.start import MOST_REPEATS, RunRequest, key_of, start_batch
from probes.models import Batch, ProbeVersion
from probes.models.run import Visibility
from probes.views.version_page import EXAMPLE_VALUE, PREFIX
from registry.endpoints import picker
from registry.endpoints.picker import Picker
from registry.teams.access import Person
from registry.teams.models import User
from registry.web.numbers import row_number

FIELDS = ("endpoint", "model", "repeats", "visibility")
DEFAULT_REPEATS = "1"


@dataclass
class RunForm:
    """What stands in the form, and what is wrong with it by field; what fits no field stands on top."""

    version: ProbeVersion
    person: Person
    picker: Picker
    values: dict[str, str]
    repeats: str = DEFAULT_REPEATS
    visibility: str = Visibility.PUBLIC
    key: str = ""
    problems: dict[str, str] = field(default_factory=dict)

    @classmethod
    def blank(cls, person: Person, version: ProbeVersion) -> RunForm:
        endpoints = list(picker.usable(person))
        values = dict.fromkeys(version.variables, EXAMPLE_VALUE)
        seen = version.probe.visibility
        return cls(
            version, person, picker.suggested(endpoints), values, visibility=seen, key=str(uuid.uuid4())
        )

    @classmethod
    def posted(cls, person: Person, version: ProbeVersion, data: Mapping[str, str]) -> RunForm:
        made = picker.posted(list(picker.usable(person)), data)
        values = {name: data.get(PREFIX + name, "") for name in version.variables}
        repeats, visibility = data.get("repeats", DEFAULT_REPEATS), data.get("visibility", "")
        form = cls(version, person, made, values, repeats, visibility, data.get("key", ""), dict(made.errors))
        form._look_over()
        return form

    most_repeats = MOST_REPEATS

    @property
    def usable(self) -> bool:
        """Whether the reader has anything to run with."""
        return bool(self.picker.endpoints)

    @property
    def variables(self) -> list[tuple[str, str, str, str]]:
        """For each variable: its name, the field's name, its value and what is wrong with it."""
        return [
            (name, PREFIX + name, value, self.problems.get(name, "")) for name, value in self.values.items()
        ]

    @property
    def general(self) -> list[str]:
        """Problems that belong to no field, each once."""
        fields = {*FIELDS, *self.values}
        return list(dict.fromkeys(said for name, said in self.problems.items() if name not in fields))

    def _look_over(self) -> None:
        """Note at once what is wrong with each field, so that nothing is said only at the next try."""
        written = self.repeats.strip()
        if not 1 <= row_number(written) <= MOST_REPEATS:
            self.problems["repeats"] = f"Write a whole number of repeats from 1 to {MOST_REPEATS}."
        if self.visibility not in Visibility.values:
            self.problems["visibility"] = "Choose who may see these runs."
        said = {name: value_problem(value) for name, value in self.values.items()}
        self.problems.update({name: problem for name, problem in said.items() if problem})

    def refuse(self, problems: Mapping[str, str]) -> None:
        self.problems.update(problems)
        self.picker.errors.update(
            {name: said for name, said in problems.items() if name in {"endpoint", "model"}}
        )

    def start(self) -> Batch | None:
        """Start the runs unless something is wrong already. Raises StartRefused."""
        endpoint = self.picker.endpoint
        if self.problems or endpoint is None or not isinstance(self.person, User):
            return None
        model, asked = self.picker.model, (self.version.pk, endpoint.pk, self.picker.model, self.values)
        return start_batch(
            team=endpoint.team,
            by=self.person,
            runs=[RunRequest(self.version, endpoint, model, binding=self.values, repeats=int(self.repeats))],
            title=f"{model} on {self.version.probe.title}"[:300],
            visibility=self.visibility,
            idempotency_key=key_of(self.key, *asked, int(self.repeats), self.visibility),
        )
