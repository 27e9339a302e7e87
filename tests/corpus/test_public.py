"""Documents as people write them do what stands beside them: what is found, said, stored and called."""

from __future__ import annotations

import pytest

import abl
from abl.parser.detect import split_documents
from tests.support.cells import over
from tests.support.public_corpus import (
    PublicCase,
    check_findings,
    fixed_text,
    play_case,
    public_cases,
    read_expectation,
)

CASES = public_cases()
PLAYED = [case for case in CASES if "turns" in case.wanted]


@over("case", CASES, ids=str)
def test_the_checks_find_what_is_wrong_and_nothing_else(case: PublicCase) -> None:
    check_findings(case)


@over("case", PLAYED, ids=str)
def test_a_document_as_people_write_it_does_what_they_mean(case: PublicCase) -> None:
    play_case(case)


@over("case", PLAYED, ids=str)
def test_it_does_the_same_with_all_its_quick_fixes_applied(case: PublicCase) -> None:
    fixed = fixed_text(case)
    if fixed != case.text and case.wanted.get("fixed", True):
        play_case(case, fixed)


@over("case", PLAYED, ids=str)
def test_it_does_the_same_when_it_is_formatted(case: PublicCase) -> None:
    play_case(case, abl.format_text(case.text))


@over("case", PLAYED, ids=str)
def test_it_does_the_same_when_it_is_printed(case: PublicCase) -> None:
    if len(split_documents(case.text)) > 1:
        return
    document = abl.parse(case.text).document
    assert document is not None
    play_case(case, abl.serialize(document, "yaml" if document.format == "yaml" else "abl"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("about: x\nturns: [{say: hi, expect: {sayd: Hello}}]", "nobody reads sayd"),
        ("about: x\nturns: [{say: hi, reply: Hello}]", "nobody reads reply"),
        ("about: x\nrefused: [E721]\nturns: [{say: hi}]", "nobody reads turns"),
        ("about: x\nturns: [{say: hi}]", "expects nothing"),
        ("about: x\nfindings: [E721]", "say what is refused, or turns"),
        ("about: x\nabout: y", "said twice"),
    ],
)
def test_an_expectation_that_nobody_would_read_is_an_error(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_expectation(text, "some.expect.yaml")
