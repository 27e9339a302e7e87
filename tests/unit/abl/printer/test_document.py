"""Canonical text, construct by construct; that it is read back is a property test."""

from textwrap import dedent

import pytest

from abl.parser import parse_text
from abl.printer import serialize
from abl.printer.nodes import WRITE
from abl.syntax.document import Document
from abl.syntax.flow import Flow, Step
from abl.syntax.node import NODES, Kind
from abl.syntax.rich import Template, Voice
from abl.syntax.tools import Parameter, Tool, TypeExpr

AGENT = 'AGENT: Desk\nGOAL: "Help"\n'


def canonical(body: str) -> str:
    """Return the canonical text of an agent's section, without the header."""
    text = AGENT + dedent(body)
    result = parse_text(text)
    assert result.document is not None
    written = serialize(result.document)
    again = parse_text(written)
    assert again.document == result.document
    assert not again.errors
    return written.removeprefix(AGENT).strip("\n") + "\n"


CANONICAL = {
    "texts in quotes, long ones as blocks": """
        PERSONA: |
          Calm, "brief" # always? no

        LIMITATIONS:
          - "Cannot open customs cases"
          - |
            two
              lines
        """,
    "short identifiers in one list": """
        LIMITATIONS: [customs, hours]
        """,
    "a map with its own entries": """
        GATHER:
          strategy: hybrid
          code:
            prompt: "Which code?"
            type: string
            validate: "^[A-Z]{2}\\d{9}$"
            activation:
              WHEN: status == "lost"
            depends_on: [region]
          region:
            activation: progressive
        """,
    "memory": """
        MEMORY:
          session:
            - parcel_status
            - NAME: attempts
              INITIAL: 0
              RESET: per_session
          persistent:
            - user.hub
          READS: [user.tier]
          remember:
            - WHEN: status == "delivered"
              STORE: {code, status} -> user.last
              TTL: "30d"
          recall:
            - ON: tool:find_parcel:after
              INSTRUCTION: "Mention the hub"
        """,
    "constraints under labels": """
        CONSTRAINTS:
          - WARN attempts < 3
          claims:
            - REQUIRE amount <= 500 WHEN status == "lost"
              ON_FAIL: "Up to 500 only."
            - RESTRICT region == "XX" BEFORE calling find_parcel
              ON_FAIL: BLOCK "Not served."
            - REQUIRE code IS SET
              ON_FAIL:
                RESPOND: "Let me check."
                COLLECT: [code]
                THEN: retry
        """,
    "handoff with its context": """
        HANDOFF:
          - TO: Claims
            WHEN: amount > 500
            PRIORITY: 1
            CONTEXT:
              pass: [code, amount]
              summary: "Lost parcel"
              memory_grants:
                - user.claims
                - path: user.tier
                  access: readwrite
              history: last_4
            RETURN: true
            ON_RETURN:
              ACTION: continue
              MAP:
                claim_id: open_claim
            ON_FAILURE: CONTINUE
        """,
    "escalation": """
        ESCALATE:
          triggers:
            - WHEN: attempts > 2
              REASON: "Upset"
              PRIORITY: 1
          context_for_human:
            - "code"
            - "Status: {{status}}"
          on_human_complete:
            - IF resolution == "done": COMPLETE
        """,
    "flow": """
        FLOW:
          entry_point: ask
          ask -> look

          ask:
            REASONING: false
            GATHER:
              STRATEGY: llm
              FIELDS: [code]
            THEN: look

          look:
            REASONING: false
            SET:
              a = 1
              b.c = "x, y"
            TRANSFORM: hubs AS hub INTO names
              MAP:
                name: hub.city
              SORT_BY: city ASC
              LIMIT: 3
            CALL: find(code, region: "EU")
              WITH:
                deep: "yes"
              AS: parcel
            RESPOND: "It is {{parcel}}."
              VOICE: "It is there."
              FORMATS:
                MARKDOWN: "**there**"
                KPI:
                  label: Days
                  value: 3
              ACTIONS:
                SUBMIT_LABEL: "Send"
                - BUTTON: "Open claim" -> open-claim
                - SELECT: "Hub"
                  OPTIONS:
                    - "Berlin" -> ber
            ON_FAIL: ask
            ON_RESULT:
              - IF: parcel.status == "lost"
                THEN: ask
              - ELSE:
                RESPOND: TEMPLATE(card)
                THEN: COMPLETE
            DIGRESSIONS:
              - INTENT: hours
                KEYWORDS: [open, hours]
                DO:
                  - CALL: hub_hours(hub)
                    AS: hours
                  - RESUME
        """,
}


