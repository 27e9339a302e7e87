"""What of a model's text may be shown while it is still being written. Spec: abl-language 8 (streaming guardrails).

Showing is no part of the fold: the whole text comes as a fact and is checked again. A gate holds pieces back until
they are checked, with the same local rules, so what it lets through is what the fold will say, or the beginning of it.
"""

from __future__ import annotations

import re

from engine import guardrails, pii
from engine.program import Program
from engine.run import Run
from engine.state import SessionState, fork

_SENTENCE = re.compile(r"[.!?…:]+[\"')\]]*(?=\s)|\n")
_WORD = re.compile(r"\s")
MAX_HELD_CHARS = 4_000
"""A piece without an end is looked at after so many characters."""


def is_streamed(run: Run) -> bool:
    """Return whether an answer of the current agent may be shown piece by piece at all.

    Not for a child, and not where only the whole text can be judged: rules that ask a model or do not stream, rules
    before responding, texts that a profile shortens, channels that read aloud without markup.
    """
    agent = run.agent
    if run.state.begun.task:
        return False
    rules = agent.output_rules
    if any(one["tier"] != "local" or not one.get("streaming") for one in rules) or agent.checks_responses:
        return False
    if run.thread.profiles:
        profiles = agent.ir["behavior_profiles"]
        held = [one for one in profiles if one["name"] in run.thread.profiles]
        return not any((one.get("response_rules") or {}).get("max_response_length") for one in held)
    return True


class Gate:
    """Lets through what has been checked of one streamed answer."""

    __slots__ = ("_end", "_is_shut", "_rest", "_run", "_seen", "_shown")

    def __init__(self, program: Program, state: SessionState, agent: str) -> None:
        """Open a gate for an answer of `agent`; `state` is left as it is."""
        rules = program.agents[agent].output_rules
        self._run: Run | None = None
        if rules or state.tokens:
            self._run = Run(program, fork(state))
            self._run.focus(agent)
        self._is_shut = False
        self._rest = self._seen = self._shown = ""
        self._end = _WORD if rules and all(one.get("streamingInterval") == "token" for one in rules) else _SENTENCE

    def add(self, delta: str) -> str:
        """Return what may be shown now that `delta` has come."""
        if self._run is None:
            return delta
        self._rest += delta
        at = max((found.end() for found in self._end.finditer(self._rest)), default=0)
        if not at and len(self._rest) > MAX_HELD_CHARS:
            at = len(self._rest)
        return self._let_through(self._run, at)

    def close(self) -> str:
        """Return what may be shown at the end."""
        return "" if self._run is None else self._let_through(self._run, len(self._rest))

    def _let_through(self, run: Run, at: int) -> str:
        if self._is_shut or not at:
            return ""
        self._seen += self._rest[:at]
        self._rest = self._rest[at:]
        text = str(pii.restored(run.state, self._seen))
        checked = guardrails.check_local(run, "output", text)
        run.effects.clear()
        if checked.is_blocked or checked.is_escalated or checked.reask or not checked.text.startswith(self._shown):
            self._is_shut = True
            return ""
        new = checked.text[len(self._shown) :]
        self._shown = checked.text
        return new
