"""A binding and its arguments -> one HTTP request: address, query, headers and body. Spec: abl-language 3.2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import urlencode

import msgspec

from abl.expressions.values import is_list, is_map, text_of
from domain.json_values import JsonObject, JsonValue
from providers.http import HttpCall, Timeouts
from providers.ports import SecretExpired, ToolInvocation
from providers.tools.http_auth import Authenticator, Shown
from providers.tools.results import MILLISECONDS_PER_SECOND, ToolFault
from providers.tools.soap import element, envelope, operation_of, soap_headers
from providers.tools.texts import (
    AddressPlace,
    FormPlace,
    JsonPlace,
    PlainPlace,
    XmlPlace,
    paths_in,
    render,
    render_tree,
)

CHANGING_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
METHODS: Final = CHANGING_METHODS | {"GET", "HEAD"}
MAX_CONNECT_S: Final = 5.0
REDIRECTS: Final = 5

_TYPES: Final = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "xml": "application/xml",
    "text": "text/plain; charset=utf-8",
}
_CLIMBS: Final = frozenset({".", ".."})
_ENDS_OF_PARTS: Final = re.compile(r"[/?#]")
_MAX_KEPT_TIMEOUTS: Final = 64
_ENCODER = msgspec.json.Encoder()
_NOBODY: Final = Shown()


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """The call and who it shows itself as."""

    call: HttpCall
    shown: Shown


@dataclass(frozen=True, slots=True)
class _Body:
    """A body and the headers that belong to it."""

    data: bytes | None
    headers: Mapping[str, str]


async def variables_of(invocation: ToolInvocation, *trees: JsonValue) -> JsonObject:
    """Return what the texts of `trees` may mention: session values, arguments, and the secrets they name.

    Raises:
        ToolFault: A secret is missing or may no longer be used.
    """
    variables: JsonObject = {**invocation.variables, **invocation.call.arguments}
    variables["env"] = dict(invocation.environment)
    secrets: JsonObject = {}
    wanted = {path.split(".")[1] for tree in trees for path in paths_in(tree) if path.startswith("secrets.")}
    for name in sorted(wanted):
        secrets[name] = await _secret(invocation, name)
    variables["secrets"] = secrets
    if invocation.sandbox is not None and any(path.startswith("sandbox.") for tree in trees for path in paths_in(tree)):
        variables["sandbox"] = invocation.sandbox.variables()
    if invocation.callback is not None:
        callback = invocation.callback
        variables["callback"] = {
            "id": callback.id,
            "url": callback.url,
            "secret": callback.secret,
            "expiresAt": callback.expires_at,
        }
    return variables


async def prepare(invocation: ToolInvocation, authenticator: Authenticator) -> PreparedRequest:
    """Return the request of an http tool.

    Raises:
        ToolFault: The binding cannot be filled in with these arguments.
    """
    binding = invocation.binding
    variables = await variables_of(invocation, binding)
    shown = await _shown(invocation, variables, authenticator)
    is_soap = binding.get("protocol") == "soap"
    method = "POST" if is_soap else str(binding.get("method", "GET")).upper()
    if method not in METHODS:
        raise ToolFault("invalid_input", "INVALID_REQUEST", f"The method {method!r} is not known")
    left = unused_arguments(invocation)
    takes_body = method in BODY_METHODS
    body = _soap_body(binding, variables, left) if is_soap else _body(binding, variables, left if takes_body else {})
    query = _query(binding, variables, {} if takes_body or "body_template" in binding else left)
    headers = {**body.headers, **_headers(binding, variables), **shown.headers}
    if invocation.idempotency_key and method in CHANGING_METHODS and not _has(headers, "idempotency-key"):
        headers["Idempotency-Key"] = invocation.idempotency_key
    address = with_query(address_of(binding, variables), query)
    call = HttpCall(
        method,
        address,
        headers=headers,
        body=body.data,
        timeouts=timeouts_of(binding.get("timeout_ms") or invocation.timeout_ms),
        redirects=REDIRECTS,
        secret_headers=frozenset(name.lower() for name in shown.headers),
    )
    return PreparedRequest(call, shown)


def address_of(binding: JsonObject, variables: JsonObject) -> str:
    """Return the endpoint filled in.

    Raises:
        ToolFault: A value is missing, or makes the path climb.
    """
    address = render(str(binding.get("endpoint", "")), variables, AddressPlace(variables))
    if "." in address and not _CLIMBS.isdisjoint(_ENDS_OF_PARTS.split(address)):
        raise ToolFault("invalid_input", "INVALID_PARAMETER", "The path of a tool's address may not hold '.' or '..'")
    return address


@lru_cache(maxsize=_MAX_KEPT_TIMEOUTS)
def timeouts_of(timeout_ms: float) -> Timeouts:
    """Return the timeouts of one attempt."""
    total_s = timeout_ms / MILLISECONDS_PER_SECOND
    return Timeouts(total_s=total_s, connect_s=min(total_s, MAX_CONNECT_S), idle_s=total_s)


def unused_arguments(invocation: ToolInvocation) -> JsonObject:
    """Return the arguments that no text of the binding mentions: they become body or query."""
    if not invocation.call.arguments:
        return {}
    roots = {path.partition(".")[0] for path in paths_in(invocation.binding)}
    return {name: value for name, value in invocation.call.arguments.items() if name not in roots}


def with_query(address: str, query: list[tuple[str, str]]) -> str:
    """Return the address with the query added to the one it may have."""
    if not query:
        return address
    head, mark, fragment = address.partition("#")
    return f"{head}{'&' if '?' in head else '?'}{urlencode(query)}{mark}{fragment}"


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers; a value with a line break in it is refused.

    Raises:
        ToolFault: One would begin a header of its own.
    """
    for name, value in headers.items():
        if any(sign in name + value for sign in "\r\n\0"):
            raise ToolFault("invalid_input", "INVALID_PARAMETER", f"The header {name!r} has a line break in its value")
    return dict(headers)


