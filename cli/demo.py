"""The project that is served when none is named: one agent that needs no model, so that anybody gets an answer."""

from __future__ import annotations

NAME = "demo"

TEXT = """\
AGENT: Welcome_Desk
GOAL: "Greet the visitor and take down what the matter is"

GATHER:
  visitor:
    prompt: "Who is speaking?"
    type: string
  matter:
    prompt: "What is it about?"
    type: string

FLOW:
  entry_point: greet
  greet -> ask_matter -> close

  greet:
    REASONING: false
    RESPOND: "Welcome. This agent runs without a model."
    GATHER:
      - visitor: required
    THEN: ask_matter

  ask_matter:
    REASONING: false
    GATHER:
      - matter: required
    THEN: close

  close:
    REASONING: false
    RESPOND: "Thank you, {{visitor}}. I have noted: {{matter}}."
    THEN: COMPLETE
"""

FILES = {"agents/welcome_desk.agent.abl": TEXT}
FIRST_MESSAGE = "Ada"
