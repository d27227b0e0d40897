"""The properties of a registry with races in it, each looked up in the database as it is."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Count, F

from ladder.domain.evidence import canonical
from ladder.domain.latest import current_ladders, rungs_of
from ladder.models import Hold, Ladder, Race, Rung
from probes.core import score
from probes.core.digests import digest_of
from probes.core.verification import distribution
from probes.domain.verification import Look, Property, counted, holding
from probes.domain.verification.batches import Evidence, look_at_verdicts, verified_batches
from probes.domain.verification.recount import look_at_recounts
from probes.domain.verification.rows import look_at_triggers, versions_that_lie
from probes.domain.verification.scan import Finds, scan_database, scan_file, scan_log
from probes.models import Attempt

TWELVE = "one two three four five six seven eight nine ten eleven twelve"
BLANKS = ("", " \t\n\u3000\ufeff")
FOLDED = "system folded"


def properties(logs: Sequence[Path] = ()) -> Iterator[Property]:
    """Every property, in the order in which they are printed."""
    yield holding("known 12-word string vs 10-word limit", look_at_twelve_words)
    yield holding("every rung rejects empty output", look_at_empty_output)
    yield holding("all models received byte-identical messages on every rung, as stored", look_at_messages)
    yield holding("word-count verdicts equal an independent recount of the raw output", look_at_recounts)
    found = verified_batches()
    yield holding(
        "reasoning text is nowhere: not in the database, the evidence or a log",
        lambda: look_for_reasoning(found, logs),
    )
    yield holding("every attempt names the endpoint that served it", look_at_endpoints)
    yield holding("triggers keep published and recorded rows", look_at_triggers)
    yield holding("digests recompute", lambda: look_at_digests(found))
    yield holding("every stored verdict recomputes", lambda: look_at_verdicts(found))
    yield holding("some verdicts pass", lambda: look_at_marks(found))


def database() -> str:
    """The database that is read, without what opens it."""
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return str(given["NAME"])
    host = f"{given['HOST'] or 'localhost'}{given['PORT'] and ':'}{given['PORT']}"
    return f"{connection.vendor}://{given['USER']}@{host}/{given['NAME']}"


def look_at_twelve_words() -> Look:
    """The rung that asks for ten words must say so of twelve."""
    wanted = {"kind": "words", "op": "==", "n": 10, "token": "whitespace"}
    for rung in _rungs():
        for rule in rung.version.parsed.rubric.rules:
            if wanted.items() <= rule.check.as_json().items():
                finding = rule.check.run(TWELVE)
                said = f'counted {finding.actual} words -> verdict "{finding.message}"'
                right = not finding.ok and finding.message == "12 / 10 words"
                return right, [f"{said} (ok={str(finding.ok).lower()})"]
    return False, ["no rung asks for exactly 10 words"]


def look_at_empty_output() -> Look:
    rungs = _rungs()
    accepting = [
        f"{rung.index} {rung.key} accepts {json.dumps(blank)}"
        for rung in rungs
        for blank in BLANKS
        if any(verdict.ok for verdict in score(rung.version.parsed, blank).verdicts)
    ]
    refused = len(rungs) - len({text.partition(" accepts ")[0] for text in accepting})
    return bool(rungs) and not accepting, [
        *accepting,
        f'{refused}/{len(rungs)} rungs reject "" and white space',
    ]


def _rungs() -> list[Rung]:
    return [rung for ladder in current_ladders() for rung in rungs_of(ladder)]


def look_at_messages() -> Look:
    """Compared as they were stored, whatever version they belong to."""
    told = Compared()
    for race in Race.objects.order_by("batch__created_at", "pk"):
        told.add(race)
    seen = [
        f"{counted(told.same, 'rung')} of {counted(told.races, 'race')}: all messages identical, "
        f"{counted(told.attempts, 'attempt')} compared",
        *([f"{counted(told.unsent, 'rung')} not sent to every model"] if told.unsent else []),
        *([f"{counted(told.altered, 'rung')}: an endpoint folds system messages"] if told.altered else []),
    ]
    return bool(told.same) and not told.different, [*told.different, *seen]


@dataclass
class Compared:
    """The rungs of races by what came of comparing what the climbs were sent there."""

    races: int = 0
    attempts: int = 0
    same: int = 0
    unsent: int = 0
    altered: int = 0
    different: list[str] = field(default_factory=list)

    def add(self, race: Race) -> None:
        self.races += 1
        letters = list(race.climbs.values_list("letter", flat=True))
        for (index, key), sent in _sent(race).items():
            self.attempts += sum(len(texts) for texts in sent.values())
            distinct = {text for texts in sent.values() for text in texts}
            if len(sent) < len(letters):
                self.unsent += 1
            elif len(distinct) == 1:
                self.same += 1
            elif FOLDED in _alters(race, index):
                self.altered += 1
            else:
                self.different.append(f"{race.concept}: {index} {key}: {len(distinct)} different messages")


def _alters(race: Race, index: int) -> set[str]:
    """What any of the endpoints alters at one rung."""
    runs = race.batch.runs.filter(hold__rung__index=index)
    return {name for alters in runs.values_list("alters", flat=True) for name in alters}


def _sent(race: Race) -> dict[tuple[int, str], dict[str, list[bytes]]]:
    """By rung and by letter, the messages of every attempt, as a digest of their text."""
    rows = Attempt.objects.filter(batch=race.pk, sent_messages__isnull=False)
    found: dict[tuple[int, str], dict[str, list[bytes]]] = {}
    columns = ("rung__index", "rung__key", "climb__letter")
    names = [f"trial__run__hold__{name}" for name in columns]
    for index, key, letter, messages in rows.values_list(*names, "sent_messages").order_by("seq"):
        text = json.dumps(messages, sort_keys=True).encode()
        found.setdefault((index, key), {}).setdefault(letter, []).append(hashlib.sha256(text).digest())
    return found


def look_for_reasoning(found: Evidence, logs: Sequence[Path]) -> Look:
    """The canary is in the reasoning of the practice model `silent`, and may be nowhere else."""
    scanned = scan_database()
    finds = Finds(scanned.finds.places + found.finds.places)
    looked = [
        f"{counted(scanned.tables, 'table')}, {counted(scanned.rows, 'row')}, "
        f"{counted(scanned.values, 'value')} scanned",
        *_scan_file(finds),
        f"{counted(found.lines, 'line')} of evidence scanned",
        *_scan_logs([*_kept_logs(), *logs], finds),
    ]
    return bool(scanned.rows and found.lines) and not finds.places, [*finds.seen, *looked]


def _scan_file(finds: Finds) -> list[str]:
    """SQLite keeps everything in one file, and what is not yet in it beside it."""
    if connection.vendor != "sqlite":
        return []
    path = Path(str(connection.settings_dict["NAME"]))
    files = [each for each in (path, Path(f"{path}-wal")) if each.is_file()]
    return [f"{path.name}: {scan_file(path, finds):,} raw bytes scanned" for path in files]


def _kept_logs() -> list[Path]:
    return sorted(path for path in settings.PROBE_HOME.rglob("*.log*") if path.is_file())


def _scan_logs(logs: Sequence[Path], finds: Finds) -> list[str]:
    if not logs:
        return [f"no log is kept in {settings.PROBE_HOME}: give others with --log"]
    return [f"{path.name}: {counted(scan_log(path, finds), 'line')} of log scanned" for path in logs]


def look_at_endpoints() -> Look:
    """By the name that it had when the run began."""
    columns = ("endpoint_name", "trial__run__endpoint_name")
    served = Attempt.objects.values_list(*columns).annotate(n=Count("pk")).order_by(*columns)
    wrong = [
        f"{counted(count, 'attempt')} named {name!r}, of runs at {run}"
        for name, run, count in served
        if name != run
    ]
    strayed = Hold.objects.exclude(run__endpoint=F("climb__endpoint")).count()
    wrong += [f"{counted(strayed, 'run')} of races at another endpoint than their climb"] if strayed else []
    shares = Counter[str]()
    for name, _, count in served:
        shares[name] += count
    told = ", ".join(f"{name} {count:,}" for name, count in shares.items())
    total = sum(shares.values())
    return bool(total) and not wrong, [*_routes(), *wrong, f"{counted(total, 'attempt')}: {told or 'none'}"]


def _routes() -> list[str]:
    """`A -> url | B -> url` of the latest races, each once."""
    latest = Race.objects.order_by("-batch__created_at").prefetch_related("climbs__endpoint")[:50]
    routes = (
        " | ".join(f"{climb.letter} -> {climb.endpoint.base_url}" for climb in race.climbs.all())
        for race in latest
    )
    return list(dict.fromkeys(routes))[:3]


def look_at_digests(found: Evidence) -> Look:
    """Of versions, ladders and sent messages."""
    versions, wrong = versions_that_lie()
    ladders = list(Ladder.objects.order_by("pk"))
    for ladder in ladders:
        rungs = rungs_of(ladder)
        if ladder.digest != digest_of([canonical(ladder, rungs), [rung.version.digest for rung in rungs]]):
            wrong.append(f"{ladder}, edition {ladder.number}: the digest is not that of its rungs")
    lies = found.told("sent", "document")
    seen = [
        f"{counted(versions, 'version')} with their rules and fixtures, {counted(len(ladders), 'ladder')}, "
        f"{counted(found.recomputed['sent'], 'digest')} of sent messages"
    ]
    return bool(versions and ladders) and not (wrong or lies), [*wrong, *lies, *seen]


def look_at_marks(found: Evidence) -> Look:
    """FAIL verdicts are data; not one PASS among them says that something is broken."""
    return found.marks["pass"] > 0, [distribution(found.marks)]
