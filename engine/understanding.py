"""What the user wants: intent and sentiment, by a model where one is needed, else by words.

Spec: abl-language 3.16, 7.6, 14.2.
"""

from __future__ import annotations

import re

from abl.ir import canonical_bytes
from abl.languages import Pack
from abl.patterns import search
from domain.json_values import JsonObject
from engine import classifying, extraction_model, gather, multi_intent, pipeline, tongue
from engine.extraction.choices import spoken, spoken_word
from engine.extraction.phrases import find_phrase
from engine.program import AgentProgram
from engine.run import Run
from engine.state import Task

MIN_CONFIDENCE = 0.5
MAX_SENTIMENTS = 10
STOP_WORDS = frozenset(
    (
        "a an and any are about asks at but by can do does for from has have he her his how i in is it its like me "
        "my of on or other question she so some that the their them they this to user wants want was we what when "
        "where which who will with would you your customer please"
    ).split()
)
_USES_INTENT = re.compile(rb"\bintent\b(?!_)")
STANDARD_INTENTS = (("greeting", "greeting"), ("farewell", "farewell"), ("escalation", "human"))
"""Intent that every language has words for -> the key of its pack."""

SENTIMENTS = ("positive", "negative", "angry")
"""Labels and keys of the packs; the last of which a word is found counts."""


def uses_intent(agent: AgentProgram) -> bool:
    """Return whether any condition of the agent looks at the intent; looked up once."""
    known = agent.prompts.get("uses_intent")
    if known is None:
        conditions = [
            agent.ir["coordination"],
            agent.ir["completion"],
            agent.ir.get("flow", {}),
            agent.ir["constraints"],
            agent.ir["memory"]["remember"],
        ]
        bare = re.sub(rb'"(?:resume_intent|intent)":', b"", canonical_bytes(conditions))
        bare = bare.replace(b"resume_intent", b"").replace(b"sub_intents", b"")
        is_used = _USES_INTENT.search(bare) or (agent.ir.get("intent_handling") or {}).get("multi_intent", {}).get(
            "enabled"
        )
        known = agent.prompts["uses_intent"] = "yes" if is_used else ""
    return bool(known)


def understand(run: Run, task: Task) -> None:
    """Find intent and sentiment, and with a model the open fields of a reasoning agent in the same call."""
    del task
    if not run.state.turn.text:
        return
    by_words(run)
    if multi_intent.chosen(run):
        return
    agent = run.agent
    is_reasoning = agent.flow is None
    if is_reasoning:
        run.push("understand.fields")
        gather.read_sensitive(run)
    labels = _categories(agent) if _understands(agent) or pipeline.rules(run) else {}
    if classifying.is_due(run, labels):
        run.push("understand.classified", effect=classifying.ask(run, labels))
        return
    _ask_model(run, is_clear=False)


def classified(run: Run, task: Task) -> None:
    """Take the intent a classifier found; a model is asked for what it could not say."""
    intent = classifying.found(run, task.data["effect"])
    is_none = intent is not None and intent["category"] == classifying.OTHER
    sure = take_intents(run, {"intents": [intent]}, source="embeddings") if intent and not is_none else []
    if sure and pipeline.rules(run) and pipeline.leads(run, sure):
        return
    _ask_model(run, is_clear=bool(sure) or is_none)


def _ask_model(run: Run, *, is_clear: bool) -> None:
    """Ask a model for the intent, unless it is clear, and for open fields; without one the words stand."""
    agent, has_model = run.agent, run.state.begun.has_model
    is_reasoning = agent.flow is None
    fields = open_fields(run) if is_reasoning else []
    if pipeline.rules(run) and (is_reasoning or agent.is_supervisor) and not is_clear:
        if has_model:
            pipeline.classify(run, fields)
        else:
            pipeline.by_words(run)
        return
    understands = _understands(agent) and not is_clear
    if has_model and (understands or fields):
        effect = extraction_model.ask(run, fields, understand=understands)
        run.push("understand.take", effect=effect)


def _understands(agent: AgentProgram) -> bool:
    """Return whether the intent of a text matters to an agent, and may be found by more than its words."""
    return uses_intent(agent) and not _words_only(agent) and (agent.flow is None or agent.is_supervisor)


def _words_only(agent: AgentProgram) -> bool:
    handling = agent.ir.get("intent_handling") or {}
    routing = (agent.ir.get("routing") or {}).get("intent_classification", {})
    return bool((handling.get("lexical_fallback") or routing.get("lexical_fallback")) == "always")


def open_fields(run: Run) -> list[JsonObject]:
    """Return the fields of a reasoning agent that a model is asked to read; not with inline_gather."""
    gathering = run.agent.ir["gather"]
    if gathering["strategy"] not in ("llm", "hybrid") or run.agent.ir["execution"].get("inline_gather"):
        return []
    return [
        one for one in gather.fields_of(run, "") if run.scope.get(one["name"]) is None and gather.is_active(run, one)
    ]


def read_fields(run: Run, task: Task) -> None:
    """Read by type what a model has left open, where a reasoning agent has asked for a field itself."""
    del task
    run.push("gather.read", step="", answer=bool(run.thread.asked))


def take(run: Run, task: Task) -> None:
    """Take intents, sentiment and values a model has read; the words stand where it gave nothing."""
    found = extraction_model.answer_of(run, task.data["effect"])
    sure = take_intents(run, found)
    if "entities" in found or "intents" not in found:
        gather.offer_all(run, gather.fields_of(run, ""), extraction_model.sure_values(run, found))
    multi_intent.plan(run, sure, str(found.get("relationship", "")))


