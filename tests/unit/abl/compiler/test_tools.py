from __future__ import annotations

import pytest

from abl.compiler import CompileOptions, Unit, compile_documents
from abl.parser import parse_text
from abl.syntax.document import Document
from abl.syntax.tools import Tool, ToolImport

LIBRARY = """TOOLS:
  base_url: "https://api.parcels.example/v2"
  auth: bearer
  timeout: 8000

  list_hubs(country: string) -> {id: string}[]
    description: "Hubs of a country"
    type: http
    endpoint: "/hubs"
    method: GET

  open_claim(code: string) -> {claim_id: string}
    description: "Opens a claim"
    type: http
    endpoint: "/claims"
    method: POST
"""
AGENT = "AGENT: Desk\nGOAL: Help\nTOOLS:\n"


def tools(compilation, name: str = "Desk") -> dict:
    return {one["name"]: one for one in compilation.output["agents"][name]["tools"]}


def test_a_signature_becomes_parameters_and_returns(agent_of) -> None:
    tool = agent_of("""TOOLS:
  find_parcel(code: string, region: string = "EU", note?: string) -> {status: string, hub?: string, events: {at: datetime}[]}
    parameters:
      code:
        description: "The code"
        validate: "^[A-Z]+$"
""")["tools"][0]
    assert tool["description"] == "Execute find_parcel"
    assert tool["parameters"] == [
        {"name": "code", "type": "string", "description": "The code", "validation": "^[A-Z]+$", "required": True},
        {"name": "region", "type": "string", "default": "EU", "required": False},
        {"name": "note", "type": "string", "required": False},
    ]
    assert tool["returns"] == {
        "type": "object",
        "fields": {
            "status": {"type": "string"},
            "hub": {"type": "string", "optional": True},
            "events": {"type": "array", "items": {"type": "object", "fields": {"at": {"type": "datetime"}}}},
        },
    }
    assert tool["system"] is False
    assert "tool_type" not in tool


def test_hints_of_a_stub(agent_of) -> None:
    assert agent_of('TOOLS:\n  f() -> object\n    description: "d"\n')["tools"][0]["hints"] == {
        "cacheable": False,
        "latency": "medium",
        "parallelizable": True,
        "side_effects": False,
        "requires_auth": False,
        "timeout": 30_000,
    }


@pytest.mark.parametrize(
    ("method", "changes"),
    [("GET", False), ("HEAD", False), ("POST", True), ("PUT", True), ("PATCH", True), ("DELETE", True)],
)
def test_hints_of_an_http_tool(agent_of, method: str, changes: bool) -> None:
    hints = agent_of(f'TOOLS:\n  f() -> object\n    endpoint: "https://a.example"\n    method: {method}\n')["tools"][0][
        "hints"
    ]
    assert (hints["latency"], hints["side_effects"], hints["parallelizable"]) == ("slow", changes, not changes)


def test_the_timeout_comes_from_the_tool_then_the_library_then_the_agent(compile_files) -> None:
    agent = AGENT + "  list_hubs(country: string) -> object\n  own() -> object\n  fast() -> object\n    timeout: 5s\n"
    agent += "EXECUTION:\n  tool_timeout: 15000\n"
    found = tools(compile_files({"a.agent.abl": agent, "t.tools.abl": LIBRARY}))
    assert found["list_hubs"]["hints"]["timeout"] == 8000
    assert found["own"]["hints"]["timeout"] == 15_000
    assert found["fast"]["hints"]["timeout"] == 5000


