"""Load what ships with the registry: probes, and the ladder with its rungs. Loading twice changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

import ladder
from ladder.core import LadderDocument, RungDocument
from ladder.models import Ladder, Rung
from probes.core import DocumentError
from probes.core.digests import digest_of
from probes.domain.library import LibraryError, library_team, load_library, publish_files
from probes.domain.publish import Publication
from probes.models import ProbeVersion
from registry.teams.models import Team

LIBRARY = Path(ladder.__file__).parent / "library"
LADDER_FILES = "*.ladder.yaml"


@dataclass(frozen=True)
class Edition:
    """A ladder as loading left it; `created` says whether this is a new edition.

    A file that equals an older edition is that one: `newer` is the number of the one that stays current.
    """

    ladder: Ladder
    created: bool
    newer: int = 0


@dataclass(frozen=True)
class Loaded:
    probes: list[Publication]
    ladders: list[Edition]


def load_everything() -> Loaded:
    """The shipped probes, the rungs and the ladder: what is new is published, what is there is left alone.

    Raises LibraryError, which names the file.
    """
    probes = load_library()
    rungs, ladders = load_ladders()
    return Loaded(probes + rungs, ladders)


def load_ladders(folder: Path | None = None) -> tuple[list[Publication], list[Edition]]:
    """Publish the rung probes of `folder` (ours), then the ladders that place them. Raises LibraryError."""
    team, folder = library_team(), folder or LIBRARY
    published = publish_files(team, folder)
    versions = {one.version.probe.slug: one.version for one in published}
    return published, [_load_file(team, path, versions) for path in sorted(folder.glob(LADDER_FILES))]


def _load_file(team: Team, path: Path, versions: Mapping[str, ProbeVersion]) -> Edition:
    try:
        return publish_ladder(team, LadderDocument.parse(path.read_text(encoding="utf-8")), versions)
    except (DocumentError, UnicodeDecodeError) as error:
        raise LibraryError(f"{path.name}: {error}") from error


@transaction.atomic
def publish_ladder(team: Team, document: LadderDocument, versions: Mapping[str, ProbeVersion]) -> Edition:
    """The edition that is this document on these versions; a new one unless it is published already."""
    placed = [(rung, _version(rung, versions)) for rung in document.rungs]
    digest = digest_of([document.canonical(), [version.digest for _, version in placed]])
    Team.objects.select_for_update().get(pk=team.pk)  # two loaders at once take turns
    editions = Ladder.objects.filter(team=team, slug=document.slug)
    if found := editions.filter(digest=digest).first():
        latest = editions.count()
        return Edition(found, created=False, newer=latest if latest > found.number else 0)
    made = Ladder.objects.create(
        team=team,
        slug=document.slug,
        number=editions.count() + 1,
        title=document.title,
        summary=document.summary,
        digest=digest,
        rung_count=len(placed),
    )
    _place(made, placed)
    return Edition(made, created=True)


def _place(made: Ladder, placed: Iterable[tuple[RungDocument, ProbeVersion]]) -> None:
    Rung.objects.bulk_create(
        Rung(
            ladder=made,
            index=rung.index,
            key=rung.id,
            label=rung.label,
            constraint=rung.constraint,
            version=version,
        )
        for rung, version in placed
    )


def _version(rung: RungDocument, versions: Mapping[str, ProbeVersion]) -> ProbeVersion:
    if rung.probe not in versions:
        known = ", ".join(sorted(versions))
        raise LibraryError(f"Rung {rung.id} stands on the probe {rung.probe}, which is not here: {known}.")
    return versions[rung.probe]
