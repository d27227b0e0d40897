"""The key is hidden in whatever its server says, however it is spelled, and nothing else is."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest

from registry.endpoints.chat import Answer, ModelsUnavailable, _read
from registry.endpoints.redaction import SHORTEST_ECHO, SHORTEST_KEY, Redaction
from registry.endpoints.wire import Received
from tests.registry.endpoints.conftest import target
from tests.registry.endpoints.test_chat import models

KEY = "sk-demo-1234567890"
ODD = 'k"\\/&<>-%z0123456789+?'


def strictly(text: str, key: str = KEY) -> Any:
    return Redaction(key).strictly(text)


def within(text: str, key: str = KEY) -> Any:
    return Redaction(key).within(text)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"Incorrect key {KEY}.", "Incorrect key [redacted]."),
        ("the end 1234567890 is known", "the end [redacted] is known"),
        ("the end 34567890 is known", "the end [redacted] is known"),
        ("last four 7890", "last four 7890"),
        (f"{KEY}{KEY}", "[redacted]"),
        (f"İ{KEY}İ", "İ[redacted]İ"),
        (KEY.upper(), "[redacted]"),
        ("100% of a\\b &amp; c", "100% of a\\b &amp; c"),
        ("nothing here", "nothing here"),
        ("", ""),
    ],
)
def test_key_and_its_pieces_are_redacted(text, clean):
    assert strictly(text) == clean


def escaped(key: str, form: str) -> str:
    return "".join(form.format(code=ord(sign), hex=f"{ord(sign):02x}") for sign in key)


def encoded(key: str, before: str = "", behind: str = "") -> str:
    return base64.b64encode(f"{before}{key}{behind}".encode()).decode()


SPELLINGS: dict[str, Callable[[str], str]] = {
    "itself": lambda key: key,
    "json": lambda key: json.dumps(key)[1:-1],
    "json twice": lambda key: json.dumps(json.dumps(key)[1:-1])[1:-1],
    "json escapes": lambda key: escaped(key, "\\u00{hex}"),
    "json escapes twice": lambda key: escaped(key, "\\\\u00{hex}"),
    "some json escapes": lambda key: f"{key[:3]}\\u00{ord(key[3]):02x}{key[4:]}",
    "braced escapes": lambda key: escaped(key, "\\u{{{hex}}}"),
    "string escapes": lambda key: escaped(key, "\\x{hex}"),
    "url": lambda key: quote(key, safe=""),
    "url throughout": lambda key: escaped(key, "%{hex}"),
    "url twice": lambda key: quote(escaped(key, "%{hex}"), safe=""),
    "html": html.escape,
    "html codes": lambda key: escaped(key, "&#{code};"),
    "html hexadecimal": lambda key: escaped(key, "&#x{hex};"),
    "html twice": lambda key: html.escape(escaped(key, "&#{code};")),
    "hexadecimal": lambda key: key.encode().hex(),
    "HEXADECIMAL": lambda key: key.encode().hex().upper(),
    "backwards": lambda key: key[::-1],
    "another case": str.swapcase,
    "base64": lambda key: encoded(key, "", ":x"),
    "base64 after one": lambda key: encoded(key, "u", ":x"),
    "base64 after two": lambda key: encoded(key, "u:", ":x"),
    "base64 after five": lambda key: encoded(key, "user:", ":x"),
    "base64 for urls": lambda key: base64.urlsafe_b64encode(f"~~{key}".encode()).decode(),
}
KEYS = {
    "demo": KEY,
    "odd": ODD,
    "long": "sk-proj-" + "Zx81Qm47Wb93Tk-" * 10,
    "short": "pw-short-1234",
    "shortest": "a9-b8_c7",
    "digits": "314159265358",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_a_key_are_redacted(name):
    """Of base64 the ends stay, which tell of more than the key; of a key with backslashes too little."""
    for key in KEYS.values():
        for hide in (within, strictly):
            shown = hide(f"<<{SPELLINGS[name](key)}>>", key)
            if "base64" in name:
                before, redacted, behind = shown.partition("[redacted]")
                assert redacted
                assert len(before) < 14
                assert len(behind) < 10
            elif "\\" in key:
                left = html.unescape(shown.replace("[redacted]", "", 1))
                assert len(left) < len("<<>>") + SHORTEST_ECHO
            else:
                assert shown == "<<[redacted]>>"


@pytest.mark.parametrize(
    "text",
    [
        "A server of models; its name is sk-demo, the number is 1234567.",
        "0123 4567 89 %31%32%33 \\u0031\\u0032 &#49;&#50; 31323334 c2stZGVt",
        "\\" * 50 + "%" * 50 + "&amp;" * 50,
    ],
)
def test_an_ordinary_text_stays_as_it_is(text):
    redaction = Redaction(KEY)
    assert redaction.within(text) is text
    assert not redaction.found


def test_a_row_of_characters_that_a_key_shares_with_words_stays_in_an_answer():
    assert within("sk-demo-1 is no key") == "sk-demo-1 is no key"
    assert strictly("sk-demo-1 is no key") == "[redacted] is no key"


@pytest.mark.parametrize("name", ["itself", "backwards", "hexadecimal", "base64"])
def test_each_piece_is_found_wherever_it_stands(name):
    """A reply is read in steps: none may pass over a piece that is just long enough."""
    spelled = SPELLINGS[name](KEYS["demo"])
    size = {"hexadecimal": 2 * SHORTEST_ECHO, "base64": 4 * SHORTEST_ECHO // 3}.get(name, SHORTEST_ECHO)
    redaction = Redaction(KEYS["demo"])
    for start in range(24 - size if name == "base64" else len(spelled) - size + 1):
        for before in range(2 * size):
            text = f"{'~' * before}{spelled[start : start + size]}~"
            assert redaction.within(text) == f"{'~' * before}[redacted]~"


def test_no_secret_changes_nothing():
    assert Redaction("").within("any text") == "any text"


@pytest.mark.parametrize(
    ("key", "text", "answer", "failure"),
    [
        ("ollama", "Ollama or ollamas", "[redacted] or ollamas", "[redacted] or [redacted]s"),
        ("x", "x + y = max", "[redacted] + y = max", "[redacted] + y = ma[redacted]"),
        ("a.b", "a.b aab a_a.b", "[redacted] aab a_[redacted]", "[redacted] aab a_[redacted]"),
    ],
)  # fmt: skip
def test_a_key_too_short_to_be_told_from_words_is_hidden_in_an_answer_where_it_is_one(
    key, text, answer, failure
):
    assert len(key) < SHORTEST_KEY
    assert (within(text, key), strictly(text, key)) == (answer, failure)


@pytest.mark.parametrize(
    ("key", "unit"),
    [(KEY, "sk-demo-"), ("a" * 500, "a"), ("a" * 500, "%61"), ("\\" * 500, "\\")],
    ids=range(4),
)
def test_redacting_large_text_is_quick(unit, key):
    """In a few passes, whatever the text and the key: no count of pieces takes part."""
    assert strictly(unit * 100_000, key) == "[redacted]"


def test_what_is_not_text_is_walked_and_numbers_may_be_the_key():
    redaction = Redaction("31415926")
    value = {
        "a": ["31415926", {"b": "31415926"}],
        "n": 31415926,
        "f": 31415926.5,
        "t": True,
        "z": None,
        "s": 3,
    }
    assert redaction.within(value) == {
        "a": ["[redacted]", {"b": "[redacted]"}], "n": None, "f": None, "t": True, "z": None, "s": 3
    }  # fmt: skip


# --- all that leaves a call ------------------------------------------------------------------------
def places(key: str) -> dict[str, Any]:
    """Replies that hold the key in every place that is read, and in some that are not."""
    message = {
        "role": key,
        "content": key,
        "refusal": key,
        "name": key,
        "tool_calls": [{"id": key, "type": key}],
    }
    usage = {key: key, "prompt_tokens": key, "completion_tokens_details": {"reasoning_tokens": key, key: 1}}
    error = {"message": key, "code": key, "type": key, "param": key, "status": key, "metadata": {"raw": key}}
    top = {"id": key, "object": key, "model": key, "system_fingerprint": key, key: key, "usage": usage}

    def reply(message: Any, **choice: Any) -> dict[str, Any]:
        return {**top, "choices": [{"index": key, "finish_reason": key, "message": message, **choice}]}

    def parts(*content: Any) -> dict[str, Any]:
        return reply({"content": list(content)})

    half = len(key) // 2
    halves = (key[:half], key[half:])
    text = {"type": "text", "text": "hi"}
    return {
        "answer": reply(message),
        "quoted": reply({"content": f"your key is {key}, {key[-10:]} or {key.upper()}"}),
        "refusal": reply({"content": None, "refusal": f"no {key}"}),
        "part named by it": parts({"type": key}, text),
        "part named by its end": parts({"type": key[-10:]}, text),
        "part named by it behind words": parts({"type": "x" * 25 + key}, text),
        "many parts": parts(*({"type": f"{n}{key}"} for n in range(50)), text),
        "parts that spell it": parts(*({"type": "text", "text": each} for each in halves)),
        "refusals that spell it": parts(*({"type": "refusal", "refusal": each} for each in halves)),
        "no text part": parts({"type": key}),
        "thoughts taken out": reply({"content": f"{key[:half]}<think></think>{key[half:]}"}),
        "long names": {**reply({"content": "x"}, finish_reason="f" * 55 + key), "model": "m" * 195 + key},
        "no choice": {**top, "choices": [], "message": key, "detail": [{"loc": [key], "msg": key}]},
        "no message": reply(None),
        "no object": [key],
        "text": key,
        "error": {"error": error},
        "error behind words": {"error": {"message": "x" * 280 + key, "code": "x" * 95 + key, "param": key}},
        "error as text": {"error": key},
        "places that spell it": {"detail": [{"loc": key.split("-"), "msg": key}]},
        "error of a choice": reply(message, error=error),
    }  # fmt: skip


HOSTILE: dict[str, Callable[[str], str]] = {
    **{name: partial(lambda name, key: json.dumps(places(key)[name]), name) for name in places(KEY)},
    "no json": lambda key: f"<html>{key}</html>",
    "no json, escaped": lambda key: f'not json "{escaped(key, chr(92) + "u00{hex}")}"',
    "no json, at the cut": lambda key: "x" * 295 + key,
    "no json, far away": lambda key: "x" * 3995 + key,
    "json cut off": lambda key: json.dumps(places(key)["answer"])[:-1],
}
UPSTREAM = {"text", "finish", "refusal", "served_model", "detail"}
"""What of an Answer is text of the server's; of the rest none is."""
OUR_OWN = {"error", "sent_messages", "sent_digest", "sent_parameters"}