def test_everything_written_of_a_tool_is_kept(agent_of) -> None:
    tool = agent_of("""TOOLS:
  f(amount: number) -> object
    description: "d"
    store_result: true
    immutable: [amount]
    consent_required_in: conversation
    consent_scope: [claims]
    pii_access: llm
    auth_profile: main
    auth_jit: true
    consent: preflight
    connection: per_user
    compaction:
      essential_fields: [id]
      max_description_length: 20
    context_access:
      READ: [code]
    on_result:
      SET: x = result.a
    on_error:
      SET: failed = true
GATHER:
  code:
    prompt: c
""")["tools"][0]
    assert tool["confirmation"] == {
        "require": "always",
        "immutable_params": ["amount"],
        "consent_required_in": "conversation",
        "consent_scope": ["claims"],
    }
    assert tool["on_result"] == {"set": [{"variable": "x", "expression": "result.a"}]}
    assert tool["on_error"] == {"set": [{"variable": "failed", "expression": "true"}]}
    assert tool["context_access"] == {"read": ["code"], "write": []}
    assert tool["compaction"] == {"essential_fields": ["id"], "max_description_length": 20}
    assert (tool["store_result"], tool["pii_access"]) == (True, "llm")
    assert (tool["auth_profile_ref"], tool["jit_auth"]) == ("main", True)
    assert (tool["consent_mode"], tool["connection_mode"]) == ("preflight", "per_user")
    assert tool["hints"]["requires_auth"] is True


def test_a_tool_without_a_binding_takes_that_of_the_library(compile_files) -> None:
    agent = AGENT + "  list_hubs(country: string) -> object\n    description: Mine\n"
    result = compile_files({"a.agent.abl": agent, "tools/t.tools.abl": LIBRARY})
    tool = tools(result)["list_hubs"]
    assert tool["description"] == "Mine"
    assert tool["http_binding"]["endpoint"] == "https://api.parcels.example/v2/hubs"
    assert tool["http_binding"]["auth"] == {"type": "bearer"}
    assert result.output["tool_snapshot"]["list_hubs"] == tool
    assert result.findings == []


def test_missing_description_and_parameters_come_from_the_library(compile_files) -> None:
    tool = tools(compile_files({"a.agent.abl": AGENT + "  list_hubs()\n", "t.tools.abl": LIBRARY}))["list_hubs"]
    assert tool["description"] == "Hubs of a country"
    assert [one["name"] for one in tool["parameters"]] == ["country"]


def test_a_signature_that_differs_is_reported_and_the_catalogue_counts(compile_files) -> None:
    result = compile_files({"a.agent.abl": AGENT + "  list_hubs(land: string) -> object\n", "t.tools.abl": LIBRARY})
    assert [(one.code, one.line) for one in result.findings] == [("W721", 4)]
    assert "(land: string) here, (country: string) there" in result.findings[0].message
    assert [one["name"] for one in tools(result)["list_hubs"]["parameters"]] == ["country"]


def test_the_catalogue_option_comes_before_the_libraries(compile_files) -> None:
    catalog = {
        "list_hubs": {"description": "From the catalogue", "tool_type": "mcp", "mcp_binding": {"server": "hubs"}}
    }
    files = {"a.agent.abl": AGENT + "  list_hubs()\n", "t.tools.abl": LIBRARY}
    tool = tools(compile_files(files, tool_catalog=catalog))["list_hubs"]
    assert tool["description"] == "From the catalogue"
    assert tool["mcp_binding"] == {"server": "hubs", "tool": "list_hubs"}


def test_a_stub_that_is_not_in_the_catalogue_is_reported() -> None:
    unit = Unit(Document(name="Desk", tools=[Tool(name="list_hbus")]))
    result = compile_documents([unit], CompileOptions(tool_catalog={"list_hubs": {}}))
    assert [one.code for one in result.findings] == ["E721"]
    assert "Did you mean list_hubs?" in result.findings[0].message
    assert compile_documents([unit], CompileOptions(tool_catalog={}, single_agent=True)).findings == []


def test_an_import_is_resolved_by_path_from_the_importing_file(compile_files) -> None:
    agent = AGENT + '  FROM "../tools/parcels.tools.abl" USE: open_claim\n'
    other = LIBRARY.replace("Opens a claim", "Wrong one")
    files = {"agents/a.agent.abl": agent, "other/parcels.tools.abl": other, "tools/parcels.tools.abl": LIBRARY}
    found = tools(compile_files(files))
    assert list(found) == ["open_claim"]
    assert found["open_claim"]["description"] == "Opens a claim"


