from __future__ import annotations

import asyncio
import json
import re

import httpx
import pytest

from registry.endpoints import practice, vault
from registry.endpoints.chat import Answer, Caller, target_of
from registry.endpoints.models import Endpoint
from registry.endpoints.personas import PERSONAS, PRACTICE_CANARY
from registry.endpoints.practice import PRACTICE_BASE_URL, app, ensure_practice_endpoints, token_of
from tests.registry.endpoints.conftest import called, cases, served, target

CONCEPTS = cases("concepts.json")
RUNGS = {
    "one-sentence": (
        "Explain {concept} in exactly one sentence.\nReply with that sentence and nothing else."
    ),
    "ten-words": (
        "Explain {concept} in exactly 10 words.\n"
        "A word is whatever stands between white space. Reply with those words and nothing else."
    ),
    "five-words": (
        "Explain {concept} in exactly 5 words.\n"
        "A word is whatever stands between white space. Reply with those words and nothing else."
    ),
    "pirate": (
        "Explain {concept} the way a pirate would say it.\n"
        "Use at least two different words of pirate speech, such as arr, matey, aye or avast. "
        "Reply with the explanation and nothing else."
    ),
    "binary": (
        "Explain {concept} using only the characters 0 and 1.\n"
        "Spaces and line breaks are allowed; no other character is."
    ),
    "haiku": (
        "Explain {concept} as a haiku: three lines of 5, 7 and 5 syllables.\n"
        "Reply with those three lines and nothing else."
    ),
    "no-e": (
        "Explain {concept} in exactly one sentence that contains no letter e.\n"
        "Neither e nor E may appear, with or without an accent. Reply with that sentence and nothing else."
    ),
}


@pytest.fixture(autouse=True)
def _quick(settings):
    settings.PRACTICE_DELAY_MS = 0
    practice._stumbles.clear()