def json_body(value: JsonValue) -> bytes:
    """Return `value` as JSON."""
    return _ENCODER.encode(value)


async def _secret(invocation: ToolInvocation, name: str) -> str:
    try:
        value = await invocation.credentials.secret(invocation.call.name, name)
    except SecretExpired as error:
        raise ToolFault("tool_error", "SECRET_EXPIRED", f"The secret {name!r} has expired") from error
    if value is None:
        raise ToolFault("tool_error", "SECRET_NOT_FOUND", f"The secret {name!r} is not set for this tool")
    return value


async def _shown(invocation: ToolInvocation, variables: JsonObject, authenticator: Authenticator) -> Shown:
    auth = invocation.binding.get("auth") or {}
    if invocation.auth_profile:
        profile = await invocation.credentials.profile(invocation.auth_profile)
        if profile is None:
            name = invocation.auth_profile
            raise ToolFault("tool_error", "AUTH_PROFILE_NOT_FOUND", f"The auth profile {name!r} does not exist")
        auth = profile
    else:
        if not auth:
            return _NOBODY
        config = auth.get("config") or {}
        auth = {**auth, "config": {key: render(text_of(text), variables, PlainPlace()) for key, text in config.items()}}
    shown = await authenticator.headers(auth, invocation.scope, invocation.credentials)
    return Shown(checked_headers(shown.headers), shown.token_key) if shown.headers else shown


def _headers(binding: JsonObject, variables: JsonObject) -> dict[str, str]:
    texts: Mapping[str, JsonValue] = binding.get("headers") or {}
    if not texts:
        return {}
    return checked_headers({name: render(text_of(text), variables, PlainPlace()) for name, text in texts.items()})


def _query(binding: JsonObject, variables: JsonObject, left: JsonObject) -> list[tuple[str, str]]:
    """Return names and texts; what has no value is left out, a list comes once per item."""
    template = binding.get("query_params")
    if not (template or left):
        return []
    written: JsonObject = render_tree(template or {}, variables)
    return [pair for name, value in {**left, **written}.items() for pair in _pairs(name, value)]


def _pairs(name: str, value: JsonValue) -> list[tuple[str, str]]:
    if value is None:
        return []
    return [(name, text_of(item)) for item in value] if is_list(value) else [(name, text_of(value))]


def _body(binding: JsonObject, variables: JsonObject, left: JsonObject) -> _Body:
    kind = str(binding.get("body_type") or "json")
    template = binding.get("body_template")
    if template in (None, ""):
        return _body_of_arguments(kind, left)
    headers = {"Content-Type": _TYPES.get(kind, _TYPES["text"])}
    if kind == "form":
        if is_map(template):
            filled = render_tree(template, variables)
            return _Body(_form(filled), headers)
        return _Body(render(text_of(template), variables, FormPlace()).strip().encode(), headers)
    if kind == "xml":
        return _Body(render(text_of(template), variables, XmlPlace()).encode(), headers)
    if kind == "json":
        return _Body(_json_template(template, variables), headers)
    return _Body(render(text_of(template), variables, PlainPlace()).encode(), headers)


def _body_of_arguments(kind: str, left: JsonObject) -> _Body:
    if not left:
        return _Body(None, {})
    headers = {"Content-Type": _TYPES.get(kind, _TYPES["text"])}
    if kind == "form":
        return _Body(_form(left), headers)
    if kind == "xml":
        return _Body(element("request", left).encode(), headers)
    return _Body(json_body(left), headers)


def _json_template(template: JsonValue, variables: JsonObject) -> bytes:
    if not isinstance(template, str):
        return json_body(render_tree(template, variables))
    text = render(template, variables, JsonPlace())
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ToolFault("invalid_input", "INVALID_BODY", "The tool's body is not JSON once it is filled in") from error
    return text.encode()


def _soap_body(binding: JsonObject, variables: JsonObject, left: JsonObject) -> _Body:
    action, version = str(binding.get("soap_action", "")), str(binding.get("soap_version") or "1.1")
    template = binding.get("body_template")
    if template in (None, ""):
        content = element(operation_of(action) or "request", left)
    else:
        content = render(text_of(template), variables, XmlPlace())
    return _Body(envelope(content, version).encode(), soap_headers(action, version))


def _form(values: Mapping[str, JsonValue]) -> bytes:
    return urlencode([pair for name, value in values.items() for pair in _pairs(name, value)]).encode()


def _has(headers: Mapping[str, str], name: str) -> bool:
    return any(one.lower() == name for one in headers)
