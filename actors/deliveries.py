"""What comes in at the address of a callback, and what becomes of it. Spec: platform-api 7.1."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from domain.callback_signatures import StandardSignature
from domain.json_values import JsonObject

CallbackResult = Literal["accepted", "already_processed", "invalid_signature", "not_found", "expired", "unavailable"]


class CallbackDelivery(Struct, frozen=True, kw_only=True):
    """What came in at a callback address; `raw` is the body as it arrived, for the signature.

    Attributes:
        standard: How it is signed by Standard Webhooks, where it is.
    """

    callback_id: str
    raw: bytes
    body: JsonObject
    signature: str = ""
    standard: StandardSignature | None = None
