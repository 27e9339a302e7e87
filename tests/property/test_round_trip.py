"""Documents survive being written and read: `parse(serialize(d)).document == d`, in the text form and in YAML."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from abl.parser import parse_text
from abl.printer import serialize
from abl.syntax.document import Document
from abl.syntax.node import Node
from abl.syntax.result import ParseResult
from abl.syntax.rules import FailAction
from abl.yaml_form import parse_yaml, to_yaml
from tests.property.documents import CLASSES, Shown, documents, focused

QUICK = settings(max_examples=150)
EACH = settings(max_examples=3, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
SOAK = settings(max_examples=10_000)


def read_text(text: str, kind: str) -> ParseResult:
    return parse_text(text, "tools" if kind == "tools" else None)


def through_text(document: Document) -> None:
    text = serialize(document)
    result = read_text(text, document.kind)
    assert result.document is not None, text
    document.detected_type = result.document.detected_type
    assert result.document == document, text
    assert serialize(result.document) == text


def through_yaml(document: Document) -> None:
    text = to_yaml(document)
    result = parse_yaml(text)
    assert result.document is not None, (text, result.errors)
    document.format = document.detected_type = "yaml"
    for guardrail in document.guardrails:  # their defaults differ between the forms, so they are written out
        guardrail.kind = guardrail.kind or "output"
        guardrail.action = guardrail.action or FailAction(type="warn")
    assert result.document == document, text


@QUICK
@given(documents().map(Shown))
def test_a_document_survives_the_text_form(shown: Shown) -> None:
    through_text(shown.document)


@QUICK
@given(documents().map(Shown))
def test_a_document_survives_the_yaml_form(shown: Shown) -> None:
    through_yaml(shown.document)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_construct_that_says_everything_survives_both_forms(cls: type[Node]) -> None:
    @EACH
    @given(focused(cls).map(Shown))
    def survives(shown: Shown) -> None:
        through_text(shown.document)
        through_yaml(shown.document)

    survives()


@pytest.mark.soak
@SOAK
@given(documents().map(Shown))
def test_ten_thousand_documents_survive_the_text_form(shown: Shown) -> None:
    through_text(shown.document)


@pytest.mark.soak
@SOAK
@given(documents().map(Shown))
def test_ten_thousand_documents_survive_the_yaml_form(shown: Shown) -> None:
    through_yaml(shown.document)
