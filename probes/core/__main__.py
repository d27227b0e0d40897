"""The registry's verdicts without a server: `python -m probes.core check`, `… score`, `… verify`, `… schema`.

Exit status: 0 all holds, 1 something fails, 2 a file cannot be read or is not of the right kind.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from probes.core.document import Document
from probes.core.fixtures import Examination, examine
from probes.core.json_schema import schema
from probes.core.lint import Remark, lint
from probes.core.matrix import matrix, pins
from probes.core.mutations import Mutations, mutate
from probes.core.problems import DocumentError, shorten
from probes.core.scoring import Reply, Result, TooLarge, score
from probes.core.terminal import exit_status, printable
from probes.core.verification import NotEvidence, Verification, distribution, verify
from probes.core.view import MAX_CHARACTERS
from probes.core.yaml_source import MAX_BYTES

MAX_FILE = 2 * MAX_BYTES
"""Bytes that are read of a probe file; up to here the reader itself says how long it may be."""

MAX_OUTPUT = 8 * MAX_CHARACTERS
"""Bytes that are read of an output; no character has more than 4."""

EPILOG = "exit status: 0 all holds, 1 something fails, 2 a file cannot be read or is not of the right kind"


class UnreadableError(Exception):
    """Something given on the command line that cannot be used, with what to do."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """All that is known of one probe file."""

    examination: Examination
    mutations: Mutations
    remarks: tuple[Remark, ...]

    @classmethod
    def of(cls, document: Document) -> _Checked:
        examination = examine(document)
        return cls(examination, mutate(examination), lint(examination))

    @property
    def weak(self) -> bool:
        """Whether there is something to look at again, though it may be published."""
        return bool(self.mutations.survivors or self.remarks)

    def holds(self, *, strict: bool) -> bool:
        return self.examination.ok and not (strict and self.weak)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return int(options.run(options))
    except UnreadableError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m probes.core", description=__doc__.split("\n")[0], epilog=EPILOG
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="run the worked examples of probe files", epilog=EPILOG)
    check.add_argument("files", nargs="+", metavar="FILE", type=Path)
    check.add_argument(
        "--strict", action="store_true", help="exit with 1 also for surviving mutants and lint remarks"
    )
    check.set_defaults(run=run_check)
    scoring = commands.add_parser("score", help="score the output on standard input", epilog=EPILOG)
    scoring.add_argument("file", metavar="FILE", type=Path, help="the probe file")
    scoring.add_argument("--json", action="store_true", help="print one JSON object")
    scoring.add_argument("--finish", default="stop", help="the provider's finish reason (default: stop)")
    scoring.add_argument("--reasoning-tokens", type=_count, metavar="N", help="as the provider reported")
    scoring.set_defaults(run=run_score)
    verifying = commands.add_parser("verify", help="recompute an evidence file", epilog=EPILOG)
    verifying.add_argument("file", metavar="FILE", type=Path, help="the evidence of a batch")
    verifying.set_defaults(run=run_verify)
    describing = commands.add_parser("schema", help="print the JSON Schema of the probe file", epilog=EPILOG)
    describing.set_defaults(run=run_schema)
    return parser


def _count(text: str) -> int:
    """A whole number from 0. Raises ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise argparse.ArgumentTypeError(f"write a whole number from 0, not {shorten(text)}")
    return int(text)


def run_check(options: argparse.Namespace) -> int:
    """Examine each file and print what its fixtures score and show; the worst exit status of all."""
    worst = 0
    for path in options.files:
        try:
            checked = _Checked.of(_document(path))
        except UnreadableError as error:
            print(error, file=sys.stderr)
            worst = 2
            continue
        print("\n".join(map(printable, _examination_lines(path, checked, strict=options.strict))))
        worst = max(worst, 0 if checked.holds(strict=options.strict) else 1)
    return worst


def run_score(options: argparse.Namespace) -> int:
    """Score standard input by one file and print a verdict a rule."""
    document = _document(options.file)
    reply = Reply(_standard_input(), options.finish, reasoning_tokens=options.reasoning_tokens)
    try:
        result = score(document, reply)
    except TooLarge as error:
        raise UnreadableError(f"standard input: {error}") from None
    if options.json:
        print(json.dumps({"digest": document.digest, **result.as_json()}, ensure_ascii=False))
    else:
        print("\n".join(map(printable, _result_lines(result))))
    return 0 if result.passed == result.total else 1


def run_verify(options: argparse.Namespace) -> int:
    """Recompute an evidence file and name each line that lies."""
    path: Path = options.file
    try:
        with path.open("rb") as file:
            found = verify(file)
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror}") from None
    except NotEvidence as error:
        raise UnreadableError(f"{path}: {printable(str(error))}") from None
    print("\n".join(map(printable, _verification_lines(path, found))))
    return 0 if found.ok else 1


