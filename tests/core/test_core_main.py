from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from probes.core.__main__ import main
from probes.core.json_schema import schema
from tests.core.probe_file import CASES, TEXT, changed, document

ROOT = Path(__file__).resolve().parent.parent.parent
PROBE = str(CASES / "probe.yaml")
NOT_X = {"kind": "pattern", "must": "not_match"}


class Streams:
    """Standard streams of bytes, as a process has them."""

    def __init__(self, given: bytes) -> None:
        self.stdin = io.TextIOWrapper(io.BytesIO(given))
        self.stdout, self.stderr = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))

    def printed(self) -> tuple[str, str]:
        out, errors = (stream.buffer.getvalue() for stream in (self.stdout, self.stderr))
        return out.decode(), errors.decode()


def run(*arguments: str, text: str | bytes = "") -> tuple[int, str, str]:
    """The command in this process: its status and all it printed."""
    streams = Streams(text if isinstance(text, bytes) else text.encode())
    with pytest.MonkeyPatch.context() as patch:
        for name in ("stdin", "stdout", "stderr"):
            patch.setattr(sys, name, getattr(streams, name))
        try:
            status = main(arguments)
        except SystemExit as done:
            status = int(done.code or 0)
        return status, *streams.printed()


def run_apart(*arguments: str, text: str | bytes = "", **variables: str) -> tuple[int, str, str]:
    """The same in a process of its own."""
    given = text if isinstance(text, bytes) else text.encode()
    environment = os.environ | variables
    command = [sys.executable, "-m", "probes.core", *arguments]
    done = subprocess.run(command, input=given, capture_output=True, cwd=ROOT, env=environment, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def file(tmp_path):
    def write(text: str | bytes, name: str = "changed.yaml") -> str:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def test_check_prints_the_fixtures_against_the_rules_and_who_pins_what():
    status, printed, errors = run("check", PROBE)
    assert (status, errors) == (0, "")
    assert printed.splitlines()[2:] == [
        "  fixture        rule  1 2",
        "  1  ok    pass  1.00  . .  Correct",
        "  2  ok    fail  0.50  F .  three words",
        "  3  ok    fail  0.50  . F  polite",
        "  rule 1  two_words  failed by 2*",
        "  rule 2  no_please  failed by 3*",
        "  * fails no other rule",
        "  OK: 3 fixtures, 2 of 2 rules pinned, 7 of 7 mutants caught",
    ]


def printed_here(capsys, *arguments: str) -> tuple[int, list[str]]:
    """The same as `run`, in this process."""
    status = main(arguments)
    return status, capsys.readouterr().out.splitlines()


def test_a_table_of_many_rules_and_long_names_stays_narrow(capsys, file):
    names = [
        f"{'a_rule_with_a_name_that_says_what_it_is_for_at_some_length_':_<62}{i:02}" for i in range(1, 21)
    ]
    rules = [
        {"name": name, "check": NOT_X | {"pattern": f"/{i}/"}, "why": "A case."}
        for i, name in enumerate(names, 1)
    ]
    outputs = ["none", *map(str, range(1, 21)), *(f"20 {i}" for i in range(10))]
    fixtures = [
        {"label": f"{text}: {'a label ' * 20}", "expect": "fail" if i else "pass", "output": text}
        for i, text in enumerate(outputs)
    ]
    many = document(rubric={"prose": "A case.", "rules": rules}, fixtures=fixtures)
    status, lines = printed_here(capsys, "check", file(many.to_yaml()))
    assert status == 0
    table = lines[2 : lines.index("  * fails no other rule")]
    assert max(map(len, table)) == 100
    assert table[0].split() == ["1"] * 10 + ["2"]
    assert table[1].split()[-20:] == [str(i % 10) for i in range(1, 21)]
    row = table[2 + 12]
    assert row.startswith("  13  ok    fail  0.85  F F . . . . . . . . . F . . . . . . . .  12: a label a la")
    assert row.endswith("…")
    assert table[-1].startswith(f"  rule 20  {names[-1]}  failed by 21, 22, 23, ")


def test_check_names_survivors_and_lint_and_fails_only_where_strict(capsys, file):
    text = changed("{{concept}} in two words", "{{concept}} in three words")
    path = file(changed("output: Please look", "output: please look", text))
    status, lines = printed_here(capsys, "check", path)
    assert (status, lines[-3:]) == (
        0,
        [
            "  SURVIVES  line 19, rubric.rules[1].check.pattern: 'no_please' with the flag i dropped: "
            "no example needs it (add one that matches only in the other case)",
            "  LINT  L001 line 16, rubric.rules[0].check: 'two_words' wants exactly 2, and the prompt does "
            "not name 2 (say the number in the prompt, or ask for at least or at most so many)",
            "  OK: 3 fixtures, 2 of 2 rules pinned, 6 of 7 mutants caught, 1 lint remark",
        ],
    )
    status, lines = printed_here(capsys, "check", "--strict", path)
    assert (status, lines[-1].split(":")[0]) == (1, "  NOT OK by --strict")
    assert printed_here(capsys, "check", "--strict", PROBE)[0] == 0


def test_check_exits_with_1_where_a_fixture_does_not_hold(file):
    path = file(changed("output: Calls itself", "output: It calls itself"))
    status, printed, _ = run("check", PROBE, path)
    assert status == 1
    assert "  1  FAIL  pass  0.50  F .  Correct\n" in printed
    assert "  PROBLEM  line 22, fixtures[0].expect: 'Correct' must pass and scores 0.50" in printed
    assert printed.endswith("  NOT OK: 3 fixtures, 2 of 2 rules pinned, 7 of 7 mutants caught, 1 problem\n")


def test_check_exits_with_2_for_no_probe_file_and_still_reads_the_others(file):
    path = file(changed("max_tokens: 100", "max_tokens: many"))
    status, printed, errors = run("check", path, "nowhere.yaml", file(b"\xff", "latin.yaml"), PROBE)
    assert status == 2
    assert "  OK: 3 fixtures" in printed
    assert "line 10, parameters.max_tokens: this is the text 'many', and must be a whole number" in errors
    assert "nowhere.yaml: cannot be read: No such file or directory" in errors
    assert "latin.yaml: not UTF-8 at byte 0: save it as UTF-8" in errors


def test_score_prints_a_verdict_a_rule():
    assert run("score", PROBE, text="please call\n") == (
        1,
        " 1 two_words  PASS  2 / 2 words\n"
        ' 2 no_please  FAIL  matched "please", which must not appear\n'
        "0.50  1 / 2 rules  answered\n",
        "",
    )


def test_score_exits_with_0_when_all_pass():
    status, printed, _ = run("score", PROBE, text="calls itself")
    assert status == 0
    assert printed.endswith("1.00  2 / 2 rules  answered\n")


def test_score_of_nothing_shows_the_reasoning_tokens():
    arguments = ("score", PROBE, "--finish", "length", "--reasoning-tokens", "3200")
    assert run(*arguments)[1] == (
        " 1 two_words  FAIL  empty output   rt=3200\n"
        " 2 no_please  FAIL  empty output   rt=3200\n"
        "0.00  0 / 2 rules  empty   rt=3200\n"
    )


def test_score_as_json():
    status, printed, _ = run("score", PROBE, "--json", text="it calls itself")
    data = json.loads(printed)
    assert status == 1
    assert (data["value"], data["outcome"]) == (0.5, "answered")
    assert data["verdicts"][0]["finding"]["message"] == "3 / 2 words"
    assert len(data["digest"]) == 64


def test_two_processes_say_the_same_to_the_byte():
    file = str(ROOT / "probes/library/emit-a-terminator.yaml")
    text = "Sure! A café summary 🎉 <<END>> and <<END>> more"
    first, second = (
        run_apart("score", file, "--json", text=text, PYTHONHASHSEED=seed) for seed in ("1", "2")
    )
    assert first == second
    assert json.loads(first[1])["value"] == 0.4


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (("score", "nowhere.yaml"), "", "nowhere.yaml: cannot be read"),
        (("score", PROBE), b"\xff", "standard input: not UTF-8 at byte 0"),
        (("score", PROBE), b"x" * 200_001, "standard input: the output has 200,001 characters"),
        (("score", PROBE), b"x" * 1_600_001, "standard input: over 200,000 characters nothing is scored"),
        (("check", "/dev/zero"), "", "/dev/zero: over 524,288 bytes, which no probe file has"),
        (("score", PROBE, "--reasoning-tokens", "-5"), "", "write a whole number from 0, not -5"),
        (("score", PROBE, "--reasoning-tokens", "5.0"), "", "write a whole number from 0, not 5.0"),
        (("score",), "", "the following arguments are required: FILE"),
        (("check",), "", "the following arguments are required: FILE"),
        (("judge", PROBE), "", "invalid choice: 'judge'"),
        ((), "", "the following arguments are required: COMMAND"),
    ],
    ids=range(11),  # one of the texts is longer than a name may be
)
def test_what_cannot_be_used_exits_with_2(arguments, text, message):
    status, printed, errors = run(*arguments, text=text)
    assert (status, printed) == (2, "")
    assert message in errors
    assert "Traceback" not in errors


