"""Several wishes in one message: one is dealt with, the others are queued, follow, run together, or are asked about.

Spec: abl-language 3.16 (MULTI_INTENT), 7.6.
"""

from __future__ import annotations

from datetime import datetime

from abl.compiler.conditions import is_always
from domain.json_values import JsonObject
from engine import delegate, elsewhere, saying
from engine.extraction.choices import spoken
from engine.limits import MAX_QUEUED_INTENTS
from engine.run import Run
from engine.state import Task

MS_PER_SECOND = 1_000
QUEUE_MAX_AGE_MS = 600_000
QUEUED, SEQUENTIAL, CHOICE = "queue", "sequential", "choice"
BY_RELATION = {"independent": "parallel", "dependent": "sequential", "ambiguous": "disambiguate"}
"""What `auto` chooses by the relation a model found between the wishes."""


def rules(run: Run) -> JsonObject:
    """Return MULTI_INTENT of the agent, empty when it is not on."""
    found: JsonObject = (run.agent.ir.get("intent_handling") or {}).get("multi_intent") or {}
    return found if found.get("enabled") else {}


def plan(run: Run, sure: list[JsonObject], relation: str) -> None:
    """Decide what becomes of the wishes after the first one; the first is the turn's intent already."""
    multi = rules(run)
    if not multi or len(sure) < 2:
        return
    least = float(multi.get("confidence_threshold", 0.6))
    wishes = [sure[0], *(one for one in sure[1:] if one["confidence"] >= least)]
    wishes = wishes[: int(multi.get("max_intents", 3))]
    if len(wishes) < 2:
        return
    strategy = _strategy(run, multi, relation)
    names = [str(one["category"]) for one in wishes]
    run.decide("routing", strategy, outcome=relation or None, matched=True, candidates=names, kind="multi_intent")
    entries = [_entry(run, one, strategy) for one in wishes]
    match strategy:
        case "disambiguate":
            _ask(run, entries)
        case "parallel":
            _together(run, entries)
        case _:
            if wishes[0].get("text"):
                run.state.turn.text = str(wishes[0]["text"])
            _queue(run, entries[1:])


def _strategy(run: Run, multi: JsonObject, relation: str) -> str:
    written = str(multi.get("strategy") or "primary_queue")
    strategy = written
    if written == "auto":
        strategy = BY_RELATION.get(relation) or str(multi.get("unknown_relationship_strategy") or "primary_queue")
    if strategy == "parallel" and (not run.agent.is_supervisor or relation == "dependent"):
        return "sequential"
    return strategy


def _entry(run: Run, wish: JsonObject, strategy: str) -> JsonObject:
    how = {"disambiguate": CHOICE, "sequential": SEQUENTIAL}.get(strategy, QUEUED)
    return {
        "category": wish["category"],
        "text": str(wish.get("text") or run.state.turn.text),
        "at": run.state.at,
        "agent": run.thread.agent,
        "how": how,
    }


def _queue(run: Run, entries: list[JsonObject]) -> None:
    for entry in entries:
        run.state.queued.append(entry)
        run.decide("routing", entry["category"], outcome="queued", matched=True, kind="multi_intent")
        if entry["how"] == QUEUED:
            saying.tell(run, "multi_intent_queued_notice", {"intent": _worded(entry)})
    del run.state.queued[:-MAX_QUEUED_INTENTS]


def _worded(entry: JsonObject) -> str:
    return str(entry["category"]).replace("_", " ")


# -- disambiguate -----------------------------------------------------------------------------------------------------


def _ask(run: Run, entries: list[JsonObject]) -> None:
    """Ask which wish comes first and end the turn."""
    run.state.queued = entries
    lines = [run.message("multi_intent_disambiguate_header")]
    for at, entry in enumerate(entries, 1):
        lines.append(run.message("multi_intent_disambiguate_option", {"index": at, "intent": _worded(entry)}))
    run.unwind_turn()
    saying.say(run, "\n".join(lines))
    names = [str(entry["category"]) for entry in entries]
    run.act("collect", fields=["intent"], prompts=names)


def chosen(run: Run) -> bool:
    """Take the answer to the question which wish comes first; return whether the text was one."""
    entries = [one for one in run.state.queued if one["how"] == CHOICE]
    if not entries:
        return False
    run.state.queued = [one for one in run.state.queued if one["how"] != CHOICE]
    said = spoken(run.state.turn.text)
    for at, entry in enumerate(entries, 1):
        if f" {at} " in said or spoken(_worded(entry)) in said:
            _set_intent(run, entry)
            run.state.queued += [{**one, "how": QUEUED} for one in entries if one is not entry]
            return True
    return False


