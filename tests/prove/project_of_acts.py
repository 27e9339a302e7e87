"""Agents of the kill test whose clients do more than speak: they reset, decide, spend and remember."""

from __future__ import annotations

from tests.prove.project_tools import KEYED

THRIFT = "Write each order down for little"

# Counts within its session, so that a reset shows.
TALLY = f"""\
AGENT: Tally
GOAL: "Write orders down and number them"
MESSAGES:
  error_outcome_unknown: "unknown {{{{order}}}}"

TOOLS:
{KEYED}
MEMORY:
  session:
    - order
    - NAME: orders
      TYPE: number
      INITIAL: 0

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET:
          order = input
          orders = orders + 1
        THEN: write

  write:
    REASONING: false
    CALL: note_keyed(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{{{order}}}} as number {{{{orders}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{{{order}}}}"
      THEN: listen
"""

# Somebody has to approve each order: the turn ends with a sentence that says so, the decision brings `noted` or `refused`.
PERMIT = f"""\
AGENT: Permit
GOAL: "Have orders approved, then write them down"
MESSAGES:
  error_outcome_unknown: "unknown {{{{order}}}}"

TOOLS:
{KEYED}
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
        THEN: approve

  approve:
    REASONING: false
    HUMAN_APPROVAL:
      PROMPT: "asked {{{{order}}}}"
      TIMEOUT: 86400
      ON_APPROVE: write
      ON_REJECT: leave
      ON_TIMEOUT: late

  write:
    REASONING: false
    CALL: note_keyed(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{{{order}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{{{order}}}}"
      THEN: listen

  leave:
    REASONING: false
    RESPOND: "refused {{{{order}}}}"
    THEN: listen

  late:
    REASONING: false
    RESPOND: "nobody decided {{{{order}}}}"
    THEN: listen
"""

# An assistant under a budget of its own.
THRIFTY = f"""\
AGENT: Thrifty
GOAL: "{THRIFT}"

TOOLS:
{KEYED}"""

# Its tool keeps the orders in a memory store of the session, from outside, while the turn waits for it.
LIBRARIAN = """\
AGENT: Librarian
GOAL: "Have orders kept in the memory of the session"
MESSAGES:
  error_outcome_unknown: "unknown {{order}}"

TOOLS:
  note_remembered(order: string) -> {order: string}
    description: "Writes an order down in a memory store; the same key again changes nothing"
    side_effects: false
    type: http
    endpoint: "http://127.0.0.1:PORT/remembered"
    method: POST
    timeout: 10000
    headers:
      X-Token: "{{sandbox.token}}"
      X-Memory: "{{sandbox.memoryUrl}}"

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
        THEN: write

  write:
    REASONING: false
    CALL: note_remembered(order)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted {{order}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "unknown {{order}}"
      THEN: listen
"""
