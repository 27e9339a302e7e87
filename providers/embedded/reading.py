"""Reading values and intents with a small model: shorter questions than the engine's, the same form of answer. Pure.

A small model is asked for values only, in one line of JSON. How sure it is it cannot say; what it reads has to stand in
the text, and what stands there is taken as sure. Sentiment is left to the words.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from domain.json_values import JsonObject
from domain.model_calls import Message, ModelRequest
from providers.embedded.grounding import Said, grounded_values
from providers.embedded.prompting import TEMPERATURE, last_said
from providers.embedded.schemas import small_schema

FEW_WORDS: Final = 4
"""A text of so few words that answers no question is a greeting or the like; typed readers suffice for it."""
SURE: Final = 1.0
INTENT_CONFIDENCE: Final = 0.6
"""What the one intent that a small model names is worth: enough to be followed, not enough for a short cut."""
NO_INTENT: Final = "unclear"
VERDICT: Final = "valid"
MAX_TOKENS: Final = 160
_DESCRIBED: Final = re.compile(r"^- (\w+): ?(.*)$", re.MULTILINE)
TO_READ: Final = "Read these values from the message; null for what it does not say. Answer with JSON on one line."
TO_NAME: Final = "What does the message want? Answer with JSON on one line."


def is_judgement(schema: JsonObject) -> bool:
    """Return whether a verdict is asked for, which a small model gives at random."""
    return VERDICT in (schema.get("properties") or {})


def small_reading(request: ModelRequest, schema: JsonObject) -> ModelRequest | None:
    """Return what a small model is asked in place of a reading request, None when there is nothing to ask it.

    Requests of another form are asked as they are.
    """
    properties = schema.get("properties") or {}
    if "entities" not in properties and "intents" not in properties:
        return msgspec.structs.replace(request, max_tokens=MAX_TOKENS)
    text = last_said(request)
    asked: JsonObject = {}
    lines: list[str] = []
    question = question_before(request)
    if "entities" in properties and (question or len(text.split()) > FEW_WORDS):
        fields = properties["entities"].get("properties") or {}
        asked |= {name: small_schema(one) for name, one in fields.items()}
        lines += [TO_READ, *[f"- {name}{_hint(one)}" for name, one in fields.items()]]
    if names := _categories(properties):
        asked["intent"] = {"enum": names}
        lines += [TO_NAME, *_described(request, names)]
    if not asked:
        return None
    return msgspec.structs.replace(
        request,
        messages=(Message("system", "\n".join(lines)), Message("user", f"{question}\n{text}".strip())),
        temperature=TEMPERATURE,
        max_tokens=MAX_TOKENS,
        json_schema={"type": "object", "properties": asked, "required": list(asked)},
        stable_chars=0,
    )


def question_before(request: ModelRequest) -> str:
    """Return the question that the user's last message answers; empty when nothing was asked before it."""
    before = next((one.content for one in reversed(request.messages[:-1]) if one.role != "user"), "")
    is_asked = len(request.messages) > 1 and request.messages[-2].role == "assistant" and before.rstrip().endswith("?")
    return before.strip().splitlines()[-1] if is_asked else ""


def answer_of(request: ModelRequest, schema: JsonObject, found: JsonObject) -> JsonObject:
    """Return the answer in the form the engine has asked for."""
    properties: JsonObject = schema.get("properties") or {}
    answer: JsonObject = {} if "entities" in properties or "intents" in properties else found
    if "entities" in properties:
        fields = properties["entities"].get("properties") or {}
        answer["entities"] = grounded_values(
            found, fields, Said.of([last_said(request)]), is_answer=bool(question_before(request))
        )
    if "confidence" in properties:
        answer["confidence"] = dict.fromkeys(properties["confidence"].get("properties") or {}, SURE)
    if "intents" in properties:
        name = str(found.get("intent") or NO_INTENT)
        is_meant = name != NO_INTENT and _is_mentioned(request, name)
        answer["intents"] = [{"category": name, "confidence": INTENT_CONFIDENCE}] if is_meant else []
    return answer


def _categories(properties: JsonObject) -> list[str]:
    item = (properties.get("intents") or {}).get("items") or {}
    names: list[str] = ((item.get("properties") or {}).get("category") or {}).get("enum") or []
    own = [name for name in names if name not in ("out_of_scope", NO_INTENT)]
    return [*own, NO_INTENT] if len(own) > 1 else []  # whether one single intent is meant it says of everything


def _described(request: ModelRequest, names: list[str]) -> list[str]:
    """Return the lines that say what the intents mean, from the engine's prompt."""
    return [f"- {name}: {text}" for name, text in _descriptions(request).items() if name in names]


def _descriptions(request: ModelRequest) -> dict[str, str]:
    return {name: text for name, text in _DESCRIBED.findall(request.messages[0].content) if text}


def _is_mentioned(request: ModelRequest, name: str) -> bool:
    """Return whether the message shares a word with what an intent means: a small model names one for every message."""
    said = Said.of([last_said(request)])
    meant = Said.of([name.replace("_", " "), _descriptions(request).get(name, "")])
    return any(said.holds(word) for word in meant.content_words())


def _hint(schema: JsonObject) -> str:
    return f": {schema['description']}" if schema.get("description") else ""