@pytest.mark.parametrize("body", CANONICAL.values(), ids=CANONICAL)
def test_canonical_text_stays_as_it_is(body):
    expected = dedent(body).strip("\n") + "\n"
    if "FIELDS: [code]" in expected:
        body = expected.replace("FIELDS: [code]", "- code")
        expected = expected.replace("      FIELDS: [code]", "      - code:")
    assert canonical(body) == expected


def test_sections_stand_in_their_order_with_blank_lines_between_tall_ones():
    written = canonical('MESSAGES:\n  greeting: "Hi"\nVERSION: "2.0"\nPERSONA: "Calm"\n')
    assert written == dedent(
        """\
        AGENT: Desk
        VERSION: "2.0"
        GOAL: "Help"
        PERSONA: "Calm"

        MESSAGES:
          greeting: "Hi"
        """
    )


def test_a_block_answer_has_its_formats_beside_it():
    written = canonical('COMPLETE:\n  - WHEN: x\n    RESPOND: |\n      a\n      b\n    VOICE: "c"\n')
    assert "    RESPOND: |\n      a\n      b\n    VOICE: " in written


def test_unknown_properties_are_written_as_they_were():
    written = canonical("GUARDRAILS:\n  g:\n    check: x\n    owner: me  # who\n    more:\n      - a\n")
    assert written.endswith("    check: x\n    owner: me  # who\n    more:\n      - a\n")


def test_unknown_keys_of_a_whole_document_become_comments():
    written = serialize(Document(name="A", goal="x", extras={"owner": "me", "deep": "\na: 1"}))
    assert written.endswith("# owner: me\n# deep:\n# a: 1\n")


def test_a_tool_is_its_signature_and_what_that_cannot_say():
    nested = TypeExpr(base="object", fields=[Parameter(name="at", type=TypeExpr(base="date"), description="When")])
    tool = Tool(
        name="find",
        description="Find it",
        parameters=[
            Parameter(name="code", type=TypeExpr(), description="The code"),
            Parameter(name="note", type=TypeExpr(), default='say "hi" # loud'),
            Parameter(name="event", type=nested),
        ],
        returns=TypeExpr(base="object"),
    )
    assert serialize(Document(kind="tools", tools=[tool])) == dedent(
        """\
        TOOLS:
          find(code: string, note: string, event: {at: date}) -> object
            description: "Find it"
            parameters:
              code:
                description: "The code"
              note:
                default: |
                  say "hi" # loud
              event:
                properties:
                  at:
                    description: "When"
        """
    )


def test_a_template_with_formats_keeps_its_text_as_default():
    template = Template(name="card", text="Hi", formats={"markdown": "*Hi*"}, voice=Voice(plain_text="Hello"))
    written = serialize(Document(name="A", goal="x", templates=[template, Template(name="two", text="a\nb")]))
    assert written.endswith(
        'TEMPLATES:\n  card:\n    DEFAULT: "Hi"\n    MARKDOWN: "*Hi*"\n    VOICE: "Hello"\n  two: |\n    a\n    b\n'
    )


def test_an_inline_profile_says_only_what_it_may():
    written = canonical('BEHAVIOR_PROFILE: phone\nPRIORITY: 3\nWHEN: channel == "voice"\nINSTRUCTIONS: "Be brief"\n')
    assert written == 'BEHAVIOR_PROFILE: phone\nPRIORITY: 3\nWHEN: channel == "voice"\nINSTRUCTIONS: "Be brief"\n'


def test_a_profile_document_begins_with_its_own_header():
    text = 'BEHAVIOR_PROFILE: phone\nPRIORITY: 3\nWHEN: channel == "voice"\n\nTOOLS:\n  HIDE: [export_pdf]\n'
    document = parse_text(text).document
    assert document is not None
    assert serialize(document) == text


def test_a_supervisor_keeps_its_header():
    assert serialize(Document(kind="supervisor", name="Front", goal="x")).startswith("SUPERVISOR: Front\n")


def test_steps_without_properties_are_headers_alone():
    written = serialize(Document(name="A", goal="x", flow=Flow(steps=[Step(name="a"), Step(name="b")])))
    assert written.endswith("FLOW:\n  a:\n\n  b:\n")


@pytest.mark.parametrize(
    "value", [["a b", 1, None, {"k": [["x"], {"odd: key": "v"}]}], {"a": {}, "b": [], "two words": "x # y"}, "text", 3]
)
def test_json_bodies_are_read_back(value):
    document = Document(name="A", goal="x", tools=[Tool(name="t", description="d", body=value)])
    made = parse_text(serialize(document)).document
    assert made is not None
    assert made.tools[0].body == value


def test_every_kind_has_a_writer():
    used = {row.kind for cls in NODES.values() for row in cls.PROPS} - {Kind.FLAT}
    assert used <= set(WRITE)
