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

LISTEN = """\
FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
"""
REPLY = """\
        RESPOND: "You said {{input}}. We shall look after it and come back to you."
        THEN: listen
"""
LOOK_UP = """\
TOOLS:
  look_up() -> {{status: string}}
    description: "Looks the parcel up"
    confirm: never
    type: http
    endpoint: "{tool_url}"
    method: POST
"""

FLOW = f"""\
AGENT: Flow
GOAL: "Answer without any model"

{LISTEN}{REPLY}"""

TOOL = f"""\
AGENT: Tool
GOAL: "Look a parcel up and answer with the words of the model"
PERSONA: "{PERSONA}"

"""

CALLER = """\
AGENT: Caller
GOAL: "Look a parcel up without any model"

"""

CALLING = f"""\

{LISTEN}        CALL: look_up()
{REPLY}"""

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
    tool = LOOK_UP.format(tool_url=tool_url)
    return {
        "text.agent.abl": TEXT,
        "flow.agent.abl": FLOW,
        "tool.agent.abl": TOOL + tool,
        "caller.agent.abl": CALLER + tool + CALLING,
        "desk.agent.abl": DESK,
        "clerk.agent.abl": CLERK,
    }
