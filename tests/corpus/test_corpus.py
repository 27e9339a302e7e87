"""Every text of the corpus means what stands beside it, survives being printed, and is formatted once and for all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import abl
from abl.conversion import convert
from abl.source import Source
from tests.support.cells import over
from tools.corpus import CORPUS, MARKED, RESULTS, Case, cases, expected

CASES = cases()
READABLE = [case for case in CASES if abl.parse(case.text).document is not None and not abl.parse(case.text).errors]
REALWORLD = [case for case in CASES if case.area == "realworld"]
WITH_MARKERS = [case for case in CASES if case.area in MARKED]
MODERN_AGENTS = [case for case in READABLE if case.area not in ("profiles", "libraries", "legacy", "yaml")]
each_case = over("case", CASES, ids=str)
each_readable_case = over("case", READABLE, ids=str)


@each_case
def test_the_tokens_are_the_expected_ones(case: Case) -> None:
    wanted = expected(case)
    assert RESULTS["tokens"](case) == wanted["tokens"]
    assert RESULTS["token_errors"](case) == wanted["token_errors"]


@each_case
def test_every_token_stands_where_it_says(case: Case) -> None:
    source = Source(case.text)
    for token in abl.tokenize(case.text).tokens:
        assert source.text[token.offset : token.end_offset] == token.image
        assert source.pos(token.offset)[:2] == (token.line, token.column)


@each_case
def test_the_document_is_the_expected_one(case: Case) -> None:
    assert RESULTS["document"](case) == expected(case)["document"]


@each_case
def test_the_compiled_agent_is_the_expected_one(case: Case) -> None:
    assert RESULTS["ir"](case) == expected(case)["ir"]


@each_case
def test_the_parser_finds_what_is_expected(case: Case) -> None:
    assert RESULTS["parse"](case) == expected(case)["parse"]


@each_case
def test_validation_finds_what_is_expected(case: Case) -> None:
    assert RESULTS["checks"](case) == expected(case)["checks"]


@over("case", WITH_MARKERS, ids=str)
def test_each_complaint_stands_on_its_line_and_there_is_no_other(case: Case) -> None:
    found = RESULTS[MARKED[case.area]](case)
    assert sorted((line, code) for code, line, _ in found) == list(case.complaints)


@over("case", REALWORLD, ids=str)
def test_what_people_really_write_has_no_error(case: Case) -> None:
    assert not [one.message for one in abl.parse(case.text).errors]


@each_readable_case
def test_a_document_is_the_same_after_printing_and_reading(case: Case) -> None:
    document = abl.parse(case.text, strict=case.strict).document
    assert document is not None
    form = "yaml" if document.format == "yaml" else "abl"
    printed = abl.serialize(document, form)
    again = abl.parse(printed, strict=case.strict).document
    assert again == document, printed
    assert abl.serialize(again, form) == printed


@each_readable_case
def test_a_formatted_text_means_the_same_and_is_not_formatted_again(case: Case) -> None:
    formatted = abl.format_text(case.text)
    assert abl.format_text(formatted) == formatted
    before, after = abl.parse(case.text).document, abl.parse(formatted).document
    assert before is not None
    assert after is not None
    assert after.to_dict() == before.to_dict()


@each_readable_case
def test_a_printed_text_has_the_layout_of_the_formatter(case: Case) -> None:
    document = abl.parse(case.text, strict=case.strict).document
    assert document is not None
    printed = abl.serialize(document, "yaml" if document.format == "yaml" else "abl")
    assert abl.format_text(printed) == printed


@each_readable_case
def test_a_text_compiles_like_its_modern_form(case: Case) -> None:
    if abl.parse(case.text).document.kind in ("agent", "supervisor"):
        made = convert(case.text, "modern").text
        assert lasting(made) == lasting(case.text)


def lasting(text: str) -> dict[str, object]:
    """Return the agents that a text compiles to, without what tells of the text itself."""
    agents = abl.compile_abl_to_ir(text)["agents"]
    return {name: {key: part for key, part in ir.items() if key != "metadata"} for name, ir in agents.items()}


@over("case", MODERN_AGENTS, ids=str)
def test_the_yaml_form_compiles_to_the_same_agent(case: Case) -> None:
    document = abl.parse(case.text, strict=case.strict).document
    assert document is not None
    assert RESULTS["ir"](replace(case, text=abl.serialize(document, "yaml"))) == RESULTS["ir"](case)


def test_the_corpus_has_the_size_that_was_promised() -> None:
    files = {case.sidecar for case in CASES}
    assert len(files) >= 270
    assert len({case.name.partition(".")[0] for case in REALWORLD}) >= 110
    assert {case.sidecar for case in CASES} == set(CORPUS.rglob("*.expected.json")), "run tools.update_corpus"


@pytest.mark.parametrize(
    ("name", "bytes_"),
    [
        ("crlf_plain", b"\r\n"),
        ("lone_carriage_returns", b"\r"),
        ("byte_order_mark", b"\xef\xbb\xbf"),
        ("tabs_for_indent", b"\n\t"),
        ("quotes_german", "„".encode()),
    ],
)
def test_the_unusual_bytes_are_really_in_the_files(name: str, bytes_: bytes) -> None:
    assert bytes_ in Path(CORPUS, "realworld", f"{name}.abl").read_bytes()


def test_texts_without_a_final_newline_have_none() -> None:
    for path in CORPUS.glob("realworld/no_final_newline*.abl"):
        assert not path.read_bytes().endswith((b"\n", b"\r"))
