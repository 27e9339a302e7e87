"""What JSON can hold; `Any` is allowed in this codebase only under these names."""

from __future__ import annotations

from typing import Any, TypeAlias

JsonValue: TypeAlias = Any
"""None, bool, int, float, str, or lists and maps of these."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""
