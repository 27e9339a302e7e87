"""Memory stores of a session that live in a dictionary."""

from __future__ import annotations

from typing import Any

from domain.errors import InvalidInput


class DictStores:
    """Does what the memory endpoint does."""

    def __init__(self) -> None:
        self.stores: dict[str, dict[str, Any]] = {}

    async def act(self, action: str, store: str, content: dict[str, Any] | None) -> Any:
        match action:
            case "get":
                return self.stores.get(store, {})
            case "set":
                self.stores[store] = content or {}
                return None
            case "delete":
                return {"deleted": self.stores.pop(store, None) is not None}
            case _:
                raise InvalidInput("Unknown action")
