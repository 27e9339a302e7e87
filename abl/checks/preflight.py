"""What an agent needs before it can run. Spec: abl-language 3.15, 13.1."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import dig, mapping, text
from abl.checks.report import Check
from abl.languages import TAGS, base_tag, tag_named


def zones_without_model(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the first reasoning zone of an agent that names no model, unless the deployment has a default.

    One finding per agent: one EXECUTION section mends them all.
    """
    execution = mapping(facts.ir.get("execution"))
    models = (execution.get("model"), dig(execution, "operation_models", "reasoning"))
    if context.options.default_model or any(text(model) for model in models) or not facts.zones:
        return
    zone = facts.zones[0]
    name = zone.step or text(zone.subject.get("name"))
    yield Finding("REASONING_ZONE_NO_MODEL", zone, "reasoning", name, arguments={"step": name, "name": name})


def language_without_pack(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield a LANGUAGE whose words and sentences nobody has: the agent would fall back to English."""
    language = text(mapping(facts.ir.get("identity")).get("language"))
    if not language or tag_named(language) or base_tag(language) in context.options.languages:
        return
    for block in facts.blocks:
        if block.path == "identity":
            said = {"value": language, "known": ", ".join(TAGS), "name": base_tag(language)}
            yield Finding("LANGUAGE_WITHOUT_PACK", block, "language", language, arguments=said)
            return


CHECKS = (
    Check("REASONING_ZONE_NO_MODEL", zones_without_model),
    Check("LANGUAGE_WITHOUT_PACK", language_without_pack),
)
"""The rules of this family, in the order in which they are checked."""