def test_an_import_is_resolved_by_file_name_when_the_path_leads_nowhere(compile_files) -> None:
    agent = AGENT + '  FROM "./parcels.tools.abl" USE: open_claim, list_hubs\n'
    assert list(tools(compile_files({"a.agent.abl": agent, "x/parcels.tools.abl": LIBRARY}))) == [
        "open_claim",
        "list_hubs",
    ]


def test_an_unknown_import_is_reported_and_leaves_a_stub(compile_files) -> None:
    agent = AGENT + '  FROM "./parcels.tools.abl" USE: list_hbus\n'
    result = compile_files({"a.agent.abl": agent, "parcels.tools.abl": LIBRARY})
    assert [(one.code, one.line) for one in result.findings] == [("E721", 4)]
    assert list(tools(result)) == ["list_hbus"]


def test_a_missing_library_is_not_reported_for_a_single_agent(compile_files) -> None:
    agent = {"a.agent.abl": AGENT + '  FROM "./parcels.tools.abl" USE: list_hubs\n'}
    assert compile_files(agent, single_agent=True).findings == []
    assert [one.code for one in compile_files(agent).findings] == ["E721"]


def test_an_import_and_a_tool_of_the_same_name_clash() -> None:
    library = Unit(Document(kind="tools", tools=[Tool(name="f", description="theirs")]), None, "t.tools.abl")
    document = Document(name="Desk", tools=[Tool(name="f", description="mine")])
    document.tool_imports = [ToolImport(path="./t.tools.abl", names=["f"])]
    result = compile_documents([Unit(document, None, "a.agent.abl"), library])
    assert [one.code for one in result.findings] == ["DUPLICATE_TOOL"]
    assert tools(result)["f"]["description"] == "theirs"


def test_a_slug_is_looked_up_in_the_catalogue(compile_files) -> None:
    agent = {"a.agent.abl": AGENT + "  USE TOOL: geo@2\n"}
    assert (
        tools(compile_files(agent, tool_catalog={"geo": {"type": "http", "endpoint": "https://g.example"}}))["geo"][
            "http_binding"
        ]["endpoint"]
        == "https://g.example"
    )
    assert [one.code for one in compile_files(agent, tool_catalog={}).findings] == ["E721"]


def test_a_tool_named_like_a_system_tool_is_left_out() -> None:
    result = compile_documents([Unit(Document(name="Desk", tools=[Tool(name="__handoff__")]))])
    assert [one.code for one in result.findings] == ["E707"]
    assert tools(result) == {}


def test_bindings_inside_an_agent_count_unless_strict() -> None:
    unit = Unit(Document(name="Desk", tools=[Tool(name="f", type="http", endpoint="https://a.example")]))
    assert "http_binding" in tools(compile_documents([unit]))["f"]
    strict = compile_documents([unit], CompileOptions(strict=True))
    assert [(one.code, one.severity) for one in strict.findings] == [("E720", "error")]
    assert "http_binding" not in tools(strict)["f"]


def test_a_lambda_stays_unbound_with_a_warning(compile_text) -> None:
    result = compile_text("TOOLS:\n  f() -> object\n    function: my_function\n")
    assert [(one.code, one.severity) for one in result.findings] == [("LAMBDA_DEPRECATED", "warning")]
    assert tools(result, "Parcel_Desk")["f"]["tool_type"] == "lambda"


