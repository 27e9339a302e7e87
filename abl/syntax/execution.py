"""EXECUTION: model, limits and the classifier pipeline. Spec: abl-language 3.15."""

from __future__ import annotations

from typing import Any

from abl.syntax import props as p
from abl.syntax.node import Node, node

OPERATIONS = (
    "extraction", "validation", "tool_selection", "response_gen", "summarization", "reasoning", "realtime_voice",
    "coordination",
)  # fmt: skip


@node
class VoiceSettings(Node):
    """Voice of an agent."""

    provider: str = p.name("provider", "Speech provider.")
    voice_id: str = p.text("voice_id", "Voice of the provider.")
    speed: float | None = p.number("speed", "Speaking rate; 1 is normal.", minimum=0)
    ssml: Any = p.free("ssml", "Whether (or which) speech markup is used.")
    instructions: str = p.text("instructions", "How to speak.")
    plain_text: str = p.text("plain_text", "Text instead of markup.")


@node
class ShortCircuit(Node):
    """A confident match goes on without the main model."""

    enabled: bool | None = p.boolean("enabled", "Whether it is used.")
    confidence_threshold: float | None = p.number(
        "confidenceThreshold", "Confidence that is enough.", minimum=0, maximum=1
    )


@node
class ToolFilter(Node):
    """Narrows the tools shown to the model."""

    enabled: bool | None = p.boolean("enabled", "Whether it is used.")
    max_tools: int | None = p.integer("maxTools", "Most tools shown.", minimum=1)


@node
class KeywordVeto(Node):
    """Words that prevent a short circuit."""

    enabled: bool | None = p.boolean("enabled", "Whether it is used.")
    keywords: list[str] = p.names("keywords", "The words.")


@node
class IntentBridge(Node):
    """From intent to handoff."""

    enabled: bool | None = p.boolean("enabled", "Whether it is used.")
    programmatic_threshold: float | None = p.number(
        "programmaticThreshold", "Confidence for a handoff without a model."
    )
    guided_threshold: float | None = p.number("guidedThreshold", "Confidence for a hint to the model.")
    out_of_scope_decline: bool | None = p.boolean("outOfScopeDecline", "Decline what no agent does.")
    multi_intent_signal: bool | None = p.boolean("multiIntentSignal", "Tell the model of several intents.")


@node
class Pipeline(Node):
    """Small classifier before the main model."""

    enabled: bool | None = p.boolean("enabled", "Whether it runs.")
    mode: str = p.choice("mode", "Beside or before the main model.", "parallel", "sequential")
    model: str = p.name("model", "Model of the classifier.")
    short_circuit: ShortCircuit | None = p.one("shortCircuit", "Confident matches.", "ShortCircuit")
    tool_filter: ToolFilter | None = p.one("toolFilter", "Fewer tools.", "ToolFilter")
    keyword_veto: KeywordVeto | None = p.one("keywordVeto", "Words that prevent it.", "KeywordVeto")
    intent_bridge: IntentBridge | None = p.one("intentBridge", "From intent to handoff.", "IntentBridge")


@node
class ResultCompaction(Node):
    """How tool results are shortened."""

    strategy: str = p.choice("strategy", "How.", "none", "truncate", "structured", "summarize")
    max_chars: int | None = p.integer("max_chars", "Characters that survive.", minimum=0)
    structured_threshold: int | None = p.integer("structured_threshold", "Characters from which structure is cut.")
    keep_recent: int | None = p.integer("keep_recent", "Results that stay whole.", minimum=0)
    essential_fields: list[str] = p.names("essential_fields", "Fields that survive.")
    max_description_length: int | None = p.integer("max_description_length", "Characters of a text that survive.")
    summarize_prompt: str = p.text("summarize_prompt", "Prompt of the summary.")


@node
class TurnCompaction(Node):
    """How earlier turns are shortened."""

    strategy: str = p.choice("strategy", "How.", "none", "placeholder", "compact", "summarize")
    assistant_preview_chars: int | None = p.integer("assistant_preview_chars", "Characters of an answer that survive.")


@node
class Compaction(Node):
    """How history is shortened."""

    model: str = p.name("model", "Model of the summaries.")
    tool_results: ResultCompaction | None = p.one("tool_results", "Tool results.", "ResultCompaction")
    prior_turns: TurnCompaction | None = p.one("prior_turns", "Earlier turns.", "TurnCompaction")


@node
class Timeouts(Node):
    """The limits in their longer spelling."""

    tool_timeout_ms: float | None = p.duration("tool_timeout_ms", "Milliseconds for a tool.", "ms")
    llm_timeout_ms: float | None = p.duration("llm_timeout_ms", "Milliseconds for a model call.", "ms")
    session_timeout_ms: float | None = p.duration("session_timeout_ms", "Milliseconds until a session is idle.", "ms")


@node
class Execution(Node):
    """Model and limits of an agent."""

    model: str = p.name("model", "Model of the agent.")
    fallback_model: str = p.name("fallback_model", "Model when the first fails.")
    temperature: float | None = p.number("temperature", "Randomness of the model.", minimum=0, maximum=2)
    max_tokens: int | None = p.integer("max_tokens", "Longest answer.", minimum=1)
    tool_timeout: float | None = p.duration("tool_timeout", "Milliseconds for a tool.", "ms")
    llm_timeout: float | None = p.duration("llm_timeout", "Milliseconds for a model call.", "ms")
    session_idle_timeout: float | None = p.duration(
        "session_idle_timeout", "Milliseconds until a session is idle.", "ms"
    )
    max_reasoning_iterations: int | None = p.integer(
        "max_reasoning_iterations", "Rounds of the reasoning loop.", aliases=("max_iterations",), minimum=1
    )
    max_flow_iterations: int | None = p.integer("max_flow_iterations", "Steps within one turn.", minimum=1)
    voice_latency_target: float | None = p.duration("voice_latency_target", "Milliseconds until the first sound.", "ms")
    enable_thinking: bool | None = p.boolean("enable_thinking", "Whether the model thinks first.")
    thinking_budget: int | None = p.integer("thinking_budget", "Tokens for thinking.", minimum=0)
    reasoning_effort: str = p.choice(
        "reasoning_effort", "How hard the model thinks.", "low", "medium", "high", open=True
    )
    compaction_threshold: float | None = p.number(
        "compaction_threshold", "Share of the context from which history is shortened.", minimum=0, maximum=1
    )
    inline_gather: bool | None = p.boolean("inline_gather", "Extract slots in the main model call.")
    models: dict[str, str] = p.mapping("models", "Models by operation.", yaml="models", choices=OPERATIONS)
    voice: VoiceSettings | None = p.one("voice", "Voice of the agent.", "VoiceSettings")
    pipeline: Pipeline | None = p.one("pipeline", "Small classifier before the main model.", "Pipeline")
    compaction: Compaction | None = p.one("compaction", "How history is shortened.", "Compaction")
    timeouts: Timeouts | None = p.one("timeouts", "The limits in their longer spelling.", "Timeouts")
    concurrency: str = p.choice(
        "concurrency", "What happens with messages during a turn.", "serial", "preemptive", "parallel"
    )
    max_queue_depth: int | None = p.integer("max_queue_depth", "Messages that may wait.", minimum=0)
    max_concurrent_messages: int | None = p.integer("max_concurrent_messages", "Messages at once.", minimum=1)
    conversation_history_window: int | None = p.integer("conversation_history_window", "Messages shown to the model.")
