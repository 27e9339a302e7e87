"""Scalars, lists and maps of one line. Spec: abl-language 1.3, 1.4."""

import pytest

from abl.parser.values import (
    MAX_NESTING,
    cut_comment,
    duration,
    inline_list,
    inline_map,
    literal,
    number,
    open_brackets,
    split_top,
    unquote,
)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('"a text" # said', '"a text"'),
        ("'a text' # said", "'a text'"),
        ("[a, b] # said", "[a, b]"),
        ("{a: b} # said", "{a: b}"),
        ("12 # said", "12"),
        ("-1.5 # said", "-1.5"),
        ("30s # said", "30s"),
        ("true # said", "true"),
        ("user.tier # said", "user.tier"),
        ("ask -> look -> done # said", "ask -> look -> done"),
        ("12\t# said", "12"),
        ("| # said", "|"),
        (r'"Say \"hi\"" # said', r'"Say \"hi\""'),
    ],
)
def test_a_comment_behind_a_complete_value_is_cut(written, kept):
    assert cut_comment(written) == kept


@pytest.mark.parametrize(
    "written",
    [
        "Handle ticket #12 today",
        "Handle ticket # 12 today",
        "room#3",
        '"a # b"',
        "{{ a # b }}",
        "[a # b]",
        "#fff",
        "say hello # not a comment in free text",
    ],
)
def test_a_sign_in_free_text_quotes_or_brackets_is_no_comment(written):
    assert cut_comment(written) == written


@pytest.mark.parametrize(
    ("written", "plain"), [('"a"', "a"), ("'a'", "a"), ('"a', '"a'), ("a", "a"), ('"', '"'), ("\"a'", "\"a'"), ("", "")]
)
def test_a_pair_of_quotes_of_either_kind_is_removed(written, plain):
    assert unquote(written) == plain


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("a, b", [("a", 0), ("b", 3)]),
        ('"a, b", c', [('"a, b"', 0), ("c", 8)]),
        ("f(a, b), {c, d}, [e, f]", [("f(a, b)", 0), ("{c, d}", 9), ("[e, f]", 17)]),
        ("don't, b", [("don't", 0), ("b", 7)]),
        ("a,, b,", [("a", 0), ("b", 4)]),
        ("", []),
    ],
)
def test_a_text_is_split_at_top_level_commas(written, parts):
    assert split_top(written) == parts


@pytest.mark.parametrize(
    ("written", "items"),
    [
        ("[a, \"b c\", 'd']", ["a", "b c", "d"]),
        ("[a, b,]", ["a", "b"]),
        ("a, b", ["a", "b"]),
        ("[]", []),
        ("[ ]", []),
        ('["a, b", c]', ["a, b", "c"]),
        ("[text/plain, 1.5, x-y]", ["text/plain", "1.5", "x-y"]),
        ("a", ["a"]),
    ],
)
def test_an_inline_list_is_split_trimmed_and_unquoted(written, items):
    found = inline_list(written)
    assert [text for text, _ in found] == items
    assert all(written[at : at + len(text)] == text for text, at in found)


@pytest.mark.parametrize(
    ("written", "pairs"),
    [
        ("{k: v, k2: v2}", {"k": "v", "k2": "v2"}),
        ("k: v, k2: v2", {"k": "v", "k2": "v2"}),
        ("{a, b: c}", {"a": "a", "b": "c"}),
        ("{a, b}", {"a": "a", "b": "b"}),
        ('{a: "x, y", b: f(1, 2)}', {"a": '"x, y"', "b": "f(1, 2)"}),
        ("{a: {b: c}}", {"a": "{b: c}"}),
        ('{"a b": c}', {"a b": "c"}),
        ("{a: b,}", {"a": "b"}),
        ("{}", {}),
        ("a = 1, b = 2", {"a": "1", "b": "2"}),
        ("{url: https://x.example/a}", {"url": "https://x.example/a"}),
    ],
)
def test_an_inline_map_keeps_its_raw_values_and_where_they_stand(written, pairs):
    found = inline_map(written)
    assert {key: value for key, value, _ in found} == pairs
    assert all(written[at : at + len(value)] == value for _, value, at in found)


@pytest.mark.parametrize("written", ["a sentence", "{two words}", "a == b"])
def test_what_is_no_map_gives_none(written):
    assert inline_map(written) is None


@pytest.mark.parametrize(("written", "count"), [("[a", 1), ("[{(", 3), ("[a]", 0), ('"["', 0), ("([)", 1), ("", 0)])
def test_open_brackets_are_counted_outside_quotes(written, count):
    assert open_brackets(written) == count


@pytest.mark.parametrize(
    ("written", "value"),
    [("12", 12), ("-3", -3), ("1.5", 1.5), ("1.", None), (".5", None), ("1e3", None), ("a", None), ("9" * 400, None)],
)
def test_a_number_is_digits_with_a_sign_and_a_fraction(written, value):
    assert number(written) == value
    assert type(number(written)) is type(value)


@pytest.mark.parametrize(
    ("written", "unit", "value"),
    [
        ("500", "ms", 500),
        ("500", "s", 500),
        ("20s", "ms", 20_000),
        ("20s", "s", 20),
        ("20 s", "s", 20),
        ("250ms", "s", 0.25),
        ("2m", "s", 120),
        ("1h", "s", 3600),
        ("1d", "s", 86_400),
        ("1.5h", "ms", 5_400_000),
        ('"30s"', "s", 30),
        ("2M", "s", 120),
        ("soon", "s", None),
        ("5w", "s", None),
    ],
)
def test_a_duration_is_in_its_own_unit_or_in_the_unit_written(written, unit, value):
    assert duration(written, unit) == value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0", 0),
        ("-1.5", -1.5),
        ("true", True),
        ("False", False),
        ("null", None),
        ('"true"', "true"),
        ("'7'", "7"),
        ("[1, a, true]", [1, "a", True]),
        ("{a: 1, b: [x]}", {"a": 1, "b": ["x"]}),
        ("{{user.name}}", "{{user.name}}"),
        ("bare text", "bare text"),
        ("yes", "yes"),
        ("", ""),
        ("{}", {}),
        ("[]", []),
    ],
)
def test_a_literal_is_json_or_bare_text(written, value):
    assert literal(written) == value
    assert type(literal(written)) is type(value)


def test_a_literal_that_is_nested_too_deep_stays_text_inside():
    depth = MAX_NESTING * 3
    value = literal("[" * depth + "]" * depth)
    levels = 0
    while isinstance(value, list):
        value = value[0]
        levels += 1
    assert levels == MAX_NESTING
    assert isinstance(value, str)
