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
LOCAL_HOSTS: Final = ("localhost", "127.0.0.1")
LOCAL_PAGES: Final = (3000, 4200, 5173, 8080)
"""Where the servers of pages listen that people write on their own machine: the ports that their tools choose."""
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


def local_origins(port: int) -> tuple[str, ...]:
    """Return the origins of pages on this machine: those that a gateway at `port` serves, and those being written.

    >>> local_origins(8400)[:3]
    ('http://localhost:8400', 'http://127.0.0.1:8400', 'http://localhost:3000')
    """
    ports = dict.fromkeys((port, *LOCAL_PAGES))
    return tuple(f"http://{host}:{one}" for one in ports for host in LOCAL_HOSTS)


def new_public_key(ids: IdSource, project_id: str, *, name: str, origins: Sequence[str] = ()) -> NewKey:
    """Return a new key that a page may carry, good for one project and for pages of `origins`."""
    return NewKey(
        key_id=ids.new(PREFIXES["key"]),
        plaintext=PUBLIC_KEY_FORM.format(secrets.token_hex(SECRET_BYTES)),
        project_id=project_id,
        kind=KeyKind.PUBLIC,
        name=name,
        details={"allowedOrigins": list(origins)},
    )
