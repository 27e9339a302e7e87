"""EXECUTION.pipeline: a small classifier before the main model. Spec: abl-language 3.15, 7.6.

A confident single match hands over without the main model; a guess becomes a note in its prompt; tools that do not fit
are left out.
"""

from __future__ import annotations

from domain.json_values import JsonObject, JsonValue
from engine import extraction_model, multi_intent, saying, understanding
from engine.extraction.choices import spoken
from engine.run import Run
from engine.state import Task

SHORT_CIRCUIT = 0.85
MAX_TOOLS = 6
PROGRAMMATIC, GUIDED = 0.9, 0.6
OUT_OF_SCOPE = "out_of_scope"


def rules(run: Run) -> JsonObject:
    """Return the pipeline of the agent, empty when it is not on."""
    found: JsonObject = run.agent.ir["execution"].get("pipeline") or {}
    return found if found.get("enabled") else {}


def classify(run: Run, fields: list[JsonObject]) -> None:
    """Ask the classifier; the extraction of `fields` goes out with it (parallel) or after it (sequential)."""
    pipeline = rules(run)
    if pipeline.get("mode") == "sequential":
        if fields:
            run.push("pipeline.extract")
    elif fields:
        run.push("understand.take", effect=extraction_model.ask(run, fields, understand=False))
    targets = [one["to"] for one in run.agent.handoffs]
    tools = [one for one in run.agent.ir["tools"] if not one.get("system")] if _filters(run) else []
    effect = extraction_model.classify(run, targets, tools, model=str(pipeline.get("model") or ""))
    run.push("pipeline.take", effect=effect)


def extract(run: Run, task: Task) -> None:
    """Ask for the open fields once the classifier has not handed over."""
    del task
    fields = understanding.open_fields(run)
    if fields:
        run.push("understand.take", effect=extraction_model.ask(run, fields, understand=False))


def _filters(run: Run) -> bool:
    rule = rules(run).get("toolFilter") or {}
    count = sum(1 for one in run.agent.ir["tools"] if not one.get("system"))
    return bool(rule.get("enabled")) and count > int(rule.get("maxTools") or MAX_TOOLS)


def take(run: Run, task: Task) -> None:
    """Take what the classifier found: the intents, then the tools, then perhaps the way."""
    found = extraction_model.answer_of(run, task.data["effect"])
    sure = understanding.take_intents(run, found)
    if _filters(run):
        _narrow(run, [one for one in _list(found.get("tools")) if isinstance(one, str)])
    intents = found["intents"]
    if intents and not _leads(run, intents, sure):
        multi_intent.plan(run, sure, str(found.get("relationship", "")))


def by_words(run: Run) -> None:
    """Narrow the tools without a model."""
    if _filters(run):
        _narrow(run, [])


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _narrow(run: Run, chosen: list[str]) -> None:
    """Keep the tools the classifier named, the best by words after them, up to the limit."""
    most = int((rules(run).get("toolFilter") or {}).get("maxTools") or MAX_TOOLS)
    tools = [one for one in run.agent.ir["tools"] if not one.get("system")]
    said = spoken(run.state.turn.text)
    names = [one["name"] for one in tools]
    ranked = sorted(tools, key=lambda one: (-_fit(one, said), names.index(one["name"])))
    kept = list(dict.fromkeys([*(name for name in chosen if name in names), *(one["name"] for one in ranked)]))[:most]
    run.state.turn.hints = {**run.state.turn.hints, "tools": kept}
    run.decide("routing", "tool_filter", outcome=", ".join(kept), candidates=names, kind="pipeline")


def _fit(tool: JsonObject, said: str) -> int:
    words = spoken(f"{tool['name']} {tool.get('description', '')}").split()
    return sum(1 for word in set(words) if len(word) > 3 and f" {word[:6]}" in said)


def leads(run: Run, intents: list[JsonObject]) -> bool:
    """Go where intents lead that the installation's classifier is sure of; return whether the turn goes there."""
    return _leads(run, intents, intents)


def _leads(run: Run, intents: list[JsonObject], sure: list[JsonObject]) -> bool:
    """Go where the classifier is sure of; return whether the turn goes there."""
    pipeline = rules(run)
    bridge = pipeline.get("intentBridge") or {}
    is_bridged = bool(bridge.get("enabled"))
    first = intents[0]
    if is_bridged and bridge.get("outOfScopeDecline") and first.get("category") == OUT_OF_SCOPE:
        run.decide("routing", OUT_OF_SCOPE, outcome="declined", matched=True, kind="pipeline")
        run.unwind_turn()
        saying.tell(run, OUT_OF_SCOPE)
        return True
    if len(sure) > 1:
        if is_bridged and bridge.get("multiIntentSignal"):
            names = ", ".join(one["category"] for one in sure)
            _hint(run, f"The message holds several wishes: {names}. See to each of them.")
        return False
    if not sure:
        return False
    confidence, target = sure[0]["confidence"], _target(run, sure[0])
    shortcut = pipeline.get("shortCircuit") or {}
    least = [float(shortcut.get("confidenceThreshold") or SHORT_CIRCUIT)] if shortcut.get("enabled") else []
    least += [float(bridge.get("programmaticThreshold") or PROGRAMMATIC)] if is_bridged else []
    if target and least and confidence >= min(least) and not _is_vetoed(run):
        run.decide(
            "routing", target, outcome="short_circuit", matched=True, reasoning=f"{confidence:.2f}", kind="pipeline"
        )
        run.unwind_turn()
        run.push("handoff.begin", target=target, reason=sure[0]["category"])
        return True
    if target and is_bridged and confidence >= float(bridge.get("guidedThreshold") or GUIDED):
        _hint(run, f"The user probably wants: {sure[0]['category']}. {target} is the agent for that.")
    return False


def _is_vetoed(run: Run) -> bool:
    """Return whether a word of the message forbids the short way."""
    veto = rules(run).get("keywordVeto") or {}
    said = spoken(run.state.turn.text)
    word = next((one for one in veto.get("keywords") or () if spoken(str(one)) in said), None)
    if not veto.get("enabled") or word is None:
        return False
    run.decide("routing", str(word), outcome="keyword_veto", matched=True, kind="pipeline")
    return True


def _target(run: Run, intent: JsonObject) -> str:
    """Return the agent an intent belongs to: the one the classifier names, else the one whose rule fits."""
    named = str(intent.get("target") or "")
    if any(one["to"] == named for one in run.agent.handoffs):
        return named
    return multi_intent.target_of(run, intent["category"])


def _hint(run: Run, note: str) -> None:
    run.state.turn.hints = {**run.state.turn.hints, "note": note}


OPS = {"pipeline.take": take, "pipeline.extract": extract}
