"""What an adapter is: one wire, which turns requests into bytes and bytes into deltas. It waits for nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from domain.model_calls import ModelDelta, ModelRequest
from providers.failures import ModelCallFailed
from providers.http import Timeouts
from providers.specs import ProviderSpec

BAD_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What reading JSON raises that is none, is of another form, is nested without end, or is no text."""
MODEL_TIMEOUTS: Final = Timeouts(total_s=120.0, connect_s=5.0, idle_s=60.0)
MAX_ERROR_CHARS: Final = 300
DATA: Final = "data:"


class Data(NamedTuple):
    """What a `data:` URL holds."""

    media_type: str
    base64: str


class WireError(NamedTuple):
    """What an error of a provider says; both empty when it is not of its wire."""

    code: str
    sentence: str


class Reader(Protocol):
    """Reads one answer; keeps what later pieces of it refer to."""

    @property
    def is_complete(self) -> bool:
        """Whether the end of the answer has come, so that nothing that follows is needed."""

    def read(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what one event of a stream says.

        Raises:
            msgspec.DecodeError: It is not of this wire.
            ModelCallFailed: It is an error of the provider.
        """

    def read_whole(self, data: bytes) -> Iterable[ModelDelta]:
        """Return what a whole answer says, in the deltas of a stream. Raises as `read` does."""


class Wire(Protocol):
    """One protocol of chat models."""

    def url(self, base_url: str, model: str, *, stream: bool) -> str:
        """Return where a model is asked."""

    def headers(self, api_key: str) -> Mapping[str, str]:
        """Return the headers of every request."""

    def body(self, request: ModelRequest, model: str, *, stream: bool) -> bytes:
        """Return the body of one request."""

    def reader(self, request: ModelRequest, model: str) -> Reader:
        """Return what reads the answer to a request."""

    def error(self, data: bytes) -> WireError:
        """Return what the body of an answer says that is no success."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where models are.

    Attributes:
        provider: The name it has here, for replies and traces.
        base_url: Up to and without the path of the wire.
        headers: Sent besides those of the wire.
        query: Added to the address, e.g. an API version.
    """

    provider: str
    base_url: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict)
    timeouts: Timeouts = MODEL_TIMEOUTS


class EndpointOptions(msgspec.Struct):
    """What may be configured of any endpoint besides address and key."""

    headers: dict[str, str] = {}  # msgspec copies empty defaults
    query: dict[str, str] = {}
    connect_s: float = MODEL_TIMEOUTS.connect_s
    idle_s: float = MODEL_TIMEOUTS.idle_s
    total_s: float = MODEL_TIMEOUTS.total_s


def endpoint_of(spec: ProviderSpec, options: EndpointOptions, default_url: str = "") -> Endpoint:
    """Return the endpoint that a provider's configuration names."""
    return Endpoint(
        provider=spec.name,
        base_url=spec.base_url or default_url,
        api_key=spec.api_key,
        headers=options.headers,
        query=options.query,
        timeouts=Timeouts(options.total_s, options.connect_s, options.idle_s),
    )


_KINDS: Final = (
    ("context_length", "llm_context_exceeded"),
    ("context_window", "llm_context_exceeded"),
    ("context window", "llm_context_exceeded"),
    ("exceed_context", "llm_context_exceeded"),
    ("exceeds the maximum number of tokens", "llm_context_exceeded"),
    ("maximum context", "llm_context_exceeded"),
    ("prompt is too long", "llm_context_exceeded"),
    ("content_filter", "llm_content_filter"),
    ("content_policy", "llm_content_filter"),
    ("content filtering policy", "llm_content_filter"),
    ("rate_limit_error", "llm_rate_limited"),
    ("resource_exhausted", "llm_rate_limited"),
    ("authentication_error", "credential_not_found"),
    ("permission_error", "credential_not_found"),
    ("api key not valid", "credential_not_found"),
    ("unauthenticated", "credential_not_found"),
    ("deadline_exceeded", "llm_timeout"),
)
"""What stands in a code or sentence -> the kind of failure."""

PASSING: Final = frozenset({"llm_api_error", "llm_rate_limited", "llm_timeout"})
"""Kinds that another try may not meet."""


def kind_of(error: WireError) -> str:
    """Return the kind of failure that the words of an error name, empty when they name none."""
    words = f"{error.code} {error.sentence}".lower()
    return next((kind for sign, kind in _KINDS if sign in words), "")


def told(sentence: str) -> str:
    """Return a provider's sentence as one of ours."""
    return f"The model provider says: {sentence[:MAX_ERROR_CHARS]}" if sentence else "The model provider has failed"


def error_in_answer(error: WireError) -> ModelCallFailed:
    """Return the failure that an error inside an answer of status 200 is."""
    kind = kind_of(error) or "llm_api_error"
    if kind == "credential_not_found":
        return ModelCallFailed(kind, REFUSED_CREDENTIALS)
    return ModelCallFailed(kind, told(error.sentence), retryable=kind in PASSING)


REFUSED_CREDENTIALS: Final = "The model provider refused the credentials"
NOTHING_SAID: Final = "The model's answer holds no message"


def no_message() -> ModelCallFailed:
    """Return the failure of an answer that is of the wire and says nothing."""
    return ModelCallFailed("llm_api_error", NOTHING_SAID, retryable=True)


def data_of(url: str) -> Data | None:
    """Return what a `data:` URL in base64 holds, None for an address. RFC 2397.

    >>> data_of("data:image/png;base64,AAAA")
    Data(media_type='image/png', base64='AAAA')
    """
    head, _, data = url.partition(",")
    if not head.startswith(DATA):
        return None
    return Data(head.removeprefix(DATA).partition(";")[0], data)


def json_text(value: Any) -> str:
    """Return a value as compact JSON."""
    return _ENCODER.encode(value).decode()


_ENCODER = msgspec.json.Encoder()
