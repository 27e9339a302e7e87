"""Tokens that were not made by the gateway, or not for what they are shown for. RFC 8725."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from time import time
from typing import Any

import jwt

from domain.json_values import JsonObject

HEADERS: tuple[JsonObject, ...] = (
    {"alg": "HS256", "kid": "../../dev/null"},
    {"alg": "HS256", "kid": "' UNION SELECT 'key"},
    {"alg": "HS256", "jku": "https://example.com/keys"},
    {"alg": "HS256", "x5u": "https://example.com/keys"},
    {"alg": "HS256", "jwk": {"kty": "oct", "k": "AAAA"}},
    {"alg": "HS256", "crit": ["b64"], "b64": False},
    {"alg": "HS256", "zip": "DEF"},
    {"alg": "HS256", "typ": ["JWT"]},
    {"alg": "HS384"}, {"alg": "HS512"}, {"alg": "RS256"}, {"alg": "ES256"}, {"alg": "EdDSA"}, {"alg": "PS512"},
    {"alg": "dir", "enc": "A256GCM"}, {"alg": ""}, {"alg": None}, {"alg": 0}, {"alg": ["HS256"]}, {"alg": "hs256"}, {},
)  # fmt: skip
NONES = ("none", "None", "NONE", "nOnE", "none ", "")
GUESSED = (b"", b"secret", b"changeme", b"\0" * 32, b"abl-runtime", b"token:access")


def forged(token: str, secret: bytes) -> dict[str, str]:
    """Return name -> token: what attackers make of a good one, which none of them is any more.

    Args:
        token: A good access token.
        secret: What the keys of all kinds are derived from; with it, tokens of other kinds are made.
    """
    claims = jwt.decode(token, options={"verify_signature": False})
    head, body, signature = token.split(".")
    key = hmac.digest(secret, b"token:access", sha256)
    made = {
        "no signature": f"{head}.{body}.",
        "two parts": f"{head}.{body}",
        "four parts": f"{token}.{signature}",
        "five parts": f"{head}..{body}.{signature}.{signature}",
        "a part alone": head,
        "dots": "....",
        "a dot": ".",
        "nothing": "",
        "another payload": f"{head}.{_packed({**claims, 'role': 'owner', 'sub': 'usr_other'})}.{signature}",
        "another header": f"{_packed({'alg': 'HS256'})}.{body}.{signature}",
        "parts in another order": f"{body}.{head}.{signature}",
        "a signature that goes on": f"{token}AA",
        "a signature cut short": token[:-2],
        "padding": f"{token}==",
        "a space in it": f"{head}. {body}.{signature}",
        "signs of no base64": f"{head}.{body}.\xff\xfe",
        "no JSON inside": f"{head}.{base64.urlsafe_b64encode(b'[]').decode()}.{signature}",
        "a deep header": f"{_packed_text('[' * 20_000)}.{body}.{signature}",
        "a deep payload": ".".join((head, _packed_text('{"a":' * 20_000), signature)),
        "a long token": f"{head}.{'A' * 60_000}.{signature}",
        "a list as payload": _signed(key, []),
        "a text as payload": _signed(key, "sub"),
        "the key of all": jwt.encode(claims, secret, algorithm="HS256"),
        **{
            f"signed with {algorithm}": jwt.encode(claims, key * 2, algorithm=algorithm)
            for algorithm in ("HS384", "HS512")
        },
    }
    made |= {f"algorithm {word!r}": f"{_packed({'alg': word, 'typ': 'JWT'})}.{body}." for word in NONES}
    made |= {f"algorithm {word!r}, signed": f"{_packed({'alg': word})}.{body}.{signature}" for word in NONES}
    made |= {f"guessed key {one!r}": _signed(one, claims) for one in GUESSED}
    made |= {f"header {n}": f"{_packed(one)}.{body}.{_mark(b'', one, body)}" for n, one in enumerate(HEADERS)}
    made |= {
        f"of kind {kind}": _other_kind(secret, kind, claims) for kind in ("refresh", "sdk", "ticket", "resume", "")
    }
    made |= {
        f"kind {kind} under this key": _signed(key, {**claims, "typ": kind}) for kind in ("refresh", "sdk", None, [])
    }
    made |= {
        f"without {one}": _signed(key, {k: v for k, v in claims.items() if k != one})
        for one in claims
        if one not in ("email", "role")
    }
    made |= {f"{name} = {str(value)[:30]!r}": _signed(key, {**claims, name: value}) for name, value in _wrong_claims()}
    return made


def _wrong_claims() -> list[tuple[str, Any]]:
    now = int(time())
    nothing: list[Any] = [None, 0, [], {}, "", "\0", "usr_unknown", "a" * 20_000, True]
    return [
        *((name, value) for name in ("sub", "tid", "fam") for value in nothing),
        *(("exp", value) for value in (0, -1, now - 1, "never", None, [], {}, "9" * 50, float("nan"), -(10**400))),
        *(("iss", value) for value in ("another", "", None, [], ["abl-runtime"], {})),
        *(("jti", value) for value in (None,)),
        *(("iat", value) for value in (None,)),
    ]


def _other_kind(secret: bytes, kind: str, claims: JsonObject) -> str:
    return _signed(hmac.digest(secret, f"token:{kind}".encode(), sha256), {**claims, "typ": kind})


def _signed(key: bytes, claims: Any) -> str:
    head = {"alg": "HS256", "typ": "JWT"}
    body = _packed(claims)
    return f"{_packed(head)}.{body}.{_mark(key, head, body)}"


def _mark(key: bytes, head: Mapping[str, Any], body: str) -> str:
    return _base64(hmac.digest(key, f"{_packed(head)}.{body}".encode(), sha256))


def _packed(value: Any) -> str:
    return _packed_text(json.dumps(value, separators=(",", ":")))


def _packed_text(text: str) -> str:
    return _base64(text.encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
