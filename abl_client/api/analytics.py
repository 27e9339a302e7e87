"""The part of the API about analytics. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.analytics import (
        AggregateBody,
        AnalyticsAgentReply,
        BucketsReply,
        CostReply,
        EventCategory,
        EventsReply,
        QueryBody,
        SessionFiguresReply,
        VoiceHoursReply,
        VoiceSummaryReply,
    )


class AnalyticsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_metrics(
        self,
        project_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        group_by: str | None = None,
        metrics: str | None = None,
        category: EventCategory | None = None,
    ) -> BucketsReply:
        """Return metrics of events by dimensions: earlier times first, then the larger ones, 10,000 ..."""
        return cast(
            "BucketsReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/analytics/metrics",
                query={"from": from_, "to": to, "groupBy": group_by, "metrics": metrics, "category": category},
                schemes=("apiKey", "bearer"),
            ),
        )

    def list_events(
        self,
        project_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        category: EventCategory | None = None,
        event_types: str | None = None,
        session_id: str | None = None,
        agent_name: str | None = None,
        has_error: Literal["true", "false"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> EventsReply:
        """Return events, the newest first."""
        return cast(
            "EventsReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/analytics/events",
                query={
                    "from": from_,
                    "to": to,
                    "category": category,
                    "eventTypes": event_types,
                    "sessionId": session_id,
                    "agentName": agent_name,
                    "hasError": has_error,
                    "limit": limit,
                    "offset": offset,
                },
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_agent(
        self, project_id: str, name: str, *, from_: str | None = None, to: str | None = None
    ) -> AnalyticsAgentReply:
        """Return what an agent has done."""
        return cast(
            "AnalyticsAgentReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/analytics/agents/{place(name)}",
                query={"from": from_, "to": to},
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_costs(self, project_id: str, *, from_: str | None = None, to: str | None = None) -> CostReply:
        """Return what models cost, the dearest first."""
        return cast(
            "CostReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/analytics/cost-breakdown",
                query={"from": from_, "to": to},
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_session_metrics(
        self, project_id: str, *, from_: str | None = None, to: str | None = None
    ) -> SessionFiguresReply:
        """Return the figures of the sessions that began in a time, and of the turns in it."""
        return cast(
            "SessionFiguresReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/analytics/session-metrics",
                query={"from": from_, "to": to},
                schemes=("apiKey", "bearer"),
            ),
        )

    def query_events(self, project_id: str, body: QueryBody) -> EventsReply:
        """Return events, the newest first."""
        return cast(
            "EventsReply",
            self._transport.json(
                "POST", f"/api/projects/{place(project_id)}/analytics/query", body=body, schemes=("apiKey", "bearer")
            ),
        )

    def aggregate_events(self, project_id: str, body: AggregateBody) -> BucketsReply:
        """Return metrics of events by dimensions; without any, of all of them."""
        return cast(
            "BucketsReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/analytics/aggregate",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def list_hours(self, project_id: str, *, hours: int | None = None) -> VoiceHoursReply:
        """Return the figures of each hour in which calls began."""
        return cast(
            "VoiceHoursReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/voice-analytics/hourly",
                query={"hours": hours},
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_summary(self, project_id: str, *, hours: int | None = None) -> VoiceSummaryReply:
        """Return the figures of all calls together."""
        return cast(
            "VoiceSummaryReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/voice-analytics/summary",
                query={"hours": hours},
                schemes=("apiKey", "bearer"),
            ),
        )
