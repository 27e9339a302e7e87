from __future__ import annotations

import pytest

from abl.compiler.config import MAX_VARIABLES, Config

GREETING = 'ON_START:\n  RESPOND: "Call {{config.PHONE}} or {{ config.DESK }}."\n'


def test_references_are_replaced_everywhere(compile_text) -> None:
    text = (
        GREETING
        + 'TOOLS:\n  f() -> object\n    endpoint: "{{config.BASE}}/f"\n    headers:\n      X-Key: "{{config.KEY}}"\n'
    )
    result = compile_text(
        text, config_variables={"PHONE": 112, "DESK": "us", "BASE": "https://a.example", "KEY": "k", "REST": 1}
    )
    agent = result.output["agents"]["Parcel_Desk"]
    assert agent["on_start"]["respond"] == "Call 112 or us."
    assert agent["tools"][0]["http_binding"]["endpoint"] == "https://a.example/f"
    assert agent["tools"][0]["http_binding"]["headers"] == {"X-Key": "k"}
    assert result.output["resolved_config_variables"] == {
        "resolved": {"BASE": "https://a.example", "DESK": "us", "KEY": "k", "PHONE": "112"},
        "unresolved": [],
        "unused": ["REST"],
    }


def test_an_undefined_variable_is_reported_with_its_agent(compile_text) -> None:
    result = compile_text(GREETING, config_variables={"PHONE": "1", "DESKS": "x"})
    assert [one.code for one in result.findings] == ["UNDEFINED_CONFIG_VARIABLE"]
    found = result.findings[0]
    assert "DESK" in found.message
    assert "Parcel_Desk" in found.message
    assert "Did you mean DESKS?" in found.message
    assert (found.line, found.column, found.length) == (4, 41, 11)
    assert result.output["resolved_config_variables"]["unresolved"] == ["DESK"]


def test_each_undefined_variable_is_reported_once(codes_of) -> None:
    assert codes_of("PERSONA: {{config.X}} {{config.X}}\nDESCRIPTION: {{config.X}}\n") == ["UNDEFINED_CONFIG_VARIABLE"]


def test_a_text_on_its_own_misses_no_configuration(codes_of) -> None:
    assert codes_of(GREETING, single_agent=True) == []
    assert codes_of(GREETING, single_agent=True, config_variables={"PHONE": "1"}) == ["UNDEFINED_CONFIG_VARIABLE"]


def test_a_value_that_is_a_template_is_left_to_the_runtime(agent_of) -> None:
    agent = agent_of(GREETING, config_variables={"PHONE": "{{secrets.X}}", "DESK": "us"})
    assert agent["on_start"]["respond"] == "Call {{config.PHONE}} or us."


def test_a_replaced_text_is_not_read_again(agent_of) -> None:
    agent = agent_of(GREETING, config_variables={"PHONE": "config.DESK", "DESK": "us"})
    assert agent["on_start"]["respond"] == "Call config.DESK or us."


def test_references_in_libraries_are_replaced(compile_files) -> None:
    files = {
        "a.abl": "AGENT: Desk\nGOAL: g\nTOOLS:\n  f() -> object\n",
        "t.tools.abl": 'TOOLS:\n  base_url: "{{config.BASE}}"\n  f() -> object\n    endpoint: "/f"\n    type: http\n',
    }
    agent = compile_files(files, config_variables={"BASE": "https://a.example"}).output["agents"]["Desk"]
    assert agent["tools"][0]["http_binding"]["endpoint"] == "https://a.example/f"


@pytest.mark.parametrize(
    ("variables", "reason"),
    [({"K" * 101: "v"}, "100 characters"), ({"K": "v" * 4097}, "4096 characters")],
)
def test_names_and_values_have_a_length_limit(variables: dict[str, str], reason: str) -> None:
    config = Config(variables)
    assert config.values == {}
    assert reason in next(iter(config.refused.values()))


def test_the_number_of_variables_is_limited() -> None:
    config = Config({f"K{at}": "v" for at in range(MAX_VARIABLES + 1)})
    assert len(config.values) == 200
    assert list(config.refused) == ["K200"]


def test_the_hash_tells_of_the_variables_used(agent_of) -> None:
    def hashed(**variables: str) -> str:
        return agent_of(GREETING, config_variables=variables)["metadata"]["config_hash"]

    assert hashed(PHONE="1", DESK="a") == hashed(DESK="a", PHONE="1", OTHER="x")
    assert hashed(PHONE="1", DESK="a") != hashed(PHONE="2", DESK="a")
    assert len(hashed(PHONE="1", DESK="a")) == 16


USES = """FLOW:
  entry_point: hello
  hello:
    REASONING: false
    SET: town = config.TOWN
    CALL: order
      WITH:
        size: config.SIZE
    CHECK: config.FLAG == "config.TOWN"
    RESPOND: "{{config.TOWN | upper}} {{#if config.FLAG}}on{{/if}} see config.TOWN"
    THEN: COMPLETE
TOOLS:
  order(size: string) -> object
    description: "Orders"
"""


def test_a_variable_is_filled_in_beside_filters_in_conditions_and_in_expressions(agent_of) -> None:
    agent = agent_of(USES, config_variables={"TOWN": 'Rome "R"', "SIZE": "XL", "FLAG": "yes"})
    step = agent["flow"]["definitions"]["hello"]
    assert step["set"] == [{"variable": "town", "expression": r'"Rome \"R\""'}]
    assert step["call_spec"]["with"] == {"size": '"XL"'}
    assert step["check"] == '"yes" == "config.TOWN"'
    assert step["respond"] == r'{{"Rome \"R\"" | upper}} {{#if "yes"}}on{{/if}} see config.TOWN'


@pytest.mark.parametrize(
    "use",
    [
        "SET: x = config.TOWN",
        "CHECK: 1 < config.TOWN",
        'RESPOND: "{{config.TOWN | upper}}"',
        'RESPOND: "{{#if config.TOWN}}a{{/if}}"',
    ],
)
def test_every_use_without_a_value_is_an_error_at_its_place(compile_text, use: str) -> None:
    flow = f"FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n    {use}\n    THEN: COMPLETE\n"
    found = [one for one in compile_text(flow, config_variables={}).findings if "CONFIG" in one.code]
    assert [(one.line, one.column, one.length) for one in found] == [(7, 5 + use.index("config."), len("config.TOWN"))]
    assert found[0].is_error


def test_a_sentence_that_speaks_of_a_file_names_no_variable(codes_of) -> None:
    sentence = 'CONSTRAINTS:\n  - REQUIRE: "the user asks about config.md files"\n    ON_FAIL: "No"\n'
    assert "UNDEFINED_CONFIG_VARIABLE" not in codes_of(sentence, config_variables={})
