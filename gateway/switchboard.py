"""Finds the route of a request by the words of its path: asking 160 routes one after the other costs more than a query.

It stands before the routes and stands for none itself. What it does not find, because there is no such path or method,
the routes are asked for as ever, so that errors are theirs.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from gateway.guarded import GuardedRoute

ANY = "{}"
"""Stands for a word of a path that is a parameter."""


class Junction:
    """Where paths part: the ways on by their next word, and the routes that end here."""

    __slots__ = ("routes", "ways")

    def __init__(self) -> None:
        self.ways: dict[str, Junction] = {}
        self.routes: list[tuple[int, GuardedRoute]] = []


class Switchboard(BaseRoute):
    """Serves the requests whose route it finds; of several the one that comes first."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._root = Junction()
        for place, route in enumerate(routes):
            if isinstance(route, GuardedRoute):
                self._add(place, route)

    def _add(self, place: int, route: GuardedRoute) -> None:
        at = self._root
        for word in route.path.split("/"):
            if ":path}" in word:
                raise ValueError(f"{route.path}: a parameter of several words is not looked for")
            at = at.ways.setdefault(ANY if "{" in word else word, Junction())
        at.routes.append((place, route))

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return what the first route returns that takes path and method."""
        if scope["type"] != "http" or scope.get("root_path"):
            return Match.NONE, {}
        for _, route in self._candidates(scope["path"]):
            found, child_scope = route.matches(scope)
            if found is Match.FULL:
                return found, child_scope
        return Match.NONE, {}

    def _candidates(self, path: str) -> list[tuple[int, GuardedRoute]]:
        """Return the routes whose paths have these words, or parameters in their places; in their order."""
        here = [self._root]
        for word in path.split("/"):
            here = [way for at in here for way in (at.ways.get(word), at.ways.get(ANY)) if way is not None]
            if not here:
                return []
        if len(here) == 1:
            return here[0].routes
        return sorted((pair for at in here for pair in at.routes), key=lambda pair: pair[0])

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request to the route that was found."""
        route: GuardedRoute = scope["route"]
        await route.handle(scope, receive, send)
