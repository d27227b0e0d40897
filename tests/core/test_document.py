from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.core import BindingError, Document, DocumentError, Problem
from probes.core.yaml_source import MAX_BYTES
from tests.core.probe_file import TEXT, changed, document, lines_of, with_output
from tests.thorough import examples

BAD = lines_of("bad_probes.jsonl")


def problems_of(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(DocumentError) as caught:
        Document.parse(text)
    return [(problem.line, problem.message) for problem in caught.value.problems]


@pytest.mark.parametrize("case", BAD, ids=[case["name"] for case in BAD])
def test_a_bad_file_names_each_line_once_and_says_what_to_write(case):
    text = changed(*case["replace"]) if "replace" in case else case["text"]
    with pytest.raises(DocumentError) as caught:
        Document.parse(text)
    problems = caught.value.problems
    assert [each.line for each in problems] == [line for line, _ in case["problems"]]
    for each, (_, message) in zip(problems, case["problems"], strict=True):
        assert each.message.startswith(message)
        assert each.hint or any(word in each.message for word in ("write", "takes", "use")), "say what to do"
        assert str(each) in str(caught.value)


def test_many_mistakes_are_reported_together_in_the_order_of_the_file():
    text = changed("max_tokens: 100", "max_tokens: many").replace("slug: two-words", "slug: Two")
    text = text.replace("why: Politeness is a word too.", "why: ''").replace(
        "changelog: Initial version.\n", ""
    )
    with pytest.raises(DocumentError) as caught:
        Document.parse(text)
    assert [problem.line for problem in caught.value.problems] == [1, 2, 10, 20]
    assert str(caught.value).startswith("4 problems in the probe file:\n  line 1, changelog: the key")


def test_a_wrong_check_is_named_by_its_path():
    text = changed("check: {kind: words, op", "check: {kind: any, of: [{kind: nothing}], op")
    with pytest.raises(DocumentError) as caught:
        Document.parse(text)
    assert caught.value.problems[0].path[:4] == ("rubric", "rules", 0, "check")


def test_the_file_says_what_it_says():
    probe = Document.parse(TEXT)
    assert (probe.slug, probe.title, probe.category) == ("two-words", "Answer in two words", "Test")
    assert probe.prompt.system is None
    assert probe.prompt.user == "Describe {{concept}} in two words."
    assert probe.variables == ("concept",)
    assert probe.parameters.as_json() == {"max_tokens": 100, "temperature": 0}
    assert [rule.name for rule in probe.rubric.rules] == ["two_words", "no_please"]
    assert [fixture.fails for fixture in probe.fixtures] == [(), ("two_words",), ("no_please",)]
    assert probe.lines["rubric", "rules", 1, "why"] == 20


SAME = {
    "CRLF": TEXT.replace("\n", "\r\n"),
    "a BOM": "\ufeff" + TEXT,
    "no line end": TEXT.rstrip("\n"),
    "JSON": json.dumps(Document.parse(TEXT).canonical()),
    "indented JSON": json.dumps(Document.parse(TEXT).canonical(), indent=2),
    "0.0": changed("temperature: 0", "temperature: 0.0"),
    "-0.0": changed("temperature: 0", "temperature: -0.0"),
    "0e5": changed("temperature: 0", "temperature: 0e5"),
    "no system": changed("  system: null\n", ""),
    "no fails on a pass": changed("expect: pass,", "expect: pass, fails: [],"),
    "comments": "# a comment\n" + TEXT,
}


@pytest.mark.parametrize("name", SAME)
def test_another_spelling_is_the_same_document(name):
    probe = Document.parse(SAME[name])
    assert probe == Document.parse(TEXT)
    assert probe.digest == Document.parse(TEXT).digest


def test_defaults_are_filled_in():
    text = changed(
        "  user: Describe {{concept}} in two words.\nvariables: [concept]\n", "  user: Two words.\n"
    )
    text = changed("  criteria: [Exactly two words]\n", "", text).replace(", fails: [two_words]", "")
    canonical = Document.parse(text).canonical()
    assert canonical["variables"] == []
    assert canonical["rubric"]["criteria"] == []
    assert [fixture["fails"] for fixture in canonical["fixtures"]] == [[], None, ["no_please"]]
    assert "top_p" not in canonical["parameters"], "what is not stated is not sent"


def digests(probe: Document) -> dict[str, str]:
    names = ("request_digest", "checks_digest", "rubric_digest", "digest")
    return {name: getattr(probe, name) for name in names}


CHANGES = {
    "slug": (("slug: two-words", "slug: words-two"), set()),
    "title": (("title: Answer", "title: Reply"), set()),
    "category": (("category: Test", "category: Tests"), set()),
    "summary": (("summary: A small", "summary: A tiny"), set()),
    "changelog": (("changelog: Initial", "changelog: First"), set()),
    "system": (("system: null", "system: Be brief."), {"request_digest", "digest"}),
    "user": (("in two words.\n", "in two words\n"), {"request_digest", "digest"}),
    "parameters": (("max_tokens: 100", "max_tokens: 101"), {"request_digest", "digest"}),
    "prose": (("no more.", "no fewer."), {"rubric_digest", "digest"}),
    "criteria": (("[Exactly two", "[Just two"), {"rubric_digest", "digest"}),
    "why": (("prompt asks for", "prompt wants"), {"rubric_digest", "digest"}),
    "a check": (("/please/i", "/please/"), {"checks_digest", "rubric_digest", "digest"}),
    "a fixture's label": (("label: Correct", "label: Right"), {"digest"}),
    "a fixture's output": (("output: Calls", "output: calls"), {"digest"}),
    "what a fixture fails": ((", fails: [two_words]", ""), {"digest"}),
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_digest_moves_with_the_parts_it_is_of_and_with_no_other(part):
    edit, expected = CHANGES[part]
    before, after = digests(Document.parse(TEXT)), digests(Document.parse(changed(*edit)))
    assert {name for name in before if before[name] != after[name]} == expected


def test_a_digest_can_be_recomputed_by_anyone():
    probe = Document.parse(TEXT)
    canonical = probe.canonical()

    def sha(value):
        # the values of this probe need no more of RFC 8785 than sorted keys and no spaces
        return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    request = {key: canonical[key] for key in ("prompt", "variables", "parameters")}
    rules = canonical["rubric"]["rules"]
    assert probe.request_digest == sha(request)
    assert probe.checks_digest == sha([{"name": each["name"], "check": each["check"]} for each in rules])
    assert probe.rubric_digest == sha(canonical["rubric"])
    assert probe.digest == sha(request | {key: canonical[key] for key in ("rubric", "fixtures")})


def test_the_order_of_fails_makes_no_new_version():
    both = changed("output: Please look", "output: Please do look").replace(
        "[no_please]", "[no_please, two_words]"
    )
    other = both.replace("[no_please, two_words]", "[two_words, no_please]")
    assert Document.parse(both).digest == Document.parse(other).digest


def test_the_order_of_rules_makes_a_new_version():
    data = Document.parse(TEXT).canonical()
    data["rubric"]["rules"].reverse()
    assert Document.from_json(data).digest != Document.parse(TEXT).digest


def test_a_document_cannot_be_changed():
    probe = Document.parse(TEXT)
    for part in (
        probe,
        probe.prompt,
        probe.parameters,
        probe.rubric,
        probe.rubric.rules[0],
        probe.fixtures[0],
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, dataclasses.fields(part)[0].name, "x")


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=80)


@given(prose=WORDS, output=WORDS, why=WORDS)
@settings(max_examples=examples(100), deadline=None)
def test_what_is_exported_reads_back_as_the_same_document(prose, output, why):
    data = with_output(output).canonical()
    data["rubric"]["prose"] = "x" + prose
    data["rubric"]["rules"][0]["why"] = why + "x"
    data["fixtures"][1]["fails"] = None
    probe = Document.from_json(data)
    assert probe.canonical() == data
    again = Document.parse(probe.to_yaml())
    assert again == probe
    assert again.digest == probe.digest


BAD_JSON = {
    "not a mapping": ([], "this is a list, and must be keys with values"),
    "a set": ({"title": {1}}, "a set is not a JSON value"),
    "bytes": ({"title": b"x"}, "a bytes is not a JSON value"),
    "a number that is none": ({"parameters": {"max_tokens": 1, "temperature": float("nan")}}, "not finite"),
    "a huge number": ({"parameters": {"max_tokens": 10**400}}, "this number is too large"),
    "keys that are numbers": ({"prompt": {1: "x"}}, "this mapping has keys that are not texts"),
    "NUL": ({"title": "a\0b"}, "this text holds a NUL"),
    "half a pair": ({"title": "a\ud800b"}, "half a surrogate pair"),
    "a missing key": ({"title": None}, "this is null, and must be a text"),
}


@pytest.mark.parametrize("name", BAD_JSON)
def test_bad_json_is_refused_by_path(name):
    fields, message = BAD_JSON[name]
    data: Any = {**Document.parse(TEXT).canonical(), **fields} if isinstance(fields, dict) else fields
    with pytest.raises(DocumentError) as caught:
        Document.from_json(data)
    assert len(caught.value.problems) == 1
    assert message in caught.value.problems[0].message
    assert caught.value.problems[0].line is None


def test_deep_and_endless_json_is_refused():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]
    endless: dict = {}
    endless["prompt"] = endless
    for data, message in (
        (deep, "over 20 levels"),
        (endless, "over 20 levels"),
        ([0] * 20_000, "10,000 values"),
    ):
        with pytest.raises(DocumentError, match=message):
            Document.from_json({**Document.parse(TEXT).canonical(), "fixtures": data})


