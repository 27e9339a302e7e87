"""What agents can reach is read off their compiled form."""

import pytest

from abl.effects import effects, host_in, render_effects
from abl.project import Project, compile_project

FRONT = """\
SUPERVISOR: Front
GOAL: "Route"
HANDOFF:
  - TO: Desk
    WHEN: intent.category == "desk"
    CONTEXT:
      memory_grants:
        - path: user.cards
          access: readwrite
        - user.language
"""
DESK = """\
AGENT: Desk
GOAL: "Help in {{config.CITY}}"
TOOLS:
  find(code: string) -> object
    description: "Find"
    type: http
    endpoint: "https://API.parcels.example:8443/find/{code}"
    method: GET
    auth: oauth2_client
    auth_config:
      token_url: "https://login.parcels.example/token"
      client_secret: "{{secrets.CLIENT_SECRET}}"
  order(code: string) -> object
    description: "Order"
    type: http
    endpoint: "{{env.SHOP_URL}}/order"
    method: POST
    confirm: always
  guide(city: string) -> object
    description: "Guide"
    type: mcp
    server: city-guide
  plan(day: string) -> object
    description: "Plan"
    type: workflow
    workflow_id: daily-plan
  stub(x: string) -> object
    description: "Bound elsewhere"
DESTINATIONS:
  hook:
    url: "https://hooks.parcels.example/in"
MEMORY:
  session:
    - basket
  persistent:
    - PATH: user.name
      ACCESS: read
    - PATH: user.log
      ACCESS: write
    - user.city
  remember:
    - WHEN: basket IS SET
      STORE: basket -> user.last_basket
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.diet]
DELEGATE:
  - AGENT: Quotes
    WHEN: env.REGION == "EU"
    RETURNS: {price: price}
ESCALATE:
  triggers:
    - WHEN: user_wants_human
      REASON: "Asked for"
COMPLETE:
  - WHEN: basket IS SET
    STORE: basket -> basket
"""
QUOTES = """\
AGENT: Quotes
GOAL: "Quote"
TOOLS:
  quote(code: string) -> {price: number}
    description: "Quote"
    type: http
    endpoint: "https://quotes.example/q"
FLOW:
  ask:
    REASONING: false
    RESPOND: "One moment."
    ON_INPUT:
      - IF: input == "human"
        THEN: ESCALATE
      - ELSE:
        THEN: COMPLETE
"""


@pytest.fixture(scope="module")
def found():
    return effects(compile_project(Project.from_files({"f.abl": FRONT, "d.abl": DESK, "q.abl": QUOTES})))


def test_tools_are_named_with_kind_and_target(found):
    tools = {tool["name"]: tool for tool in found["agents"]["Desk"]["tools"]}
    assert {name: (tool["kind"], tool["target"]) for name, tool in tools.items()} == {
        "find": ("http", "api.parcels.example"),
        "order": ("http", "{{env.SHOP_URL}}"),
        "guide": ("mcp", "city-guide"),
        "plan": ("workflow", "daily-plan"),
        "stub": ("unbound", ""),
    }
    assert (tools["order"]["changes"], tools["order"]["asks"]) == (True, True)
    assert (tools["find"]["changes"], tools["find"]["asks"]) == (False, False)


def test_hosts_come_from_endpoints_credentials_and_destinations(found):
    assert found["agents"]["Desk"]["hosts"] == [
        "api.parcels.example", "hooks.parcels.example", "login.parcels.example", "{{env.SHOP_URL}}",
    ]  # fmt: skip
    assert found["agents"]["Desk"]["services"] == ["mcp:city-guide", "workflow:daily-plan"]


def test_agents_are_followed_through_others(found):
    assert found["entry_agent"] == "Front"
    front = found["agents"]["Front"]
    assert front["agents"] == {"direct": [{"name": "Desk", "by": "handoff"}], "all": ["Desk", "Quotes"]}
    assert "quotes.example" in front["hosts_through_agents"]
    assert front["hosts"] == []
    assert found["agents"]["Desk"]["agents"]["direct"] == [{"name": "Quotes", "by": "delegate"}]


def test_lasting_memory_is_listed_with_what_is_done_to_it(found):
    memory = found["agents"]["Desk"]["memory"]
    assert memory["reads"] == ["user.name", "user.city", "user.diet"]
    assert memory["writes"] == ["user.log", "user.city", "user.last_basket"]
    assert found["agents"]["Front"]["memory"]["grants"] == [
        {"agent": "Desk", "path": "user.cards", "access": "readwrite"},
        {"agent": "Desk", "path": "user.language", "access": "read"},
    ]


