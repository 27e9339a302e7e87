"""ON_INPUT: the branch that fits what the user has said. Decision: 0063. Spec: abl-language 5.5, 5.7, 5.8, 14.4.

In a step that gathers, the answer that fills the fields is what the branches look at. Only where something was said
after the answer, or before fields that were there, the next message is.
"""

from __future__ import annotations

import re

from domain.json_values import JsonObject
from engine import actions, asking, digressions, gather, questions, saying, variables
from engine.answer_question import Asked
from engine.answer_tables import Kind, kind_of, plain_words
from engine.answer_words import pieces_of
from engine.limits import MAX_MISSES
from engine.phases import ATTACHMENT
from engine.run import Run
from engine.state import Task

_COMPARED = re.compile(r"""\b([A-Za-z_]\w*)\s*==\s*["']([^"']+)["']""")


def input_phase(run: Run, step: JsonObject) -> None:
    """Take the branch for the answer that has just filled the fields, else wait for the next message."""
    if not step.get("on_input"):
        return
    turn = run.state.turn
    is_unread = not turn.text or turn.opening == run.thread.agent
    if "gather" not in step or is_unread or asking.has_said(run, step["name"]):
        run.thread.awaiting = "input"
        run.unwind()
        return
    branch = _branch_for(run, step)
    if branch is not None:
        run.thread.awaiting, run.thread.asked = "gather", _asked_now(run, step)
        run.unwind()
        _take(run, branch)
    elif not step.get("then"):
        _ask_again(run, step)


def answer(run: Run, step: JsonObject) -> None:
    """Take the first branch that fits the message; without one the question is repeated, at most three times."""
    is_unseen = run.state.turn.opening_unseen
    run.thread.counters.pop(taken_key(step["name"]), None)
    branch = _branch_for(run, step)
    if is_unseen and (branch is None or "condition" not in branch or digressions.is_bare_answer(run, branch)):
        run.unwind()
        return
    run.state.turn.is_consumed = run.state.turn.is_branched = True
    if branch is not None:
        _take(run, branch)
        return
    run.thread.misses += 1
    run.decide("flow_transition", step["name"], outcome="no match", matched=False)
    if run.thread.misses >= MAX_MISSES:
        run.thread.misses = 0
        if "on_fail" in step:
            actions.perform(run, step["on_fail"])
            return
        saying.tell(run, "error_validation")
        return
    if not saying.respond(run, step):
        saying.tell(run, "error_validation")


def reread(run: Run, step: JsonObject) -> None:
    """Unset what a branch has left open: the message of this turn answers the question anew."""
    for name in run.thread.asked if step.get("on_input") else ():
        if run.scope.get(name) is not None and run.thread.gathered.get(name) != "default":
            variables.clear_value(run, name)


def _branch_for(run: Run, step: JsonObject) -> JsonObject | None:
    """Return the branch that fits; one that compares the field with a text fits an answer that says it politely."""
    branches: list[JsonObject] = step["on_input"]
    found = next((one for one in branches if digressions.matches(run, one)), None)
    if "gather" not in step or (found is not None and "condition" in found):
        return found
    for branch in branches:
        for name, literal in _COMPARED.findall(str(branch.get("condition", ""))):
            said = run.scope.get(name)
            is_text = isinstance(said, str) and name in run.state.turn.changed
            if is_text and _says(run, str(said), literal) and run.test(branch["condition"], run.local({name: literal})):
                return branch
    return found


def _says(run: Run, said: str, literal: str) -> bool:
    """Return whether an answer is a text and politeness: "large please", and "yes please" for a yes."""
    wanted = {one.text for one in plain_words(literal, run.words)}
    kinds = {kind for one in wanted if (kind := kind_of(one, run.words)) in (Kind.YES, Kind.NO)}
    if kinds:
        label = questions.read(run, Asked(questions.last_said(run))).label
        return len(wanted) == 1 and label == ("yes" if Kind.YES in kinds else "no")
    pieces = pieces_of(said, run.words, frozenset(wanted))
    kept = [one.text for one in pieces if one.kind not in (Kind.POLITE, Kind.WISH, Kind.SMALL)]
    return bool(kept) and kept == [one.text for one in plain_words(literal, run.words)]


def _take(run: Run, branch: JsonObject) -> None:
    """Do what a branch says; one that leads nowhere ends the turn with the question open."""
    run.decide(
        "flow_transition", str(branch.get("then", "stay")), condition=branch.get("condition", "ELSE"), matched=True
    )
    run.thread.misses = 0
    run.thread.counters[taken_key(run.thread.step)] = 1
    run.push("flow.stay")
    actions.perform(run, branch)


def taken_key(name: str) -> str:
    """Return the counter that says that a branch has taken the answer in a step."""
    return f"taken:{name}"


def _asked_now(run: Run, step: JsonObject) -> list[str]:
    """Return the fields that this turn has filled, or all that the step asks for."""
    names = asking.asked_for(run, step)
    return [name for name in names if name in run.state.turn.changed] or names


def _ask_again(run: Run, step: JsonObject) -> None:
    """Ask again for a value that no branch takes, as often as MAX_RETRIES says."""
    name, names = step["name"], _asked_now(run, step)
    run.thread.misses += 1
    run.decide("flow_transition", name, outcome="no match", matched=False)
    run.unwind()
    field = next((one for one in gather.fields_of(run, name) if one["name"] in names), None)
    if field is None:
        run.thread.awaiting = "input"
        saying.tell(run, "error_validation")
        return
    if run.thread.misses > gather.most_retries(field):
        run.thread.misses = 0
        run.push("flow.failed", step=name, field=field["name"])
        return
    for one in names:
        variables.clear_value(run, one)
    run.state.turn.failures[f"field:{field['name']}"] = 1
    run.push("flow.step", step=name, phase=ATTACHMENT)
    run.push("gather.ask", step=name)


def stay(run: Run, task: Task) -> None:
    """End the turn where the flow stands, waiting for the next message."""
    del task
    run.unwind()


OPS = {"flow.stay": stay}
