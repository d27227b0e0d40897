"""The probes that ship with the registry, as files. Loading them twice changes nothing."""

from __future__ import annotations

from pathlib import Path

from probes.core import DocumentError
from probes.domain.publish import GateRefused, Publication, publish
from registry.teams.models import Team

LIBRARY = Path(__file__).resolve().parent.parent / "library"
TEAM_SLUG = "registry"
TEAM_NAME = "Probe Registry"


class LibraryError(ValueError):
    """A file of the library that cannot be published; the message names it and says what is wrong."""


def library_team() -> Team:
    """The team that owns what ships with the registry. It has no members."""
    return Team.objects.get_or_create(slug=TEAM_SLUG, defaults={"name": TEAM_NAME})[0]


def load_library() -> list[Publication]:
    """Publish the shipped probes; a file whose digest changed becomes the next version."""
    return publish_files(library_team(), LIBRARY)


def publish_files(team: Team, folder: Path) -> list[Publication]:
    """Publish every probe file (`*.yaml`, not `*.ladder.yaml`) of a folder, by name. Raises LibraryError."""
    files = [path for path in sorted(folder.glob("*.yaml")) if not path.name.endswith(".ladder.yaml")]
    return [_publish_file(team, path) for path in files]


def _publish_file(team: Team, path: Path) -> Publication:
    try:
        return publish(team, path.read_text(encoding="utf-8"))
    except (DocumentError, GateRefused, UnicodeDecodeError) as error:
        raise LibraryError(f"{path.name}: {error}") from error
