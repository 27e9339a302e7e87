from __future__ import annotations

from typing import Any

import pytest

from engine.extraction.validate import is_valid


def check(validation: dict[str, Any], value: Any) -> bool:
    return is_valid({"name": "v", "validation": validation}, value, lambda rule: rule == "true")


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
        ({}, "anything", True),
    ],
)
def test_a_value_is_checked_by_the_kind_of_its_rule(validation: dict[str, Any], value: Any, expected: bool) -> None:
    assert check(validation, value) is expected
