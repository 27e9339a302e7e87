"""Chat models behind an OpenAI-compatible endpoint: OpenAI, Azure, vLLM, Ollama, llama.cpp and most others."""

from __future__ import annotations

from typing import Final

from providers.catalog import vendor_of
from providers.chat.http_model import HttpChatModel
from providers.chat.openai_wire import AUTHORIZATION, DEFAULT_RULES, OpenAIWire, WireRules
from providers.chat.wire import EndpointOptions, endpoint_of
from providers.http import HttpClient
from providers.specs import ProviderSpec

OPENAI_URL: Final = "https://api.openai.com/v1"


class _Options(EndpointOptions):
    """What may be configured besides; of `rules` the fields of WireRules."""

    key_header: str = AUTHORIZATION
    rules: WireRules | None = None


def open_model(spec: ProviderSpec, model: str, client: HttpClient) -> HttpChatModel:
    """Return a model of the provider."""
    options = spec.read_options(_Options)
    wire = OpenAIWire(options.rules or rules_of(spec), options.key_header)
    return HttpChatModel(client, endpoint_of(spec, options, OPENAI_URL), wire, model)


def rules_of(spec: ProviderSpec) -> WireRules:
    """Return how the provider's server speaks the wire when nothing is configured."""
    if vendor_of(spec) == "openai":
        return WireRules(max_tokens_field="max_completion_tokens")
    return DEFAULT_RULES