def _set_intent(run: Run, entry: JsonObject) -> None:
    run.state.intent = {"category": entry["category"], "confidence": 1.0, "unclear": False}
    run.state.turn.changed["intent"] = entry["category"]
    run.state.turn.text, run.state.turn.is_consumed = entry["text"], False
    run.decide("routing", entry["category"], outcome="intent", matched=True, kind="multi_intent")


# -- parallel ---------------------------------------------------------------------------------------------------------


def _together(run: Run, entries: list[JsonObject]) -> None:
    """Give every wish to the agent it belongs to, all at once; without an agent for each they follow one another."""
    targets = [target_of(run, str(entry["category"])) for entry in entries]
    if not all(targets):
        _queue(run, [{**entry, "how": SEQUENTIAL} for entry in entries[1:]])
        return
    run.unwind_turn()
    group = f"{run.state.turn.number}.{run.state.count + 1}"
    sent = []
    for entry, target in zip(entries, targets, strict=True):
        effect = delegate.send(run, {"agent": target}, {}, task=entry["text"], group=group)
        sent.append({"effect": effect, "agent": target, "entry": entry})
    run.push("multi.joined", sent=sent, group=group)


def target_of(run: Run, category: str) -> str:
    """Return the agent a wish would be handed to."""
    before = run.state.intent
    run.state.intent = {"category": category, "confidence": 1.0, "unclear": False}
    coordination = run.agent.ir["coordination"]
    rules_ = [(one["to"], one.get("when", "")) for one in run.agent.handoffs]
    rules_ += [(one["agent"], one.get("when", "")) for one in coordination["delegates"]]
    found = next((name for name, when in rules_ if when and not is_always(when) and run.test(when)), "")
    run.state.intent = before
    return found


def joined(run: Run, task: Task) -> None:
    """Say what each agent brought, in the order of the wishes; what needs the user is taken up afterwards."""
    left: list[JsonObject] = []
    for sent in task.data["sent"]:
        outcome = delegate.taken(run, sent["effect"], sent["agent"], task.data["group"])
        if outcome.ok:
            saying.say(run, str(outcome.extra.get("text", "")))
        elif outcome.kind == "needs_input":
            left.append({**sent["entry"], "how": SEQUENTIAL})
        else:
            run.fault("delegation_error", outcome.message or outcome.kind, origin="flow")
            if outcome.kind == elsewhere.UNKNOWN:
                saying.unknown_outcome(run, sent["agent"])
            else:
                saying.tell(run, "error_delegation")
    run.state.queued += left


# -- one after the other ----------------------------------------------------------------------------------------------


def is_due(run: Run) -> bool:
    """Return whether the next wish is taken up before the turn ends: control is back where it was queued."""
    state = run.state
    if not state.queued or state.is_ended or state.suspensions or state.turn.status not in ("idle", "completed"):
        return False
    entry, thread = state.queued[0], state.threads.get(state.active)
    if thread is None or entry["how"] == CHOICE:
        return False
    is_over = thread.status == "completed" and not thread.parent
    if is_over:
        return not state.begun.task
    return entry["how"] == SEQUENTIAL and thread.agent == entry["agent"] and not thread.awaiting


def take_next(run: Run, task: Task) -> None:
    """Take up the next wish that is not too old."""
    del task
    state = run.state
    entry = _next_fresh(run)
    if entry is None:
        return
    run.focus(entry["agent"])
    state.active = entry["agent"]
    state.turn.status = "idle"
    run.thread.status, run.thread.fired, run.thread.heard = "active", [], -1
    _set_intent(run, entry)
    if entry["how"] == QUEUED:
        saying.tell(run, "multi_intent_queued_follow_up", {"intent": _worded(entry)})
    run.push_all(
        [
            ("turn.route", {"is_first": True}),
            ("agent.main", {}),
            ("turn.late", {"is_first": False}),
            ("turn.complete", {}),
        ]
    )


def _next_fresh(run: Run) -> JsonObject | None:
    """Return the next wish, without those that are too old."""
    state = run.state
    while state.queued:
        entry = state.queued.pop(0)
        run.focus(entry["agent"])
        age_ms = (_moment(state.at) - _moment(entry["at"])).total_seconds() * MS_PER_SECOND
        if age_ms <= float(rules(run).get("queue_max_age_ms", QUEUE_MAX_AGE_MS)):
            return entry
        run.decide("routing", entry["category"], outcome="too old", matched=False, kind="multi_intent")
    run.focus(state.active)
    return None


def _moment(at: str) -> datetime:
    return datetime.fromisoformat(at)


OPS = {"turn.queued": take_next, "multi.joined": joined}
