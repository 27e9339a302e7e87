"""Reading conditions and expressions: trees, and faults with their places and fixes."""

from __future__ import annotations

import pytest

from abl.expressions import Analysis, analyse, parse_condition, parse_expression
from abl.expressions.faults import apply
from abl.expressions.limits import MAX_EXPRESSION_CHARS, MAX_HEIGHT, MAX_NESTING
from abl.expressions.tree import (
    Array,
    Binary,
    Boolean,
    Conditional,
    Function,
    Invalid,
    Node,
    Null,
    Number,
    String,
    Template,
    Unary,
    Variable,
    Wildcard,
)
from tests.support.cells import over

A, B, C, X = Variable(("a",)), Variable(("b",)), Variable(("c",)), Variable(("x",))


def exists(node: Node) -> Node:
    return Unary("exists", node)


def negation(node: Node) -> Node:
    return Unary("not", node)


TREES = [
    ("a OR b AND NOT c", Binary("or", A, Binary("and", B, negation(C)))),
    ("a || b && !c", Binary("or", A, Binary("and", B, negation(C)))),
    ("(a or b) and c", Binary("and", Binary("or", A, B), C)),
    ("NOT a == b", negation(Binary("==", A, B))),
    ("a OR b OR c", Binary("or", Binary("or", A, B), C)),
    ('a == "x AND y"', Binary("==", A, String("x AND y"))),
    ("a == 'it said \"no\"'", Binary("==", A, String('it said "no"'))),
    (r'a == "say \"hi\""', Binary("==", A, String('say "hi"'))),
    (r'a MATCHES "\d+"', Binary("matches", A, String(r"\d+"))),
    ("x IS SET", exists(X)),
    ("x IS NOT SET", negation(exists(X))),
    ("x is empty", Unary("empty", X)),
    ("x IS NOT EMPTY", negation(Unary("empty", X))),
    ("x IS NULL", negation(exists(X))),
    ("x IS NOT NULL", exists(X)),
    ("a.b.c == null", Binary("==", Variable(("a", "b", "c")), Null())),
    ('items[0].name["first one"]', Variable(("items", "0", "name", "first one"))),
    ('match["1"]', Variable(("match", "1"))),
    ("x IN [1, 2.5, true, null]", Binary("in", X, Array((Number(1), Number(2.5), Boolean(True), Null())))),
    ("x NOT IN []", Binary("not_in", X, Array(()))),
    ('x not contains "a"', negation(Binary("contains", X, String("a")))),
    ('x STARTS_WITH "a"', Binary("starts_with", X, String("a"))),
    ('x endsWith "a"', Binary("ends_with", X, String("a"))),
    ('x.contains("a")', Binary("contains", X, String("a"))),
    ('a.b.startsWith("a")', Binary("starts_with", Variable(("a", "b")), String("a"))),
    ('"abc".endsWith(x)', Binary("ends_with", String("abc"), X)),
    ('x.matches("a+")', Binary("matches", X, String("a+"))),
    ('items[0].contains("a")', Binary("contains", Variable(("items", "0")), String("a"))),
    ("has(a.b)", exists(Variable(("a", "b")))),
    ("size(x) > 2", Binary(">", Function("size", (X,)), Number(2))),
    ("x.size()", Function("size", (X,))),
    ("a in [b]", Binary("in", A, Array((B,)))),
    ("a ? b : c", Conditional(A, B, C)),
    ("a ? b : b ? c : a", Conditional(A, B, Conditional(B, C, A))),
    ("1 + 2 * 3", Binary("+", Number(1), Binary("*", Number(2), Number(3)))),
    ("a - b - c", Binary("-", Binary("-", A, B), C)),
    ("a % 2 == 0", Binary("==", Binary("%", A, Number(2)), Number(0))),
    ("-3", Number(-3)),
    ("-a * b", Binary("*", Unary("neg", A), B)),
    ("Upper(abl.word_count(x))", Function("Upper", (Function("abl.word_count", (X,)),))),
    ("*", Wildcard()),
    ("{{a}} == b", Binary("==", A, B)),
    ('"Hi {{a}}, {{ b | upper }}"', Template(("Hi ", A, ", ", Function("UPPER", (B,))))),
    ("android == orange", Binary("==", Variable(("android",)), Variable(("orange",)))),
    ("größe > 3", Binary(">", Variable(("größe",)), Number(3))),
]


