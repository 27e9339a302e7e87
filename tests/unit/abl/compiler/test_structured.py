from __future__ import annotations

import pytest

from abl.compiler.structured import structured


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        ("[1, 2]", [1, 2]),
        ("{a: 1}", {"a": 1}),
        ("a: 1\nb:\n  - x", {"a": 1, "b": ["x"]}),
        ("- a: 1\n- b", [{"a": 1}, "b"]),
        ("a: 2026-01-02", {"a": "2026-01-02"}),
    ],
)
def test_json_and_yaml_are_read(text: str, data: object) -> None:
    assert structured(text) == data


@pytest.mark.parametrize(
    "text",
    [
        "just words",
        "Note: this is a sentence: with colons",
        "{{rows}}",
        "a: &x [1]\nb: *x",
        "[" * 5000,
        "[" * 100 + "]" * 100,
        "- " * 2000 + "x",
        "a: [1",
        "a: !!python/object:os.system x",
        "",
        "a: 99999-99-99999\nb: 0x",
        "{'a': 1}\x00",
    ],
)
def test_everything_else_stays_text(text: str) -> None:
    result = structured(text)
    assert result == text or isinstance(result, dict)
