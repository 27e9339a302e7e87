"""Side questions, sub-intents, and the built-in words of ON_INPUT. Spec: abl-language 5.6, 5.7."""

from __future__ import annotations

import re

from abl.languages import BUILT_IN_WORDS
from domain.json_values import JsonObject
from engine import actions, profiles, questions, understanding
from engine.answer_question import Asked
from engine.extraction.choices import means, spoken
from engine.run import Run

_DIRECT = (
    "respond",
    "message_key",
    "set",
    "clear",
    "clear_last",
    "say_after",
    "call",
    "call_spec",
    "delegate",
    "goto",
    "voice_config",
    "rich_content",
    "actions",
)
_SPEAKS = ("respond", "message_key", "voice_config", "rich_content", "actions")
_INTENT = re.compile(r"""intent(?:\.category)?\s*==\s*["'](\w+)["']""")


def matches(run: Run, branch: JsonObject) -> bool:
    """Return whether an ON_INPUT branch fits the text; built-in words stand for lists of phrases."""
    condition = branch.get("condition")
    if condition is None:
        return True
    word = condition.strip().strip("\"'").lower()
    found = _INTENT.fullmatch(condition.strip())
    if found is not None and found[1].lower() in BUILT_IN_WORDS:
        word = found[1].lower()
    if word in BUILT_IN_WORDS and run.scope.get(word) is None:
        return _is_answer(run, word) if word in ("yes", "no") else means(run.state.turn.text, word, run.words)
    return run.test(condition)


def _is_answer(run: Run, word: str) -> bool:
    """Return whether the text is a yes, or a no, to what was said last; a yes is one and nothing else."""
    label = questions.read(run, Asked(questions.last_said(run))).label
    return label == "yes" if word == "yes" else label == "no"


def is_bare_answer(run: Run, branch: JsonObject) -> bool:
    """Return whether a branch takes a yes, a no, or another word that means nothing without its question."""
    word = str(branch.get("condition", "")).strip().strip("\"'").lower()
    found = _INTENT.fullmatch(str(branch.get("condition", "")).strip())
    return (found[1].lower() if found is not None else word) in ("yes", "no", "back", "change")


def take(run: Run, step: JsonObject) -> bool:
    """Start the digression or sub-intent the text asks for; return whether there was one."""
    own = step.get("digressions") or ()
    of_flow = profiles.flow_of(run).get("global_digressions") or ()
    for digression in (*own, *of_flow):
        if _is_meant(run, digression):
            _start(run, digression, is_digression=True)
            return True
    for sub in step.get("sub_intents") or ():
        if _is_meant(run, sub):
            _start(run, sub, is_digression=False)
            return True
    return False


def _is_meant(run: Run, digression: JsonObject) -> bool:
    if not run.test(digression.get("condition", "")):
        return False
    said = spoken(run.state.turn.text)
    if any(spoken(str(word)) in said for word in digression.get("keywords") or ()):
        return True
    return understanding.means_intent(run, str(digression.get("intent", "")))


def _start(run: Run, digression: JsonObject, *, is_digression: bool) -> None:
    run.decide("routing", str(digression.get("intent", "")), outcome="digression", matched=True)
    run.state.turn.is_consumed = True
    leads_back = is_digression or bool(digression.get("resume"))
    run.push("flow.resume" if leads_back else "flow.stay")
    if digression.get("do"):
        actions.perform_all(run, digression["do"])
        return
    node = {key: digression[key] for key in _DIRECT if key in digression}
    delegate = node.get("delegate") or {}
    if delegate and not delegate.get("map") and not any(node.get(key) for key in _SPEAKS):
        node["delegate"] = {**delegate, "tells": True}  # nothing else would answer the side question
    actions.perform(run, node)
