from __future__ import annotations

import pytest

from registry.web.address import announced, site_address


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.PROBE_HOME = tmp_path
    settings.SITE_ADDRESS = "http://127.0.0.1:8123"
    return tmp_path


def test_while_a_site_runs_commands_beside_it_know_where(settings, home):
    with announced():
        settings.SITE_ADDRESS = "http://127.0.0.1:8000"
        assert site_address() == "http://127.0.0.1:8123"
        settings.SITE_ADDRESS = "http://127.0.0.1:8123"
    settings.SITE_ADDRESS = "http://127.0.0.1:8000"
    assert site_address() == "http://127.0.0.1:8000"
    assert list(home.iterdir()) == []


def test_the_last_one_started_is_the_one_that_runs(settings):
    with announced():
        settings.SITE_ADDRESS = "http://127.0.0.1:8001"
        with announced():
            settings.SITE_ADDRESS = "http://127.0.0.1:8123"
            assert site_address() == "http://127.0.0.1:8001"


def test_a_public_address_is_never_another(settings, home):
    (home / "address.txt").write_text("http://127.0.0.1:8123")
    settings.EMBEDDED, settings.SITE_ADDRESS = False, "https://probes.example.org"
    with announced():
        assert site_address() == "https://probes.example.org"


@pytest.mark.parametrize("content", [b"", b"\xff"])
def test_a_damaged_file_is_no_address(home, content):
    (home / "address.txt").write_bytes(content)
    assert site_address() == "http://127.0.0.1:8123"
