"""How a small model is asked: short prompts with a stable beginning, one decision at a time. Pure.

The beginning (system prompt and tools) is the same in the choice of a tool, its arguments and the reply, so the server
reads it once and keeps it. What changes with every turn stands at the end, where it also weighs most for a small model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import Message, ModelRequest, ToolSpec
from providers.embedded.schemas import small_schema

NONE: Final = "none"
HISTORY_MESSAGES: Final = 10
HISTORY_STEP: Final = 6
"""The oldest messages are left out so many at once, so that the beginning changes seldom."""
RESULT_MAX_CHARS: Final = 700
REASONING: Final = "reasoning"
REPLY_MAX_TOKENS: Final = 80
TEXT_MAX_TOKENS: Final = 200
CHOICE_MAX_TOKENS: Final = 24
ARGUMENTS_MAX_TOKENS: Final = 100
TEMPERATURE: Final = 0.0
SYSTEM_PREFIX: Final = "__"
WAYS: Final = frozenset({"__handoff__", "__delegate__"})
"""System tools a small model may use. Ending, escalating and keeping values are left to the rules of the agent."""
ERROR: Final = '{"error"'
"""How the engine begins the result of a call that came to nothing."""
TO_LACK: Final = "I still need this from you: {wanted}."
TO_CHOOSE: Final = (
    'Which tool does the last message ask for? Answer with JSON on one line, such as {{"tool": "{first}"}}.'
)
TO_FILL: Final = (
    "Fill in the parameters of {name} from what was said. Answer with JSON on one line.\n{listed}\n"
    'The user said last: "{said}"'
)
TO_REPLY: Final = "Answer the user's last message in one or two short sentences of plain text."
TO_TELL: Final = "Tell me what this result says, in one or two short sentences. Add nothing that is not in it."
_WAYS_OUT: Final = re.compile(r"(?:^|\n\n)Ways out:\n(?:- [^\n]*(?:\n|$))+")
"""A small model takes conditions for something to say; they are looked at by the engine in any case."""
MAX_CODES: Final = 20
_CODE: Final = re.compile(r"(?:^|_)(?:id|no|nr|number|digits|code|ref)$")
_WITH_DIGIT: Final = re.compile(r"(?:[^\W_]|-)*\d(?:[^\W_]|-)*")
_MISSING: Final = re.compile(r"Still to find out[^\n]*\n((?:- [^\n]*(?:\n|$))+)")
_KNOWN: Final = re.compile(r"(?:^|\n)Known:\n((?:- [^\n]*(?:\n|$))+)")
_KNOWN_LINE: Final = re.compile(r"^- (\w+): (.*)$", re.MULTILINE)


def offered(request: ModelRequest) -> list[ToolSpec]:
    """Return the tools a small model may choose from."""
    return [tool for tool in request.tools if not tool.name.startswith(SYSTEM_PREFIX) or tool.name in WAYS]


def to_choose(request: ModelRequest, tools: Sequence[ToolSpec]) -> ModelRequest:
    """Return the request for the name of the next tool, one of `tools` or `none`."""
    names = [*(tool.name for tool in tools), NONE]
    schema: JsonObject = {"type": "object", "properties": {"tool": {"enum": names}}, "required": ["tool"]}
    told = TO_CHOOSE.format(first=names[0])
    return _asked(request, told, max_tokens=CHOICE_MAX_TOKENS, json_schema=schema)


def to_fill(request: ModelRequest, tool: ToolSpec, names: Iterable[str]) -> ModelRequest:
    """Return the request for those parameters of a tool that nothing else says."""
    wanted = {name: tool.parameters["properties"][name] for name in names}
    codes = _codes(request)
    properties = {
        name: {"enum": codes} if codes and is_code(name, one) else small_schema(one) for name, one in wanted.items()
    }
    schema: JsonObject = {"type": "object", "properties": properties, "required": list(properties)}
    listed = "\n".join(f"- {_parameter(name, one)}" for name, one in wanted.items())
    told = TO_FILL.format(name=tool.name, listed=listed, said=last_said(request))
    return _asked(request, told, max_tokens=ARGUMENTS_MAX_TOKENS, json_schema=schema)


def is_code(name: str, schema: JsonObject) -> bool:
    """Return whether a parameter is a number or sign that somebody has given out, by its name."""
    is_text = schema.get("type", "string") == "string" and not schema.get("enum")
    return bool(is_text and _CODE.search(name))


def _codes(request: ModelRequest) -> list[str]:
    """Return the words with a digit that were said, the latest first: a small model copies such words wrongly."""
    texts = reversed(said_texts(request, "user", "tool"))
    return list(dict.fromkeys(word for text in texts for word in _WITH_DIGIT.findall(text)))[:MAX_CODES]


def to_reply(request: ModelRequest) -> ModelRequest:
    """Return the request for the reply in plain words.

    What is said to the model about now stands before the user's message, or it would be read as what to reply to.
    """
    if not is_conversation(request):
        return msgspec.structs.replace(request, max_tokens=min(request.max_tokens or TEXT_MAX_TOKENS, TEXT_MAX_TOKENS))
    most = min(request.max_tokens or REPLY_MAX_TOKENS, REPLY_MAX_TOKENS)
    asked = _asked(request, "" if has_fresh_result(request) else TO_REPLY, max_tokens=most)
    *before, last, now = asked.messages
    if has_fresh_result(request):
        last = Message(last.role, f"{last.content}\n\n{TO_TELL}")
    return msgspec.structs.replace(asked, messages=(*before, now, last) if now.content else (*before, last))


def is_conversation(request: ModelRequest) -> bool:
    """Return whether the user is to be answered, and no text to be worked on (a summary)."""
    return bool(request.metadata.get("operation", REASONING) == REASONING)


def next_question(request: ModelRequest) -> str:
    """Return the question that the agent has to ask next; empty when there is none or something is to be told first."""
    questions = _missing(request)
    if not questions or has_fresh_result(request) or last_said(request).rstrip().endswith("?"):
        return ""
    return next(iter(questions.values())).strip()


def question_for(wanted: str) -> str:
    """Return how the user is asked for what a tool still lacks; empty when it lacks nothing."""
    return TO_LACK.format(wanted=wanted.rstrip(".")) if wanted else ""


def missing_names(request: ModelRequest) -> list[str]:
    """Return the names of the values the agent still has to find out."""
    return list(_missing(request))


def _missing(request: ModelRequest) -> dict[str, str]:
    found = _MISSING.search(moment_of(request))
    return dict(_KNOWN_LINE.findall(found[1])) if found else {}


def known_values(request: ModelRequest) -> dict[str, str]:
    """Return the values the agent has already, by name, as they stand in its prompt."""
    found = _KNOWN.search(moment_of(request))
    return dict(_KNOWN_LINE.findall(found[1])) if found else {}


def said_texts(request: ModelRequest, *roles: str) -> list[str]:
    """Return what user (and tools) have said."""
    return [one.content for one in request.messages if one.role in roles]


def last_said(request: ModelRequest) -> str:
    """Return the user's last message."""
    return next((one.content for one in reversed(request.messages) if one.role == "user"), "")


