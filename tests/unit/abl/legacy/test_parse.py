import random

import pytest

from abl.diagnostics.catalogue import RULES
from abl.legacy import modernise, parse_legacy, print_legacy
from abl.syntax.legacy import AgentRef, Behavior, Communication, Contract, LegacyAgent, LegacyTest, Policy, RoutingRule
from abl.syntax.tools import Parameter, TypeExpr
from benchmarks.shapes import of_signs
from tests.support.proportion import grows_in_proportion

AGENT = """AGENT: Old_Tracer
IDENTITY:
  role: "Tracer"
  persona: "Brief"
  expertise: ["parcels"]
  limitations: ["no customs"]
CONTRACT:
  inputs:
    code: string
    region: enum(EU, US) = "EU"
    when: date?
      description: "Day of arrival"
  returns:
    response: string
    hubs: {name: string, open?: boolean}[]
TOOLS:
  find_parcel(code: string) -> object
    description: "Look up"
    on_failure: retry(2)
STEPS:
  1. Ask
    RESPOND "Which code?"
    WAIT_INPUT
      PATTERN("[A-Z]{2}") -> 2
      DEFAULT -> 1
  2. Look
    CALL find_parcel(code)
    ON_SUCCESS -> 3
    ON_FAILURE -> Ask
  3. Say
    RESPOND: |
      Found.

      # It is here.
    IF when IS SET THEN 4 ELSE RESPOND "No day."
  4. WAIT_INPUT
    POSITIVE -> 1
  5. End
    SIGNAL: COMPLETE MESSAGE: "Bye"
GUARDRAILS:
  calm:
    type: output
    check: output CONTAINS "!"
    action: block
    message: "No"
TESTS:
  happy:
    input: "AB123"
    expected: "found"
"""
SUPERVISOR = """SUPERVISOR: Old_Desk
IDENTITY:
  role: "Router"
STATE:
  caller.name: string?
  caller.tries: number = 0
  session:
    lang: string = "de"
  plain: boolean
AGENTS:
  parcel: "agents/parcel.agent.abl" [track, trace]
  claims: "agents/claims.agent.abl"
INTENTS:
  [track, "where is it"] -> parcel
  DEFAULT -> parcel
POLICIES:
  refunds:
    allowed_when: caller.tries < 3
    forbidden_when: user.blocked == true
    trigger_signal: ESCALATE
COMMUNICATION:
  language: de-DE
  formality: "formal"
  constraints: ["no slang"]
BEHAVIOR:
  can_respond_directly: true
  allowed_actions: [greet]
  forbidden_actions: [sell]
ROUTING:
  - INTENT(vip) -> claims
  - NAME: bye
    WHEN: x == 1
    THEN: END_CONVERSATION
"""


def codes(result):
    return [one.code for one in result.findings]


def test_an_agent_is_read_into_the_document_and_its_legacy_part():
    result = parse_legacy(AGENT)
    document = result.document
    assert codes(result) == []
    assert (document.format, document.kind, document.detected_type, document.name) == (
        "legacy",
        "agent",
        "agent",
        "Old_Tracer",
    )
    assert (document.identity.role, document.tools[0].on_failure, document.guardrails[0].kind) == (
        "Tracer",
        "retry(2)",
        "output",
    )
    legacy = document.legacy
    assert isinstance(legacy, LegacyAgent)
    string = TypeExpr()
    assert legacy.contract == Contract(
        inputs=[
            Parameter(name="code", type=string),
            Parameter(name="region", type=TypeExpr(values=["EU", "US"]), default="EU"),
            Parameter(name="when", type=TypeExpr(base="date"), optional=True, description="Day of arrival"),
        ],
        outputs=[
            Parameter(name="response", type=string),
            Parameter(
                name="hubs",
                type=TypeExpr(
                    base="array",
                    items=TypeExpr(
                        base="object",
                        fields=[
                            Parameter(name="name", type=string),
                            Parameter(name="open", type=TypeExpr(base="boolean"), optional=True),
                        ],
                    ),
                ),
            ),
        ],
    )
    assert [(step.number, step.name) for step in legacy.steps] == [
        (1, "Ask"),
        (2, "Look"),
        (3, "Say"),
        (4, ""),
        (5, "End"),
    ]
    assert legacy.steps[2].actions[0].text == "Found.\n\n# It is here."
    assert legacy.tests == [LegacyTest(name="happy", input="AB123", expected="found")]
    assert (legacy.steps[1].pos.line, legacy.steps[1].actions[0].pos.column) == (26, 5)


def test_a_supervisor_is_read_into_its_legacy_part():
    result = parse_legacy(SUPERVISOR)
    legacy = result.document.legacy
    assert codes(result) == ["LEGACY_ROUTING"]
    assert [(one.name, one.default) for one in legacy.state] == [
        ("caller.name", None), ("caller.tries", 0), ("session.lang", "de"), ("plain", None),
    ]  # fmt: skip
    assert legacy.agents[0] == AgentRef(alias="parcel", path="agents/parcel.agent.abl", capabilities=["track", "trace"])
    assert legacy.intents[0] == RoutingRule(action="route_to", intents=["track", "where is it"], target="parcel")
    assert [rule.action for rule in legacy.routing] == ["route_to", "end_conversation"]
    assert legacy.policies == [
        Policy(
            name="refunds",
            allowed_when="caller.tries < 3",
            forbidden_when="user.blocked == true",
            trigger_signal="ESCALATE",
        )
    ]
    assert legacy.communication == Communication(language="de-DE", formality="formal", constraints=["no slang"])
    assert legacy.behavior == Behavior(can_respond_directly=True, allowed_actions=["greet"], forbidden_actions=["sell"])


