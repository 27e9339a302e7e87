"""Bodies of model providers and of the models of a project. Spec: platform-api 14.5."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from domain.models import ProjectModels, ProviderCheck, ProviderFields, ProviderView, Resolved
from gateway.bodies.texts import RequestBody, without_nul
from gateway.envelope import PaginatedPage, Success, Wire

NAME_MAX_CHARS = 100
URL_MAX_CHARS = 2_000
KEY_MAX_CHARS = 4_096
MODELS_MAX = 200
MOST_TOKENS = 10**9
MOST_USD = 1_000_000
_HOST_AND_PORT = re.compile(r"(?:\[[0-9a-fA-F:.]+(?:%\w+)?\]|[^\s%\\\"<>^`{|}\[\]:@]+)(?::\d{1,5})?")
KINDS_WITH_ADDRESS = frozenset({"openai_compatible"})


def _http(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.fragment:
        raise ValueError("must be an http or https address without a user")
    if not _HOST_AND_PORT.fullmatch(parts.netloc) or parts.port == 0 or " " in url or not url.isprintable():
        raise ValueError("must be an http or https address that can be called")
    return url


ProviderName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=NAME_MAX_CHARS, pattern=r"^[^/\s\x00]+$"),
    AfterValidator(without_nul),
]
Kind = Literal["embedded", "openai_compatible", "anthropic", "gemini", "mock"]
BaseUrl = Annotated[
    str, StringConstraints(max_length=URL_MAX_CHARS), AfterValidator(_http), AfterValidator(without_nul)
]
ProviderKey = Annotated[str, StringConstraints(max_length=KEY_MAX_CHARS), AfterValidator(without_nul)]
ModelName = Annotated[str, StringConstraints(max_length=NAME_MAX_CHARS * 2), AfterValidator(without_nul)]
ModelId = Annotated[str, StringConstraints(min_length=1, max_length=NAME_MAX_CHARS), AfterValidator(without_nul)]
Tokens = Annotated[int, Field(ge=1, le=MOST_TOKENS)]
Usd = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]


class ModelRow(RequestBody):
    """A model of a provider; prices in US dollars for a million tokens."""

    id: ModelId
    family: ModelName | None = None
    context_window: Tokens | None = None
    max_output_tokens: Tokens | None = None
    input_price_per_m_tok: Usd | None = Field(default=None, alias="inputPricePerMTok")
    output_price_per_m_tok: Usd | None = Field(default=None, alias="outputPricePerMTok")
    supports_tools: bool | None = None
    supports_images: bool | None = None


Models = Annotated[list[ModelRow], Field(max_length=MODELS_MAX)]


class ProviderPatch(RequestBody):
    """What shall change of a provider; an empty key takes the one that is kept away."""

    name: ProviderName | None = None
    kind: Kind | None = None
    base_url: BaseUrl | None = None
    api_key: ProviderKey | None = None
    models: Models | None = None
    is_default: bool | None = None


class ProviderBody(ProviderPatch):
    """A provider to keep; its key is sealed and never shown."""

    name: ProviderName
    kind: Kind

    @model_validator(mode="after")
    def _has_an_address(self) -> ProviderBody:
        if self.kind in KINDS_WITH_ADDRESS and not self.base_url:
            raise ValueError("baseUrl has to be given for this kind")
        return self


class ProviderItem(Wire):
    """A provider without its key; `status` is what is seen without asking it."""

    id: str
    name: str
    kind: str
    base_url: str | None
    has_api_key: bool
    models: list[ModelRow]
    is_default: bool
    status: Literal["ready", "needs_key", "no_model"]


class ProviderListReply(PaginatedPage):
    """The providers of a tenant, the oldest first."""

    providers: list[ProviderItem]


class ProviderReply(Success):
    """One provider."""

    provider: ProviderItem


class ProviderTestReply(Success):
    """What came of asking a provider for a word."""

    ok: bool
    latency_ms: int
    error: str | None


class Tiers(RequestBody):
    """The model for each word that stands for one."""

    fast: ModelName | None = None
    balanced: ModelName | None = None
    powerful: ModelName | None = None
    voice: ModelName | None = None


class ProjectModelsBody(RequestBody):
    """The models that a project takes; what is left out names none."""

    default_model_id: ModelName | None = None
    tiers: Tiers = Tiers()
    eval_persona_model: ModelName | None = None
    eval_judge_model: ModelName | None = None
    stt: ModelName | None = None
    tts: ModelName | None = None


class ProjectModelsReply(Success):
    """The models that a project takes."""

    models: ProjectModelsBody


class ResolvedReply(Success):
    """Which model a call goes to, and who named it."""

    model_id: str
    provider_id: str
    source: Literal["request", "deployment", "agent", "tier", "project", "tenant", "embedded"]


def new_provider(body: ProviderBody) -> ProviderFields:
    """Return the provider that a body wants."""
    return ProviderFields(
        name=body.name,
        kind=body.kind,
        base_url=body.base_url or "",
        models=_rows(body.models or []),
        is_default=bool(body.is_default),
    )


def provider_changes(body: ProviderPatch) -> dict[str, Any]:
    """Return what a body changes but the key, by the names of `ProviderFields`; null is empty."""
    changes: dict[str, Any] = {}
    for name in body.model_fields_set - {"api_key"}:
        given = getattr(body, name)
        if name == "models":
            changes[name] = _rows(given or [])
        elif name == "is_default":
            changes |= {} if given is None else {name: given}
        elif given is not None or name == "base_url":
            changes[name] = given or ""
    return changes


def project_models(body: ProjectModelsBody) -> ProjectModels:
    """Return the models that a body names."""
    return ProjectModels(
        default_model_id=body.default_model_id or "",
        tiers={name: model for name, model in body.tiers.model_dump().items() if model},
        eval_persona_model=body.eval_persona_model or "",
        eval_judge_model=body.eval_judge_model or "",
        stt=body.stt or "",
        tts=body.tts or "",
    )


def project_models_reply(models: ProjectModels) -> ProjectModelsReply:
    """Return them as they are shown."""
    return ProjectModelsReply(
        models=ProjectModelsBody(
            default_model_id=models.default_model_id or None,
            tiers=Tiers(**models.tiers),
            eval_persona_model=models.eval_persona_model or None,
            eval_judge_model=models.eval_judge_model or None,
            stt=models.stt or None,
            tts=models.tts or None,
        )
    )


def provider_item(provider: ProviderView) -> ProviderItem:
    """Return a provider as it is shown."""
    return ProviderItem(
        id=provider.id,
        name=provider.name,
        kind=provider.kind,
        base_url=provider.base_url or None,
        has_api_key=provider.has_api_key,
        models=[ModelRow.model_validate(one, strict=False) for one in provider.models],
        is_default=provider.is_default,
        status=provider.status,
    )


def check_reply(check: ProviderCheck) -> ProviderTestReply:
    """Return what came of asking."""
    return ProviderTestReply(ok=not check.error, latency_ms=check.latency_ms, error=check.error or None)


def resolved_reply(found: Resolved) -> ResolvedReply:
    """Return which model it is."""
    return ResolvedReply.model_validate({"success": True, **found._asdict()})


def _rows(models: list[ModelRow]) -> tuple[dict[str, Any], ...]:
    return tuple(one.model_dump(by_alias=True, exclude_none=True) for one in models)