def has_fresh_result(request: ModelRequest) -> bool:
    """Return whether a tool has answered since the user last spoke."""
    return request.messages[-1].role == "tool"


def is_repeated(request: ModelRequest, name: str, arguments: JsonObject | None = None) -> bool:
    """Return whether a tool was called since the user last spoke, or has answered these very arguments before.

    What failed before or was refused may be wanted again.
    """
    is_this_turn, failed = True, set[str]()
    for message in reversed(request.messages):
        is_this_turn = is_this_turn and message.role != "user"
        if message.role == "tool" and message.content.startswith(ERROR):
            failed.add(message.tool_call_id)
        for call in message.tool_calls:
            is_same = call.arguments == arguments and call.id not in failed
            if call.name == name and (is_this_turn or is_same):
                return True
    return False


def moment_of(request: ModelRequest) -> str:
    """Return the part of the system prompt that speaks of now."""
    first = request.messages[0]
    return first.content[request.stable_chars :].strip() if request.stable_chars else ""


def _asked(request: ModelRequest, told: str, *, max_tokens: int, json_schema: JsonObject | None = None) -> ModelRequest:
    first, *rest = request.messages
    stable = _WAYS_OUT.sub("\n", first.content[: request.stable_chars or None]).strip()
    system = Message("system", "\n\n".join(part for part in (stable, _listed(request)) if part))
    last = Message("system", "\n\n".join(part for part in (moment_of(request), told) if part))
    return msgspec.structs.replace(
        request,
        messages=(system, *_history(rest), last),
        tools=(),
        temperature=TEMPERATURE,
        max_tokens=max_tokens,
        json_schema=json_schema,
        stable_chars=0,
    )


def _listed(request: ModelRequest) -> str:
    tools = offered(request)
    return "Tools:\n" + "\n".join(_line(tool) for tool in tools) if tools else ""


def _line(tool: ToolSpec) -> str:
    properties = (tool.parameters or {}).get("properties") or {}
    return f"- {tool.name}({', '.join(_parameter(name, one) for name, one in properties.items())}): {tool.description}"


def _parameter(name: str, schema: JsonValue) -> str:
    said = schema.get("description") if isinstance(schema, dict) else ""
    return f"{name}: {said}" if said else name


def _history(messages: Sequence[Message]) -> list[Message]:
    """Return the end of the conversation as a small model reads it: calls and results are plain messages."""
    over = max(len(messages) - HISTORY_MESSAGES, 0)
    start = -(-over // HISTORY_STEP) * HISTORY_STEP
    return [_told(one) for one in messages[start:] if one.content and not one.tool_calls]


def _told(message: Message) -> Message:
    """Return a message without tool calls: a small model would write such calls where words are wanted."""
    if message.role == "tool":
        return Message("user", f"Result of {message.name or 'the tool'}:\n{_plain(message.content)[:RESULT_MAX_CHARS]}")
    return message


def _plain(text: str) -> str:
    """Return a result of JSON as plain lines, which a small model reads better; other texts as they are."""
    try:
        return "\n".join(_lines(json.loads(text)))
    except ValueError:
        return text


def _lines(value: JsonValue) -> Iterator[str]:
    match value:
        case dict():
            flat = [f"{name}: {_flat(one)}" for name, one in value.items() if one not in (None, "", [], {})]
            yield ", ".join(flat)
        case list():
            for one in value:
                yield from (f"- {line}" for line in _lines(one))
        case _:
            yield _flat(value)


def _flat(value: JsonValue) -> str:
    match value:
        case dict():
            return "; ".join(f"{name} {_flat(one)}" for name, one in value.items())
        case list():
            return ", ".join(map(_flat, value))
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
