"""Schemathesis over the app and the real store: the requests it makes of the OpenAPI document, and what it finds."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events
from schemathesis.python import asgi

from tests.support.hostile_store import Place

LOG = logging.getLogger(__name__)
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "ignored_auth",
    "use_after_free",
)
SHOWN = 400
TOLD_EVERY = 5_000
"""Requests after which a long run says how far it is."""
ENDS_THE_RUN = ("DELETE /api/projects/{project_id}", "POST /api/auth/logout")
"""Operations that take away what the other requests of the run need."""
LATER = (
    re.compile(r"/api/model-providers"),
    re.compile(r"(?:PATCH|DELETE) /api/(?:users|projects/\{project_id\}/members)/"),
)
"""Operations after which others are worth less, each kind in a run of its own after them: models elsewhere, which no
test reaches, would be asked; and the caller could lose the role it has."""


class Served:
    """An ASGI app that opens its place in the loop of the client: at the start of its lifespan."""

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[Place]]) -> None:
        self._opened = opened
        self.place: Place | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one scope."""
        if scope["type"] != "lifespan":
            assert self.place is not None
            await self.place.app(scope, receive, send)
            return
        await receive()
        async with self._opened() as self.place:
            self.place.app.openapi_schema = _whole(self.place.app)
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


_WHOLE: list[Any] = []


def _whole(app: Any) -> Any:
    """Return the OpenAPI document that the first app of this process has made: it takes seconds, and all are the same."""
    if not _WHOLE:
        _WHOLE.append(app.openapi())
    return _WHOLE[0]


@contextmanager
def served(opened: Callable[[], AbstractAsyncContextManager[Place]]) -> Iterator[Served]:
    """Yield the app while its place is open."""
    app = Served(opened)
    with asgi.get_client(app):
        try:
            yield app
        finally:
            asgi.shutdown_lifespans()


@dataclass
class Found:
    """What a run has sent and met."""

    statuses: Counter[int] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def sent(self) -> int:
        """How many requests were answered."""
        return self.phases.total()


def run(app: Served, role: str, settings: Mapping[str, Any], *, every: int = 1, beginning: int = 0) -> Found:
    """Send the requests of every phase with the credential of a role; return what was met.

    Args:
        app: What is served.
        role: One of `hostile_store.ROLES`.
        settings: What Schemathesis shall do beyond what stands here, as in its configuration file.
        every: Take every so-many-th operation only.
        beginning: The first one.
    """
    place = app.place
    assert place is not None
    checks = {"enabled": False, **{name: {"enabled": True} for name in CHECKS}}
    config = SchemathesisConfig.from_dict(
        {
            "headers": dict(place.headers[role]),
            "parameters": {"path.project_id": place.project_id},
            "checks": checks,
            "request-timeout": 10,
            "max-stream-events": 4,
            "continue-on-failure": True,
            **settings,
        }
    )
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, config=config)
    names = [one.ok().label for one in schema.get_all_operations()]
    kept = [name for name in names[beginning::every] if name not in ENDS_THE_RUN]
    found = Found()
    for kind in (None, *LATER):
        if part := [name for name in kept if _kind(name) is kind]:
            _collect(found, engine.from_schema(schema.include(name=part)).execute())
        if kind is None:
            assert _is_still_let_in(app, role), "the caller has lost its role within the run"
    return found


def _kind(name: str) -> re.Pattern[str] | None:
    return next((kind for kind in LATER if kind.search(name)), None)


def _is_still_let_in(app: Served, role: str) -> bool:
    assert app.place is not None
    asked = ("POST", "/api/v1/sdk/refresh") if role == "page" else ("GET", f"/api/projects/{app.place.project_id}")
    return asgi.get_client(app).request(*asked, headers=dict(app.place.headers[role])).status_code == 200


def _collect(found: Found, stream: Any) -> None:
    for event in stream:
        match event:
            case events.ScenarioFinished():
                _note(found, event)
            case events.NonFatalError():
                found.errors.append(f"{event.label}: {event.info.message}")
            case events.FatalError():
                raise event.exception
            case events.EngineFinished():
                found.errors += [str(failure) for failure in event.failures]


def _note(found: Found, event: events.ScenarioFinished) -> None:
    before = found.sent // TOLD_EVERY
    for interaction in event.recorder.interactions.values():
        if interaction.response is not None:
            found.statuses[interaction.response.status_code] += 1
            found.phases[event.phase.value] += 1
    if found.sent // TOLD_EVERY > before:
        LOG.info("%d requests sent, %s, %d failures", found.sent, dict(found.phases), len(found.failures))
    for node in event.recorder.cases.values():
        found.operations[node.value.operation.label] += 1
    for case_id, checks in event.recorder.checks.items():
        for check in checks:
            interaction = event.recorder.interactions.get(case_id)
            answered = interaction.response.content if interaction and interaction.response else b""
            if check.failure_info is not None:
                label = event.recorder.cases[case_id].value.operation.label
                told = check.failure_info.failure
                found.failures.setdefault(
                    f"{check.name}: {label}: {told.title}",
                    f"{told.message}\n{check.failure_info.code_sample}\n{answered[:SHOWN]!r}",
                )
