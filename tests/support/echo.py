"""An agent without any model that says again what it hears."""

from __future__ import annotations

_ECHO = """\
AGENT: Echo
GOAL: "Say it again"

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "{words} {{{{input}}}}"
        THEN: listen
"""


def an_echo(words: str) -> str:
    """Return the agent `Echo`; `words` stand before what it heard."""
    return _ECHO.format(words=words)