def test_sections_of_the_modern_grammar_are_read_beside_those_of_the_old_one():
    text = "AGENT: A\nGOAL: g\nCONTRACT:\n  inputs:\n    a: string\nFLOW:\n  ask:\n    REASONING: false\n    THEN: COMPLETE\n"
    result = parse_legacy(text)
    assert codes(result) == []
    assert (result.document.goal, result.document.flow.steps[0].name) == ("g", "ask")


def test_steps_and_intents_of_the_modern_form_are_left_to_the_modern_parser():
    text = 'SUPERVISOR: A\nGOAL: g\nSTATE:\n  a.b: string\nINTENTS:\n  track: "Finding"\nSTEPS:\n  ask:\n    REASONING: false\n    THEN: COMPLETE\n'
    document = parse_legacy(text).document
    assert (document.intents.items[0].name, document.flow.steps[0].name) == ("track", "ask")
    assert (document.legacy.intents, document.legacy.steps) == ([], [])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("CONTRACT:", "CONTRCT:"), "UNKNOWN_SECTION"),
        (("TESTS:", "tests:"), "WRONG_CASE_SECTION"),
        (("  inputs:", "  inptus:"), "LEGACY_INVALID_LINE"),
        (("    code: string\n", "    code string\n"), "LEGACY_INVALID_LINE"),
        (("    code: string\n", "    code: strng\n"), "UNKNOWN_TYPE"),
        (("enum(EU, US)", "enum(EU, US"), "LEGACY_INVALID_LINE"),
        (('    RESPOND "Which', '    REPSOND "Which'), "LEGACY_INVALID_LINE"),
        (("  2. Look", "  Look"), "LEGACY_INVALID_STEP"),
        (("    expected:", "    expectd:"), "MISSPELT_PROPERTY"),
    ],
)
def test_one_slip_gives_one_finding_and_everything_else_is_read(change, code):
    result = parse_legacy(AGENT.replace(*change, 1))
    assert codes(result) == [code]
    assert len(result.document.legacy.steps) == 5
    assert result.document.legacy.contract.outputs
    assert result.document.legacy.tests
    fixed = result.findings[0].fix.apply(AGENT.replace(*change, 1))
    assert codes(parse_legacy(fixed)) == []


def test_a_section_that_stands_twice_is_found():
    assert codes(parse_legacy(AGENT + "CONTRACT:\n  inputs:\n    a: string\n")) == ["DUPLICATE_SECTION"]


def test_a_text_without_a_name_gives_no_document():
    assert codes(parse_legacy("STEPS:\n  1. A\n    GOTO 1\n")) == ["MISSING_AGENT"]
    assert parse_legacy("").document is None
    assert codes(parse_legacy(None)) == ["NOT_TEXT"]


def test_strict_makes_older_routing_an_error():
    assert [one.code for one in parse_legacy(SUPERVISOR, strict=True).errors] == ["LEGACY_ROUTING"]


@pytest.mark.parametrize("code", ["LEGACY_INVALID_STEP", "LEGACY_INVALID_LINE"])
def test_the_examples_of_the_catalogue_give_their_code(code):
    assert codes(parse_legacy(RULES[code].wrong)) == [code]
    assert codes(parse_legacy(RULES[code].right)) == []


def test_crlf_and_a_bom_change_nothing():
    document = parse_legacy("\ufeff" + AGENT.replace("\n", "\r\n")).document
    assert document == parse_legacy(AGENT).document


def test_no_change_of_a_text_makes_reading_raise():
    chance = random.Random(7)
    junk = [
        '"',
        "'",
        "(",
        ")",
        "[",
        "{",
        "->",
        ":",
        "#",
        "\n",
        "\t",
        "|",
        "- ",
        "1.",
        "\u201c",
        "THEN",
        "\x00",
        "STATE:\n",
    ]
    for _ in range(300):
        text = chance.choice([AGENT, SUPERVISOR])
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(["", *junk]) + text[at + chance.randrange(4) :]
        result = parse_legacy(text)
        for one in result.findings:
            assert one.fix is None or isinstance(one.fix.apply(text), str)
        if result.document is not None:
            assert parse_legacy(print_legacy(result.document)).document is not None
            assert modernise(result.document).format == "abl"


@pytest.mark.parametrize(
    "piece",
    [
        "  1. A\n", "1. A\nRESPOND x\n", "    RESPOND x\n    DEFAULT -> 2\n", "    xx\n", "  xx(\n", "    WAIT_INPUT\n",
        "CONTRACT:\n  inputs:\n", "state:\n  a: b\n", "AGENTS:\n  - a b c\n", "    ON_SUCCESS:\n", "    IF a THEN\n",
        "    CALL f((((\n", "ROUTING:\n  - NMAE x\n",
    ],
)  # fmt: skip
def test_any_text_is_read_in_linear_time(piece):
    def work(text):
        result = parse_legacy(text)
        modernise(result.document)
        print_legacy(result.document)

    grows_in_proportion(work, of_signs("AGENT: A\nSTEPS:\n", piece, ""), len(piece) * 3_000)
