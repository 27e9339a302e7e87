"""The turn as a pure fold: one fact in, a new state and the wishes that follow from it out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from domain.errors import Conflict, InvalidInput, NotFound
from domain.json_values import JsonObject
from engine import (
    actions,
    calls,
    consent,
    delegate,
    earlier,
    elsewhere,
    first_words,
    flow,
    gather,
    giving_up,
    handoff,
    judging,
    lifecycle,
    lookups,
    memory,
    multi_intent,
    pipeline,
    reasoning,
    routing,
    saying,
    summaries,
    tongue,
    understanding,
    waiting,
)
from engine import facts as f
from engine.effects import AnyEffect, EndTurn
from engine.limits import MAX_OPERATIONS
from engine.outcomes import outcome_of
from engine.program import AgentProgram, Program
from engine.run import Run
from engine.state import Outcome, SessionState, Task, Thread, Turn, fork

OFFER = re.compile(
    r"\b(?:would you like|shall i|should i|do you want|may i|can i (?:also )?(?:help|offer))\b", re.IGNORECASE
)
"""How texts begin that offer something."""
USER_MEMORY = "user"
EXPIRED = "expired"
ASKS_A_PERSON = frozenset({"human", "approval"})
"""Kinds of suspensions that a person ends."""

OPS: dict[str, Callable[[Run, Task], None]] = {
    **actions.OPS,
    **calls.OPS,
    **consent.OPS,
    **delegate.OPS,
    **elsewhere.OPS,
    **flow.OPS,
    **gather.OPS,
    **handoff.OPS,
    **judging.OPS,
    **lifecycle.OPS,
    **lookups.OPS,
    **memory.OPS,
    **multi_intent.OPS,
    **pipeline.OPS,
    **reasoning.OPS,
    **routing.OPS,
    **saying.OPS,
    **summaries.OPS,
    **understanding.OPS,
    **waiting.OPS,
}
"""Name of a task -> what it does."""


_STARTED: list[tuple[str, JsonObject]] = [("thread.start", {"waits": True}), ("barrier", {}), ("turn.unseen", {})]


@dataclass(frozen=True, slots=True)
class Step:
    """What one fact led to.

    Attributes:
        state: The session after the fact.
        effects: What to do now, in this order; EndTurn is the last of a turn. Empty while others are still out.
    """

    state: SessionState
    effects: tuple[AnyEffect, ...]

    @property
    def end(self) -> EndTurn | None:
        """The end of the turn, None while it runs."""
        last = self.effects[-1] if self.effects else None
        return last if isinstance(last, EndTurn) else None


def begin(program: Program, fact: f.SessionBegun) -> Step:
    """Return the first step of a session: its agent has started, and said what it says before any message.

    Raises:
        NotFound: The program has no such agent.
        InvalidInput: The test context asks for a step that the agent's flow does not have.
    """
    found = program.find(fact.agent or program.entry_agent)
    if found is None:
        raise NotFound(f"There is no agent {fact.agent}")
    context = fact.test_context
    if context is not None:
        fact = _as_tested(found, fact, context)
    state = SessionState(
        begun=fact,
        at=fact.at,
        active=found.name,
        threads={found.name: Thread(agent=found.name, messages=earlier.messages_of(program, fact))},
        turn=Turn(reply_id=fact.reply_id, metadata=fact.metadata),
        mocks=list(context.tool_mocks) if context is not None else [],
    )
    run = Run(program, state)
    run.push("turn.close")
    if fact.task:
        run.push("turn.complete")
        run.push("turn.late", is_first=False)
        if found.flow is None:
            run.push("reason.begin", step="")
        run.push("barrier")
    run.push("thread.start", waits=fact.with_message)
    return _driven(run)


def _as_tested(agent: AgentProgram, fact: f.SessionBegun, context: f.TestContext) -> f.SessionBegun:
    """Return the beginning as a test context wants it: who calls, and from where. Spec: platform-api 4.1.

    A delegated child takes over nothing but the mocks.

    Raises:
        InvalidInput: `startAtStep` names no step of the flow.
    """
    if fact.task:
        return msgspec.structs.replace(fact, test_context=f.TestContext(tool_mocks=context.tool_mocks))
    if context.start_at_step and context.start_at_step not in agent.all_steps:
        known = ", ".join(agent.step_order) or "none"
        raise InvalidInput(f"testContext.startAtStep: there is no step {context.start_at_step} (steps: {known})")
    caller = context.caller_context
    custom = caller.get("customAttributes")
    return msgspec.structs.replace(
        fact,
        user_id=str(caller.get("userId") or fact.user_id),
        channel=str(caller.get("channel") or fact.channel),
        caller={**fact.caller, **(custom if isinstance(custom, dict) else {})},
    )


def advance(program: Program, state: SessionState, fact: f.AnyFact) -> Step:
    """Fold one fact into the session and say what must happen next.

    Depends on nothing but its arguments; `state` is left as it was. A fact that answers no effect which is out is
    passed over.

    Raises:
        Conflict: A fact that begins a turn came while one is under way, or after the session's end.
    """
    made = fork(state)
    made.at = fact.at
    run = Run(program, made)
    match fact:
        case f.SessionBegun():
            raise Conflict("The session has begun already")
        case f.UserSpoke():
            _need_rest(made)
            _open(run, fact)
        case f.CallbackArrived():
            return _resumed(run, fact.suspension_id, Outcome(ok=True, value=fact.payload))
        case f.HumanResolved():
            extra = {"approved": fact.approved if fact.approved is not None else True}
            return _resumed(run, fact.suspension_id, Outcome(ok=True, value=fact.fields, extra=extra))
        case f.SuspensionExpired():
            return _resumed(run, fact.suspension_id, _late(made, fact))
        case f.TimerFired() if fact.effect_id not in made.pending:
            return _timed(run, fact.effect_id)
        case f.TurnCancelled():
            return _cancelled(run, fact.reason)
        case f.ContactLinked():
            _need_rest(made)
            made.begun = msgspec.structs.replace(made.begun, customer_id=fact.contact_id)
            made.memory.pop(USER_MEMORY, None)  # it was somebody else's
            made.unread = sorted(made.threads)
            return Step(made, ())
        case _:
            if fact.effect_id not in made.pending:
                return Step(state, ())
            notes = made.pending.pop(fact.effect_id).notes
            outcome = outcome_of(fact)
            made.outcomes[fact.effect_id] = outcome
            if notes:
                outcome.extra.update(notes)
    return _driven(run)


def _late(state: SessionState, fact: f.SuspensionExpired) -> Outcome:
    """Return what comes of a wait that is over without an answer: of one for a person, the decision `expired`."""
    found = state.suspensions.get(fact.suspension_id)
    value: JsonObject = {"status": EXPIRED}
    if found is not None and found.kind in ASKS_A_PERSON:
        human = {"decision": EXPIRED, EXPIRED: True, "notes": "", "respondedBy": "", "respondedAt": fact.at}
        value = {"resolution": EXPIRED, "human": human}
    return Outcome(ok=False, kind=EXPIRED, message="No answer came in time", value=value)


def _need_rest(state: SessionState) -> None:
    if state.is_ended:
        raise Conflict("Session has ended", details={"reason": "SESSION_ENDED"})
    if state.is_running:
        raise Conflict("A turn is under way", details={"reason": "TURN_IN_PROGRESS"})


def _next_turn(run: Run, **given: object) -> Turn:
    state = run.state
    state.turn_number += 1
    state.turn = Turn(number=state.turn_number, **given)  # type: ignore[arg-type]
    state.count = 0
    state.outcomes.clear()
    return state.turn


def _open(run: Run, fact: f.UserSpoke) -> None:
    """Set up the work of a turn of the user. Spec: abl-language 14.2."""
    state = run.state
    before = state.turn
    has_opened = before.number == 0 and bool(before.says or before.rich_content or before.actions)
    state.offered = _is_offer(before.says)
    first_words.note_opening(state, before)
    _next_turn(
        run,
        text=fact.text,
        message_id=fact.message_id,
        reply_id=fact.reply_id,
        metadata=fact.metadata,
        action=fact.action,
        attachments=list(fact.attachments),
        opening_unseen=fact.opening_unseen and has_opened,
        is_unread=fact.unread,
    )
    chosen = run.program.find(fact.agent) if fact.agent and not state.user_turns else None
    state.user_turns += 1
    tongue.listen(run.program, state)
    if chosen is not None and chosen.name != state.active:
        state.active = chosen.name
        state.threads.setdefault(chosen.name, Thread(agent=chosen.name))
    thread = state.threads.get(state.active)
    if thread is None or (thread.status == "completed" and state.opened is None):
        state.threads[state.active] = thread = Thread(agent=state.active)
    run.focus(state.active)
    for one in state.threads.values():
        one.counters.pop("began", None)
        if one.fired:
            one.fired = [name for name in one.fired if _still_holds(run, one, name)]
    run.push_all(
        [
            *(_STARTED if thread.status == "new" else []),
            *(memory.read_anew(run) if thread.status != "new" else []),
            ("turn.open", {}),
            *([("hook.run", {"name": "before_turn"})] if "before_turn" in run.agent.ir["hooks"] else []),
            ("guard.input", {}),
            *([("flow.hear", {})] if run.agent.flow is not None else []),
            ("understand.begin", {}),
            ("turn.check", {}),
            *([("act.event", {})] if fact.action is not None else []),
            ("turn.route", {"is_first": True}),
            ("agent.main", {}),
            ("turn.late", {"is_first": False}),
            ("turn.complete", {}),
            ("turn.close", {}),
        ]
    )


def _is_offer(says: list[str]) -> bool:
    """Return whether the last text of a turn offers something. Spec: abl-language 6.7."""
    return bool(says) and says[-1].rstrip().endswith("?") and OFFER.search(says[-1]) is not None


def _still_holds(run: Run, thread: Thread, name: str) -> bool:
    """Return whether a trigger or sub-task that has fired still holds: it fires again only after it did not."""
    kind, number, *_ = name.split(":")
    if kind == "handoff":
        return False
    if thread.agent != run.thread.agent:
        return True
    coordination = run.agent.ir["coordination"]
    rules = coordination["delegates"] if kind == "delegate" else coordination["escalation"].get("triggers", ())
    at = int(number)
    return at < len(rules) and run.test(rules[at].get("when", ""))


def _resumed(run: Run, suspension_id: str, outcome: Outcome) -> Step:
    """Go on with the work that waited; a suspension that is not open is passed over."""
    state = run.state
    found = state.suspensions.get(suspension_id)
    if found is None:
        return Step(state, ())
    _need_rest(state)
    del state.suspensions[suspension_id]
    _next_turn(run, is_resumed=True)
    state.outcomes[suspension_id] = outcome
    if found.thread not in state.threads:
        return Step(state, ())
    state.active = found.thread
    run.focus(found.thread)
    if run.thread.awaiting == "callback":
        run.thread.awaiting = ""
    run.decide("resume", found.subject or found.kind, outcome="expired" if not outcome.ok else "answered", matched=True)
    run.push("turn.close")
    run.push("turn.complete")
    run.push("turn.late", is_first=False)
    state.tasks.extend(found.tasks)
    return _driven(run)


def _timed(run: Run, effect_id: str) -> Step:
    """A timer between turns fired: only the wait it belongs to is ended by it."""
    state = run.state
    for thread in state.threads.values():
        if thread.counters.pop(f"timer:{effect_id}", 0) and thread.awaiting == "attachment" and not state.is_running:
            _next_turn(run, is_resumed=True)
            state.active = thread.agent
            run.focus(thread.agent)
            run.push("turn.close")
            run.push("turn.complete")
            run.push("turn.late", is_first=False)
            run.push("flow.timed_out")
            return _driven(run)
    return Step(state, ())


def _cancelled(run: Run, reason: str) -> Step:
    """Give the running turn up: what is out is no longer waited for."""
    if not run.state.is_running:
        return Step(run.state, ())
    giving_up.give_up(run, reason)
    return _driven(run)


def _driven(run: Run) -> Step:
    """Do all work that can be done now."""
    state = run.state
    done = 0
    run.look_for_blocks()
    if state.turn.held and state.tasks:
        saying.release(run)
    tasks = state.tasks
    while tasks and not run.is_blocked:
        if state.pending and tasks[-1].op == "turn.finish":
            break
        done += 1
        if done == MAX_OPERATIONS:
            _end_at_bound(run, "The agent runs in circles")
        task = tasks.pop()
        run.focus(task.thread)
        OPS[task.op](run, task)
        if run.exceeds:
            _end_at_bound(run, run.exceeds)
            run.exceeds = ""
        if run.changes:
            run.changes = 0
            memory.remember(run)
    return Step(state, tuple(run.effects))


def _end_at_bound(run: Run, why: str) -> None:
    """Drop all work of a turn that has done as much as one may."""
    run.fault("max_iterations", why, origin="runtime", handled=False)
    saying.tell(run, "max_iterations")
    run.state.tasks[:] = [Task("turn.finish", run.state.active)]
