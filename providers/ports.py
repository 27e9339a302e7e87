"""The protocols of this package in domain words: chat models, tool runners, and what a tool run may reach."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct, field

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import ModelDelta, ModelReply, ModelRequest
from domain.tool_calls import ToolCall, ToolResult


class ChatModel(Protocol):
    """A language model behind one wire."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer as it comes; the last deltas carry `finish_reason` and `usage`.

        Whoever stops early closes the iterator (`contextlib.aclosing`), which ends the call.

        Raises:
            ModelCallFailed: There is no usable answer, or no more of it.
        """

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer.

        Raises:
            ModelCallFailed: There is no usable answer.
        """


class TextClassifier(Protocol):
    """Compares a text with labels by meaning."""

    async def scores(self, text: str, labels: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return label -> how near the text is to the texts that stand for it; empty when it cannot be told now."""

    async def close(self) -> None:
        """Release what is held."""


Pieces = Callable[[ModelRequest], AsyncGenerator[Sequence[ModelDelta], None]]
"""Yields what `stream` yields, what came at the same moment together; raises as `stream` does. A model that can do so
has it as its method `pieces`."""


class SecretExpired(LookupError):
    """The secret exists and may no longer be used."""


class Credentials(Protocol):
    """The secrets of one project, as its tools may use them."""

    async def secret(self, tool: str, name: str) -> str | None:
        """Return the secret `name` of `tool`, None when there is none.

        Raises:
            SecretExpired: There is one, and its time is over.
        """

    async def profile(self, name: str) -> JsonObject | None:
        """Return the stored auth profile `{type, config}`, None when there is none."""

    async def user_token(self, provider: str) -> str | None:
        """Return the token the user of the session granted, None when there is none."""

    def note(self, text: str) -> None:
        """Have a text treated as a secret of the project: a token that was fetched, a word of the operator."""


class MemoryStores(Protocol):
    """The memory stores of one session, as code tools see them. Spec: platform-api 7.3."""

    async def act(self, action: str, store: str, content: JsonObject | None) -> JsonValue:
        """Carry out `get`, `set` or `delete` and return what the memory endpoint answers as data.

        Raises:
            AppError: The request is wrong or cannot be carried out.
        """


class Catalogue(Protocol):
    """What the tools of one project reach by name, as it holds for the environment of a session."""

    async def entry(self, kind: str, name: str) -> JsonObject | None:
        """Return the `connector`, `workflow` or `mcp_server` of that name, None when there is none."""


class NoCatalogue:
    """A project without a catalogue."""

    async def entry(self, kind: str, name: str) -> JsonObject | None:
        """Return None."""
        return None


class Sandbox(Protocol):
    """What code that runs elsewhere needs to reach the memory stores of its session. Spec: platform-api 2.1, 7.3."""

    def variables(self) -> JsonObject:
        """Return `{token, memoryUrl}`: a token of 15 minutes, bound to the session, and where it is taken."""


class NoCredentials:
    """A project without secrets."""

    async def secret(self, tool: str, name: str) -> str | None:
        """Return None."""
        return None

    async def profile(self, name: str) -> JsonObject | None:
        """Return None."""
        return None

    async def user_token(self, provider: str) -> str | None:
        """Return None."""
        return None

    def note(self, text: str) -> None:
        """Do nothing: nobody reads what comes back."""


@dataclass(frozen=True, slots=True)
class CallbackAddress:
    """Where the other side of an asynchronous tool delivers its result. Spec: platform-api 7.1."""

    id: str
    url: str
    secret: str
    expires_at: str


class ToolInvocation(Struct, frozen=True):
    """One run of a tool.

    Attributes:
        kind: One of `domain.tool_calls.TOOL_KINDS`.
        binding: The binding of the IR, secrets unresolved; of a mock its answer.
        scope: Whose caches this run may share (tenant and project): tokens, breakers, rate limits.
        variables: Session values that the texts of the binding mention.
        environment: Values of `env.`.
        idempotency_key: The same for every repetition of this effect; sent to the other side.
        auth_profile: Name of the stored profile to authenticate with, empty for the binding's own auth.
        catalogue: What the binding may name.
        sandbox: Gives `{{sandbox.token}}` and `{{sandbox.memoryUrl}}` to a binding that hands them to code elsewhere.
    """

    call: ToolCall
    kind: str
    binding: JsonObject
    scope: str = ""
    timeout_ms: int = 30_000
    variables: JsonObject = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str = ""
    auth_profile: str = ""
    credentials: Credentials = field(default_factory=NoCredentials)
    memory: MemoryStores | None = None
    callback: CallbackAddress | None = None
    catalogue: Catalogue = field(default_factory=NoCatalogue)
    sandbox: Sandbox | None = None


class ToolRunner(Protocol):
    """Runs the tools of one or more kinds."""

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return what came of it; failures of the tool are results, not exceptions."""

    async def close(self) -> None:
        """Release what is held: connections, workers."""
