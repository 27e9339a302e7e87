import pytest

from abl.parser.reading import MAX_FAULTS
from abl.parser.signature import read_signature
from abl.parser.type_expression import MAX_TYPE_NESTING, read_declaration, read_type
from abl.printer.signature import signature_text, type_text
from abl.source import Source
from abl.syntax.tools import Parameter, Tool, TypeExpr
from benchmarks.shapes import of_signs
from tests.support.cells import over
from tests.support.proportion import grows_in_proportion

STRING = TypeExpr()


def codes(text):
    return [one.code for one in read_signature(text).findings]


def mended(text):
    """Apply the fixes one after the other until nothing is left."""
    for _ in range(MAX_FAULTS):
        findings = read_signature(text).findings
        if not findings:
            return text
        assert findings[0].fix is not None, findings[0]
        text = findings[0].fix.apply(text)
    raise AssertionError(text)


def test_every_part_of_a_signature_is_read():
    tool = read_signature('find(code: string, n?: Int, region: string = "EU", free) -> {a: string, b?: date[]}[]').tool
    assert tool == Tool(
        name="find",
        parameters=[
            Parameter(name="code", type=STRING),
            Parameter(name="n", type=TypeExpr(base="integer"), optional=True),
            Parameter(name="region", type=STRING, default="EU"),
            Parameter(name="free"),
        ],
        returns=TypeExpr(
            base="array",
            items=TypeExpr(
                base="object",
                fields=[
                    Parameter(name="a", type=STRING),
                    Parameter(name="b", type=TypeExpr(base="array", items=TypeExpr(base="date")), optional=True),
                ],
            ),
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "f()",
        "- f() -> object",
        "f() → list<string>",
        "  f ( a : string ) -> any",
        "f(\n  a: string,  # the first\n  b: number, // the second\n) -> {\n  x: string,\n}",
        'f(a: enum(x, "y z") = x, b: "on" | "off", c: string | null, d: array[string], e: object{x: number})',
        "f(a = 3, b = [1, 2], c = {x: 1}, d: string = two words)",
        'f() -> {"odd-key": string; b: number, ...}',
        "f() -> string  # what it says",
        "f(a: (string))",
    ],
)
def test_what_authors_write_is_read_without_a_finding(text):
    result = read_signature(text)
    assert result.tool is not None
    assert result.tool.name == "f"
    assert result.findings == ()
    assert read_signature(signature_text(result.tool)).tool == result.tool


@over(
    ("text", "right"),
    [
        ("f(a: string -> object", "f(a: string) -> object"),
        ("f(a: string", "f(a: string)"),
        ("f(a: string, -> object", "f(a: string), -> object"),
        ("f(a: string b: string)", "f(a: string, b: string)"),
        ("f(a: string; b: string)", "f(a: string, b: string)"),
        ("f(a string)", "f(a: string)"),
        ("f(a: string,, b: string)", "f(a: string, b: string)"),
        ("f(a: string}) -> object", "f(a: string) -> object"),
        ("f(a: string]", "f(a: string)"),
        ("f(a: string))", "f(a: string)"),
        ('f(a: string "text")', "f(a: string )"),
        ("f-g(a: string)", "f_g(a: string)"),
        ("f g(a: string)", "f_g(a: string)"),
        ('"f"(a: string)', "f(a: string)"),
        ("f: (a: string)", "f(a: string)"),
        ("def f(a: string)", "f(a: string)"),
        ("f -> object", "f() -> object"),
        ("f", "f()"),
        ("f(a-b: string)", "f(a_b: string)"),
        ("f(a: strng)", "f(a: string)"),
        ("f():", "f()"),
        ("f() -> object:", "f() -> object"),
        ("f() ->", "f()"),
        ("f() object", "f() -> object"),
        ("f() => object", "f() -> object"),
        ("f(): object", "f() -> object"),
        ("f() -> {a: string", "f() -> {a: string}"),
        ("f() -> {a: string]", "f() -> {a: string}"),
        ("f() -> {a: string b: string}", "f() -> {a: string, b: string}"),
        ("__f()", "f()"),
    ],
)
def test_one_slip_gives_one_finding_whose_fix_mends_it(text, right):
    if text != "f(a: string, -> object":
        assert len(codes(text)) == 1
        assert mended(text) == right
    else:
        assert codes(text) == ["INVALID_TOOL_SIGNATURE"]