def test_names_of_secrets_environment_and_configuration_are_listed(found):
    desk = found["agents"]["Desk"]
    assert (desk["secrets"], desk["env"], desk["config"]) == (["CLIENT_SECRET"], ["REGION", "SHOP_URL"], ["CITY"])


def test_the_ways_to_a_human_are_listed(found):
    assert found["agents"]["Desk"]["human"] == ["Asked for"]
    assert found["agents"]["Quotes"]["human"] == ["step ask"]
    assert found["agents"]["Front"]["human"] == []


def test_an_agent_that_leads_back_to_itself_ends():
    files = {
        name: f"AGENT: {name}\nGOAL: x\nHANDOFF:\n  - TO: {to}\n    WHEN: true\n"
        for name, to in (("A", "B"), ("B", "A"))
    }
    assert effects(compile_project(Project.from_files(files)))["agents"]["A"]["agents"]["all"] == ["B", "A"]


def test_the_text_has_a_paragraph_for_each_agent(found):
    text = render_effects(found)
    assert text.startswith("Front (supervisor, entry)\n")
    assert "  tool     order: http -> {{env.SHOP_URL}} (changes things, asks first)\n" in text
    assert "  through  Quotes, api.parcels.example" in text
    assert "  reads    user.name, user.city, user.diet\n" in text


def test_an_agent_that_reaches_nothing_says_so():
    found = effects(compile_project(Project.from_files({"a.abl": "AGENT: A\nGOAL: x\n"})))
    assert render_effects(found) == "A (agent, entry)\n  reaches nothing but the conversation"


def test_an_output_that_is_no_output_has_no_effects():
    assert effects({})["agents"] == {}
    assert effects({"agents": {"A": {}, "B": 7}})["agents"]["A"]["tools"] == []


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://user:secret@Shop.example:8443/x?y#z", "shop.example"),
        ("http://[2001:db8::1]:80/", "2001:db8::1"),
        ("https://{{env.HOST}}/x", "{{env.HOST}}"),
        ("https://{{env.REGION}}.shop.example/x", "{{env.REGION}}.shop.example"),
        ("/relative", ""),
        ("", ""),
    ],
)
def test_the_host_of_an_address(address, host):
    assert host_in(address) == host


ASSISTANT = """\
AGENT: Assistant
GOAL: "Help {{user.name}}"
MEMORY:
  session:
    - basket
  remember:
    - WHEN: user.seen_tip == false
      STORE: project.tariff -> user.last_tariff
CONSTRAINTS:
  - REQUIRE user.age >= 18
    ON_FAIL: ESCALATE
  - REQUIRE secrets.MASTER IS SET
GUARDRAILS:
  g:
    kind: output
    check: output CONTAINS user.nickname
    action: block
FLOW:
  ask:
    REASONING: false
    CHECK: execution_tree.budget > 0
    SET: user.visits = user.visits + 1
    SET: note = "user.quoted"
    RESPOND: "Hello {{user.title | upper}}, user.plain stays"
    THEN: tell
  tell:
    REASONING: false
    ON_INPUT:
      - IF: input == "x"
        SET: project.answers = input
        CLEAR: [user.draft]
        THEN: ESCALATE
      - ELSE:
        THEN: COMPLETE
"""


def test_lasting_memory_is_found_in_every_text_that_reads_or_sets_it():
    memory = effects(compile_project(Project.from_files({"a.abl": ASSISTANT})))["agents"]["Assistant"]["memory"]
    assert set(memory["reads"]) == {
        "user.name", "user.seen_tip", "project.tariff", "user.age", "user.nickname", "execution_tree.budget",
        "user.visits", "user.title",
    }  # fmt: skip
    assert set(memory["writes"]) == {"user.last_tariff", "user.visits", "project.answers", "user.draft"}


def test_secrets_are_found_in_conditions_and_people_by_what_calls_them():
    found = effects(compile_project(Project.from_files({"a.abl": ASSISTANT})))["agents"]["Assistant"]
    assert found["secrets"] == ["MASTER"]
    assert found["human"] == ["user.age IS NOT SET OR user.age >= 18", "step tell"]


def test_a_trigger_without_a_reason_is_known_by_its_condition():
    text = "AGENT: A\nGOAL: x\nESCALATE:\n  triggers:\n    - WHEN: turn_count > 9\n"
    assert effects(compile_project(Project.from_files({"a.abl": text})))["agents"]["A"]["human"] == ["turn_count > 9"]
