"""TOOLS: signatures, properties, imports, libraries. Spec: abl-language 3.2."""

import pytest

from abl.syntax.node import NODES
from abl.syntax.steps import Assignment
from abl.syntax.tools import MAX_TOOLS, Parameter, ToolDefaults, ToolImport, TypeExpr

STRING = TypeExpr()


@pytest.mark.parametrize(
    "written",
    [
        "find(code: string, n?: number) -> {a: string}",
        "- find(code: string, n?: number) -> {a: string}",
        "find(code: string, n?: number) \u2192 {a: string}",
        "find(code: string, n?: number) -> {a: string}:",
        "find(code: string, n?: number) -> {a: string}  # said",
        "find(\n  code: string,\n  n?: number\n) -> {a: string}",
        "find(\n  code: string,  # the first\n  n?: number) -> {\n    a: string\n  }",
    ],
)
def test_a_signature_may_be_written_in_many_ways(read, written):
    (tool,) = read.under("TOOLS", f"{written}\n  description: Look up").tools
    assert tool.name == "find"
    assert [(one.name, one.type.base, one.optional) for one in tool.parameters] == [
        ("code", "string", None),
        ("n", "number", True),
    ]
    assert [one.name for one in tool.returns.fields] == ["a"]
    assert tool.description == "Look up"
    read.stands(tool, "name")


def test_a_missing_type_means_string_and_a_missing_return_stays_open(read):
    (tool,) = read.under("TOOLS", "find(code)").tools
    assert tool.parameters == [Parameter(name="code")]
    assert tool.returns is None


@pytest.mark.parametrize("written", ["find-it(code: string)", "find it()", "(code)"])
def test_a_name_with_other_signs_is_an_invalid_signature(read, written):
    read.raw(f"AGENT: A\nGOAL: b\nTOOLS:\n  {written}\n    description: x\nPERSONA: y\n")
    assert read.says[0] == ("INVALID_TOOL_SIGNATURE", 4)
    assert len(read.says) == 1
    assert read.findings[0].message.startswith("Invalid tool signature")
    assert read.document.persona == "y"


def test_names_that_begin_with_two_underscores_are_reserved(read):
    read.under("TOOLS", "__find__() -> any   #! RESERVED_TOOL_NAME")
    assert "Names starting with __" in read.finding("RESERVED_TOOL_NAME").message


def test_a_tool_declared_twice_is_an_error_at_the_second(read):
    read.under("TOOLS", "find() -> any\n  description: x\nfind(a) -> any   #! DUPLICATE_TOOL\n  description: y")
    assert read.finding("DUPLICATE_TOOL").message.startswith('Duplicate TOOLS entry "find"')
    assert "line 4" in read.finding("DUPLICATE_TOOL").message


def test_sections_of_tools_are_merged_and_compared(read):
    document = read("TOOLS:\n  a() -> any\nPERSONA: x\nTOOLS:\n  b() -> any\n  a() -> any   #! DUPLICATE_TOOL\n")
    assert {one.name for one in document.tools} == {"a", "b"}


@pytest.mark.parametrize(("count", "codes"), [(MAX_TOOLS, []), (MAX_TOOLS + 1, ["TOO_MANY_TOOLS"])])
def test_more_than_a_hundred_tools_are_an_error(read, count, codes):
    read.raw("AGENT: A\nGOAL: b\nTOOLS:\n" + "".join(f"  f{number}() -> any\n" for number in range(count)))
    assert [one.code for one in read.findings] == codes
    assert len(read.document.tools) == count
    if codes:
        assert read.findings[0].line == 3 + count


PARAMETERS = [
    "parameters:\n    code:\n      type: string\n      description: The code\n      required: false\n      enum: [a, b]",
    "parameters:\n    - name: code\n      type: string\n      description: The code\n      required: false\n      enum: [a, b]",
    "parameters:\n    code: {type: string, description: The code, required: false, enum: [a, b]}",
]


@pytest.mark.parametrize("body", PARAMETERS)
@pytest.mark.parametrize("signature", ["find(code)", "find()", "find(code: string)"])
def test_a_block_of_parameters_refines_the_signature(read, signature, body):
    (tool,) = read.under("TOOLS", f"{signature}\n  {body}").tools
    assert tool.parameters == [
        Parameter(name="code", type=STRING, description="The code", required=False, enum=["a", "b"])
    ]


def test_items_and_properties_refine_the_type(read):
    (tool,) = read.under(
        "TOOLS",
        """
        find(places: array, person: object)
          parameters:
            places:
              items:
                type: number
            person:
              properties:
                name: string
                born:
                  type: date
                  description: Day
        """,
    ).tools
    places, person = tool.parameters
    assert places.type == TypeExpr(base="array", items=TypeExpr(base="number"))
    assert [(one.name, one.type.base, one.description) for one in person.type.fields] == [
        ("name", "string", ""),
        ("born", "date", "Day"),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "on_result:\n    SET:\n      a = result.b",
        "on_result:\n    SET: a = result.b",
        "ON_RESULT:\n    set:\n      - a = result.b",
    ],
)
def test_a_tool_may_set_variables_from_its_result(read, written):
    (tool,) = read.under("TOOLS", f"find() -> any\n  {written}").tools
    assert tool.on_result.set == [Assignment(variable="a", expression="result.b")]


