"""What was said before a session, as its client tells it: context for models, and never what the user says.

No flow, no gather, no guardrail, no consent and no choice of a language reads these lines, for nobody has seen them
said: they stand in no transcript. Decision: 0085.
"""

from __future__ import annotations

from domain.messages import TranscriptLine
from domain.model_calls import Message
from engine.facts import SessionBegun
from engine.program import AgentProgram, Program


def told(program: Program, begun: SessionBegun) -> tuple[TranscriptLine, ...]:
    """Return the lines that models may read; none where the entry agent has rules for what comes in.

    Such a rule has judged none of these lines, and must not be passed by in words that claim to be earlier ones.
    """
    found = program.find(begun.agent or program.entry_agent)
    if found is None or not begun.earlier or _judges_input(found):
        return ()
    return tuple(one for one in begun.earlier if one.role != "system" and one.content)


def messages_of(program: Program, begun: SessionBegun) -> list[Message]:
    """Return the lines as the entry agent's model has them: turns of the conversation before this one."""
    return [Message(one.role, one.content) for one in told(program, begun)]


def _judges_input(agent: AgentProgram) -> bool:
    return any(agent.stages.get(("input", is_local)) for is_local in (True, False))
