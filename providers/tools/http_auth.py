"""How an HTTP tool shows who it is: the auth kinds of the language, and tokens that are fetched and kept.

Spec: abl-language 3.2.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode

import msgspec

from domain.json_values import JsonObject
from providers.failures import CallFailed
from providers.http import HttpCall, HttpClient, Timeouts
from providers.ports import Credentials
from providers.retry import Seconds
from providers.tools.results import ToolFault, fault_of

API_KEY_HEADER: Final = "X-API-Key"
TOKEN_LIFE_S: Final = 300.0
TOKEN_MARGIN_S: Final = 30.0
TOKEN_TIMEOUTS: Final = Timeouts(total_s=10.0, connect_s=5.0, idle_s=10.0)
MAX_TOKEN_BYTES: Final = 64 << 10
MAX_TOKENS: Final = 1_024

_NOT_HEADERS: Final = frozenset({"header_name", "api_key", "token", "value", "provider", "scopes"})


@dataclass(frozen=True, slots=True)
class Shown:
    """The headers that say who calls; `token_key` names a fetched token that may have to be forgotten."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token_key: str = ""


class _TokenAnswer(msgspec.Struct):
    access_token: str
    token_type: str = "Bearer"
    expires_in: float | None = None


class Authenticator:
    """Makes the headers of all auth kinds; keeps client-credential tokens until shortly before they end."""

    def __init__(self, client: HttpClient, seconds: Seconds) -> None:
        self._client = client
        self._seconds = seconds
        self._tokens: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._fetching: dict[str, asyncio.Lock] = {}

    async def headers(self, auth: JsonObject, scope: str, credentials: Credentials) -> Shown:
        """Return the headers for `auth`, `{type, config}` with its texts filled in.

        Raises:
            ToolFault: Something it needs is missing, or no token was given.
        """
        config: Mapping[str, str] = {key: str(value) for key, value in (auth.get("config") or {}).items()}
        match auth.get("type", "none"):
            case "none" | "":
                return Shown()
            case "api_key":
                return Shown({config.get("header_name") or API_KEY_HEADER: _need(config, "api_key")})
            case "bearer":
                return Shown({"Authorization": f"Bearer {_need(config, 'token')}"})
            case "basic":
                pair = f"{_need(config, 'username')}:{config.get('password', '')}"
                return Shown({"Authorization": f"Basic {b64encode(pair.encode()).decode()}"})
            case "oauth2_client":
                shown = await self._client_token(config, scope)
                credentials.note(shown.headers["Authorization"].partition(" ")[2])
                return shown
            case "oauth2_user":
                return await _user_token(config, credentials)
            case "custom":
                return Shown(_custom(config))
            case kind:
                raise ToolFault("invalid_input", "UNKNOWN_AUTH", f"The auth kind {kind!r} is not known")

    def forget(self, token_key: str) -> None:
        """Drop a token that the other side no longer takes."""
        self._tokens.pop(token_key, None)

    async def _client_token(self, config: Mapping[str, str], scope: str) -> Shown:
        parts = (scope, _need(config, "token_url"), _need(config, "client_id"), _need(config, "client_secret"))
        key = sha256("\0".join((*parts, config.get("scopes", ""))).encode()).hexdigest()
        lock = self._fetching.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                token, ends_s = self._tokens.get(key, ("", 0.0))
                if not token or ends_s <= self._seconds():
                    token = await self._fetched(key, config)
        finally:
            if not lock.locked():
                self._fetching.pop(key, None)
        return Shown({"Authorization": f"Bearer {token}"}, key)

    async def _fetched(self, key: str, config: Mapping[str, str]) -> str:
        form = {
            "grant_type": "client_credentials",
            "client_id": config["client_id"],
            "client_secret": config["client_secret"],
        }
        if config.get("scopes"):
            form["scope"] = config["scopes"].replace(",", " ")
        call = HttpCall(
            "POST",
            config["token_url"],
            headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
            body=urlencode(form).encode(),
            timeouts=TOKEN_TIMEOUTS,
            max_response_bytes=MAX_TOKEN_BYTES,
        )
        try:
            answer = await self._client.send(call)
        except CallFailed as failure:
            raise fault_of(failure) from failure
        try:
            granted = msgspec.json.decode(answer.body, type=_TokenAnswer) if answer.status == 200 else None
        except msgspec.DecodeError:
            granted = None
        if granted is None:
            raise ToolFault(
                "api_error", "TOKEN_REFUSED", f"The token endpoint answered {answer.status} without a token"
            )
        life_s = TOKEN_LIFE_S if granted.expires_in is None else granted.expires_in
        self._tokens[key] = (granted.access_token, self._seconds() + life_s - TOKEN_MARGIN_S)
        self._tokens.move_to_end(key)
        if len(self._tokens) > MAX_TOKENS:
            self._tokens.popitem(last=False)
        return granted.access_token


async def _user_token(config: Mapping[str, str], credentials: Credentials) -> Shown:
    provider = _need(config, "provider")
    token = await credentials.user_token(provider)
    if not token:
        raise ToolFault("tool_error", "AUTHORIZATION_REQUIRED", f"The user has not authorised {provider!r}")
    return Shown({"Authorization": f"Bearer {token}"})


def _custom(config: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a custom auth: every key that is no setting is one; `header_name` names one more."""
    headers = {name: value for name, value in config.items() if name not in _NOT_HEADERS}
    name = config.get("header_name")
    if name:
        headers[name] = config.get("value") or config.get("token") or _need(config, "api_key")
    if not headers:
        raise ToolFault("invalid_input", "AUTH_INCOMPLETE", "A custom auth needs a header_name and a token")
    return headers


def _need(config: Mapping[str, str], key: str) -> str:
    value = config.get(key, "")
    if not value:
        raise ToolFault("invalid_input", "AUTH_INCOMPLETE", f"The tool's auth needs a value for {key!r}")
    return value
