from __future__ import annotations

import asyncio
import ipaddress
import socket

import pytest

from registry.endpoints import egress
from registry.endpoints.egress import BaseUrlError, Dial, Policy, check_base_url, final_url
from tests.registry.endpoints.conftest import EMBEDDED, called, cases, target

EVIL = cases("evil_urls.json")
PUBLIC = Policy(embedded=False)
NAMES = {
    "7f000001.nip.example": ["127.0.0.1"],
    "metadata.internal.example": ["169.254.169.254"],
    "half.example": ["8.8.8.8", "10.0.0.1"],
    "good.example": ["8.8.8.8"],
}


@pytest.fixture
def names(monkeypatch) -> dict[str, list[str]]:
    """What names resolve to; numbers are left to the system, as it reads their odd spellings."""
    known = dict(NAMES)
    real = socket.getaddrinfo

    def look_up(host, port, *args, **kwargs):
        host = host.decode() if isinstance(host, bytes) else host
        if host not in known:
            if not host.replace(".", "").replace(":", "").isalnum() or host.endswith(".example"):
                raise socket.gaierror(socket.EAI_NONAME, "unknown")
            return real(host, port, *args, **kwargs)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in known[host]]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


@pytest.mark.parametrize("url", EVIL)
def test_evil_urls_are_refused_when_saved(url, names):
    with pytest.raises(BaseUrlError) as problem:
        check_base_url(url, PUBLIC, look_up=True)
    assert str(problem.value)[-1] in "./0123456789"
    for inner in ("127.0.0.1", "169.254.169.254", "10.0.0.1"):
        assert inner not in str(problem.value) or inner in url, (
            "the message shows nothing that was not written"
        )


@pytest.mark.parametrize("url", [url for url in EVIL if url.startswith("http://") and "example" not in url])
def test_no_table_of_the_running_python_is_relied_on(url, monkeypatch):
    """Each Python knows the special blocks of its own day."""
    for kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
        monkeypatch.setattr(kind, "is_global", True)
        monkeypatch.setattr(kind, "is_private", False)
        monkeypatch.setattr(kind, "is_multicast", False)
    with pytest.raises(BaseUrlError):
        check_base_url(url, PUBLIC)


BESIDE = ["192.0.1.1", "168.63.129.17", "2001:200::1", "2620:4f:8001::1", "223.255.255.1"]


@pytest.mark.parametrize("address", BESIDE)
def test_what_lies_beside_a_special_block_is_public(address):
    assert PUBLIC.permits(address, 443)


def test_there_are_enough_evil_urls():
    assert len(set(EVIL)) >= 80


@pytest.fixture
def dialled(monkeypatch) -> list[str]:
    """The addresses that were about to be connected; none of them is."""
    addresses: list[str] = []

    class Watched(socket.socket):
        def connect(self, address):
            addresses.append(address[0])
            raise ConnectionRefusedError

    monkeypatch.setattr(socket, "socket", Watched)
    return addresses


ON_THE_SOCKET = [
    url for url in EVIL if url.startswith("http://") and "api.example.com" not in url and "%25" not in url
]


@pytest.mark.parametrize("url", ON_THE_SOCKET)
def test_evil_urls_are_refused_on_the_socket(url, names, dialled):
    """As if they had been saved: an old row, or a name that led elsewhere then."""
    answer = called(target(url.rstrip("/")), policy=PUBLIC)
    assert answer.error in {"refused_address", "connect"}
    assert set(dialled) <= {"8.8.8.8"}
    assert (answer.sent_messages, answer.sent_digest, answer.may_be_billed) == (None, "", False)


def test_enough_evil_urls_reach_the_socket():
    assert len(ON_THE_SOCKET) >= 40


@pytest.mark.parametrize(
    "url",
    ["http://[::ffff:127.0.0.1]:8000", "http://127.0.0.1:8000", "http://metadata.internal.example",
     "http://7f000001.nip.example:9000"],
)  # fmt: skip
def test_refusal_is_named_as_one_and_says_nothing_of_the_address(url, names):
    answer = called(target(url), policy=PUBLIC)
    assert (answer.error, answer.retryable, answer.final_for_endpoint) == ("refused_address", False, True)
    assert answer.detail == (
        'The address of "Local" is not public, and only public addresses are called. '
        "The operator can allow it in EGRESS_ALLOW."
    )


@pytest.mark.parametrize("url", ["http://2852039166", "http://127.1:8000", "http://[::1"])
def test_odd_spelling_of_an_address_is_refused(url, names):
    answer = called(target(url), policy=PUBLIC)
    assert (answer.error, answer.final_for_endpoint) == ("refused_address", True)


def test_refusal_is_the_same_whether_something_listens_there_or_not(hostile, names):
    live = called(target(hostile.url("reply")), policy=PUBLIC)
    dead = called(target("http://127.0.0.1:9/v1"), policy=PUBLIC)
    assert live.error == dead.error == "refused_address"
    assert live.detail == dead.detail
    assert hostile.requests == []


def test_name_that_changes_its_address_is_refused_at_call_time(hostile, names):
    base_url = check_base_url(f"http://good.example:{hostile.port}/reply/v1", PUBLIC, look_up=True)
    names["good.example"] = ["127.0.0.1"]
    assert called(target(base_url), policy=PUBLIC).error == "refused_address"
    assert hostile.requests == []


def test_embedded_calls_loopback_by_any_of_its_names(hostile, names):
    names["machine.example"] = ["127.0.0.1"]
    for host in ("127.0.0.1", "machine.example", "[::ffff:127.0.0.1]"):
        assert called(target(f"http://{host}:{hostile.port}/reply/v1")).text == "é"


