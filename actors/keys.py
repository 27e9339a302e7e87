"""New keys: how API keys and the keys of pages look. Spec: platform-api 2.1, 14.4."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

from domain.clock import IdSource
from domain.ids import PREFIXES
from domain.keys import KeyKind
from storage.repositories.api_keys import NewKey

SECRET_BYTES: Final = 24
API_KEY_FORM: Final = "abl_{}"
PUBLIC_KEY_FORM: Final = "pk_{}"
LOOPBACK_ORIGINS: Final = ("http://localhost:*", "http://127.0.0.1:*")
"""Pages on the same machine: what a key may be tried out from before anybody has said where the real page is."""


def new_key(ids: IdSource, *, name: str, scopes: Sequence[str], project_id: str | None = None) -> NewKey:
    """Return a new API key that may do what its scopes say, of one project or of all projects of its tenant."""
    return NewKey(
        key_id=ids.new(PREFIXES["key"]),
        plaintext=API_KEY_FORM.format(secrets.token_hex(SECRET_BYTES)),
        project_id=project_id,
        name=name,
        scopes=tuple(scopes),
    )


def new_public_key(ids: IdSource, project_id: str, *, name: str, origins: Sequence[str] = LOOPBACK_ORIGINS) -> NewKey:
    """Return a new key that a page may carry, good for one project and for pages of `origins`."""
    return NewKey(
        key_id=ids.new(PREFIXES["key"]),
        plaintext=PUBLIC_KEY_FORM.format(secrets.token_hex(SECRET_BYTES)),
        project_id=project_id,
        kind=KeyKind.PUBLIC,
        name=name,
        details={"allowedOrigins": list(origins)},
    )