def _readable(written: object) -> list[JsonObject]:
    """Return the intents of a model's answer in the one form the engine reads; what has another form is left out."""
    found: list[JsonObject] = []
    for one in written if isinstance(written, list) else ():
        category, confidence = (one.get("category"), one.get("confidence", 0)) if isinstance(one, dict) else (None, 0)
        if isinstance(category, str) and category and isinstance(confidence, int | float):
            texts = {key: str(one[key]) for key in ("text", "target") if isinstance(one.get(key), str)}
            found.append({"category": category, "confidence": float(confidence), **texts})
    return found


def take_intents(run: Run, found: JsonObject, *, source: str = "model") -> list[JsonObject]:
    """Set intent and sentiment as a model or classifier found them; return the intents it is sure enough of."""
    intents = found["intents"] = _readable(found.get("intents"))
    sure: list[JsonObject] = []
    if intents:
        least = _least_confidence(run.agent)
        sure = [one for one in intents if one["confidence"] >= least and one["category"] != "unclear"]
        first = sure[0] if sure else {"category": "unclear", "confidence": intents[0]["confidence"]}
        _set(run, first["category"], first["confidence"], unclear=not sure, source=source)
    if isinstance(found.get("sentiment"), str):
        run.state.sentiment = {"label": found["sentiment"]}
        run.state.sentiments[-1:] = [found["sentiment"]]
    return sure


def _least_confidence(agent: AgentProgram) -> float:
    found = (agent.ir.get("routing") or {}).get("intent_classification", {}).get("min_confidence", MIN_CONFIDENCE)
    return float(found)


def by_words(run: Run) -> None:
    """Set intent and sentiment from the words alone."""
    text = run.state.turn.text
    said = spoken(text)
    label = "neutral"
    packs = tongue.readings_of(run.program, run.state, run.thread)
    for name in SENTIMENTS:
        if any(find_phrase(said, spoken_word(word)) >= 0 for pack in packs for word in getattr(pack, name)):
            label = name
    run.state.sentiment = {"label": label}
    run.state.sentiments.append(label)
    del run.state.sentiments[:-MAX_SENTIMENTS]
    ranked = sorted(
        (
            (_score(run.agent, category, said, text, packs), -at, category)
            for at, category in enumerate(_categories(run.agent))
        ),
        reverse=True,
    )
    if not ranked or ranked[0][0] < MIN_CONFIDENCE:
        run.state.intent = {"category": "unclear", "confidence": ranked[0][0] if ranked else 0.0, "unclear": True}
        return
    confidence, _, category = ranked[0]
    _set(run, category, confidence, unclear=False, source="words")


def _set(run: Run, category: str, confidence: float, *, unclear: bool, source: str) -> None:
    run.state.intent = {"category": category, "confidence": confidence, "unclear": unclear}
    run.state.turn.changed["intent"] = category
    run.decide("routing", category, outcome="intent", matched=not unclear, kind=source, reasoning=f"{confidence:.2f}")


def _categories(agent: AgentProgram) -> dict[str, str]:
    routing = (agent.ir.get("routing") or {}).get("intent_classification", {}).get("categories") or []
    intents = (agent.ir.get("intent_handling") or {}).get("intents") or []
    nlu = (agent.ir.get("nlu") or {}).get("intents") or []
    return {str(one.get("name")): str(one.get("description") or "") for one in (*nlu, *routing, *intents)}


def means_intent(run: Run, intent: str) -> bool:
    """Return whether the text expresses an intent: by classification, or by its words."""
    if not intent:
        return False
    if run.state.intent.get("category") == intent:
        return True
    text = run.state.turn.text
    if " " in intent:
        return spoken(intent) in spoken(text)
    packs = tongue.readings_of(run.program, run.state, run.thread)
    return _score(run.agent, intent, spoken(text), text, packs) >= MIN_CONFIDENCE


def _score(agent: AgentProgram, name: str, said: str, text: str, packs: tuple[Pack, ...]) -> float:
    """Return how well a text fits an intent, from 0 to 1: patterns and examples, its name, its description."""
    for standard, key in STANDARD_INTENTS:
        if name == standard:
            is_short = len(said.split()) <= 4 or standard == "escalation"
            words = (spoken_word(word) for pack in packs for word in getattr(pack, key))
            return 0.9 if is_short and any(find_phrase(said, word) >= 0 for word in words) else 0.0
    for one in (agent.ir.get("nlu") or {}).get("intents") or ():
        if one.get("name") == name:
            if any(search(f"(?i){pattern}", text) is not None for pattern in one.get("patterns") or ()):
                return 0.95
            if any(_overlap(_content(example), said) >= 0.75 for example in one.get("examples") or ()):
                return 0.85
    own = [word for word in spoken(name).split() if word not in STOP_WORDS]
    if own and all(_has(word, said) for word in own):
        return 0.9
    described = _content(_categories(agent).get(name, ""))
    hits = sum(_has(word, said) for word in described)
    partial = sum(_has(word, said) for word in own) / max(len(own), 1)
    return min(0.8, 0.3 * min(hits, 3) + 0.3 * partial) if hits or partial else 0.0


def _content(text: str) -> list[str]:
    return [word for word in dict.fromkeys(spoken(text).split()) if word not in STOP_WORDS and len(word) > 2]


def _overlap(words: list[str], said: str) -> float:
    return sum(_has(word, said) for word in words) / len(words) if words else 0.0


def _has(word: str, said: str) -> bool:
    """Return whether a word or a near form of it was said."""
    stem = word[: max(4, len(word) - 3)] if len(word) > 4 else word
    return any(one == word or (len(stem) >= 4 and one.startswith(stem)) for one in said.split())


OPS = {
    "understand.begin": understand,
    "understand.take": take,
    "understand.classified": classified,
    "understand.fields": read_fields,
}