def test_embedded_does_not_call_other_private_addresses(names):
    for url in ("http://10.0.0.5:8000", "http://169.254.169.254", "http://0.0.0.0:8000"):
        assert called(target(url)).error == "refused_address"


def test_listed_host_is_called_by_that_name_only(hostile, names):
    names["models.example"] = names["other.example"] = ["127.0.0.1"]
    listed = Policy(embedded=False, allow=frozenset({f"models.example:{hostile.port}"}))
    assert called(target(f"http://models.example:{hostile.port}/reply/v1"), policy=listed).text == "é"
    for host in ("other.example", "127.0.0.1"):
        answer = called(target(f"http://{host}:{hostile.port}/reply/v1"), policy=listed)
        assert answer.error == "refused_address"


def test_listed_host_may_be_called_on_the_listed_port_only():
    dial = Dial.to("http://models.example:8000/v1", Policy(False, frozenset({"models.example:8000"})))
    assert dial.admits("10.0.0.5", 8000)
    assert not dial.admits("10.0.0.5", 8001)


def test_nothing_is_dialled_outside_a_request():
    info = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 443))
    with pytest.raises(egress.RefusedAddress):
        egress.guarded_socket(info)


def test_addresses_tried_after_one_another_are_each_checked(names, hostile):
    names["mixed.example"] = ["10.0.0.1", "127.0.0.1"]
    assert called(target(f"http://mixed.example:{hostile.port}/reply/v1")).text == "é"


@pytest.mark.parametrize(("url", "final"), cases("base_urls.json").items())
def test_base_urls_are_normalised(url, final):
    assert final_url(check_base_url(url, PUBLIC)) == final
    assert final_url(check_base_url(final, PUBLIC)) == final, "the normal form is its own"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "Write the endpoint's base URL"),
        ("api.example.com/v1", "Start the base URL with https://"),
        ("https://h.example?k=1", "Leave out everything from ?"),
        ("https://user:pass@h.example", "put the key into the key field"),
        ("http://127.1/", "Write the address 127.1 out in full"),
        ("http://10.0.0.5:8000/v1", "EGRESS_ALLOW=10.0.0.5:8000."),
        ("http://[fd00::1]:8000/v1", "EGRESS_ALLOW=[fd00::1]:8000."),
        ("https://h.example:22", "Port 22 is not called"),
        ("https://h.example:99999", "The port cannot be read"),
    ],
)
def test_messages_say_what_to_write(url, says):
    with pytest.raises(BaseUrlError) as problem:
        check_base_url(url, PUBLIC)
    assert says in str(problem.value)
    assert "pass" not in str(problem.value).replace("user:password@", "")


@pytest.mark.parametrize(
    ("allow", "url"),
    [
        ("localhost:11434", "http://localhost:11434/v1"),
        ("http://LocalHost:11434/", "http://localhost:11434/v1"),
        ("10.0.0.5:8000", "http://10.0.0.5:8000/v1"),
        ("[fd00::1]:8000", "http://[fd00::1]:8000/v1"),
        ("models.internal", "https://models.internal/v1"),
        ("10.0.0.5:700", "http://10.0.0.5:700/v1"),
    ],
)
def test_operators_list_is_read(settings, allow, url):
    settings.EMBEDDED, settings.EGRESS_ALLOW = False, [allow]
    assert check_base_url(url) == url
    settings.EGRESS_ALLOW = []
    if "models.internal" not in url:
        with pytest.raises(BaseUrlError):
            check_base_url(url)


def test_embedded_saves_loopback():
    assert check_base_url("http://localhost:11434/v1/", EMBEDDED) == "http://localhost:11434/v1"
    assert check_base_url("http://[::1]:11434/v1", EMBEDDED) == "http://[::1]:11434/v1"


def test_name_that_resolves_to_nothing_is_left_to_the_test_call(names):
    assert check_base_url("https://later.example/v1", PUBLIC, look_up=True) == "https://later.example/v1"
    answer = called(target("https://later.example/v1"), policy=PUBLIC)
    assert (answer.error, answer.retryable) == ("connect", True)
    assert answer.detail == 'The host of "Local" is not known. Check its base URL.'


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"]
)
def test_public_addresses_are_public(address):
    assert PUBLIC.permits(address, 443)
    assert not PUBLIC.permits(address, 1023)


def test_unwrapping_ends_at_the_address_itself():
    assert egress.unwrapped(ipaddress.ip_address("::1")) == ipaddress.ip_address("::1")
    assert egress.unwrapped(ipaddress.ip_address("::7f00:1")) == ipaddress.ip_address("127.0.0.1")


def test_unreachable_host_is_named_without_its_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answer = called(target(f"http://127.0.0.1:{port}/v1"))
    assert (answer.error, answer.retryable, answer.may_be_billed) == ("connect", True, False)
    assert answer.detail.startswith('"Local" cannot be reached.')
    assert str(port) not in answer.detail


def test_policy_is_read_from_the_settings_when_none_is_given(settings, hostile):
    from registry.endpoints.chat import Caller

    async def once():
        async with Caller() as caller:
            return await caller.complete(
                target(hostile.url("reply")), "m", [{"role": "user", "content": "x"}], {}
            )

    settings.EMBEDDED = False
    assert asyncio.run(once()).error == "refused_address"
    settings.EGRESS_ALLOW = [f"127.0.0.1:{hostile.port}"]
    assert asyncio.run(once()).text == "é"