def test_bindings_inside_an_agent_are_attached_with_a_warning(read):
    document = read.under(
        "TOOLS",
        """
        find(code) -> any
          type: http   #! E720
          endpoint: "https://x.example/{code}"
          method: get
          headers:
            Accept: text/plain
          retry: 2
          circuit_breaker: {threshold: 3, resetMs: 1s}
        """,
    )
    (tool,) = document.tools
    assert (tool.type, tool.endpoint, tool.method, tool.retry) == ("http", "https://x.example/{code}", "GET", 2)
    assert tool.headers == {"Accept": "text/plain"}
    assert (tool.circuit_breaker.threshold, tool.circuit_breaker.reset) == (3, 1000)
    assert read.finding("E720").severity == "warning"


def test_every_word_of_the_table_of_tool_properties_is_known():
    words = (
        "description type parameters store_result on_result on_error context_access confirm immutable confirmation "
        "consent_required_in consent_scope consent_action consent_fallback pii_access auth_profile auth_jit consent "
        "connection compaction cacheable latency parallelizable side_effects requires_auth timeout hints on_failure "
        "endpoint method auth auth_config headers query_params body body_template body_type retry retry_delay rate_limit "
        "circuit_breaker protocol soap_version soap_action on_soap_fault on_http_error server tool server_tool runtime "
        "code memory_mb function connector action workflow_id workflow_version trigger_id mode param_mapping index_id "
        "kb_name search_instructions callback_url_field timeout_seconds"
    )
    assert [word for word in words.split() if word.upper() not in NODES["Tool"].BY_KEY] == []


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ('FROM "./a.tools.abl" USE: find, list', ToolImport(path="./a.tools.abl", names=["find", "list"])),
        ("FROM './a.tools.abl' USE: find", ToolImport(path="./a.tools.abl", names=["find"])),
        ('- FROM "./a.tools.abl" USE: find', ToolImport(path="./a.tools.abl", names=["find"])),
        ("USE TOOL: find_parcel", ToolImport(slug="find_parcel")),
        ("USE TOOL: find_parcel@1.2", ToolImport(slug="find_parcel", version="1.2")),
        ('FROM "./a.tools.abl" USE: find  # said', ToolImport(path="./a.tools.abl", names=["find"])),
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        "TOOLS:\n  {}   #! E720\n",
        "TOOLS:\n{}   #! E720\n",
        "PERSONA: x\n{}   #! E720\n",
        "TOOLS:\n  f() -> any\n{}   #! E720\n",
    ],
)
def test_tools_may_be_imported_inside_tools_or_beside_it(read, place, written, made):
    if place.startswith("PERSONA") and written.startswith("-"):
        return
    document = read(place.format(written) + "DESCRIPTION: y\n")
    assert document.tool_imports == [made]
    assert document.description == "y"


LIBRARY = """TOOLS:
  base_url: "https://x.example/v2"
  auth: bearer
  auth_config:
    token: "{{secrets.T}}"
  timeout: 8s
  retry: 2
  retry_delay: 100
  rate_limit: 60
  headers:
    Accept: "application/json"

  list_hubs(country: string) -> {id: string}[]
    description: "Hubs"
    endpoint: "/hubs"
  other() -> any
"""


@pytest.mark.parametrize("kind", [None, "tools"])
def test_a_library_has_defaults_and_tools(read, kind):
    document = read(LIBRARY, head="", kind=kind)
    assert (document.kind, document.detected_type, document.name) == ("tools", "tools", "")
    assert document.tool_defaults == ToolDefaults(
        base_url="https://x.example/v2", auth="bearer", auth_config={"token": "{{secrets.T}}"}, timeout=8000, retry=2,
        retry_delay=100, rate_limit=60, headers={"Accept": "application/json"},
    )  # fmt: skip
    assert [(one.name, one.endpoint) for one in document.tools] == [("list_hubs", "/hubs"), ("other", "")]


def test_bindings_of_a_library_are_at_home_in_strict_mode(read):
    assert read(LIBRARY, head="", strict=True).tools[0].endpoint == "/hubs"


def test_properties_in_the_column_of_their_tool_are_read_with_a_warning(read):
    (tool,) = read.under("TOOLS", "find() -> any\ndescription: Look up   #! MISPLACED_INDENT").tools
    assert tool.description == "Look up"


def test_a_list_of_names_stands_for_tools_of_the_catalogue(read):
    assert [one.name for one in read("TOOLS: [find, list]\n").tools] == ["find", "list"]
    assert [one.name for one in read("TOOLS:\n  - find\n  - name: list\n    description: x\n").tools] == [
        "find",
        "list",
    ]
