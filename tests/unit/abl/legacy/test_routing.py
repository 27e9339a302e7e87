import pytest

from abl.legacy.handoffs import completions_of, handoffs_of
from abl.legacy.routing import read_agents, read_routing, read_rules
from abl.parser.lines import scan
from abl.source import Source
from abl.syntax.coordination import Completion, Handoff
from abl.syntax.legacy import AgentRef, RoutingRule


def triples(text):
    lines = scan(Source(text))
    return list(zip(lines.indents, lines.texts, lines.offsets, strict=True))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('- INTENT(a, "b c") -> Desk', RoutingRule(action="route_to", intents=["a", "b c"], target="Desk")),
        ("[a, b] -> Desk", RoutingRule(action="route_to", intents=["a", "b"], target="Desk")),
        ("a -> Desk", RoutingRule(action="route_to", intents=["a"], target="Desk")),
        ('WHEN x == 1 -> "Desk"', RoutingRule(action="route_to", when="x == 1", target="Desk")),
        ("- DEFAULT -> Desk", RoutingRule(action="route_to", otherwise=True, target="Desk")),
        ("* -> Desk", RoutingRule(action="route_to", otherwise=True, target="Desk")),
        (
            "- NAME: vip\n  PRIORITY: 1\n  WHEN: tier == 1\n  THEN: ROUTE_TO Desk\n  FLAGS: [silent]",
            RoutingRule(name="vip", priority=1, when="tier == 1", action="route_to", target="Desk", flags=["silent"]),
        ),
        (
            'vip:\n  WHEN: INTENT_MATCH("a")\n  THEN:\n    - ROUTE_TO_USER "Hello"',
            RoutingRule(name="vip", intents=["a"], action="route_to_user", message="Hello"),
        ),
        ("- WHEN: a\n  TO: Desk", RoutingRule(when="a", action="route_to", target="Desk")),
        ("- TARGET: Desk\n  WHEN: a", RoutingRule(when="a", action="route_to", target="Desk")),
        ("- WHEN: a\n  THEN: END_CONVERSATION", RoutingRule(when="a", action="end_conversation")),
        (
            "- THEN: INTENT_MATCH(a, b) -> Desk",
            RoutingRule(action="intent_match", intents=["a", "b"], target="Desk"),
        ),
    ],
)
def test_every_form_of_a_rule_is_read(text, rule):
    assert read_rules(triples(text)) == ([rule], ())


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("- INTENT(a -> X", "- INTENT(a) -> X"),
        ("- INTNT(a) -> X", "- INTENT(a) -> X"),
        ("- INTENT(a) X", "- INTENT(a) -> X"),
        ("- WEHN: a\n  THEN: ROUTE_TO X", "- WHEN: a\n  THEN: ROUTE_TO X"),
        ("- WHEN: a\n  PRIORTY: 1\n  THEN: ROUTE_TO X", "- WHEN: a\n  PRIORITY: 1\n  THEN: ROUTE_TO X"),
    ],
)
def test_one_slip_gives_one_finding_whose_fix_mends_it(wrong, right):
    rules, faults = read_rules(triples(wrong))
    assert [one.code for one in faults] == ["LEGACY_INVALID_LINE"]
    assert faults[0].fix.apply(wrong) == right
    assert rules == read_rules(triples(right))[0]


@pytest.mark.parametrize(
    "text", ["- WHEN: a", "- INTENT() -> X", "- DEFAULT ->", "- what is this", "- WHEN: a\n  THEN: ROUTE_TO"]
)
def test_a_rule_that_leads_nowhere_is_one_finding(text):
    rules, faults = read_rules(triples(f"- DEFAULT -> A\n{text}\n- DEFAULT -> B"))
    assert [one.code for one in faults] == ["LEGACY_INVALID_LINE"]
    assert [rule.target for rule in rules if rule.target] == ["A", "B"]


def test_routing_becomes_handoffs_with_default_last():
    handoffs, faults = read_routing(triples("- DEFAULT -> B\n- INTENT(a, b) -> A\n- WHEN: x\n  THEN: END_CONVERSATION"))
    assert handoffs == [Handoff(to="A", when='intent.category IN ["a", "b"]'), Handoff(to="B", when="true")]
    assert [one.arguments["value"] for one in faults] == ["END_CONVERSATION"]


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ('desk: "agents/desk.abl" [a, b]', AgentRef(alias="desk", path="agents/desk.abl", capabilities=["a", "b"])),
        ("desk:", AgentRef(alias="desk")),
        ("- Desk", AgentRef(alias="Desk")),
        ('- "agents/desk.agent.abl"', AgentRef(alias="desk", path="agents/desk.agent.abl")),
        (
            "- REF: agents/desk\n  ALIAS: d\n  CAPABILITIES:\n    - a\n  CHANNELS: [chat]\n  REQUIRES_VALIDATION: yes",
            AgentRef(alias="d", path="agents/desk", capabilities=["a"], channels=["chat"], requires_validation=True),
        ),
        ("| alias | ref |\n|---|---|\n| d | p |", AgentRef(alias="d", path="p")),
        ("| d | p | a, b |", AgentRef(alias="d", path="p", capabilities=["a", "b"])),
    ],
)
def test_every_form_of_an_agent_is_read(text, agent):
    assert read_agents(triples(text)) == ([agent], ())


def test_a_line_that_names_no_agent_is_one_finding():
    agents, faults = read_agents(triples("desk: p\nsome words here\n- CAPABILTIES: [a]\n  ALIAS: b"))
    assert [one.code for one in faults] == ["LEGACY_INVALID_LINE"] * 2
    assert agents == [AgentRef(alias="desk", path="p"), AgentRef(alias="b", capabilities=["a"])]


def test_what_is_known_of_an_agent_goes_into_its_rules():
    agents = [
        AgentRef(alias="a", description="Claims", capabilities=["x", "y"], channels=["chat"]),
        AgentRef(alias="b", capabilities=["z"]),
    ]
    rules = [RoutingRule(action="route_to", intents=["q"], when="v > 1", target="a", flags=["silent"])]
    assert handoffs_of(rules, agents) == [
        Handoff(
            to="a",
            when='((v > 1) AND intent.category IN ["q"]) AND channel IN ["chat"]',
            description="Claims. Can do: x, y",
            experience_mode="silent_delegate",
        ),
        Handoff(to="b", description="Can do: z"),
    ]


def test_rules_that_end_or_only_answer_become_completions():
    rules = [
        RoutingRule(when="a", action="end_conversation"),
        RoutingRule(when="b", action="route_to_user", message="m"),
        RoutingRule(action="route_to", target="x"),
    ]
    assert completions_of(rules) == [Completion(when="a"), Completion(when="b", respond="m")]


def test_a_default_needs_no_arrow():
    rules, faults = read_rules([(0, "- DEFAULT: Desk", 0)])
    assert [(one.otherwise, one.target) for one in rules] == [(True, "Desk")]
    assert faults == ()