@over(("text", "tree"), TREES)
def test_a_text_gives_its_tree(text: str, tree: Node) -> None:
    analysis = analyse(text, condition=False)
    assert analysis == Analysis(tree)
    assert parse_condition(text) == tree


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_condition_is_true(text: str) -> None:
    assert parse_condition(text) == Boolean(True)
    assert parse_expression(text).kind == "invalid"


@pytest.mark.parametrize("text", ["else", "ELSE", " default ", "*"])
def test_else_alone_is_a_wildcard(text: str) -> None:
    assert parse_condition(text) == Wildcard()


def test_nodes_know_their_place() -> None:
    node = parse_condition('  visits > 3 AND plan == "gold"')
    assert isinstance(node, Binary)
    assert (node.start, node.length) == (2, 29)
    assert isinstance(node.right, Binary)
    assert (node.right.left.start, node.right.left.length) == (17, 4)


# text, code, what the span covers, the text after the fix
FAULTS = [
    ('a = "x"', "SINGLE_EQUALS", "=", 'a == "x"'),
    ("a === b", "TRIPLE_EQUALS", "===", "a == b"),
    ("a !== b", "TRIPLE_EQUALS", "!==", "a != b"),
    ("x IS ST", "INVALID_CONDITION", "ST", "x IS SET"),
    ("x IS NONE", "INVALID_CONDITION", "NONE", "x IS NULL"),
    ("x IS NOT BLANK", "INVALID_CONDITION", "BLANK", "x IS NOT EMPTY"),
    ("x IS true", "INVALID_CONDITION", "IS", "x == true"),
    ('x IS NOT "a"', "INVALID_CONDITION", "IS NOT", 'x != "a"'),
    ("x IS", "INVALID_CONDITION", "", "x IS SET"),
    ("x IS NOT NOT SET", "INVALID_CONDITION", "NOT ", "x IS NOT SET"),
    ("x ISNOT SET", "INVALID_CONDITION", "ISNOT SET", "x IS NOT SET"),
    ('s == "lost', "INVALID_CONDITION", '"lost', 's == "lost"'),
    ('s == lost"', "INVALID_CONDITION", '"', 's == "lost"'),
    ("s == \"lost'", "INVALID_CONDITION", "'", 's == "lost"'),
    ('s == "lost AND x == 1', "INVALID_CONDITION", '"lost AND x == 1', 's == "lost" AND x == 1'),
    ("s == 'it's'", "INVALID_CONDITION", "'it's'", 's == "it\'s"'),
    ("s == \u201clost\u201d", "INVALID_CONDITION", "\u201clost\u201d", 's == "lost"'),
    ("(a AND b", "INVALID_CONDITION", "", "(a AND b)"),
    ("((a AND b", "INVALID_CONDITION", "", "((a AND b))"),
    ("a AND b)", "INVALID_CONDITION", ")", "a AND b"),
    ("LENGTH(a > 3", "INVALID_CONDITION", "", "LENGTH(a > 3)"),
    ("a IN [1, 2", "INVALID_CONDITION", "", "a IN [1, 2]"),
    ("a IN (1, 2)", "INVALID_CONDITION", "(1, 2)", "a IN [1, 2]"),
    ("a AND", "INVALID_CONDITION", "", "a"),
    ("AND b", "INVALID_CONDITION", "AND", "b"),
    ("a AND AND b", "INVALID_CONDITION", "AND", "a AND b"),
    ("a ADN b", "INVALID_CONDITION", "ADN", "a AND b"),
    ('x CONTAIN "y"', "INVALID_CONDITION", "CONTAIN", 'x CONTAINS "y"'),
    ('x NOT CONTANS "y"', "INVALID_CONDITION", "CONTANS", 'x NOT CONTAINS "y"'),
    ("a => 3", "INVALID_CONDITION", "=>", "a >= 3"),
    ("a =< 3", "INVALID_CONDITION", "=<", "a <= 3"),
    ("a <> b", "INVALID_CONDITION", "<>", "a != b"),
    ("a > = 3", "INVALID_CONDITION", "=", "a >= 3"),
    ("a = = 3", "INVALID_CONDITION", "=", "a == 3"),
    ("a & b", "INVALID_CONDITION", "&", "a && b"),
    ("a equals 5", "INVALID_CONDITION", "equals", "a == 5"),
    ("a is greater than 5", "INVALID_CONDITION", "is greater than", "a > 5"),
    ("a exists", "INVALID_CONDITION", "exists", "a IS SET"),
    ('a "x"', "INVALID_CONDITION", '"x"', 'a == "x"'),
    ("a == 1 b == 2", "INVALID_CONDITION", "b", "a == 1 AND b == 2"),
    ("1 < x < 5", "INVALID_CONDITION", "<", "1 < x AND x < 5"),
    ("IF x == 1", "INVALID_CONDITION", "IF ", "x == 1"),
    ("x == 1:", "INVALID_CONDITION", ":", "x == 1"),
    ("x > 30m", "INVALID_CONDITION", "30m", 'x > "30m"'),
    ("uper(x)", "FUNCTION_UNKNOWN", "uper", "UPPER(x)"),
    ("a.toUpperCase() == b", "FUNCTION_UNKNOWN", "a.toUpperCase()", "UPPER(a) == b"),
    ("a.startWith(b)", "FUNCTION_UNKNOWN", "startWith", "a.startsWith(b)"),
    ("SUBSTRING(x)", "FUNCTION_ARITY", "SUBSTRING", None),
    ('x MATCHES "(a+)+"', "INVALID_REGEX", '"(a+)+"', None),
    ("a ==", "INVALID_CONDITION", "", None),
    ("items[i]", "INVALID_CONDITION", "i", None),
    ("the customer wants a refund", "NATURAL_LANGUAGE_CONDITION", "the customer wants a refund", None),
    ('"the customer is upset"', "NATURAL_LANGUAGE_CONDITION", '"the customer is upset"', None),
    ('x == "{{y | uper}}"', "TEMPLATE_UNKNOWN_FILTER", "uper", 'x == "{{y | upper}}"'),
    ('x == "{{y"', "TEMPLATE_UNCLOSED", "{{", 'x == "{{y}}"'),
]


