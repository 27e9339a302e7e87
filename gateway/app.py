"""Puts the gateway together: an ordinary FastAPI app over a `Runtime`. Assembly only; nothing is decided here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Container, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Lifespan

from actors.runtime import Runtime
from domain.errors import AppError, InvalidInput, Overloaded, Unauthenticated
from domain.json_values import JsonObject
from gateway import socket
from gateway.access import ACCESS, OF_NO_ROUTE, REQUEST_ID, Access
from gateway.cors import Cors
from gateway.envelope import json_response
from gateway.errors import (
    PROTOCOL_CODES,
    PROTOCOL_MESSAGES,
    UNEXPECTED,
    UNEXPECTED_MESSAGE,
    Answer,
    ErrorForm,
    MalformedRequest,
    SlowRequest,
    answer,
    error_body,
    from_validation,
    retry_headers,
    spelt,
)
from gateway.first_page import first_page_routes
from gateway.guarded import GuardedRoute, check_declared
from gateway.openapi import describe
from gateway.reference import ASSETS, add_reference
from gateway.routes import (
    a2a,
    agents,
    agui,
    analytics,
    api_keys,
    attachments,
    audit,
    auth,
    budgets,
    callbacks,
    chat_agent,
    chat_send,
    completions,
    contacts,
    deployments,
    erasure,
    feedback,
    health,
    human_tasks,
    mcp,
    memory,
    models,
    openai,
    projects,
    public_keys,
    responses,
    sdk,
    sdk_channels,
    session_insight,
    sessions,
    tool_secrets,
    transcripts,
    transfer,
    users,
    variables,
    versions,
    voice_analytics,
    webhooks,
)
from gateway.services import AccessServices, Services, assemble
from gateway.settings import GatewaySettings
from gateway.static import static_routes
from gateway.switchboard import Switchboard
from gateway.transport import Transport, headers_around

TITLE = "ABL Runtime"
ROUTERS: tuple[APIRouter, ...] = (
    chat_agent.router,
    chat_send.router,
    completions.router,
    openai.router,
    responses.router,
    session_insight.router,  # before the sessions: two of its words stand where they have an id
    attachments.router,
    sessions.router,
    feedback.router,
    auth.router,
    api_keys.router,
    public_keys.router,
    users.of_tenant,
    users.of_project,
    audit.router,
    models.providers,
    models.of_project,
    projects.router,
    agents.of_tenant,
    agents.of_project,
    versions.router,
    deployments.router,
    variables.router,
    sdk_channels.router,
    budgets.of_project,
    budgets.of_tenant,
    analytics.router,
    voice_analytics.router,
    transfer.router,
    webhooks.router,
    tool_secrets.router,
    contacts.router,
    human_tasks.router,
    erasure.router,
    transcripts.router,
    callbacks.router,
    memory.router,
    mcp.router,
    a2a.router,
    agui.router,
    sdk.router,
    health.router,
    socket.router,
)
OPENAPI_PATH = "/openapi.json"
METRICS_PATH = "/metrics"

logger = logging.getLogger(__name__)


def build_app(runtime: Runtime, access: AccessServices, settings: GatewaySettings) -> FastAPI:
    """Return the app that serves `runtime`.

    Raises:
        UndeclaredRoute: A route does not say whom it serves.
    """
    left_out = () if settings.show_metrics else (METRICS_PATH,)
    app = _routed(
        settings.version,
        ROUTERS,
        show_docs=settings.show_docs,
        left_out=left_out,
        static=(*static_routes(), *first_page_routes(settings.first_page)),
        lifespan=_lifespan,
    )
    describe(app, settings.public_url)
    return _assembled(app, assemble(runtime, access, settings), Cors(settings.cors_origins))


def operations_app(beside: FastAPI) -> FastAPI:
    """Return an app that serves nothing but health and metrics of another one, on a port of its own.

    Spec: platform-api 14.8.
    """
    services: Services = beside.state.services
    app = _routed(services.settings.version, (health.router,), show_docs=False)
    return _assembled(app, services, Cors(()))


def _assembled(app: FastAPI, services: Services, cors: Cors) -> FastAPI:
    """Return the app with what all its routes have in common."""
    app.state.services = services
    app.state.cors = cors
    app.add_exception_handler(AppError, _answer_app_error)
    app.add_exception_handler(RequestValidationError, _answer_validation)
    app.add_exception_handler(HTTPException, _answer_protocol)
    app.add_exception_handler(Exception, _answer_unexpected)
    app.add_middleware(
        Transport,
        clock=services.clock,
        ids=services.ids,
        cors=cors,
        metrics=services.metrics,
        leaving=services.leaving,
    )
    return app


def document(version: str) -> JsonObject:
    """Return the OpenAPI 3.1 document of the gateway; nothing is opened or started for it."""
    described: JsonObject = _routed(version, ROUTERS, show_docs=False).openapi()
    return described


def _routed(
    version: str,
    routers: Sequence[APIRouter],
    *,
    show_docs: bool,
    left_out: Container[str] = (),
    static: Sequence[Route] = (),
    lifespan: Lifespan[FastAPI] | None = None,
) -> FastAPI:
    """Return an app with the routes of some routers, that serves nothing yet. Raises UndeclaredRoute."""
    app = FastAPI(
        title=TITLE,
        version=version,
        openapi_url=OPENAPI_PATH if show_docs else None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    # Not include_router: its routes are looked up twice for each request, and are not in `app.routes`.
    named = (route for router in routers for route in router.routes)
    routes = [route for route in named if getattr(route, "path", "") not in left_out]
    app.router.routes[:0] = [Switchboard(routes), *routes]
    if show_docs:
        add_reference(app)
    app.router.routes.extend(static)
    check_declared(app.routes, (OPENAPI_PATH, *ASSETS, *(route.path for route in static)))
    describe(app)
    return app


async def drain(app: FastAPI, within_s: float) -> None:
    """Answer what was asked until now and send every socket to another gateway; waits for both, within the bound.

    Called before the server stops listening: what comes meanwhile is answered with 503 and when to ask again.
    """
    services: Services = app.state.services
    finishing = asyncio.create_task(services.leaving.finish(within_s))
    await services.feeds.drain()
    await finishing


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    services: Services = app.state.services
    await services.feeds.close()
    await services.counters.close()


def _access(request: Request) -> Access:
    """Return what the route says that a request has come to, also one that does not take its method."""
    access = request.scope.get(ACCESS) or getattr(request.scope.get("route"), "access", None)
    return access if isinstance(access, Access) else OF_NO_ROUTE


def _form(request: Request) -> ErrorForm:
    """Return how errors of a request are spelt."""
    return _access(request).errors


def _respond(request: Request, error: AppError) -> Response:
    headers = retry_headers(error)
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, SlowRequest):
        headers["Connection"] = "close"
    return json_response(error_body(error, _form(request)), answer(error).status, headers)


async def _answer_app_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, AppError):
        raise error
    return _respond(request, error)


async def _answer_validation(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    route = request.scope.get("route")
    needed = route.needed_fields if isinstance(route, GuardedRoute) else ()
    return _respond(request, from_validation(error.errors(), error.body, needed))


async def _answer_protocol(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    cause = error.__cause__
    if isinstance(cause, AppError):
        return _respond(request, cause)
    status = error.status_code
    if status == answer(InvalidInput("")).status:
        return _respond(request, MalformedRequest(str(error.detail)))
    if ACCESS not in request.scope:
        try:
            services: Services = request.app.state.services
            await services.gate.count_unrouted(request.scope, _access(request))
        except Overloaded as excess:
            return _respond(request, excess)
    told = Answer(status, PROTOCOL_CODES.get(status, UNEXPECTED.code))
    body = spelt(told, PROTOCOL_MESSAGES.get(status, str(error.detail)), _form(request))
    headers = dict(error.headers or {})
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods(request))
    return json_response(body, status, headers)


def _methods(request: Request) -> list[str]:
    """Return what may be asked of a path: its methods stand in routes of their own, and the first of them answered."""
    routes: list[BaseRoute] = request.app.router.routes
    found = [route for route in routes if route.matches(request.scope)[0] is Match.PARTIAL]
    return sorted({method for route in found for method in getattr(route, "methods", None) or ()})


async def _answer_unexpected(request: Request, error: Exception) -> Response:
    request_id = str(request.scope.get(REQUEST_ID, ""))
    logger.error("unexpected error in request %s", request_id, exc_info=error)
    services: Services = request.app.state.services
    around = headers_around(request.scope, services.clock, request.app.state.cors)  # this answer passes no middleware
    body = spelt(UNEXPECTED, UNEXPECTED_MESSAGE, _form(request), {"requestId": request_id})
    return json_response(body, UNEXPECTED.status, {name.decode(): value.decode() for name, value in around})