def test_schema_prints_what_editors_check_by(capsys):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()


def test_help_names_the_commands_and_the_exit_status():
    status, printed, _ = run("--help")
    assert status == 0
    assert "check" in printed
    assert "score" in printed
    assert "exit status: 0 all holds, 1 something fails, 2 a file cannot be read" in " ".join(printed.split())


def test_what_a_terminal_obeys_is_not_printed(file):
    status, printed, _ = run("check", file(TEXT, "\u202epolite 🎉.yaml"))
    assert status == 0
    assert "\\u202epolite 🎉.yaml" in printed


def test_the_core_loads_neither_django_nor_the_server_nor_a_client():
    code = (
        "import sys, probes.core, probes.core.__main__\n"
        "unwanted = {'django', 'registry', 'ladder', 'httpx', 'aiohttp', 'asyncio', 'celery'}\n"
        "print(sorted(unwanted & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("arguments", [("check", *[PROBE] * 100), ("score", PROBE)])
def test_a_reader_that_left_ends_it_quietly(arguments):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "probes.core", *arguments]
    done = subprocess.run(
        command, input=b"calls itself", stdout=write, stderr=subprocess.PIPE, cwd=ROOT, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_closed_standard_input_is_said():
    command = f'exec "{sys.executable}" -m probes.core score "{PROBE}" <&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("standard input is closed: ")
    assert done.stderr.count("\n") == 1
