"""The agents of the kill test: every message is an order, and every answer says `noted ORDER` once it is carried out.

One agent for each way in which a turn can do its work; `tests.prove.roles` says which conversation speaks with which.
"""

from __future__ import annotations

from tests.prove.project_of_acts import LIBRARIAN, PERMIT, TALLY, THRIFTY
from tests.prove.project_tools import KEYED, UNKEYED

# The first agent by name, and so the one that a WebSocket speaks with: a model chooses the tool and words the answer.
ASSISTANT = f"""\
AGENT: Assistant
GOAL: "Write each order down with the tool of its kind, then say so"

TOOLS:
{KEYED}
{UNKEYED}"""

LEDGER = f"""\
AGENT: Ledger
GOAL: "Write orders down"
MESSAGES:
  error_outcome_unknown: "unknown {{{{order}}}}"

TOOLS:
{KEYED}
{UNKEYED}
MEMORY:
  session:
    - NAME: order
      TYPE: string
      INITIAL: ""

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - IF: input CONTAINS "unkeyed"
        SET: order = input
        THEN: write_unkeyed
      - ELSE:
        SET: order = input
        THEN: write_keyed

  write_keyed:
    REASONING: false
    CALL: note_keyed(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{{{order}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{{{order}}}}"
      THEN: listen

  write_unkeyed:
    REASONING: false
    CALL: note_unkeyed(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{{{order}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{{{order}}}}"
      THEN: listen
"""

# A sub-task: writes down what it is given and returns the receipt.
CLERK = f"""\
AGENT: Clerk
GOAL: "Write one order down"

TOOLS:
{KEYED}
MEMORY:
  session:
    - receipt

FLOW:
  entry_point: write

  write:
    REASONING: false
    CALL: note_keyed(order)
      AS: noted
    ON_SUCCESS:
      SET: receipt = noted.order
      THEN: COMPLETE
    ON_FAILURE:
      THEN: COMPLETE
"""

MANAGER = """\
AGENT: Manager
GOAL: "Have the clerk write orders down"

MEMORY:
  session:
    - order
    - receipt

DELEGATE:
  - AGENT: Clerk
    INPUT: {order: order}
    RETURNS: {receipt: receipt}
    TIMEOUT: 60s

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET: order = input
        CLEAR: receipt
        DELEGATE: Clerk
        THEN: answer

  answer:
    REASONING: false
    RESPOND: "noted {{receipt}}"
    THEN: listen
"""

# Four clerks at once, each with a quarter of the order.
PLANNER = """\
AGENT: Planner
GOAL: "Have four clerks write the parts of an order down"

MEMORY:
  session:
    - order
    - part_a
    - part_b
    - part_c
    - part_d

HOOKS:
  before_turn:
    SET: order = input

DELEGATE:
  - AGENT: Clerk
    WHEN: order IS SET
    INPUT:
      order: order + "-a"
    RETURNS: {receipt: part_a}
    TIMEOUT: 60s
  - AGENT: Clerk
    WHEN: order IS SET
    INPUT:
      order: order + "-b"
    RETURNS: {receipt: part_b}
    TIMEOUT: 60s
  - AGENT: Clerk
    WHEN: order IS SET
    INPUT:
      order: order + "-c"
    RETURNS: {receipt: part_c}
    TIMEOUT: 60s
  - AGENT: Clerk
    WHEN: order IS SET
    INPUT:
      order: order + "-d"
    RETURNS: {receipt: part_d}
    TIMEOUT: 60s

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "noted {{input}} as {{part_a}} {{part_b}} {{part_c}} {{part_d}}"
        THEN: listen
"""

# The tool answers later: the turn ends with `asked`, the callback brings `noted`.
WAITER = """\
AGENT: Waiter
GOAL: "Have orders written down elsewhere"
MESSAGES:
  error_outcome_unknown: "unknown {{order}}"

TOOLS:
  start_job(order: string) -> {receipt: string}
    description: "Begins to write an order down; the same key again changes nothing"
    side_effects: false
    type: async_webhook
    endpoint: "http://127.0.0.1:PORT/jobs"
    method: POST
    timeout_seconds: 3600

MEMORY:
  session:
    - order

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET: order = input
        THEN: ask

  ask:
    REASONING: false
    RESPOND: "asked {{order}}"
    CALL: start_job(order)
      AS: job
    ON_SUCCESS:
      RESPOND: "noted {{order}} under {{job.receipt}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{order}}"
      THEN: listen
"""

# Hands every message over and takes the conversation back.
FRONT = """\
AGENT: Front
GOAL: "Hand orders over to the desk"

MEMORY:
  session:
    - order
    - receipt

HOOKS:
  before_turn:
    SET: order = input

HANDOFF:
  - TO: Desk
    WHEN: order IS SET
    CONTEXT:
      pass: [order]
      history: last_4
    RETURN: true
    ON_RETURN:
      HANDLER: after_desk
      MAP: {receipt: receipt}

RETURN_HANDLERS:
  after_desk:
    RESPOND: "noted {{receipt}}"
    CLEAR: [receipt]
"""

DESK = CLERK.replace("AGENT: Clerk", "AGENT: Desk")

# Counts in memory that outlives the session.
COUNTER = f"""\
AGENT: Counter
GOAL: "Write orders down and count them"
MESSAGES:
  error_outcome_unknown: "unknown {{{{order}}}}"

TOOLS:
{KEYED}
MEMORY:
  session:
    - order
  persistent:
    - PATH: "user.orders"
      SCOPE: user
      TYPE: number
      DEFAULT_VALUE: 0

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET:
          order = input
          user.orders = user.orders + 1
        THEN: write

  write:
    REASONING: false
    CALL: note_keyed(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{{{order}}}} as number {{{{user.orders}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{{{order}}}}"
      THEN: listen
"""

ENTRIES = {"Ledger": "dev", "Planner": "staging", "Assistant": "production"}
"""Agents that pages speak with, and the environment that each is the entry of."""
PARTS = ("-a", "-b", "-c", "-d")
"""What the planner's four orders end in."""


def texts(port: int) -> dict[str, str]:
    """Path -> text of the project, whose tools are served at this port."""
    agents = {
        "assistant": ASSISTANT,
        "clerk": CLERK,
        "counter": COUNTER,
        "desk": DESK,
        "front": FRONT,
        "ledger": LEDGER,
        "librarian": LIBRARIAN,
        "manager": MANAGER,
        "permit": PERMIT,
        "planner": PLANNER,
        "tally": TALLY,
        "thrifty": THRIFTY,
        "waiter": WAITER,
    }
    return {f"{name}.agent.abl": text.replace("PORT", str(port)) for name, text in agents.items()}