def rules(count: int) -> list[dict]:
    rule = Document.parse(TEXT).canonical()["rubric"]["rules"][0]
    return [{**rule, "name": f"rule_{i}"} for i in range(count)]


def test_twenty_rules_and_no_more():
    rubric = Document.parse(TEXT).canonical()["rubric"]
    fixtures = [{"label": "x", "expect": "fail", "output": "x"}]
    assert document(rubric={**rubric, "rules": rules(20)}, fixtures=fixtures)
    with pytest.raises(DocumentError, match="21 are listed and 20 are allowed"):
        document(rubric={**rubric, "rules": rules(21)}, fixtures=fixtures)


def test_fifty_fixtures_and_no_more():
    fixtures = [{"label": f"x{i}", "expect": "fail", "output": "x"} for i in range(51)]
    assert document(fixtures=fixtures[:50])
    with pytest.raises(DocumentError, match="51 are listed and 50 are allowed"):
        document(fixtures=fixtures)


def test_a_fixture_is_no_longer_than_what_is_scored():
    assert with_output("x" * 200_000)
    with pytest.raises(DocumentError, match="200,001 characters and may have 200,000"):
        with_output("x" * 200_001)


def test_a_document_that_no_file_could_hold_is_refused():
    with pytest.raises(DocumentError, match=r"written out, the probe has .* bytes and may have 262,144"):
        with_output("x\n" * 60_000)
    assert len(with_output("x\n" * 20_000).to_yaml().encode()) < MAX_BYTES


