"""Two agents of which one delegates to the other, without any model."""

from __future__ import annotations

FRONT = """\
AGENT: Front
GOAL: "Ask the clerk"

DELEGATE:
  - AGENT: Clerk
    RETURNS:
      answer: answer

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        DELEGATE: Clerk
        RESPOND: "the clerk was asked"
        THEN: listen
"""
CLERK = """\
AGENT: Clerk
GOAL: "Answer the front"

FLOW:
  entry_point: answer

  answer:
    REASONING: false
    SET: answer = 42
    RESPOND: "forty-two"
    THEN: COMPLETE
"""
