"""Results and earlier turns made shorter for a model. Spec: abl-language 3.2 and 3.15 (compaction), 14.3 (3)."""

from __future__ import annotations

import json

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import Message
from engine.limits import MAX_OLD_RESULT_CHARS, MAX_RESULT_CHARS
from engine.run import Run

STRUCTURED_THRESHOLD = 2_000
STRUCTURED_ITEMS = 5
"""Elements of a list a structured digest shows."""

ASSISTANT_PREVIEW_CHARS = 200
MARK = " [...]"


def result_text(run: Run, name: str, value: JsonValue) -> str:
    """Return a tool result as the model reads it: only what is essential, and not more than allowed."""
    rules = (run.agent.ir["execution"].get("compaction") or {}).get("tool_results") or {}
    tool = (run.agent.tools.get(name) or {}).get("compaction") or {}
    essential = tool.get("essential_fields") or rules.get("essential_fields")
    longest = tool.get("max_description_length") or rules.get("max_description_length")
    value = compacted(value, tuple(essential or ()), int(longest) if longest else 0)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    match rules.get("strategy"):
        case "structured" if len(text) > int(rules.get("structured_threshold") or STRUCTURED_THRESHOLD):
            text = json.dumps(digest(value), ensure_ascii=False)
        case "summarize" if run.state.begun.has_model:
            pass  # `engine.summaries` has it made shorter
        case "truncate" | "summarize" if rules.get("max_chars"):
            text = cut(text, int(rules["max_chars"]))
    return text[:MAX_RESULT_CHARS]


def sums_results(run: Run) -> bool:
    """Return whether a model sums up results that are longer than `max_chars`."""
    rules = (run.agent.ir["execution"].get("compaction") or {}).get("tool_results") or {}
    return rules.get("strategy") == "summarize" and bool(rules.get("max_chars")) and run.state.begun.has_model


def compacted(value: JsonValue, essential: tuple[str, ...], longest: int = 0) -> JsonValue:
    """Return a value with only the essential fields, its texts cut to `longest` characters."""
    if isinstance(value, list):
        return [compacted(one, essential, longest) for one in value]
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if not essential or key in essential}
        return {key: compacted(one, (), longest) for key, one in kept.items()}
    return cut(value, longest) if longest and isinstance(value, str) else value


def digest(value: JsonValue) -> JsonValue:
    """Return the shape of a large value: its first elements, and how many there are."""
    if isinstance(value, list):
        shown = [digest(one) for one in value[:STRUCTURED_ITEMS]]
        return {"count": len(value), "first": shown} if len(value) > STRUCTURED_ITEMS else shown
    if isinstance(value, dict):
        return {key: digest(one) for key, one in value.items()}
    return cut(value, ASSISTANT_PREVIEW_CHARS) if isinstance(value, str) else value


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters, marked where it was cut."""
    return text if len(text) <= most else text[: max(most - len(MARK), 0)] + MARK


def shorten_earlier(run: Run, *, sums_turns: bool = False) -> None:
    """Make the turns before this one shorter; the last `keep_recent` tool results stay as they are.

    Where a model sums up the turns that are too many (`sums_turns`), the words of the others stay whole.
    """
    rules = run.agent.ir["execution"].get("compaction") or {}
    messages = run.thread.messages
    if not rules:
        for at, message in enumerate(messages):
            if message.role == "tool" and len(message.content) > MAX_OLD_RESULT_CHARS:
                messages[at] = _with(message, message.content[:MAX_OLD_RESULT_CHARS])
        return
    results = rules.get("tool_results") or {}
    kept = int(results.get("keep_recent") or 0)
    places = [at for at, message in enumerate(messages) if message.role == "tool"]
    for at in places[: len(places) - kept] if kept else places:
        messages[at] = _with(
            messages[at], cut(messages[at].content, int(results.get("max_chars") or 0) or MAX_OLD_RESULT_CHARS)
        )
    if not sums_turns:
        _shorten_turns(messages, rules.get("prior_turns") or {})


def _shorten_turns(messages: list[Message], rules: JsonObject) -> None:
    strategy = rules.get("strategy")
    if strategy not in ("placeholder", "compact", "summarize"):
        return
    most = int(rules.get("assistant_preview_chars") or ASSISTANT_PREVIEW_CHARS)
    for at, message in enumerate(messages):
        if message.role == "tool" and strategy == "placeholder":
            messages[at] = _with(message, "[result of an earlier turn]")
        elif message.role == "assistant" and not message.tool_calls and len(message.content) > most:
            messages[at] = _with(message, cut(message.content, most))


def _with(message: Message, content: str) -> Message:
    return Message(message.role, content, message.tool_calls, message.tool_call_id, message.name)
