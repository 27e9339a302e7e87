"""Which model a call goes to. Pure; the only place that knows the order. Spec: platform-api 14.5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from domain.errors import Unavailable

ModelSource = Literal["request", "deployment", "agent", "tier", "project", "tenant", "embedded"]

NOT_CONFIGURED: Final = (
    "Runtime not configured: no model is set for this project. Set a default model or add a provider."
)
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ModelWishes:
    """Everything that names a model; an empty text names none.

    Attributes:
        override: Of the request.
        deployment: Of the deployment, for this agent.
        operations: Of the agent's definition, by operation; `agent` is its model for all others.
        tier: Of the request or the agent; `tiers` says which model the project takes for it.
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


def find_model(wishes: ModelWishes, operation: str = "") -> ResolvedModel | None:
    """Return the model of the first who names one, None when nobody does."""
    order: tuple[tuple[str, ModelSource], ...] = (
        (wishes.override, "request"),
        (wishes.deployment, "deployment"),
        (wishes.operations.get(operation, ""), "agent"),
        (wishes.agent, "agent"),
        (wishes.tiers.get(wishes.tier, ""), "tier"),
        (wishes.project, "project"),
        (wishes.tenant, "tenant"),
        (wishes.embedded, "embedded"),
    )
    return next((ResolvedModel(model, source) for model, source in order if model), None)


def resolve_model(wishes: ModelWishes, operation: str = "") -> ResolvedModel:
    """Return the model of the first who names one.

    Raises:
        Unavailable: Nobody does.
    """
    found = find_model(wishes, operation)
    if found is None:
        raise Unavailable(NOT_CONFIGURED, details={"reason": "MODEL_NOT_CONFIGURED"})
    return found
