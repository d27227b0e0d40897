"""What is done with people and teams, one verb a function."""

from __future__ import annotations

import re
import secrets
import unicodedata

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.text import slugify

from registry.audit.domain import record
from registry.endpoints.practice import ensure_practice_endpoints
from registry.teams import access, signin
from registry.teams.members import Asked
from registry.teams.models import Membership, Role, Team, User
from registry.web.address import site_address

ADMINISTRATOR = "admin@localhost"
MOST_OWNED = 50
NAME_LENGTH = 100
SLUG_LENGTH = 50
RESERVED = frozenset({"new", "registry"})
"""Slugs that no person's team gets: a page has the first, the library's team the second."""
TAKEN = "This address is taken: choose another."
BAD_SLUG = f"Write lower-case letters, digits and single hyphens between them, at most {SLUG_LENGTH} in all."
_SLUG = re.compile("[a-z0-9]+(-[a-z0-9]+)*")


NAMES_OF_THE_SITE = frozenset({"the operator", "operator", "closed account", "site staff"})
"""What stands where a person's name would for who has none: a log must not be misread."""
_ALIKE = {
    "a": "\u0430\u03b1\u0251",
    "c": "\u0441\u03c2\u03f2",
    "d": "\u0501",
    "e": "\u0435\u03b5",
    "h": "\u043d\u04bb\u03b7",
    "l": "\u0456\u04cf\u03b9\u0131i1|",
    "n": "\u043f\u03bd",
    "o": "\u043e\u03bf0",
    "p": "\u0440\u03c1",
    "s": "\u0455",
    "t": "\u0442\u03c4",
    "u": "\u0443\u03c5",
}
LOOKALIKES = {ord(other): plain for plain, others in _ALIKE.items() for other in others}
"""Letters of Cyrillic, Greek and Latin that are taken for those of NAMES_OF_THE_SITE; l, I and 1 are one."""
FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Letters and marks by their class, but nothing is seen of them."""


class NameRefused(ValueError):
    """A person cannot be called so; the message says what to do."""


class TeamRefused(ValueError):
    """A team cannot be as asked; `field` is where, the message what to do."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def sign_in_link(user: User) -> str:
    """An address that signs `user` in once, within the hour. The code is in the part no server sees."""
    fresh = User.objects.get(pk=user.pk)
    return f"{site_address()}{reverse('sign-in')}#{signin.make_code(fresh)}"


@transaction.atomic
def ensure_administrator() -> User:
    """The first active superuser, made when there is none, with a team and its practice endpoints."""
    user = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if user is None:
        user = User.objects.create_superuser(ADMINISTRATOR, name="Administrator")
    ensure_personal_team(user)
    return user


@transaction.atomic
def ensure_personal_team(user: User) -> Team:
    """The first team that `user` owns, made when there is none; it can race at once on practice endpoints."""
    owned = (
        Membership.objects.filter(user=user, role=Role.OWNER).select_related("team").order_by("pk").first()
    )
    team = owned.team if owned else _personal_team(user)
    ensure_practice_endpoints(team)
    return team


def _personal_team(user: User) -> Team:
    """Called as the person is. Its slug stays in links for good, so nothing of a person stands in it."""
    number = secrets.token_hex(4)
    named = user.name and "@" not in user.name
    slug = "administrator" if user.email == ADMINISTRATOR else f"team-{number}"
    return _found_team(user, user.name if named else f"Team {number}", _free_slug(slug))


def create_team(by: User, name: str, slug: str = "") -> Team:
    """A team that `by` owns; without a slug, its name makes one. Raises TeamRefused."""
    name = clean_name(name)
    owned = Membership.objects.filter(user=by, role=Role.OWNER).count()
    if owned >= MOST_OWNED:
        raise TeamRefused("name", f"You own {owned} teams, which is the most that one person may own.")
    slug = check_slug(slug) if slug else _free_slug(name)
    try:
        with transaction.atomic():
            team = _found_team(by, name, slug)
            ensure_practice_endpoints(team)
            record(team, by, "team-created", team.slug)
    except IntegrityError:
        raise TeamRefused("slug", TAKEN) from None
    return team


@transaction.atomic
def rename_team(by: User, team: Team, name: str, asked: Asked = access.require) -> None:
    """Give the team another name. Its slug stays: it stands in permanent links. Raises TeamRefused."""
    asked(by, team, "rename the team")
    name = clean_name(name)
    stored = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if stored.name != name:
        Team.objects.filter(pk=team.pk).update(name=name)
        record(team, by, "team-renamed", name, before=stored.name)


def clean_name(name: str) -> str:
    """`name` by `one_line`. Raises TeamRefused."""
    line = one_line(name)
    if not line:
        raise TeamRefused("name", "Write a name.")
    if len(line) > NAME_LENGTH:
        raise TeamRefused("name", f"Shorten the name to {NAME_LENGTH} characters.")
    return line


def one_line(name: str) -> str:
    """A name that a person wrote, in one line, without what cannot be seen or turns the line around."""
    return " ".join("".join(each if _seen(each) else " " for each in name).split())


def _seen(character: str) -> bool:
    return character.isprintable() and character not in FILLERS


def clean_person_name(name: str) -> str:
    """What a person is called, by `one_line`; "" for their address. Raises NameRefused."""
    line = one_line(name)
    if "@" in unicodedata.normalize("NFKC", line):
        raise NameRefused("A name holds no @, or it would be read as somebody's address.")
    if _looks(line) in map(_looks, NAMES_OF_THE_SITE):
        raise NameRefused(f"“{line}” is what this site calls somebody else: write your own name, or none.")
    return line


def _looks(name: str) -> str:
    """The same for names that look alike: without accents, case, and which alphabet a letter is of."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return "".join(each for each in letters if not unicodedata.combining(each)).translate(LOOKALIKES)


def check_slug(slug: str) -> str:
    """A slug that a person chose. Raises TeamRefused."""
    if len(slug) > SLUG_LENGTH or not _SLUG.fullmatch(slug):
        raise TeamRefused("slug", BAD_SLUG)
    if slug in RESERVED or Team.objects.filter(slug=slug).exists():
        raise TeamRefused("slug", TAKEN)
    return slug


def _found_team(user: User, name: str, slug: str) -> Team:
    team = Team.objects.create(slug=slug, name=name)
    Membership.objects.create(team=team, user=user, role=Role.OWNER)
    return team


def _free_slug(name: str) -> str:
    wanted = slugify(name).replace("_", "-")[:SLUG_LENGTH].strip("-") or "team"
    taken = {*Team.objects.filter(slug__startswith=wanted).values_list("slug", flat=True), *RESERVED}
    numbered = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    return next(slug for slug in (wanted, *numbered) if slug not in taken)
