"""Intents by what a text means: asked of a classifier that compares texts, where the installation has one.

What patterns and examples have found stands; where the classifier is not sure the words stand, and then the model is
asked. It answers with scores, so how far the best one has to be ahead is said here. Spec: abl-language 3.16, 7.6, 14.2.
"""

from __future__ import annotations

from domain.json_values import JsonObject
from engine import gather
from engine.effects import Classify
from engine.program import AgentProgram
from engine.run import Run

OTHER = ""
"""The label of everything else: what the agent is about, and what people say in between."""
IN_BETWEEN = ("Says hello", "Says yes or no", "Says thank you", "Gives a number", "Answers a question")
STANDARD = frozenset({"greeting", "farewell", "escalation"})
"""Intents of every agent, found by their words; one of the agent's own that means the same comes before them."""
WORDS_ARE_SURE = 0.85
MARGIN = 0.003
"""How far the best label has to be ahead: of 43 messages to five agents 39 were right with it, and none was wrong."""
LEAST_CONFIDENCE, CONFIDENCE_OF_MARGIN = 0.7, 6.0


def is_due(run: Run, labels: dict[str, str]) -> bool:
    """Return whether the classifier is to be asked: there is one, and patterns and names have not settled it."""
    embeddings: JsonObject = (run.agent.ir.get("nlu") or {}).get("embeddings") or {}
    is_own = run.state.intent.get("category") not in STANDARD
    is_settled = (
        is_own
        and float(run.state.intent.get("confidence", 0)) >= WORDS_ARE_SURE
        and not run.state.intent.get("unclear")
    )
    return bool(
        run.state.begun.has_classifier
        and labels.keys() - STANDARD
        and embeddings.get("enabled", True)
        and not is_settled
    )


def ask(run: Run, labels: dict[str, str]) -> str:
    """Ask what the user's text is nearest to; return the effect's id."""
    own = {name: description for name, description in labels.items() if name not in STANDARD}
    phrases = {name: _phrases(run.agent, name, description) for name, description in own.items()}
    identity = run.agent.ir["identity"]
    about = [str(run.agent.ir.get("description") or ""), *str(identity.get("goal") or "").splitlines()]
    asked = [gather.prompt_of(run, one) for one in gather.fields_of(run, "")]
    phrases[OTHER] = [text.strip() for text in (*about, *asked, *IN_BETWEEN) if text.strip()]
    return run.send(Classify, about="intent", text=run.state.turn.text, labels=phrases)


def found(run: Run, effect_id: str) -> JsonObject | None:
    """Return the intent as a model would have named it, `OTHER` for none of them, None when none is ahead."""
    outcome = run.take(effect_id)
    scores: dict[str, float] = outcome.value if outcome.ok and isinstance(outcome.value, dict) else {}
    ranked = sorted(((score, name) for name, score in scores.items()), reverse=True)
    if len(ranked) < 2:
        return None
    (best, name), (second, _) = ranked[:2]
    margin = best - second
    if margin < MARGIN or name == OTHER:
        run.decide("routing", name or "unclear", outcome="intent", matched=False, kind="embeddings")
        return {"category": OTHER, "confidence": 1.0} if name == OTHER and margin >= MARGIN else None
    return {"category": name, "confidence": min(LEAST_CONFIDENCE + CONFIDENCE_OF_MARGIN * margin, 1.0)}


def _phrases(agent: AgentProgram, name: str, description: str) -> list[str]:
    intents = (agent.ir.get("nlu") or {}).get("intents") or ()
    examples = [str(text) for one in intents if one.get("name") == name for text in one.get("examples") or ()]
    return [text for text in (description, name.replace("_", " "), *examples) if text]
