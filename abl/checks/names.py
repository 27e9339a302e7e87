"""The names every agent knows without declaring them. Spec: abl-language 6.7, 13.4."""

from __future__ import annotations

from abl.expressions.guard_names import STAGE_NAMES, TEXT_NAMES

NAMESPACES = frozenset(
    {
        "session", "user", "env", "secrets", "config", "caller", "context", "_context", "interaction", "metadata",
        "sentiment", "workflow", "message_metadata", "messageMetadata",
    }
)  # fmt: skip
"""Roots below which every name is accepted."""

ENGINE_NAMES = frozenset(
    {
        "input", "last_input", "intent", "channel", "language", "locale", "turn_count", "session_id", "project_id",
        "tenant_id", "user_id", "customer_id", "result", "match", "all_fields_gathered", "tool_failures",
        "constraint_failures", "sentiment_trajectory", "handoff", "escalate", "delegate",
        "previous_system_message_was_offer", "always", "_action", "_clarification_count", "_validation_retries",
        "_pending_inferences", "_constraint_warnings", "_summary", "_error", "_correction",
    }
)  # fmt: skip
"""Names that the engine fills."""

CHECKPOINT_NAMES = "_abl_"
"""Beginning of the names the compiler puts into lowered constraints."""

INPUT_WORDS = frozenset({"back", "cancel", "change", "help", "yes", "no"})
"""Built-in answers: a branch of ON_INPUT may consist of one of them alone. Spec: abl-language 5.7."""

GUARDRAIL_NAMES = TEXT_NAMES.union(*STAGE_NAMES.values())
"""What a check of content may read besides the state; which of them depends on the kind of the guardrail."""

ERROR_NAMES = frozenset({"error", "error_code", "error_message", "error_type"})
"""What is known of a failure; read in the branches after one."""

RESULT_NAMES = frozenset({"result", "message", "response", "output", "status", "success", "error", "reason", "summary"})
"""What every agent gives back: its last answer and how it ended."""

HUMAN_NAMES = frozenset({"resolution", "human", "human_response", "approved"})
"""Fields of a finished human task, in agents that escalate or ask for approval."""

RESERVED = frozenset(
    {
        "input", "last_input", "intent", "channel", "turn_count", "session_id", "project_id", "tenant_id", "match",
        "all_fields_gathered", "tool_failures", "constraint_failures", "sentiment_trajectory",
        "previous_system_message_was_offer", "always", "session", "env", "secrets", "config",
    }
)  # fmt: skip
"""Names that an author must not set, besides all that begin with `_`.

Facts that a conversation may well have to correct (`language`, `locale`, `user_id`, `customer_id`) and `result`,
which is a common name of a call's result, are left to the author.
"""

"""Targets that are no steps; compared in upper case."""