def test_render_fills_in_the_variables_and_nothing_else():
    prompt = {
        "system": "About {{concept}}.",
        "user": "{{concept}}\r\n\t{{ }} {{}} { {concept} }{{{concept}}}  ",
    }
    probe = document(prompt=prompt)
    assert probe.render({"concept": "<b>love</b> \\1 \\g<0>"}) == [
        {"role": "system", "content": "About <b>love</b> \\1 \\g<0>."},
        {
            "role": "user",
            "content": "<b>love</b> \\1 \\g<0>\r\n\t{{ }} {{}} { {concept} }{<b>love</b> \\1 \\g<0>}  ",
        },
    ]


def test_render_never_looks_into_a_value():
    probe = document(variables=["a", "b"], prompt={"system": None, "user": "{{a}} {{b}}"})
    assert probe.render({"a": "{{b}}", "b": "{{a}}"}) == [{"role": "user", "content": "{{b}} {{a}}"}]


def test_a_prompt_without_variables_is_sent_byte_for_byte():
    text = " '\"\\$`\n\r\n\té🎉\u2028{not} {{1}} "
    probe = document(variables=[], prompt={"system": text, "user": text})
    assert [message["content"] for message in probe.render()] == [text, text]


@pytest.mark.parametrize(
    ("binding", "message"),
    [
        ({}, "no value for concept"),
        (None, "no value for concept"),
        ({"concept": "x", "other": "y"}, "the probe has no variable 'other'"),
        ({"concept": 7}, "the value of concept must be a text"),
    ],
)
def test_a_binding_names_exactly_the_variables(binding, message):
    with pytest.raises(BindingError, match=message):
        Document.parse(TEXT).render(binding)


def read_or_problems(text: str) -> Document | list[Problem]:
    try:
        return Document.parse(text)
    except DocumentError as error:
        return list(error.problems)


@given(st.integers(0, len(TEXT) - 1), st.integers(0, 20), st.text("[]{}:-'\"|>&*!#\n\t \x00é10", max_size=3))
@settings(max_examples=examples(150), deadline=None)
def test_a_damaged_file_is_read_or_refused(at, length, text):
    probe = read_or_problems(TEXT[:at] + text + TEXT[at + length :])
    if isinstance(probe, Document):
        assert Document.parse(probe.to_yaml()) == probe
    else:
        assert all(problem.line for problem in probe)


HOSTILE = {
    "unknown keys": TEXT + "".join(f"k{i}sumary: 1\n" for i in range(4_900)),
    "rules that are not there": TEXT.replace("[two_words]", f"[{', '.join(['zz'] * 9_000)}]"),
    "placeholders": TEXT.replace("in two", "".join(f"{{{{a{i}}}}} " for i in range(20_000))),
    "nested checks": TEXT.replace("kind: words", "kind: any, of: [" + "{kind: not, of: [" * 300),
    "a long pattern": TEXT.replace("/please/i", "(a*)*" * 20_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_probe_file_is_refused_in_bounded_time(name):
    started = time.process_time()
    with pytest.raises(DocumentError) as caught:
        Document.parse(HOSTILE[name])
    assert time.process_time() - started < 3
    assert len(caught.value.problems) <= 50
    assert len(str(caught.value)) < 20_000


def test_problems_beyond_fifty_are_counted():
    with pytest.raises(DocumentError) as caught:
        Document.parse(HOSTILE["unknown keys"])
    assert (len(caught.value.problems), caught.value.more) == (50, 4_850)
    assert str(caught.value).startswith("4,900 problems in the probe file:\n  line 26, k0sumary: unknown key")
    assert str(caught.value).endswith("\n  and 4,850 more")


def test_problems_do_not_repeat_hostile_text():
    assert all(
        len(message) < 200
        for _, message in problems_of(TEXT.replace("slug: two", f"slug: {'A' * 60} \\e[0m"))
    )
