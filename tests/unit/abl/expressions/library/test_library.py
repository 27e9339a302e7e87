"""Every function of spec 6.6: what it gives, in any case, with or without `abl.`, and null for nonsense."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import Any

from abl.expressions import FUNCTIONS, Environment, compile_expression
from abl.expressions.library import SYNONYMS, find
from abl.expressions.limits import MAX_TEXT_CHARS
from tests.support.cells import over

STATE: dict[str, Any] = {
    "items": [{"id": 1, "price": "2.5"}, {"id": 2, "price": 4}],
    "m": {"a": 1, "b": 2},
    "n": [3, 1, 2],
    "text": "Hello World",
}
ENVIRONMENT = Environment(
    now="2026-05-06T07:08:09+00:00",
    unique_id=lambda length: "z" * length,
    zone=lambda name: timezone(timedelta(hours=2)) if name == "Europe/Berlin" else None,
)

CALLS: list[tuple[str, Any]] = [
    ("UPPER(text)", "HELLO WORLD"),
    ("lower(text)", "hello world"),
    ("TRIM('  a ')", "a"),
    ("SUBSTRING(text, 6)", "World"),
    ("SUBSTRING(text, 0, 5)", "Hello"),
    ("REPLACE(text, 'o', '0')", "Hell0 W0rld"),
    ("REPLACE(text, '', 'x')", "Hello World"),
    ("SPLIT('a,b,c', ',')", ["a", "b", "c"]),
    ("JOIN(n)", "3,1,2"),
    ("JOIN(n, ' - ')", "3 - 1 - 2"),
    ("PAD_START('7', 3, '0')", "007"),
    ("PAD_END('7', 3)", "7  "),
    ("REPEAT('ab', 3)", "ababab"),
    ("STARTS_WITH(text, 'He')", True),
    ("ENDS_WITH(text, 'He')", False),
    ("LENGTH(text)", 11),
    ("LENGTH(n)", 3),
    ("LENGTH(m)", 2),
    ("LENGTH(missing)", 0),
    ("size(n)", 3),
    ("ROUND(2.5)", 3),
    ("ROUND(-2.5)", -3),
    ("ROUND(2.345, 2)", 2.35),
    ("ROUND(1234, -2)", 1200),
    ("ABS(-3)", 3),
    ("MIN(3, 1, '2')", 1),
    ("MAX(n)", 3),
    ("ADD('1', 2)", 3),
    ("SUB(1, 2)", -1),
    ("MUL(2, 3.5)", 7.0),
    ("DIV(7, 2)", 3.5),
    ("DIV(7, 0)", None),
    ("FLOOR(2.9)", 2),
    ("CEIL(2.1)", 3),
    ("TO_NUMBER(' 12.5 ')", 12.5),
    ("TO_NUMBER('twelve')", None),
    ("TO_STRING(3.0)", "3"),
    ("TO_STRING(m)", '{"a": 1, "b": 2}'),
    ("TO_STRING(true)", "true"),
    ("IS_ARRAY(n)", True),
    ("IS_NUMBER('1')", False),
    ("IS_STRING('1')", True),
    ("MASK('4111111111111234')", "************1234"),
    ("MASK('4111111111111234', 'first4', '#')", "4111############"),
    ("MASK('4111111111111234', '2*3')", "41***********234"),
    ("MASK('12', 'last4')", "**"),
    ("FORMAT_CURRENCY(1234.5, 'USD')", "$1,234.50"),
    ("FORMAT_CURRENCY(1234.5, 'EUR', 'de-DE')", "1.234,50\u00a0€"),
    ("FORMAT_CURRENCY(-1234, 'JPY')", "-¥1,234"),
    ("FORMAT_CURRENCY(1, 'CHF')", "CHF\u00a01.00"),
    ("FORMAT_DATE('2026-03-04', 'DD MMM YYYY')", "04 Mar 2026"),
    ("FORMAT_DATE('2026-03-04T23:30:00Z', 'YYYY-MM-DD HH:mm:ss', '+02:00')", "2026-03-05 01:30:00"),
    ("FORMAT_DATE('2026-03-04T23:30:00Z', 'DD HH', 'Europe/Berlin')", "05 01"),
    ("FORMAT_DATE('yesterday', 'DD')", None),
    ("FORMAT_DATE(0, 'YYYY')", "1970"),
    ("ORDINAL(1)", "1st"),
    ("ORDINAL(12)", "12th"),
    ("ORDINAL(23)", "23rd"),
    ("ARRAY_FIND(items, 'id', 2)", {"id": 2, "price": 4}),
    ("ARRAY_FIND(items, 'id', 9)", None),
    ("ARRAY_FIND_INDEX(items, 'id', 2)", 1),
    ("ARRAY_FIND_INDEX(items, 'id', 9)", -1),
    ("OBJECT_KEYS(m)", ["a", "b"]),
    ("OBJECT_VALUES(m)", [1, 2]),
    ("OBJECT_MERGE(m, missing, m)", {"a": 1, "b": 2}),
    ("COALESCE(missing, null, 0, 1)", 0),
    ("DEFAULT('', 'x')", "x"),
    ("COUNT(n)", 3),
    ("COUNT(missing)", 0),
    ("SUM(n)", 6),
    ("SUM(items, 'price')", 6.5),
    ("FIRST(n)", 3),
    ("LAST(n)", 2),
    ("FIRST([])", None),
    ("NOW()", "2026-05-06T07:08:09+00:00"),
    ("TODAY()", "2026-05-06"),
    ("UNIQUE_ID()", "zzzzzz"),
    ("UNIQUE_ID(3)", "zzz"),
    ("DAYS_BETWEEN('2026-01-01', '2026-03-01T12:00:00Z')", 59),
    ("AGO('2026-05-06T06:08:09Z')", "1 hour ago"),
    ("AGO('2026-05-16')", "in 9 days"),
    ("AGO(NOW())", "just now"),
    ("JSON(n)", "[3, 1, 2]"),
    ("contains_pii('write to a.b@example.com')", True),
    ("contains_pii('call +49 30 123 4567')", True),
    ("contains_pii('card 4111 1111 1111 1111')", True),
    ("contains_pii('card 4111 1111 1111 1112', 'credit_card')", False),
    ("contains_pii('order 12 of 3')", False),
    ("contains_pii('a.b@example.com', 'iban')", False),
    (r"abl.matches_pattern('AB-12', '\d+')", True),
    ("abl.matches_pattern('AB', '(a+)+')", False),
    ("ABL.WORD_COUNT('one two  three')", 3),
    ("sentence_count('Hi. It costs 3.50 now! Really?')", 3),
    ("sentence_count('no stop')", 1),
    ("sentence_count('')", 0),
    ("contains_url('see https://example.com/a')", True),
    ("contains_url('no address')", False),
    ("contains_email('a.b@example.com')", True),
]


@over(("text", "expected"), CALLS)
def test_a_function_gives_its_value(text: str, expected: object) -> None:
    value = compile_expression(text)(STATE, ENVIRONMENT)
    assert value == expected
    assert type(value) is type(expected)


def test_every_function_is_called_by_these_tests() -> None:
    called = {text.upper().removeprefix("ABL.").partition("(")[0] for text, _ in CALLS}
    assert called == set(FUNCTIONS)


def test_time_and_ids_come_from_the_environment_only() -> None:
    for text in ("NOW()", "TODAY()", "UNIQUE_ID()", "AGO('2026-01-01')"):
        assert compile_expression(text)(STATE) is None


@over("name", sorted(FUNCTIONS))
def test_a_function_describes_itself_in_one_line(name: str) -> None:
    entry = FUNCTIONS[name]
    assert entry.summary.endswith(".")
    assert entry.signature.startswith(entry.name + "(")
    assert 0 <= entry.least <= entry.most
    assert "argument" in entry.arity
    assert find(f"abl.{entry.name.lower()}") is entry


def test_synonyms_lead_to_functions_or_to_the_cel_form() -> None:
    assert all(find(name) or name in ("has", "contains") for name in SYNONYMS.values())
    assert not set(SYNONYMS) & set(FUNCTIONS)


def test_texts_have_a_longest_length() -> None:
    for text in ("REPEAT('ab', 9999999999)", "PAD_END('a', 9999999999)", "REPLACE(x, 'a', x)", "JOIN(SPLIT(x, ''), x)"):
        value = compile_expression(text)({"x": "a" * 5_000})
        assert MAX_TEXT_CHARS - 5_000 <= len(value) <= MAX_TEXT_CHARS
