"""The closed keys of CONVERSATION and their types. Spec: abl-language 3.17."""

from __future__ import annotations

from typing import TypeAlias, Union

OPEN = "text"
"""All strings are open-valued."""
Shape: TypeAlias = dict[str, Union[str, "Shape"]]

POLICIES = ("interaction_context", "agent_default", "fixed")

FIELDS: Shape = {
    "speaking": {
        "style": OPEN, "tone": OPEN, "emotion": OPEN, "pace": OPEN, "variety": OPEN, "language_policy": OPEN,
        "fixed_language": OPEN, "max_sentences": "int", "one_thing_at_a_time": "bool", "tool_lead_in": OPEN,
        "tool_results": {"style": OPEN, "max_points": "int"},
        "readback": {"numbers": OPEN, "codes": OPEN, "critical_details": OPEN},
        "handoffs": {"internal": OPEN, "human": OPEN},
        "phrases_ref": OPEN, "pronunciations_ref": OPEN,
    },
    "listening": {
        "barge_in": "bool", "backchannels": OPEN, "on_pause": OPEN, "on_overlap": OPEN, "on_unclear_audio": OPEN,
        "on_self_correction": OPEN, "use_audio_cues": "bool",
    },
    "interaction": {
        "answer_shape": OPEN, "detail": OPEN, "initiative": OPEN,
        "grounding": {"mode": OPEN},
        "clarification": {"mode": OPEN, "max_questions": "int", "assume_when_low_risk": "bool"},
        "confirmation": {"parameters": OPEN, "actions": OPEN},
        "uncertainty": {"mode": OPEN, "offer_next_step": "bool"},
        "empathy": OPEN,
        "repair": {"on_correction": OPEN, "on_confusion": OPEN, "on_misheard": OPEN, "max_attempts": "int"},
        "context": {"avoid_reasking": "bool", "remember_recent_constraints": "bool"},
        "closure": OPEN, "assumption_handling": OPEN, "guidance": OPEN, "failure_recovery": OPEN, "adaptation": OPEN,
        "flow_mode": OPEN,
    },
}  # fmt: skip
