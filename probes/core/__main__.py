"""The registry's verdicts without a server: `python -m probes.core check FILE…` and `… score FILE`.

Exit status: 0 all holds, 1 something fails, 2 a file cannot be read or is no probe file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from probes.core.document import Document
from probes.core.fixtures import Examination, Examined, examine
from probes.core.problems import DocumentError
from probes.core.scoring import Reply, Result, TooLarge, score

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

EPILOG = "exit status: 0 all holds, 1 something fails, 2 a file cannot be read or is no probe file"


class UnreadableError(Exception):
    """Something given on the command line that cannot be used, with what to do."""


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
    check.set_defaults(run=run_check)
    scoring = commands.add_parser("score", help="score the output on standard input", epilog=EPILOG)
    scoring.add_argument("file", metavar="FILE", type=Path, help="the probe file")
    scoring.add_argument("--json", action="store_true", help="print one JSON object")
    scoring.add_argument("--finish", default="stop", help="the provider's finish reason (default: stop)")
    scoring.add_argument("--reasoning-tokens", type=int, metavar="N", help="as the provider reported")
    scoring.set_defaults(run=run_score)
    return parser


def run_check(options: argparse.Namespace) -> int:
    """Examine each file and print what its fixtures score; the worst exit status of all."""
    worst = 0
    for path in options.files:
        try:
            examination = examine(_document(path))
        except UnreadableError as error:
            print(error, file=sys.stderr)
            worst = 2
            continue
        print("\n".join(map(_printable, _examination_lines(path, examination))))
        worst = max(worst, 0 if examination.ok else 1)
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
        print("\n".join(map(_printable, _result_lines(result))))
    return 0 if result.passed == result.total else 1


def _document(path: Path) -> Document:
    try:
        return Document.parse(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except DocumentError as error:
        raise UnreadableError(f"{path}: {_printable_lines(str(error))}") from None


def _standard_input() -> str:
    if sys.stdin.isatty():
        print("Reading the output to score; end it with Ctrl-D.", file=sys.stderr)
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(f"standard input: not UTF-8 at byte {error.start}") from None


def _examination_lines(path: Path, examination: Examination) -> list[str]:
    document = examination.document
    return [
        f"{path}",
        f"  {document.slug}: {document.title}  [{document.digest[:12]}]",
        *(f"  {_fixture_line(each)}" for each in examination.fixtures),
        *_pin_lines(examination),
        *(f"  PROBLEM  {problem}" for problem in examination.problems),
        f"  {_summary(examination)}",
    ]


def _fixture_line(each: Examined) -> str:
    sign = "ok  " if each.holds else "FAIL"
    failed = f"  fails {', '.join(each.failed)}" if each.failed else ""
    return f"{sign}  {each.fixture.expect}  {each.value:.2f}  {each.fixture.label}{failed}"


def _pin_lines(examination: Examination) -> list[str]:
    width = max(map(len, examination.pinned))
    return [
        f"  pin   {name:<{width}}  {_pins(labels, examination.solely_pinned[name])}"
        for name, labels in examination.pinned.items()
    ]


def _pins(labels: tuple[str, ...], solely: tuple[str, ...]) -> str:
    if not labels:
        return "nothing fails it"
    alone = f", {len(solely)} of them fail{'s' if len(solely) == 1 else ''} only it" if solely else ""
    more = f" and {len(labels) - 2} more" if len(labels) > 2 else ""
    return f"{len(labels)} fixture{'' if len(labels) == 1 else 's'}{alone}: {'; '.join(labels[:2])}{more}"


def _summary(examination: Examination) -> str:
    rules, problems = len(examination.pinned), len(examination.problems)
    pinned = sum(map(bool, examination.pinned.values()))
    counts = f"{len(examination.fixtures)} fixtures, {pinned} of {rules} rules pinned"
    if not problems:
        return f"OK: {counts}"
    return f"NOT OK: {counts}, {problems} problem{'' if problems == 1 else 's'}"


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
    return "\n".join(map(_printable, text.split("\n")))


def _printable(line: str) -> str:
    """`line` without what a terminal would obey."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


if __name__ == "__main__":
    sys.exit(main())
