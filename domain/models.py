"""What is configured of chat models: the providers of a tenant, and what a project takes of them. Spec: 14.5."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct, field

from domain.json_values import JsonObject

ProviderStatus = Literal["ready", "needs_key", "no_model"]
KEYED: Final = frozenset({"anthropic", "gemini"})
"""Kinds of providers that answer nobody without a key."""
PORTS: Final = {"http": 80, "https": 443}
NO_PORT: Final = -1
"""For what is written as one and is none."""


class Destination(NamedTuple):
    """Where the calls of a provider go, and with them its key; an empty host is the vendor's own address."""

    kind: str
    scheme: str
    host: str
    port: int | None


def destination(kind: str, base_url: str) -> Destination:
    """Return where the calls of a provider of this kind and address go; the path does not count. Spec: 14.5."""
    parts = urlsplit(base_url)
    try:
        port = PORTS.get(parts.scheme) if parts.port is None else parts.port
    except ValueError:
        port = NO_PORT
    return Destination(kind, parts.scheme, parts.hostname or "", port)


class ProviderFields(Struct, frozen=True, kw_only=True):
    """A provider to keep.

    Attributes:
        models: Objects of platform-api 14.5.
        is_default: Its first model is taken where nobody names one; no other provider of the tenant's is then.
    """

    name: str
    kind: str
    base_url: str = ""
    models: tuple[JsonObject, ...] = ()
    is_default: bool = False


class ProviderView(ProviderFields, frozen=True, kw_only=True):
    """A provider without its key.

    Attributes:
        status: Whether it can be asked, as far as that is seen without asking.
    """

    id: str
    has_api_key: bool
    status: ProviderStatus


class ProviderCheck(Struct, frozen=True, kw_only=True):
    """What came of asking a provider for a word; `error` is empty when it answered."""

    latency_ms: int
    error: str = ""


class ProjectModels(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The models that a project takes; empty names none. It is stored in this form, among the project's settings."""

    default_model_id: str = ""
    tiers: dict[str, str] = field(default_factory=dict)
    eval_persona_model: str = ""
    eval_judge_model: str = ""
    stt: str = ""
    tts: str = ""


def without_provider(models: JsonObject, provider: str, own: Collection[str]) -> JsonObject:
    """Return what a project takes without what names a provider: by `provider/model`, by its name alone.

    Args:
        models: A stored `ProjectModels`, or the tiers in it.
        provider: The name of the provider.
        own: Names of models that nobody but this provider lists.

    >>> without_provider({"defaultModelId": "a/x", "tiers": {"fast": "b/y", "voice": "z"}}, "a", {"z"})
    {'tiers': {'fast': 'b/y'}}
    """
    kept: JsonObject = {}
    for place, named in models.items():
        if isinstance(named, dict):
            kept[place] = without_provider(named, provider, own)
        elif not isinstance(named, str) or (named.partition("/")[0] != provider and named not in own):
            kept[place] = named
    return kept


class Resolved(NamedTuple):
    """A model, whose it is, and who named it; the provider is named by its id, one of the installation by its name."""

    model_id: str
    provider_id: str
    source: str
