"""Body and reply of `POST /api/v1/memory`. Spec: platform-api 7.3."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from gateway.bodies.texts import TolerantBody
from gateway.envelope import Wire

Text = Annotated[Any, WithJsonSchema({"type": "string"})]
Object = Annotated[Any, WithJsonSchema({"type": "object", "additionalProperties": True})]


class MemoryBody(TolerantBody):
    """What sandboxed code asks of a memory store; the route refuses with the sentences of the specification."""

    action: Text = None
    memory_store_name: Text = None
    payload: Object = None


class MemoryReply(Wire):
    """What came of it; without `data` for `set`."""

    success: Literal[True] = True
    data: dict[str, Any] | None = Field(default=None, description="free JSON, as it was kept")
