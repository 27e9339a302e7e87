"""What has happened in a project, in figures: metrics, events, agents, costs, sessions. Spec: platform-api 8.2.

Answers may have 10,000 rows that are as on the wire already, so they are not checked against their schema again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final, Literal, TypeVar

import orjson
from fastapi import Query, Response

from actors.analytics import CURRENCY
from domain import limits
from domain.analytics import Dimension, EventCategory, EventQuery, Metric
from domain.clock import iso_ms
from domain.errors import InvalidInput
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.bodies.analytics import (
    TYPES_MAX,
    AgentReply,
    AggregateBody,
    BucketsReply,
    CostFigures,
    CostReply,
    EventsReply,
    Filters,
    ModelCostItem,
    ProviderCostItem,
    QueryBody,
    SessionFiguresReply,
    TimeRange,
    of_success,
)
from gateway.bodies.moments import Window, utc_moment
from gateway.bodies.texts import ID_MAX_CHARS, QueryMoment, QueryText
from gateway.envelope import Offset, json_response
from gateway.guarded import guarded_router
from gateway.services import Services, Serving

READER: Final = caller("api_key", "user", permission=Permission.SESSION_READ)
Since = Annotated[QueryMoment, Query(alias="from", description="ISO 8601; a day before `to` unless given")]
Until = Annotated[QueryMoment, Query(alias="to", description="ISO 8601, not in the time itself; now unless given")]
EventLimit = Annotated[int, Query(ge=1, le=limits.ANALYTICS_LIMIT_MAX)]
Words = Annotated[str, Query(max_length=TYPES_MAX * (ID_MAX_CHARS + 1))]
Word = TypeVar("Word", bound=StrEnum)

router = guarded_router("/api/projects/{project_id}/analytics", "analytics")


@router.get("/metrics", response_model=BucketsReply, dependencies=[READER])
async def get_metrics(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    since: Since = "",
    until: Until = "",
    group_by: Annotated[Words, Query(alias="groupBy")] = Dimension.CATEGORY.value,
    metrics: Words = f"{Metric.COUNT.value},{Metric.ERROR_RATE.value}",
    category: EventCategory | None = None,
) -> Response:
    """Return metrics of events by dimensions: earlier times first, then the larger ones, 10,000 buckets at most."""
    window = _window(services, since, until)
    return await _buckets(
        services,
        admitted.caller.tenant_id,
        project_id,
        EventQuery(since=window.since, until=window.until, category=category or ""),
        _words(group_by, Dimension, "/groupBy") or [Dimension.CATEGORY],
        _words(metrics, Metric, "/metrics") or [Metric.COUNT, Metric.ERROR_RATE],
    )


@router.get("/events", response_model=EventsReply, dependencies=[READER])
async def list_events(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    since: Since = "",
    until: Until = "",
    category: EventCategory | None = None,
    event_types: Annotated[Words, Query(alias="eventTypes", description="one type, or several with commas")] = "",
    session_id: Annotated[QueryText, Query(alias="sessionId")] = "",
    agent_name: Annotated[QueryText, Query(alias="agentName")] = "",
    has_error: Annotated[Literal["true", "false"] | None, Query(alias="hasError")] = None,
    limit: EventLimit = limits.ANALYTICS_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> Response:
    """Return events, the newest first."""
    window = _window(services, since, until)
    wanted = EventQuery(
        since=window.since,
        until=window.until,
        category=category or "",
        event_types=tuple(_named(event_types)),
        session_id=session_id,
        agent_name=agent_name,
        failed=None if has_error is None else has_error == "true",
    )
    return await _events(services, admitted.caller.tenant_id, project_id, wanted, limit, offset)


@router.get("/agents/{name}", response_model=AgentReply, dependencies=[READER])
async def get_agent(
    project_id: str, name: QueryText, admitted: Admitted, services: Serving, since: Since = "", until: Until = ""
) -> Response:
    """Return what an agent has done."""
    window = _window(services, since, until)
    wanted = EventQuery(since=window.since, until=window.until, agent_name=name)
    return json_response(
        of_success(await services.desks.analytics.agent(admitted.caller.tenant_id, project_id, wanted))
    )


@router.get("/cost-breakdown", response_model=CostReply, dependencies=[READER])
async def get_costs(
    project_id: str, admitted: Admitted, services: Serving, since: Since = "", until: Until = ""
) -> CostReply:
    """Return what models cost, the dearest first."""
    window = _window(services, since, until)
    wanted = EventQuery(since=window.since, until=window.until)
    found = await services.desks.analytics.costs(admitted.caller.tenant_id, project_id, wanted)
    figures = {
        "currency": CURRENCY,
        "from": iso_ms(window.since),
        "to": iso_ms(window.until),
        "total_cost": found.total_cost,
        "total_tokens": found.total_tokens,
        "by_model": [ModelCostItem.model_validate(one) for one in found.by_model],
        "by_provider": [ProviderCostItem.model_validate(one) for one in found.by_provider],
    }
    return CostReply(data=CostFigures.model_validate(figures))


@router.get("/session-metrics", response_model=SessionFiguresReply, dependencies=[READER])
async def get_session_metrics(
    project_id: str, admitted: Admitted, services: Serving, since: Since = "", until: Until = ""
) -> Response:
    """Return the figures of the sessions that began in a time, and of the turns in it."""
    window = _window(services, since, until)
    wanted = EventQuery(since=window.since, until=window.until)
    found = await services.desks.analytics.sessions(admitted.caller.tenant_id, project_id, wanted)
    return json_response(of_success(found))


@router.post("/query", response_model=EventsReply, dependencies=[READER])
async def query_events(project_id: str, body: QueryBody, admitted: Admitted, services: Serving) -> Response:
    """Return events, the newest first."""
    wanted = _filtered(_span(body.time_range), body)
    return await _events(services, admitted.caller.tenant_id, project_id, wanted, body.limit, body.offset)


@router.post("/aggregate", response_model=BucketsReply, dependencies=[READER])
async def aggregate_events(project_id: str, body: AggregateBody, admitted: Admitted, services: Serving) -> Response:
    """Return metrics of events by dimensions; without any, of all of them."""
    wanted = _filtered(_span(body.time_range), body.filters)
    tenant_id = admitted.caller.tenant_id
    return await _buckets(services, tenant_id, project_id, wanted, _once(body.group_by), _once(body.metrics))


async def _buckets(
    services: Services,
    tenant_id: str,
    project_id: str,
    wanted: EventQuery,
    dimensions: list[Dimension],
    metrics: list[Metric],
) -> Response:
    found = await services.desks.analytics.buckets(tenant_id, project_id, wanted, dimensions, metrics)
    return json_response(of_success({"buckets": found}))


async def _events(
    services: Services, tenant_id: str, project_id: str, wanted: EventQuery, limit: int, offset: int
) -> Response:
    page = await services.desks.analytics.events(tenant_id, project_id, wanted, limit=limit, offset=offset)
    for row in page.rows:
        row["metadata"] = orjson.Fragment(row["metadata"])
    more = offset + len(page.rows) < page.total
    return json_response(of_success({"events": page.rows, "total": page.total, "hasMore": more}))


def _filtered(window: Window, filters: Filters) -> EventQuery:
    return EventQuery(
        since=window.since,
        until=window.until,
        category=filters.category or "",
        event_types=tuple(filters.event_types),
        session_id=filters.session_id or "",
        agent_name=filters.agent_name or "",
        failed=filters.has_error,
    )


def _window(services: Services, since: str, until: str) -> Window:
    """Return the time of a query, the last day unless it says otherwise."""
    try:
        end = utc_moment(until) if until else services.clock.now()
        start = utc_moment(since) if since else end - timedelta(seconds=limits.ANALYTICS_WINDOW_S)
    except (ValueError, OverflowError) as error:
        raise _refused("/to", "must be a moment of the years 1 to 9999") from error
    return _checked(Window(start, end), "/from")


def _span(written: TimeRange) -> Window:
    return _checked(Window(utc_moment(written.from_), utc_moment(written.to)), "/timeRange/from")


def _checked(window: Window, place: str) -> Window:
    if window.since >= window.until:
        raise _refused(place, "must be before `to`")
    return window


def _words(text: str, closed: type[Word], place: str) -> list[Word]:
    """Return the words of a closed list, each once. Raises InvalidInput."""
    found = _named(text)
    for word in found:
        if word not in tuple(closed):
            raise _refused(place, f"{word} is none of {', '.join(closed)}")
    return [closed(word) for word in found]


def _named(text: str) -> list[str]:
    return _once(word for part in text.split(",") if (word := part.strip()))


Item = TypeVar("Item")


def _once(words: Iterable[Item]) -> list[Item]:
    return list(dict.fromkeys(words))


def _refused(place: str, message: str) -> InvalidInput:
    return InvalidInput(
        f"{place.removeprefix('/')} {message}", details={"fields": [{"path": place, "message": message}]}
    )
