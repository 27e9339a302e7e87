"""The agent of the kill test: a flow that answers every message after a tool call, so that order and counts can be seen."""

from __future__ import annotations

AGENT = """\
AGENT: Ledger
GOAL: "Write orders down"

TOOLS:
  note_keyed(order: string) -> {{order: string}}
    description: "Writes an order down; the same key again changes nothing"
    side_effects: false
    type: http
    endpoint: "http://127.0.0.1:{port}/keyed"
    method: POST
    timeout: 10000

  note_unkeyed(order: string) -> {{order: string}}
    description: "Writes an order down every time it is called"
    side_effects: true
    type: http
    endpoint: "http://127.0.0.1:{port}/unkeyed"
    method: POST
    timeout: 10000

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


def texts(port: int) -> dict[str, str]:
    """Path -> text of the project."""
    return {"ledger.agent.abl": AGENT.format(port=port)}