def run_schema(options: argparse.Namespace) -> int:
    """Print the schema for an editor that completes and checks probe files."""
    print(json.dumps(schema(), ensure_ascii=False, indent=1))
    return 0


def _document(path: Path) -> Document:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise UnreadableError(f"{path}: over {MAX_FILE:,} bytes, which no probe file has")
        return Document.parse(data.decode("utf-8-sig"))
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except DocumentError as error:
        raise UnreadableError(f"{path}: {_printable_lines(str(error))}") from None


def _standard_input() -> str:
    if sys.stdin is None:
        raise UnreadableError(
            "standard input is closed: write the output to score to it, such as < output.txt"
        )
    if sys.stdin.isatty():
        print("Reading the output to score; end it with Ctrl-D.", file=sys.stderr)
    data = sys.stdin.buffer.read(MAX_OUTPUT + 1)
    if len(data) > MAX_OUTPUT:
        raise UnreadableError(f"standard input: over {MAX_CHARACTERS:,} characters nothing is scored")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(f"standard input: not UTF-8 at byte {error.start}") from None


def _examination_lines(path: Path, checked: _Checked, *, strict: bool) -> list[str]:
    document = checked.examination.document
    return [
        f"{path}",
        f"  {document.slug}: {document.title}  [{document.digest[:12]}]",
        *(f"  {line}" for line in matrix(checked.examination)),
        *(f"  {line}" for line in pins(checked.examination)),
        *(f"  PROBLEM  {problem}" for problem in checked.examination.problems),
        *(f"  SURVIVES  {survivor}" for survivor in checked.mutations.survivors),
        *(f"  LINT  {remark}" for remark in checked.remarks),
        f"  {_summary(checked, strict=strict)}",
    ]


def _summary(checked: _Checked, *, strict: bool) -> str:
    examination, mutations = checked.examination, checked.mutations
    rules, problems, remarks = len(examination.pinned), len(examination.problems), len(checked.remarks)
    pinned = sum(map(bool, examination.pinned.values()))
    counts = [
        f"{_of(len(examination.fixtures), 'fixture')}",
        f"{pinned} of {rules} rules pinned",
        f"{mutations.caught:,} of {mutations.tried:,} mutants caught",
        *([f"{mutations.untried:,} not tried"] if mutations.untried else []),
        *([_of(remarks, "lint remark")] if remarks else []),
        *([_of(problems, "problem")] if problems else []),
    ]
    verdict = "NOT OK" if problems else "NOT OK by --strict" if strict and checked.weak else "OK"
    return f"{verdict}: {', '.join(counts)}"


def _of(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


RECOMPUTED = {
    "document": "documents: digests",
    "race": "race: digest of its ladder",
    "sent": "attempts: digest of the sent messages",
    "outcome": "attempts: outcome and score",
    "verdict": "verdicts",
}
"""What is recomputed, as a report calls it."""


def _verification_lines(path: Path, found: Verification) -> list[str]:
    header = found.header
    about = [
        f"  {found.recomputed[key] - found.wrong[key]:>5} of {found.recomputed[key]} {words}"
        for key, words in RECOMPUTED.items()
        if found.recomputed[key]
    ]
    is_, their = ("output is", "its") if found.redacted == 1 else ("outputs are", "their")
    redacted = [f"  {found.redacted:>5} {is_} redacted: {their} verdicts stand as stored"]
    return [
        f"{path}",
        f"  {header['title']}  [batch {header['batch']}, {header['state']}]",
        *about,
        *(redacted if found.redacted else []),
        f"  {distribution(found.marks)}",
        *(f"  LIES  {lie}" for lie in found.lies),
        *([f"  and {found.more:,} more"] if found.more else []),
        f"  {_verified(found)}",
    ]


def _verified(found: Verification) -> str:
    if found.ok:
        return f"OK: nothing lies in {found.lines:,} lines; their chain ends with {found.chain}"
    lies = "1 line lies" if found.lying_lines == 1 else f"{found.lying_lines:,} lines lie"
    return f"NOT OK: {lies} of {found.lines:,}"


def _result_lines(result: Result) -> list[str]:
    width = max(len(verdict.rule) for verdict in result.verdicts)
    tokens = "" if result.reasoning_tokens is None else f"   rt={result.reasoning_tokens}"
    beside = tokens if result.outcome == "empty" else ""
    lines = [
        f"{i:>2} {each.rule:<{width}}  {'PASS' if each.ok else 'FAIL'}  {each.finding.message}{beside}"
        for i, each in enumerate(result.verdicts, 1)
    ]
    return [*lines, f"{result.value:.2f}  {result.passed} / {result.total} rules  {result.outcome}{tokens}"]


def _printable_lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


if __name__ == "__main__":
    sys.exit(exit_status(main))
