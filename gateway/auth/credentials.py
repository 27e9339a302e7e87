"""Which credential a request brings: one winner, no fall-through. Spec: platform-api 2.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from domain.errors import Unauthenticated

CredentialKind = Literal["api_key", "user", "sdk", "public_key", "sandbox"]

API_KEY_PREFIX = "abl_"
PUBLIC_KEY_PREFIX = "pk_"
BEARER = "bearer "
SANDBOX: Final = "sandbox"


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request brought, unchecked."""

    kind: CredentialKind
    secret: str


def find_credential(headers: Mapping[str, str]) -> Credential | None:
    """Return the winning credential: `Authorization`, then `X-API-Key`, then `X-SDK-Token`; None when there is none.

    Raises:
        Unauthenticated: The winner is of no known form.
    """
    authorization = headers.get("authorization")
    if authorization is not None:
        return _bearer(authorization)
    key = headers.get("x-api-key")
    if key is not None:
        return _key(key)
    token = headers.get("x-sdk-token")
    return Credential("sdk", token) if token is not None else None


def find_public_key(headers: Mapping[str, str]) -> Credential | None:
    """Return the public key of a bootstrap request, which has a header of its own."""
    key = headers.get("x-public-key")
    return Credential("public_key", key) if key is not None else None


def find_sandbox_token(headers: Mapping[str, str]) -> Credential:
    """Return the token of sandboxed code. Raises Unauthenticated, also for credentials of another kind."""
    found = find_credential(headers)
    if found is None or found.kind != "user":
        raise Unauthenticated("Invalid or expired token")
    return Credential(SANDBOX, found.secret)


def _bearer(authorization: str) -> Credential:
    if not authorization.lower().startswith(BEARER):
        raise Unauthenticated("Authorization must be a bearer token")
    secret = authorization[len(BEARER) :].strip()
    return Credential("api_key" if secret.startswith(API_KEY_PREFIX) else "user", secret)


def _key(key: str) -> Credential:
    if key.startswith(API_KEY_PREFIX):
        return Credential("api_key", key)
    if key.startswith(PUBLIC_KEY_PREFIX):
        return Credential("public_key", key)
    raise Unauthenticated("Invalid API key")
