"""Which model a call goes to. Pure; the only place that knows the order. Spec: platform-api 14.5. Decision: 0018."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from domain.errors import InvalidInput, LastingOutage
from providers.catalog import TIERS

ModelSource = Literal["request", "deployment", "agent", "tier", "project", "tenant", "embedded"]

NOT_CONFIGURED: Final = "Runtime not configured"
HOW_TO_CONFIGURE: Final = (
    "No model is set for this project, or nobody serves the one that is. "
    "Set ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENAI_API_KEY (or ABL_MODEL_URL for your own server) "
    "where the server starts. A provider that you have added serves no project by itself: name a model of it in the "
    "project's models (PUT /api/projects/<projectId>/models, defaultModelId), or make it the tenant's default "
    "(PATCH /api/model-providers/<id>, isDefault: true)."
)
MODEL_NOT_CONFIGURED: Final = "MODEL_NOT_CONFIGURED"
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})

Knows: TypeAlias = Callable[[str], bool]
"""Tells whether a provider serves a model name."""


@dataclass(frozen=True, slots=True)
class ModelWishes:
    """Everything that names a model; an empty text names none, a word of `catalog.TIERS` the project's model for it.

    Attributes:
        override: Of the request.
        deployment: Of the deployment, for this agent.
        operations: Of the agent's definition, by operation; `agent` is its model for all others.
        tier: Of the request or the agent; `tiers` says which model the project takes for it.
        tenant: Of the tenant, else of the installation.
    """

    override: str = ""
    deployment: str = ""
    agent: str = ""
    operations: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    tier: str = ""
    tiers: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    project: str = ""
    tenant: str = ""
    embedded: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model and who named it."""

    model: str
    source: ModelSource


def find_model(wishes: ModelWishes, operation: str = "", knows: Knows | None = None) -> ResolvedModel | None:
    """Return the model of the first who names one that is served, None when nobody does.

    Raises:
        InvalidInput: The request names one that nobody serves.
        LastingOutage: The project does, as its model or that of a tier; other wishes give way to the next one.
    """
    order: tuple[tuple[str, ModelSource], ...] = (
        (wishes.override, "request"),
        (wishes.deployment, "deployment"),
        (wishes.operations.get(operation, ""), "agent"),
        (wishes.agent, "agent"),
        (wishes.tier, "tier"),
        (wishes.project, "project"),
        (wishes.tenant, "tenant"),
        (wishes.embedded, "embedded"),
    )
    for named, source in order:
        is_tier = named in TIERS
        model = wishes.tiers.get(named, "") if is_tier else "" if source == "tier" else named
        if model and (knows is None or knows(model)):
            return ResolvedModel(model, "tier" if is_tier else source)
        if model and source == "request":
            raise InvalidInput(f"There is no model {model!r}")
        if model and (is_tier or source == "project"):
            raise _unserved(model, f"its model of the tier {named}" if is_tier else "its default model")
    return None


def _unserved(model: str, place: str) -> LastingOutage:
    hint = f"Nobody serves {model!r}, which the project takes as {place}. Choose another one in the project's models."
    return LastingOutage(NOT_CONFIGURED, details={"reason": MODEL_NOT_CONFIGURED, "hint": hint})


def resolve_model(wishes: ModelWishes, operation: str = "", knows: Knows | None = None) -> ResolvedModel:
    """Return the model of the first who names one that is served.

    Raises:
        InvalidInput: The request names one that nobody serves.
        LastingOutage: Nobody names one, or the project one that nobody serves.
    """
    found = find_model(wishes, operation, knows)
    if found is None:
        raise LastingOutage(NOT_CONFIGURED, details={"reason": MODEL_NOT_CONFIGURED, "hint": HOW_TO_CONFIGURE})
    return found