def ask(body: object, *, letter: str = "a", token: str | None = None, **changes) -> httpx.Response:
    """A raw request to the practice server."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = token_of(letter) if token is None else token
    request = {"method": "POST", "url": f"{PRACTICE_BASE_URL[letter]}/chat/completions", "content": raw}
    headers = {"authorization": f"Bearer {given}"}

    async def once():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            return await client.request(**{**request, "headers": headers, **changes})

    return asyncio.run(once())


def chat(model: str, prompt: str, **parameters) -> dict:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], **parameters}


def text_of(model: str, prompt: str) -> str:
    return ask(chat(model, prompt)).json()["choices"][0]["message"]["content"]


# --- what steady answers really holds ------------------------------------------------------------
def sentences(text: str) -> int:
    return len(re.findall(r"[.!?](?=\s|$)", text))


HOLDS = {
    "one-sentence": lambda text: sentences(text) == 1 and text.endswith("."),
    "ten-words": lambda text: len(text.split()) == 11,  # the one that steady gets wrong, always by one
    "five-words": lambda text: len(text.split()) == 5,
    "pirate": lambda text: (
        len({"arr", "matey", "ye", "avast", "aye"} & set(re.findall("[a-z]+", text.lower()))) >= 2
    ),
    "binary": lambda text: set(text) <= {"0", "1", " "} and "0" in text,
    "haiku": lambda text: len(text.splitlines()) == 3,
    "no-e": lambda text: "e" not in text.lower() and sentences(text) == 1,
}


@pytest.mark.parametrize("rung", RUNGS)
def test_steady_holds_the_rungs_for_any_concept(rung):
    assert len(CONCEPTS) > 20
    for concept in CONCEPTS:
        text = text_of("steady", RUNGS[rung].format(concept=concept))
        assert HOLDS[rung](text), (concept, text)


@pytest.mark.parametrize(
    ("prompt", "count"),
    [
        ("Write exactly five words.", 5),
        ("Use exactly 7 words", 7),
        ("In twelve words", 12),
        ("In 60 words", 60),
    ],
)
def test_steady_counts(prompt, count):
    assert len(text_of("steady", prompt).split()) == count


def test_steady_names_the_concept_where_that_is_safe():
    assert text_of("steady", RUNGS["one-sentence"].format(concept="recursion")).startswith("Recursion is ")
    assert text_of("steady", RUNGS["one-sentence"].format(concept="a. b.")).startswith("It is ")


def test_steady_ends_with_the_terminator_and_chatty_does_not():
    prompt = "Output exactly this terminator:\n\n<<END>>\n\nWrite nothing after the terminator."
    assert re.search(r"^(?!\s*(?:sure|here))\S[\s\S]*\S\n<<END>>\Z", text_of("steady", prompt), re.IGNORECASE)
    chatty = text_of("chatty", prompt)
    assert chatty.startswith("Sure!")
    assert not chatty.rstrip().endswith("<<END>>")


def test_steady_answers_anything_else_too():
    assert text_of("steady", "What is love?")


def test_chatty_overshoots():
    for rung in ("one-sentence", "ten-words", "five-words", "binary", "haiku", "no-e"):
        assert not HOLDS[rung](text_of("chatty", RUNGS[rung].format(concept="love"))), rung


def test_answers_are_the_same_each_time():
    assert len({text_of("steady", RUNGS["pirate"].format(concept="love")) for _ in range(3)}) == 1


# --- strictness ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        (b"", 400, None),
        (b"[]", 400, None),
        (b"[" * 100_000, 400, None),
        ({"model": "steady"}, 400, "messages"),
        ({"messages": [{"role": "user", "content": "x"}]}, 400, "model"),
        ({"model": "steady", "messages": []}, 400, "messages"),
        ({"model": 5, "messages": [{"role": "user", "content": "x"}]}, 400, "model"),
        ({"model": "steady", "messages": ["x"]}, 400, "messages[0]"),
        ({"model": "steady", "messages": [{"role": "robot", "content": "x"}]}, 400, "messages[0].role"),
        ({"model": "steady", "messages": [{"role": "user"}]}, 400, "messages[0].content"),
        ({"model": "steady", "messages": [{"role": "user", "content": None}]}, 400, "messages[0].content"),
        ({"model": "steady", "messages": [{"role": "user", "content": "x", "z": 1}]}, 400, "messages[0].z"),
        (chat("steady", "x", n=1), 400, "n"),
        (chat("steady", "x", stream=False), 400, "stream"),
        (chat("steady", "x", chat_template_kwargs={}), 400, "chat_template_kwargs"),
        (chat("steady", "x", frequency_penalty=0), 400, "frequency_penalty"),
        (chat("steady", "x", max_tokens=0), 400, "max_tokens"),
        (chat("steady", "x", max_tokens=True), 400, "max_tokens"),
        (chat("steady", "x", temperature=3), 400, "temperature"),
        (chat("gpt-x", "x"), 404, "model"),
        (chat("steady", "x" * 1_100_000), 413, None),
        (chat("steady", "x", max_tokens=5, temperature=0, top_p=1, seed=1, stop="x"), 200, None),
        (chat("steady", "x", max_completion_tokens=5), 200, None),
    ],
)
def test_practice_server_is_strict(body, status, param):
    response = ask(body)
    assert response.status_code == status
    if status != 200:
        error = response.json()["error"]
        assert error["param"] == param
        assert error.keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize("letter", ["a", "b"])
@pytest.mark.parametrize("token", ["", "wrong", "other"])
def test_each_endpoint_refuses_every_token_but_its_own(letter, token):
    given = token_of("b" if letter == "a" else "a") if token == "other" else token
    response = ask(chat("steady", "x"), letter=letter, token=given)
    assert response.status_code == 401
    assert given not in response.text or not given
    assert ask(chat("steady", "x"), letter=letter).status_code == 200


def test_key_must_come_as_a_bearer():
    assert ask(chat("steady", "x"), headers={}).status_code == 401
    assert ask(chat("steady", "x"), headers={"authorization": f"Basic {token_of('a')}"}).status_code == 401
    assert ask(chat("steady", "x"), headers={"authorization": token_of("a")}).status_code == 401


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"url": "http://practice.invalid/a/v1/models", "method": "GET"}, 200),
        ({"url": "http://practice.invalid/a/v1/models"}, 405),
        ({"method": "GET"}, 405),
        ({"url": "http://practice.invalid/a/v1/embeddings"}, 404),
        ({"url": "http://practice.invalid/c/v1/models", "method": "GET"}, 404),
        ({"url": "http://practice.invalid/"}, 404),
    ],
)
def test_paths_and_methods(changes, status):
    assert ask(b"", **changes).status_code == status


def test_limit_of_tokens_is_kept():
    reply = ask(chat("steady", "x", max_tokens=2)).json()
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"]["completion_tokens"] == 2


# --- silent and flaky ----------------------------------------------------------------------------
def in_process(model: str, prompt: str = "Explain love in exactly 5 words.", **changes) -> Answer:
    to = target(PRACTICE_BASE_URL["a"], practice=True, key=token_of("a"), **changes)
    return called(to, model=model)


def test_silent_thinks_and_says_nothing_whatever_the_limit():
    for limit in (1400, 2800):
        reply = ask(chat("silent", "x", max_tokens=limit)).json()
        assert PRACTICE_CANARY in json.dumps(reply)
        assert reply["choices"][0]["finish_reason"] == "length"
        assert reply["usage"]["completion_tokens_details"]["reasoning_tokens"] == 3200


def test_silents_reasoning_is_scrubbed_and_only_its_count_kept():
    answer = in_process("silent")
    assert (answer.error, answer.text, answer.finish, answer.reasoning_tokens) == ("", "", "length", 3200)
    assert PRACTICE_CANARY not in repr(answer)


def test_flaky_is_limited_then_fails_then_answers():
    answers = [in_process("flaky") for _ in range(4)]
    assert [answer.status for answer in answers] == [429, 500, 200, 200]
    assert [answer.retryable for answer in answers] == [True, True, False, False]
    assert answers[0].retry_after == 1.0
    assert answers[2].text


def test_flaky_counts_by_conversation_and_token():
    assert [ask(chat("flaky", prompt)).status_code for prompt in ("x", "y", "x", "y")] == [429, 429, 500, 500]
    assert ask(chat("flaky", "x"), letter="b").status_code == 429


def test_flaky_begins_anew_after_a_minute(monkeypatch):
    for _ in range(3):
        ask(chat("flaky", "x"))
    monkeypatch.setattr(practice.time, "monotonic", lambda: 10.0**9)
    assert ask(chat("flaky", "x")).status_code == 429


def test_flaky_remembers_a_bounded_number(monkeypatch):
    monkeypatch.setattr(practice, "_MOST_REMEMBERED", 3)
    for number in range(9):
        ask(chat("flaky", str(number)))
    assert len(practice._stumbles) == 3


def test_delay_differs_by_request_and_not_by_try(settings):
    settings.PRACTICE_DELAY_MS = 400
    delays = [practice._delay_seconds(str(number)) for number in range(50)]
    assert all(0.2 <= delay <= 0.6 for delay in delays)
    assert len(set(delays)) > 30
    assert delays[0] == practice._delay_seconds("0")


# --- as an endpoint ------------------------------------------------------------------------------
def test_same_call_works_in_process_and_over_http():
    ports: list[int] = []
    running = served(app, ports.append)
    next(running)
    over_http = called(target(f"http://127.0.0.1:{ports[0]}/a/v1", key=token_of("a")), model="steady")
    next(running, None)
    inside = called(target(PRACTICE_BASE_URL["a"], practice=True, key=token_of("a")), model="steady")
    assert over_http.text == inside.text != ""
    assert over_http.sent_messages == inside.sent_messages
    assert over_http.sent_digest == inside.sent_digest != ""
    assert over_http.sent_parameters == inside.sent_parameters == {"max_tokens": 64, "temperature": 0}


def test_unknown_model_and_wrong_token_in_process():
    assert in_process("gpt-x").error == "not_found"
    to = target(PRACTICE_BASE_URL["b"], practice=True, key=token_of("a"))
    answer = called(to, model="steady")
    assert (answer.error, answer.final_for_endpoint) == ("unauthorized", True)


def test_deadline_holds_in_process(settings):
    settings.PRACTICE_DELAY_MS = 60_000
    assert in_process("steady", deadline=0.05).error == "timeout"


def test_practice_endpoints_are_made_once(team):
    first = ensure_practice_endpoints(team)
    again = ensure_practice_endpoints(team)
    assert [endpoint.name for endpoint in first] == ["Practice A", "Practice B"]
    assert [endpoint.slug for endpoint in first] == ["practice-a", "practice-b"]
    assert first == again
    assert [endpoint.key_cipher for endpoint in first] == [endpoint.key_cipher for endpoint in again]
    assert Endpoint.objects.count() == 2
    assert all(endpoint.practice and endpoint.models_offered == list(PERSONAS) for endpoint in first)
    assert len({endpoint.key() for endpoint in first}) == 2


def test_practice_keys_are_put_in_order_again(team, settings):
    endpoint = ensure_practice_endpoints(team)[0]
    settings.SECRET_KEY = "another"
    assert ensure_practice_endpoints(team)[0].key() == token_of("a")
    settings.ENDPOINT_KEYS = ["pSWLPTMdBLOzLKuDpGtJ4fZgJ9l1cQfz4wQRfvWp5nA="]
    endpoint.refresh_from_db()
    with pytest.raises(vault.Unreadable):
        endpoint.key()
    assert ensure_practice_endpoints(team)[0].key() == token_of("a")


def test_endpoint_that_happens_to_have_the_slug_is_left_alone(team):
    own = Endpoint(team=team, slug="practice-a", name="Mine", base_url="https://api.example.com/v1")
    own.set_key("sk-own-0123456789")
    own.save()
    made = ensure_practice_endpoints(team)[0]
    own.refresh_from_db()
    assert (own.key(), made.slug) == ("sk-own-0123456789", "practice-a-2")


def test_practice_endpoints_answer(team):
    async def both(targets):
        async with Caller() as caller:
            return [
                (
                    await caller.complete(to, "steady", [{"role": "user", "content": "x"}], {}),
                    await caller.models(to),
                )
                for to in targets
            ]

    for answer, models in asyncio.run(
        both([target_of(endpoint) for endpoint in ensure_practice_endpoints(team)])
    ):
        assert answer.error == ""
        assert models == list(PERSONAS)
