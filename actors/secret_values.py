"""The secrets that somebody else was shown: none of them comes back in what they say. Spec: platform-api 5.7."""

from __future__ import annotations

import msgspec

from actors.patience import patiently
from domain.json_values import JsonObject, JsonValue
from domain.secret_spellings import MASK, spellings, without, without_cut
from domain.tool_calls import ToolResult
from providers.ports import Credentials, Sandbox


class NotedCredentials:
    """Credentials that remember what they have given out. Satisfies `providers.ports.Credentials`."""

    def __init__(self, inner: Credentials) -> None:
        self._inner = inner
        self._given: frozenset[str] = frozenset()
        self._spelt: frozenset[str] = frozenset()

    async def secret(self, tool: str, name: str) -> str | None:
        """Return a secret. Raises SecretExpired."""
        return self._note(await patiently(lambda: self._inner.secret(tool, name)))

    async def profile(self, name: str) -> JsonObject | None:
        """Return an auth profile; all its texts are secrets."""
        profile = await self._inner.profile(name)
        for text in (profile or {}).get("config", {}).values():
            self._note(str(text))
        return profile

    async def user_token(self, provider: str) -> str | None:
        """Return the token of the user."""
        return self._note(await self._inner.user_token(provider))

    def note(self, text: str) -> None:
        """Have a text treated as a secret that was given out."""
        self._note(text)

    def lend(self, sandbox: Sandbox | None) -> Sandbox | None:
        """Return a sandbox whose tokens are secrets that were given out."""
        return _NotedSandbox(sandbox, self) if sandbox is not None else None

    def masked(self, result: ToolResult) -> ToolResult:
        """Return a result without the secrets that were given out: an endpoint may say back what it was sent."""
        if not self._given:
            return result
        return msgspec.structs.replace(
            result, value=self.without(result.value), error_message=self.said(result.error_message)
        )

    def said(self, message: str) -> str:
        """Return a sentence of somebody else without what was given out, a secret included that it was cut within."""
        return without_cut(self._without_in(message), self._spelt, MASK)

    def without(self, value: JsonValue) -> JsonValue:
        """Return a value of somebody else without the secrets that were given out."""
        if isinstance(value, str):
            return self._without_in(value)
        if isinstance(value, dict):
            return {self._without_in(key): self.without(one) for key, one in value.items()}
        return [self.without(one) for one in value] if isinstance(value, list) else value

    def _note(self, text: str | None) -> str | None:
        if text is not None and text not in self._given and (spelt := spellings(text)):
            self._given |= {text}
            self._spelt |= spelt
        return text

    def _without_in(self, text: str) -> str:
        return without(text, self._given, self._spelt, MASK)


class _NotedSandbox:
    def __init__(self, inner: Sandbox, noted: NotedCredentials) -> None:
        self._inner = inner
        self._noted = noted

    def variables(self) -> JsonObject:
        """Return a new token and where it is taken."""
        given = self._inner.variables()
        self._noted.note(str(given["token"]))
        return given
