from __future__ import annotations

from typing import Any

import pytest

from engine.extraction.validate import is_valid


def check(validation: dict[str, Any], value: Any) -> bool:
    return is_valid({"name": "v", "type": "string", "validation": validation}, value, lambda rule: rule == "true")


@pytest.mark.parametrize(
    ("validation", "value", "expected"),
    [
        ({"type": "range", "rule": "8..17"}, 17, True),
        ({"type": "range", "rule": "8..17"}, 18, False),
        ({"type": "range", "rule": ">= 3"}, 2, False),
        ({"type": "range", "rule": "1..2"}, "many", False),
        ({"type": "pattern", "rule": "^a+$"}, "aaa", True),
        ({"type": "pattern", "rule": "^a+$"}, "ab", False),
        ({"type": "enum", "rule": "[red, green]"}, "red", True),
        ({"type": "enum", "rule": "[red, green]"}, "blue", False),
        ({"type": "custom", "rule": "true"}, 1, True),
        ({"type": "custom", "rule": "false"}, 1, False),
        ({"type": "intrinsic", "rule": "email"}, "a@b.example", True),
        ({"type": "intrinsic", "rule": "email"}, "a@b", False),
        ({"type": "intrinsic", "rule": "iban"}, "DE89 3704 0044 0532 0130 00", True),
        ({"type": "intrinsic", "rule": "iban"}, "DE89 3704 0044 0532 0130 01", False),
        ({"type": "intrinsic", "rule": "credit_card"}, "4111 1111 1111 1111", True),
        ({"type": "intrinsic", "rule": "credit_card"}, "4111 1111 1111 1112", False),
        ({"type": "llm", "rule": "is polite"}, "anything", True),
        (
            {
                "type": "range",
                "rule": "2..",
            },
            3,
            True,
        ),
        ({"type": "range", "rule": "..2"}, 3, False),
        ({"type": "range", "rule": "< 3"}, 3, False),
        ({"type": "range", "rule": "<= 3"}, 3, True),
        ({"type": "range", "rule": "2026-05-01..2026-05-31"}, "2026-05-31", True),
        ({"type": "range", "rule": "2026-05-01..2026-05-31"}, "2026-06-01", False),
        ({"type": "range", "rule": ">= 08:30"}, "08:29", False),
        ({"type": "range", "rule": "1..2"}, True, False),
        ({"type": "range", "rule": "1..2"}, "nan", False),
        ({}, "anything", True),
        ({"type": "intrinsic", "rule": "string"}, "anything", True),
    ],
)
def test_a_value_is_checked_by_the_kind_of_its_rule(validation: dict[str, Any], value: Any, expected: bool) -> None:
    assert check(validation, value) is expected


@pytest.mark.parametrize(
    "validation",
    [
        {"type": "range", "rule": "1-10 or 20"},
        {"type": "range", "rule": "{{least}}..10"},
        {"type": "range", "rule": "10"},
        {"type": "range"},
        {"type": "pattern", "rule": "(?=5)5"},
        {"type": "enum"},
        {"type": "custom", "rule": " "},
        {"type": "intrinsic", "rule": "emial"},
        {"type": "regexp", "rule": "^5$"},
    ],
)
def test_by_a_rule_that_cannot_be_read_no_value_passes(validation: dict[str, Any]) -> None:
    assert not check(validation, 5)
    assert not check(validation, "5")


def test_the_options_of_a_field_are_the_rule_of_an_enum_without_one() -> None:
    field = {"name": "v", "enum_values": ["red", "green"], "validation": {"type": "enum", "rule": ""}}
    assert is_valid(field, "red", lambda _: True)
    assert not is_valid(field, "blue", lambda _: True)