def _with(line: str) -> tuple[list[str], str]:
    """Return the errors of a tool with a line, and when it asks first."""
    parsed = parse_text(f'{AGENT}  block(card: string) -> object\n    description: "Blocks"\n    {line}\n')
    assert parsed.document is not None
    ir = compile_documents([Unit(parsed.document)], CompileOptions()).output["agents"]["Desk"]
    tool = next(one for one in ir["tools"] if one["name"] == "block")
    return [one.code for one in parsed.errors], tool.get("confirmation", {}).get("require", "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("confirm: true", "always"),
        ("confirm: Yes", "always"),
        ("confirm: required", "always"),
        ("requires_confirmation: true", "always"),
        ("confirmation: true", "always"),
        ("confirm: false", "never"),
        ("confirm: never", "never"),
    ],
)
def test_other_words_of_a_confirmation_are_read(line, expected) -> None:
    codes, found = _with(line)
    assert found == expected
    assert not codes


@pytest.mark.parametrize(
    "line",
    [
        "confirm: sometimes",
        "confirm:",
        "confirm: [a, b]",
        "confirm:\n      who: user",
        "confirmation:\n      require: perhaps",
    ],
)
def test_a_confirmation_that_cannot_be_read_is_refused_and_asks_each_time(line) -> None:
    codes, found = _with(line)
    assert "UNREADABLE_GUARD" in codes
    assert found == "always"


@pytest.mark.parametrize(
    "line", ["confirms: always", "side_effects: changes", "auth_jit: maybe", "consent_required_in: somewhere",
             "identity_tier_required: two"],
)  # fmt: skip
def test_a_line_that_guards_something_and_cannot_be_read_is_an_error(line) -> None:
    codes, _ = _with(line)
    assert "UNREADABLE_GUARD" in codes


@pytest.mark.parametrize(
    "text",
    [
        "AGENT: Desk\nGOAL: Help\nGATHER:\n  pin:\n    sensitive: very\n",
        "agent: Desk\ngoal: Help\ngather:\n  - {name: pin, sensitive: very}\n",
        "agent: Desk\ngoal: Help\ntools:\n  - name: block\n    description: B\n    confirm: {needed: true}\n",
        "agent: Desk\ngoal: Help\ntools:\n  - name: block\n    description: B\n    confirms: always\n",
    ],
)
def test_a_guard_that_cannot_be_read_is_an_error_in_both_forms(text) -> None:
    assert [one.code for one in parse_text(text).errors] == ["UNREADABLE_GUARD"]


TIER = "identity_tier_required: 2"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([TIER], ["identity_tier_required"]),
        (["identity_tier_required: 0"], []),
        (["requires_auth: true"], ["requires_auth"]),
        (["requires_auth: true", "auth: none", "endpoint: 'https://a.example'"], ["requires_auth"]),
        (["requires_auth: true", "auth: bearer", "endpoint: 'https://a.example'"], []),
        (["requires_auth: true", "auth: bearer", "code: '1'"], ["requires_auth"]),
        (["requires_auth: true", "auth_profile: bank"], []),
        (["requires_auth: false"], []),
    ],
)
def test_a_guard_of_a_tool_that_nothing_enforces_is_refused_where_it_is_written(lines, told) -> None:
    text = f"{AGENT}  close_account(id: string) -> object\n    description: Closes it\n"
    unit = Unit(parse_text(text + "".join(f"    {one}\n" for one in lines)).document, None)
    found = [one for one in compile_documents([unit], CompileOptions()).findings if one.code == "NOT_ENFORCED"]
    assert [one.message.partition(" ")[0] for one in found] == told
    assert all(one.is_error and one.line for one in found)


def test_a_guard_of_a_library_that_nothing_enforces_is_refused_for_who_uses_it() -> None:
    library = LIBRARY.replace('description: "Opens a claim"', f'description: "Opens a claim"\n    {TIER}')
    units = [
        Unit(parse_text(library).document, None, "parcels.tools.abl"),
        Unit(parse_text(f'{AGENT}  FROM "parcels.tools.abl" USE: open_claim\n').document, None, "desk.abl"),
    ]
    found = [one for one in compile_documents(units, CompileOptions()).findings if one.code == "NOT_ENFORCED"]
    assert [(one.file, one.is_error) for one in found] == [("parcels.tools.abl", True)]