def replied(key: str, body: str, status: int = 200, **changes: Any) -> dict[str, Any]:
    to = target("https://e.example/v1", key=key, **changes)
    return _read(
        Received(status, {"retry-after": key, "x-request-id": key}, body.encode()), to, "m", {"top_k": 1}
    )


def test_every_field_of_an_answer_is_known_for_the_servers_or_our_own():
    texts = {name for name, kind in Answer.__annotations__.items() if "str" in kind or "Any" in kind}
    assert texts == UPSTREAM | OUR_OWN


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_server_publishes_no_key(hostile):
    for key in KEYS.values():
        for status in (200, 401, 400, 404, 429, 302, 500):
            shown = asdict(Answer(**replied(key, HOSTILE[hostile](key), status, inline_thinking=True)))
            for name, value in shown.items():
                for piece in {key, key[-10:], key[:10], key[:10].upper()}:
                    assert piece not in str(value), (key, status, name)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_an_answer_that_held_the_key_says_so(key):
    for name in ("quoted", "part named by it", "many parts", "long names"):
        fields = replied(key, HOSTILE[name](key))
        assert fields["detail"].startswith("The reply held the endpoint's key: it was redacted.")
        assert len(fields["detail"]) <= 300
    assert replied(key, HOSTILE["quoted"](key))["text"].startswith("your key is [redacted], [redacted] or ")
    assert replied(key, json.dumps({"choices": [{"message": {"content": "hi"}}]}))["detail"] == ""


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("status", [200, 401, 404])
def test_a_list_of_models_holds_no_key(hostile, key, status):
    rows = [{"id": key}, {"id": key[-10:]}, {"name": f"{'x' * 195}{key}"}, key, {"id": "m"}]
    said = {"data": rows, "error": {"message": key, "code": key}}
    try:
        shown = " ".join(models(hostile.says("list", status, said), key=key))
    except ModelsUnavailable as problem:
        shown = str(problem)
    assert key not in shown
    assert key[-10:] not in shown
