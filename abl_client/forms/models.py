"""The forms of the API about models. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class ModelRow(TypedDict):
    """A model of a provider; prices in US dollars for a million tokens."""

    id: str
    family: NotRequired[str | None]
    contextWindow: NotRequired[int | None]
    maxOutputTokens: NotRequired[int | None]
    inputPricePerMTok: NotRequired[float | None]
    outputPricePerMTok: NotRequired[float | None]
    supportsTools: NotRequired[bool | None]
    supportsImages: NotRequired[bool | None]


class ProjectModelsBody(TypedDict):
    """The models that a project takes; what is left out names none."""

    defaultModelId: NotRequired[str | None]
    tiers: NotRequired[Tiers]
    evalPersonaModel: NotRequired[str | None]
    evalJudgeModel: NotRequired[str | None]
    stt: NotRequired[str | None]
    tts: NotRequired[str | None]


class ProjectModelsReply(TypedDict):
    """The models that a project takes."""

    success: NotRequired[Literal[True]]
    models: ProjectModelsBody


class ProviderBody(TypedDict):
    """A provider to keep; its key is sealed and never shown."""

    name: str
    kind: Literal["embedded", "openai_compatible", "anthropic", "gemini", "mock"]
    baseUrl: NotRequired[str | None]
    apiKey: NotRequired[str | None]
    models: NotRequired[list[ModelRow] | None]
    isDefault: NotRequired[bool | None]


class ProviderItem(TypedDict):
    """A provider without its key; `status` is what is seen without asking it."""

    id: str
    name: str
    kind: str
    baseUrl: str | None
    hasApiKey: bool
    models: list[ModelRow]
    isDefault: bool
    status: Literal["ready", "needs_key", "no_model"]


class ProviderListReply(TypedDict):
    """The providers of a tenant, the oldest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    providers: list[ProviderItem]


class ProviderPatch(TypedDict):
    """What shall change of a provider; an empty key takes the one that is kept away."""

    name: NotRequired[str | None]
    kind: NotRequired[Literal["embedded", "openai_compatible", "anthropic", "gemini", "mock"] | None]
    baseUrl: NotRequired[str | None]
    apiKey: NotRequired[str | None]
    models: NotRequired[list[ModelRow] | None]
    isDefault: NotRequired[bool | None]


class ProviderReply(TypedDict):
    """One provider."""

    success: NotRequired[Literal[True]]
    provider: ProviderItem


class ProviderTestReply(TypedDict):
    """What came of asking a provider for a word."""

    success: NotRequired[Literal[True]]
    ok: bool
    latencyMs: int
    error: str | None


class ResolvedReply(TypedDict):
    """Which model a call goes to, and who named it."""

    success: NotRequired[Literal[True]]
    modelId: str
    providerId: str
    source: Literal["request", "deployment", "agent", "tier", "project", "tenant", "embedded"]


class Tiers(TypedDict):
    """The model for each word that stands for one."""

    fast: NotRequired[str | None]
    balanced: NotRequired[str | None]
    powerful: NotRequired[str | None]
    voice: NotRequired[str | None]