@over(("text", "code", "covered", "mended"), FAULTS)
def test_a_mistake_is_one_fault_with_its_place_and_its_fix(
    text: str, code: str, covered: str, mended: str | None
) -> None:
    (fault,) = analyse(text, condition=True).faults
    assert fault.code == code
    assert text[fault.start : fault.start + fault.length] == covered
    assert (apply(text, fault.fix) if fault.fix else None) == mended
    assert bool(fault.title) == bool(fault.fix)
    if mended is not None:
        assert analyse(mended, condition=True).faults == ()


def test_a_slip_that_can_be_read_keeps_the_tree() -> None:
    assert parse_condition("a = b") == Binary("==", A, B)
    assert parse_condition("a !== b") == Binary("!=", A, B)
    assert parse_condition("FOO(a)") == Function("FOO", (A,))


def test_a_call_is_shown_written_in_another_way_when_it_is_short() -> None:
    short, long = (analyse(f"{name}.toUpperCase()", condition=False).faults[0] for name in ("a", "a" * 600))
    assert short.fix is not None
    assert long.fix is None
    faults = analyse("a" + ".upper()" * 1_000, condition=False).faults
    assert sum(len(one.title) for one in faults) < 100_000


def test_after_many_faults_no_more_functions_are_guessed() -> None:
    faults = analyse(f"[{', '.join(['LENGHT(a)'] * 80)}]", condition=False).faults
    assert [one.arguments["suggestion"] for one in faults] == ["LENGTH"] * 50 + [""] * 30


