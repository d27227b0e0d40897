"""Publish a probe file: the gate, then the next version of its probe, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from probes.core import Document, Examination, examine
from probes.models import Fixture, Probe, ProbeVersion, Rubric, Rule
from registry.audit.domain import record
from registry.teams import access
from registry.teams.models import Team, User


@dataclass(frozen=True)
class Publication:
    """The version that holds the content; `created` if it was not there before.

    Content equal to an older version *is* that version: results go on counting there, no number is
    taken, and the newest version stays the current one, which `newer` is the number of; 0 where the
    version is the newest. To go back to it, publish it with a change. `edited` names what followed the
    file without a new version, such as the title.
    """

    version: ProbeVersion
    created: bool
    edited: tuple[str, ...] = ()
    newer: int = 0


class GateRefused(ValueError):
    """The worked examples do not hold; `examination.problems` says why, with lines."""

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        super().__init__("\n".join(["The publishing gate refuses this:", *map(str, examination.problems)]))


class StaleBase(ValueError):
    """The probe has a newer version than the one that this was written on: `latest`, 0 for none at all."""

    def __init__(self, base: int, latest: int) -> None:
        self.base, self.latest = base, latest
        written = f"on v{base}" if base else "for a new probe"
        super().__init__(f"This was written {written}, and there is v{latest} by now: look at that first.")


def publish(
    team: Team,
    source: Document | str,
    *,
    by: User | None = None,
    as_staff: bool = False,
    base_version: int | None = None,
) -> Publication:
    """Publish a document, or the text of a probe file, as a version of its probe in `team`.

    The same content makes no new version; title, category and summary follow the file all the
    same, unless the content is an older version's. `by` None is the registry itself; `as_staff`
    asks for the rights that `by` has in the admin. With `base_version` (0: the probe is new)
    nothing is written unless that is still the newest version, or the newest says the same.
    Raises DocumentError, GateRefused, StaleBase, and what `access.require` does.
    """
    if by:
        (access.require_of_staff if as_staff else access.require)(by, team, "publish probes")
    document = accepted(source)
    with transaction.atomic():
        probe = _probe(team, document)
        _refuse_stale(probe, document, base_version)
        return _known(probe, document, by) or Publication(_next_version(probe, document, by), True)


def accepted(source: Document | str) -> Document:
    """The document, if its file is well written and passes the gate. Raises DocumentError, GateRefused."""
    document = Document.parse(source) if isinstance(source, str) else source
    examination = examine(document)
    if not examination.ok:
        raise GateRefused(examination)
    return document


def says_the_same(probe: Probe, document: Document) -> bool:
    """Whether publishing `document` would change nothing: a form sent twice is no conflict."""
    newest = probe.versions.first()
    about = _about(document).items()
    return bool(newest and newest.digest == document.digest) and all(
        getattr(probe, name) == text for name, text in about
    )


def _refuse_stale(probe: Probe, document: Document, base: int | None) -> None:
    """Asked under the probe's lock, so that nothing comes between the answer and the next version."""
    latest = _latest(probe)
    if base not in (None, latest) and not says_the_same(probe, document):
        raise StaleBase(base or 0, latest)


def _latest(probe: Probe) -> int:
    """The number of its newest version; 0 before the first."""
    return probe.versions.aggregate(latest=Max("number"))["latest"] or 0


def _probe(team: Team, document: Document) -> Probe:
    """The document's probe, locked: whoever publishes at the same time waits for the number."""
    Probe.objects.get_or_create(team=team, slug=document.slug, defaults=_about(document))
    return Probe.objects.select_for_update(no_key=True).get(team=team, slug=document.slug)


def _about(document: Document) -> dict[str, str]:
    return {"title": document.title, "category": document.category, "summary": document.summary}


def _known(probe: Probe, document: Document, by: User | None) -> Publication | None:
    version = probe.versions.filter(digest=document.digest).first()
    if version is None:
        return None
    if (latest := _latest(probe)) > version.number:
        return Publication(version, False, newer=latest)
    before = _describe(probe, document)
    if before:
        said: dict[str, Any] = {f"{name}_before": text for name, text in before.items()}
        record(probe.team, by, "probe-edited", probe, what=list(before), **said)
    return Publication(version, False, edited=tuple(before))


def _describe(probe: Probe, document: Document) -> dict[str, str]:
    """Let the probe's own texts follow the file; those that were others before, as they were."""
    now = _about(document)
    before = {name: getattr(probe, name) for name, text in now.items() if getattr(probe, name) != text}
    if before:
        Probe.objects.filter(pk=probe.pk).update(**now)
    return before


def _next_version(probe: Probe, document: Document, by: User | None) -> ProbeVersion:
    version = ProbeVersion.objects.create(
        probe=probe,
        number=_latest(probe) + 1,
        rubric=_rubric(probe, document),
        digest=document.digest,
        request_digest=document.request_digest,
        system=document.prompt.system,
        user=document.prompt.user,
        variables=list(document.variables),
        parameters=document.parameters.as_json(),
        changelog=document.changelog,
        document=document.canonical(),
        fixture_count=len(document.fixtures),
        published_by=by,
    )
    Fixture.objects.bulk_create(_fixtures(version, document))
    _describe(probe, document)
    record(probe.team, by, "version-published", version, title=document.title)
    return version


def _rubric(probe: Probe, document: Document) -> Rubric:
    """The probe's rubric with that digest: versions that did not change it share it."""
    rubric, created = Rubric.objects.get_or_create(
        probe=probe,
        rubric_digest=document.rubric_digest,
        defaults={
            "checks_digest": document.checks_digest,
            "prose": document.rubric.prose,
            "criteria": list(document.rubric.criteria),
            "rule_count": len(document.rubric.rules),
        },
    )
    if created:
        rules = enumerate(document.rubric.rules)
        Rule.objects.bulk_create(
            Rule(rubric=rubric, position=i, name=rule.name, check_data=rule.check.as_json(), why=rule.why)
            for i, rule in rules
        )
    return rubric


def _fixtures(version: ProbeVersion, document: Document) -> list[Fixture]:
    return [
        Fixture(version=version, position=position, **fixture.as_json())
        for position, fixture in enumerate(document.fixtures)
    ]
