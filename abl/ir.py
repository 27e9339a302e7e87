"""The compiled form: version, what the keys mean, and its canonical bytes.

The IR is plain JSON. Keys are snake_case except those that the language's older tools spell in camelCase
(`staticGraph`, `experienceMode`, `llmCheck`, ...). A key stands in the IR when its value was written or has a
default; what was not written and has no default is absent, never null. Spec: abl-language 12.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

IR_VERSION = "1.0"
COMPILER_VERSION = "0.1.0"
HASH_CHARS = 16

OUTPUT_KEYS = {
    "version": "Version of the IR.",
    "compiled_at": "ISO time handed in by the caller, else null.",
    "agents": "Agent name -> AgentIR.",
    "entry_agent": "Option `entry_agent`, else the first supervisor, else the first agent, else null.",
    "deployment": "What a deployment needs: runtime_recommendations, parallel_safe, stateful, hitl_capable.",
    "remote_agents": "Name -> {endpoint, protocol} of agents that run elsewhere.",
    "coordination_defaults": "Timeouts, history and depth where an agent says nothing.",
    "compilation_errors": "Errors {code, message, agent, line}; absent when there are none. Also as `errors`.",
    "compilation_warnings": "Warnings of the same form; absent when there are none. Also as `warnings`.",
    "resolved_config_variables": "{resolved, unresolved, unused} config variables.",
    "tool_snapshot": "Tool name -> the library or catalogue definition the compile used.",
}
"""Key of the compilation output -> what it holds. Spec: abl-language 12.1."""

AGENT_KEYS = {
    "ir_version": "Version of the IR.",
    "metadata": "name, version, type, description, compiled_at, source_hash, compiler_version, config_hash.",
    "execution": "Model, limits, hints.",
    "identity": "goal, persona, limitations, system_prompt, language.",
    "tools": "The agent's tools, then the system tools.",
    "gather": "{fields, strategy}.",
    "attachments": "Files that are asked for.",
    "destinations": "Outbound endpoints.",
    "memory": "session, persistent, remember, recall.",
    "constraints": "{constraints, guardrails}; `instructions` holds plain items for the model.",
    "coordination": "delegates, handoffs, return_handlers, escalation.",
    "completion": "{conditions}.",
    "error_handling": "{handlers, default_handler}.",
    "flow": "Steps and their static graph; absent without FLOW.",
    "on_start": "First action; absent when there is none.",
    "hooks": "Hook name -> actions.",
    "messages": "All platform texts, defaults filled in.",
    "nlu": "Language understanding, camelCase inside; absent when not written.",
    "entities": "Entities of ENTITIES, NLU and of gather fields with options.",
    "intent_handling": "multi_intent, intents, lexical_fallback; absent when not written.",
    "lookup_tables": "Name -> table with normalized_values.",
    "templates": "Name -> default text.",
    "template_formats": "Name -> the other formats and the voice of a template.",
    "routing": "Rules, default agent and intent categories of a router.",
    "available_agents": "Names reachable by handoff and delegate.",
    "behavior_profiles": "Attached profiles by ascending priority.",
    "conversation_behavior": "Body of CONVERSATION.",
    "action_handlers": "What buttons and forms do.",
    "project_runtime_config": "Passed through from the options.",
    "omnichannel": "Passed through from the options.",
}
"""Key of an AgentIR -> what it holds. Spec: abl-language 12.2."""


def canonical_bytes(ir: Any) -> bytes:
    """Return the one JSON form of `ir`: sorted keys, no spaces, UTF-8 (lone surrogates as escapes)."""
    text = json.dumps(ir, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace")


def short_hash(text: str) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of `text`."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:HASH_CHARS]
