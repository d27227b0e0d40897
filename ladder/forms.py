"""The form that starts a race: a concept, two models, and who may see it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from ladder.domain.concept import MAX_CHARACTERS, concept_problem, stripped
from ladder.models import Race
from probes.domain.start import StartRefused
from probes.models import Visibility
from registry.endpoints.models import Endpoint
from registry.endpoints.picker import Picker, picker, posted, suggested, usable
from registry.teams.access import Person

LETTERS = "AB"
REPEATS = "Write a whole number from 1 to 20."
VISIBILITY = "Choose who may see the race."


class RaceFields(forms.Form):
    """All of it but the models. What a concept may be is decided where a race is started."""

    concept = forms.Field(required=False)
    repeats = forms.IntegerField(
        min_value=1,
        max_value=20,
        error_messages=dict.fromkeys(["invalid", "required", "min_value", "max_value"], REPEATS),
    )
    visibility = forms.ChoiceField(
        choices=Visibility.choices, error_messages=dict.fromkeys(["required", "invalid_choice"], VISIBILITY)
    )
    key = forms.Field(required=False)


@dataclass
class RaceForm:
    """The fields and one picker a model, as a page shows them and as they came back."""

    fields: RaceFields
    pickers: list[Picker]

    max_concept = MAX_CHARACTERS

    @property
    def problems(self) -> list[str]:
        """Every problem once, in the order of the form."""
        own = [str(message) for messages in self.fields.errors.values() for message in messages]
        chosen = [message for one in self.pickers for message in one.errors.values()]
        return list(dict.fromkeys(own + chosen))

    @property
    def first_wrong(self) -> str:
        """The name of the first field with a problem: where the page puts the cursor."""
        wrong = ["concept"] if "concept" in self.fields.errors else []
        wrong += [f"{one.prefix}{part}" for one in self.pickers for part in one.errors]
        return next(iter(wrong + [name for name in self.fields.errors if name != "concept"]), "")

    @property
    def may_race(self) -> bool:
        """Whether there is anything to race with."""
        return bool(self.pickers[0].endpoints)

    @property
    def ready(self) -> bool:
        return self.fields.is_valid() and all(one.chosen for one in self.pickers)

    @property
    def lanes(self) -> list[tuple[Endpoint, str]]:
        return [one.chosen for one in self.pickers if one.chosen]

    def check_concept(self) -> None:
        """What is wrong with the concept, while something else keeps the race from being started."""
        if problem := concept_problem(stripped(self.fields.data.get("concept", ""))):
            self.fields.add_error("concept", problem)

    def add(self, refused: StartRefused) -> None:
        """Put each problem at the field where it was entered; one about neither stands above the form."""
        by_letter = dict(zip(LETTERS.lower(), self.pickers, strict=True))
        for name, message in refused.problems.items():
            letter, _, part = name.partition("-")
            if letter in by_letter and part in {"endpoint", "model"}:
                by_letter[letter].errors[part] = message
            else:
                self.fields.add_error(name if name in self.fields.fields else None, message)


def empty_form(person: Person, again: Race | None = None) -> RaceForm:
    """A form to fill in; with `again` it holds that race's concept and models."""
    endpoints = list(usable(person))
    initial: dict[str, Any] = {"repeats": 1, "visibility": Visibility.PUBLIC, "key": uuid.uuid4().hex}
    pickers = [suggested(endpoints, f"{a.lower()}-", f"Model {a}", place) for place, a in enumerate(LETTERS)]
    if again:
        initial |= {"concept": again.concept, "visibility": again.batch.visibility}
        climbs = {climb.letter: climb for climb in again.climbs.all()}
        pickers = [
            picker(endpoints, f"{a.lower()}-", f"Model {a}", climbs[a].endpoint_id, climbs[a].model)
            for a in LETTERS
        ]
        initial["repeats"] = getattr(again.batch.runs.first(), "repeats", 1)
    return RaceForm(RaceFields(initial=initial), pickers)


def posted_form(person: Person, data: Mapping[str, str]) -> RaceForm:
    """The form as it was sent; its problems are known, those of starting are not yet."""
    endpoints = list(usable(person))
    pickers = [posted(endpoints, data, f"{a.lower()}-", f"Model {a}") for a in LETTERS]
    form = RaceForm(RaceFields(data), pickers)
    form.fields.is_valid()
    _each_once(form.pickers)
    return form


def _each_once(pickers: list[Picker]) -> None:
    """The same problem of both models is said at the first."""
    said: set[str] = set()
    for one in pickers:
        one.errors = {part: message for part, message in one.errors.items() if message not in said}
        said |= set(one.errors.values())
