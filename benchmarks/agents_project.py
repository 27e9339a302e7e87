"""A project of many agents, always the same for the same number: what `make bench-abl` compiles.

Agents come in teams of ten that hand over to each other; every other one reasons with tools and memory, the rest
follow a FLOW. Each has 100 lines, the first is the supervisor, and one library binds all tools.
"""

from __future__ import annotations

LINES = 100
TEAM = 10
TOPICS = ("parcel", "invoice", "booking", "claim", "order", "ticket", "policy", "repair", "visit", "refund")
PLACES = ("north", "south", "east", "west", "harbour", "airport", "centre")
TONES = ("Friendly and brief", "Calm and exact", "Warm, never hurried", "Direct and polite")

_HEAD = """\
{word}: {name}
VERSION: "1.{number}.0"
DESCRIPTION: "Looks after every {topic} of the {place} office"
LANGUAGE: "en"

GOAL: "Answer what people ask about a {topic} and settle it where that is allowed"
PERSONA: |
  {tone}. Speaks of a {topic} as people do, and says so
  when something is not known.
LIMITATIONS:
  - "Never asks for a password"

EXECUTION:
  model: "small-local"
  temperature: 0.{digit}
  max_tokens: {tokens}
"""
_TOOLS = """
TOOLS:
  find_{topic}(code: string, place?: string) -> {{status: string, owner: string, price: number, due: date}}
    description: "Looks a {topic} up by its code"
    parameters:
      code:
        description: "Two letters and six digits"
      place: "The office that keeps it"
  settle_{topic}(code: string, amount: number, way: enum(card, account)) -> {{receipt: string}}
    description: "Settles a {topic}"
    parameters:
      code: "The code of the {topic}"
      amount: "What is paid"
      way: "How it is paid"
    side_effects: true
    confirm: always
"""
_GATHER = """
GATHER:
  code:
    prompt: "What is the code of the {topic}?"
    type: string
    validate: "^[A-Z]{{2}}[0-9]{{6}}$"
    max_retries: 2
  amount:
    prompt: "How much is it about?"
    type: number
    required: false
"""
_MEMORY = """
MEMORY:
  session:
    - NAME: turns
      INITIAL: 0
      TYPE: number
    - NAME: settled
      INITIAL: false
      TYPE: boolean
    - NAME: last_status
      INITIAL: "new"
  persistent:
    - PATH: user.{topic}_place
      DESCRIPTION: "Where this person usually goes"
"""
_REASONING = """
CONSTRAINTS:
  always:
    - REQUIRE amount == null OR amount <= {limit}
      ON_FAIL: RESPOND "That is more than I may settle here."
    - WARN turns < 12

GUARDRAILS:
  no_cards:
    kind: input
    check: NOT (input MATCHES "[0-9]{{13,16}}")
    action: BLOCK
    message: "Please do not write card numbers here."

HOOKS:
  after_turn:
    SET: turns = turns + 1
    CRITICAL: false

"""
_FLOW = """
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER: code
    THEN: look
  look:
    REASONING: false
    CALL: find_{topic}(code)
      AS: found
    ON_RESULT:
      - IF: found.status == "open" AND found.price <= {limit}
        SET: last_status = found.status
        THEN: pay
      - IF: found.status IN ["closed", "settled"]
        RESPOND: "It was settled already, {{{{found.owner}}}}."
        THEN: COMPLETE
      - ELSE:
        THEN: COMPLETE
  pay:
    REASONING: false
    CALL: settle_{topic}(code, found.price, "card") AS receipt
    SET: settled = true, turns = turns + 1
    THEN: COMPLETE
"""
_HANDOFF = """\
  - TO: {target}
    WHEN: {when}
    CONTEXT:
      pass: [code, last_status]
      summary: "About {topic} {{{{code}}}}, now {{{{last_status}}}}"
      history: last_4
    RETURN: {returns}
"""
_END = """
ON_ERROR:
  tool_error:
    RESPOND: "The system of the {place} office does not answer."
    RETRY: 2

COMPLETE:
  - WHEN: settled == true
    RESPOND: "Thank you. The {topic} is settled."
"""
_LIBRARY = """\
TOOLS:
  base_url: "https://{team}.example/v1"
  timeout: 4000
"""
_BOUND = """
  find_{topic}(code: string, place?: string) -> {{status: string, owner: string, price: number, due: date}}
    description: "Looks a {topic} up by its code"
    type: http
    endpoint: "/{topic}/{{code}}"
    method: GET
  settle_{topic}(code: string, amount: number, way: enum(card, account)) -> {{receipt: string}}
    description: "Settles a {topic}"
    type: http
    endpoint: "/{topic}/{{code}}/settle"
    method: POST
"""


def agents_project(agents: int) -> dict[str, str]:
    """Return path -> text of a project of `agents` agents with 100 lines each, and its tool libraries."""
    files = {f"agents/{_name(index).lower()}.agent.abl": agent(index, agents) for index in range(agents)}
    library = _LIBRARY.format(team="office") + "".join(_BOUND.format(topic=topic) for topic in TOPICS)
    return {**files, "tools/office.tools.abl": library}


def agent(index: int, agents: int) -> str:
    """Return the text of one agent of a project of `agents`."""
    first = index - index % TEAM
    topic, place = TOPICS[index % len(TOPICS)], PLACES[index // TEAM % len(PLACES)]
    words = {
        "word": "AGENT" if index else "SUPERVISOR",
        "name": _name(index),
        "number": index % 7,
        "topic": topic,
        "place": place,
        "tone": TONES[index % len(TONES)],
        "digit": index % 9,
        "tokens": 200 + index % 300,
        "limit": 50 + index % 200,
    }
    body = _FLOW if index % 2 else _REASONING
    text = "".join(part.format(**words) for part in (_HEAD, _TOOLS, _GATHER, _MEMORY, body))
    text += "HANDOFF:\n"
    team = [one for one in range(first, min(first + TEAM, agents)) if one != index]
    wanted = LINES - text.count("\n") - _END.count("\n")
    size = _HANDOFF.count("\n")
    for turn, other in enumerate(team[: max(wanted // size, 1)]):
        text += _HANDOFF.format(
            target=_name(other),
            when=f'input CONTAINS "{TOPICS[other % len(TOPICS)]}" AND turns > {turn}',
            topic=topic,
            returns="true" if turn % 2 else "false",
        )
    text += _END.format(**words)
    return text + "".join(f"# Line {line} of the notes.\n" for line in range(text.count("\n"), LINES))


def _name(index: int) -> str:
    return f"{TOPICS[index % len(TOPICS)].capitalize()}_Desk_{index}"
