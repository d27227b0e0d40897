"""Commands whose output goes nowhere: none of them says 1, which would be about what they looked at."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from probes.core.terminal import INTERRUPTED, UNREAD, UNWRITABLE, exit_status
from tests.core.test_core_main import ROOT
from tests.thorough import thorough


def unread():
    read, write = os.pipe()
    os.close(read)
    return os.fdopen(write, "w")


def full():
    return Path("/dev/full").open("w")


def prints() -> int:
    print("found")
    return 1


def complains() -> int:
    print("found", file=sys.stderr, flush=True)
    return 1


def exits() -> int:
    print("found")
    sys.exit(1)


CASES = [
    ("stdout", unread, prints, UNREAD),
    ("stdout", unread, exits, UNREAD),
    ("stdout", full, prints, UNWRITABLE),
    ("stdout", full, exits, UNWRITABLE),
    ("stderr", unread, complains, UNREAD),
    ("stderr", full, complains, UNWRITABLE),
]


@pytest.mark.parametrize(("name", "opened", "main", "status"), CASES, ids=range(len(CASES)))
def test_output_that_goes_nowhere_has_a_status_of_its_own(capsys, monkeypatch, name, opened, main, status):
    with opened() as stream, monkeypatch.context() as patched:
        patched.setattr(sys, name, stream)
        assert exit_status(main) == status
    said = capsys.readouterr()
    assert said.err == (FULL if (name, status) == ("stdout", UNWRITABLE) else "")


def test_all_else_is_left_alone():
    assert exit_status(lambda: None) == 0
    assert exit_status(lambda: 3) == 3
    with pytest.raises(FileNotFoundError):
        exit_status(lambda: os.close(os.open("/nowhere", os.O_RDONLY)))
    with pytest.raises(ConnectionResetError):
        exit_status(breaks)


def breaks() -> int:
    raise ConnectionResetError(errno.ECONNRESET, "not a stream of ours")


def test_ctrl_c_ends_a_command_without_a_traceback(capsys):
    def interrupted() -> int:
        raise KeyboardInterrupt

    assert exit_status(interrupted) == INTERRUPTED
    assert capsys.readouterr().err == ""


FULL = "The output cannot be written: No space left on device.\n"
COMMANDS = [
    ("manage.py help >/dev/full", "1", UNWRITABLE, FULL),
    ("manage.py help >&-", "", 0, ""),
    ("manage.py no_such_command 2>&-", "", 1, ""),
]


@pytest.mark.parametrize(("command", "unbuffered", "status", "errors"), COMMANDS, ids=range(len(COMMANDS)))
@thorough
def test_the_commands_end_so(command, unbuffered, status, errors, tmp_path):
    environment = os.environ | {"PROBE_HOME": str(tmp_path), "PYTHONUNBUFFERED": unbuffered}
    shell = ["bash", "-c", f"{sys.executable} {command}"]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, env=environment, check=False, text=True)
    assert (done.returncode, done.stderr) == (status, errors)