def test_what_cannot_be_read_is_an_invalid_node_with_its_text() -> None:
    assert parse_condition("a ==") == Invalid("a ==")
    assert analyse("a ==", condition=False).faults[0].code == "INVALID_EXPRESSION"


def test_a_suggestion_names_the_nearest_function() -> None:
    (fault,) = analyse("LENGHT(a)", condition=False).faults
    assert (fault.arguments["name"], fault.arguments["suggestion"]) == ("LENGHT", "LENGTH")
    assert "UPPER" in fault.arguments["known"]


@pytest.mark.parametrize(
    "text",
    [
        "customer is angry",
        "The customer's account is locked",
        "Customer asks about a price > 500 euros",
        "user wants a refund AND is upset",
    ],
)
def test_a_sentence_is_text_where_text_is_allowed(text: str) -> None:
    assert analyse(text, condition=True, allow_text=True) == Analysis(String(text))


def test_a_quoted_sentence_is_text_where_text_is_allowed() -> None:
    assert analyse('"user is angry"', condition=True, allow_text=True) == Analysis(String("user is angry"))


def test_a_typo_stays_a_mistake_where_text_is_allowed() -> None:
    (fault,) = analyse("a ADN b", condition=True, allow_text=True).faults
    assert fault.code == "INVALID_CONDITION"
    (fault,) = analyse('status == "lost', condition=True, allow_text=True).faults
    assert fault.code == "INVALID_CONDITION"


def test_unquoted_text_with_braces_is_a_template() -> None:
    node = analyse("Hello {{name}}", condition=False, allow_text=True).node
    assert node == Template(("Hello ", Variable(("name",))))


@pytest.mark.parametrize("value", [None, b"a == b", ["a"], {"a": 1}, object()])
def test_what_is_no_text_is_invalid_and_names_its_type(value: object) -> None:
    analysis = analyse(value, condition=True)
    assert analysis.node == Invalid("")
    assert type(value).__name__ in analysis.faults[0].arguments["detail"]


def test_booleans_and_numbers_of_yaml_stand_for_themselves() -> None:
    assert parse_condition(True) == Boolean(True)
    assert parse_expression(-2.5) == Number(-2.5)


@pytest.mark.parametrize("opening", ["(", "[", "NOT ", "UPPER(", "a ? ", "- ", "a == (", "f("])
def test_nesting_has_a_bound(opening: str) -> None:
    assert analyse(opening * (MAX_NESTING + 5) + "a", condition=True).node.kind == "invalid"
    assert analyse(opening * 3_000 + "a", condition=True).node.kind == "invalid"


def test_chains_have_a_bound_and_lists_have_none() -> None:
    assert analyse(" OR ".join(["a"] * MAX_HEIGHT), condition=True).faults == ()
    (fault,) = analyse(" OR ".join(["a"] * (MAX_HEIGHT + 1)), condition=True).faults
    assert "build on each other" in fault.arguments["detail"]
    assert analyse(f"x IN [{', '.join(['1'] * 2_000)}]", condition=True).faults == ()


def test_a_text_has_a_longest_length() -> None:
    (fault,) = analyse("a" * (MAX_EXPRESSION_CHARS + 1), condition=True).faults
    assert fault.code == "INVALID_CONDITION"


def test_a_tree_says_itself_as_json() -> None:
    assert parse_condition("a.b IS SET OR NOT f(1)").to_dict() == {
        "kind": "binary",
        "operator": "or",
        "left": {"kind": "unary", "operator": "exists", "operand": {"kind": "variable", "path": ["a", "b"]}},
        "right": {
            "kind": "unary",
            "operator": "not",
            "operand": {"kind": "function", "name": "f", "arguments": [{"kind": "number", "value": 1}]},
        },
    }