def test_a_tool_with_a_wrong_name_keeps_it_so_that_its_body_can_be_read():
    result = read_signature("list-hubs(country: string) -> object")
    assert result.tool.name == "list-hubs"
    assert result.tool.parameters == [Parameter(name="country", type=STRING)]


@pytest.mark.parametrize("text", ["", "()", "(a: string)", "-", "...", "12"])
def test_text_without_a_name_gives_no_tool_and_one_finding(text):
    result = read_signature(text)
    assert result.tool is None
    assert [one.code for one in result.findings] == ["INVALID_TOOL_SIGNATURE"]


def test_a_parameter_declared_twice_is_found_and_so_is_a_field():
    assert codes("f(a: string, a: number)") == ["DUPLICATE_PARAMETER"]
    assert codes("f() -> {a: string, a: number}") == ["DUPLICATE_NAME"]


def test_an_unknown_type_is_kept_with_a_warning():
    result = read_signature("f(a: Order) -> Promise<Order>")
    assert codes("f(a: Order) -> Promise<Order>") == ["UNKNOWN_TYPE", "UNKNOWN_TYPE"]
    assert result.tool.returns == TypeExpr(base="Promise<Order>")
    assert read_signature("f() -> a list of orders").tool.returns == TypeExpr(base="a list of orders")


def test_offsets_point_into_the_source():
    text = '  find(code: string,\n   n: strng = "5") -> object'
    result = read_signature(text[2:], 2)
    tool = result.tool
    assert text[tool.at["name"] :].startswith("find")
    assert text[tool.at["returns"] :].startswith("object")
    assert text[tool.parameters[1].at["name"] :].startswith("n:")
    assert text[tool.parameters[1].at["default"] :].startswith('5"')
    [fault] = result.findings
    assert text[fault.offset : fault.offset + fault.length] == "strng"
    located = fault.located(Source(text))
    assert (located.line, located.column) == (2, 7)
    assert "string" in located.message
    assert located.fix.apply(text).endswith('n: string = "5") -> object')


@pytest.mark.parametrize(
    "text",
    ["string", "{a: string, b?: {c: number[]}[]}", "enum(a, b)", "(a | b)[]", "{}", "date[][]", 'enum(a, "b c", 1)'],
)
def test_a_type_is_read_as_it_is_printed(text):
    made, _ = read_type(text)
    assert type_text(made) == text.replace("string", "string")
    assert read_type(type_text(made))[0] == made


def test_types_nested_too_deeply_are_said_so_once():
    made, faults = read_type("{a: " * 500 + "string" + "}" * 500)
    assert [one.code for one in faults] == ["NESTING_TOO_DEEP"]
    depth = 0
    while made.fields:
        made, depth = made.fields[0].type, depth + 1
    assert depth == MAX_TYPE_NESTING


def test_a_declaration_has_type_mark_and_default():
    made, faults = read_declaration('enum(EU, US)? = "EU"')
    assert made == Parameter(type=TypeExpr(values=["EU", "US"]), optional=True, default="EU")
    assert faults == ()
    made, faults = read_declaration("string and more")
    assert made == Parameter(type=STRING)
    assert [one.code for one in faults] == ["INVALID_TOOL_SIGNATURE"]


@pytest.mark.parametrize(
    "piece",
    [
        "f(",
        "(",
        "a b ",
        "a,",
        '"\\',
        "{a:",
        "[]",
        "x|",
        "-->",
        "'a:\n",
        "a=1;",
        "#\n",
        "enum(a",
        "array<",
        "\u201ca\u201d",
        "\x00",
    ],
)
@pytest.mark.parametrize("start", ["f(", "f(a: ", "f() -> ", "f(a = ", ""])
def test_any_text_is_read_in_linear_time(start, piece):
    grows_in_proportion(read_signature, of_signs(start, piece, ""), len(piece) * 10_000)
    result = read_signature(start + piece * 5000)
    assert len(result.findings) <= MAX_FAULTS
    if result.tool is not None:
        assert isinstance(signature_text(result.tool), str)
