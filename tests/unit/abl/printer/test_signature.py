import pytest

from abl.parser.signature import read_signature
from abl.parser.values import literal
from abl.printer.signature import literal_text, quoted, signature_text
from abl.syntax.tools import Parameter, Tool, TypeExpr


@pytest.mark.parametrize(
    "value",
    [
        "",
        "plain",
        'a "b"',
        "it's",
        r"a \"b\" it's",
        "5",
        "true",
        5,
        -2.5,
        True,
        None,
        [1, "a, b", [2]],
        {"a": 1, "b": {"c": "d"}},
    ],
)
def test_a_literal_is_read_as_it_is_printed(value):
    read = literal(literal_text(value))
    assert read == value
    assert type(read) is type(value)


def test_text_with_both_quotes_gets_backslashes():
    assert quoted('it\'s "x"') == '"it\'s \\"x\\""'


def test_a_signature_is_printed_in_one_form():
    tool = Tool(
        name="f",
        parameters=[
            Parameter(name="a", type=TypeExpr(), optional=True),
            Parameter(name="b", type=TypeExpr(values=["x", "y z"]), default="x"),
            Parameter(name="c"),
        ],
        returns=TypeExpr(base="object", fields=[Parameter(name="k-1", type=TypeExpr(base="number"))]),
    )
    text = signature_text(tool)
    assert text == 'f(a?: string, b: enum(x, "y z") = "x", c) -> {"k-1": number}'
    assert read_signature(text).tool == tool
