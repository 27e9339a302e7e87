"""The agents of `make bench-turns`: one kind of turn each, as short as the kind allows.

The stub of the model calls the first tool that it is offered and otherwise says one sentence, so a turn's kind is a
matter of the agent alone.
"""

from __future__ import annotations

PERSONA = "You answer questions about parcels in one sentence."

TEXT = f"""\
AGENT: Text
GOAL: "Answer with the words of the model"
PERSONA: "{PERSONA}"
"""

FLOW = """\
AGENT: Flow
GOAL: "Answer without any model"

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "You said {{input}}. We shall look after it and come back to you."
        THEN: listen
"""

TOOL = """\
AGENT: Tool
GOAL: "Look a parcel up and answer with the words of the model"
PERSONA: "{persona}"

TOOLS:
  look_up() -> {{status: string}}
    description: "Looks the parcel up"
    confirm: never
    type: http
    endpoint: "{tool_url}"
    method: POST
"""

CALLER = """\
AGENT: Caller
GOAL: "Look a parcel up without any model"

TOOLS:
  look_up() -> {{status: string}}
    description: "Looks the parcel up"
    confirm: never
    type: http
    endpoint: "{tool_url}"
    method: POST

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        CALL: look_up()
        RESPOND: "You said {{{{input}}}}. We shall look after it and come back to you."
        THEN: listen
"""

DESK = f"""\
SUPERVISOR: Desk
GOAL: "Hand every question over to the one who answers it"
PERSONA: "{PERSONA}"

HANDOFF:
  - TO: Clerk
    WHEN: input CONTAINS "parcel"
    CONTEXT:
      summary: "A question about a parcel"
    RETURN: false
"""

CLERK = f"""\
AGENT: Clerk
GOAL: "Answer with the words of the model"
PERSONA: "{PERSONA}"
"""


def texts(tool_url: str) -> dict[str, str]:
    """Return file name -> text of the project; `tool_url` is what the agent with the tool posts to."""
    return {
        "text.agent.abl": TEXT,
        "flow.agent.abl": FLOW,
        "tool.agent.abl": TOOL.format(persona=PERSONA, tool_url=tool_url),
        "caller.agent.abl": CALLER.format(tool_url=tool_url),
        "desk.agent.abl": DESK,
        "clerk.agent.abl": CLERK,
    }
