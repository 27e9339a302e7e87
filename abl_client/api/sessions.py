"""The part of the API about sessions. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.sessions import (
        ChildrenReply,
        CreatedSessionReply,
        DeletedSessionReply,
        GenerationsReply,
        HistoryReply,
        NewSessionBody,
        ResetSessionReply,
        SessionAnalysisReply,
        SessionListReply,
        SessionMetricsReply,
        SessionReply,
        TracesReply,
    )


class SessionsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_generations(
        self,
        project_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        from_: str | None = None,
        to: str | None = None,
        model: str | None = None,
        agent_name: str | None = None,
        session_id: str | None = None,
    ) -> GenerationsReply:
        """Return the model calls of a project's agents, the newest first; those of the last day unless ..."""
        return cast(
            "GenerationsReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/generations",
                query={
                    "limit": limit,
                    "offset": offset,
                    "from": from_,
                    "to": to,
                    "model": model,
                    "agentName": agent_name,
                    "sessionId": session_id,
                },
                schemes=("apiKey", "bearer"),
            ),
        )

    def export_traces(
        self,
        project_id: str,
        *,
        format_: Literal["csv"],
        from_: str | None = None,
        to: str | None = None,
        session_id: str | None = None,
        status: Literal["active", "ended"] | None = None,
        channel: Literal["api", "web_debug", "voice"] | None = None,
        event_type: str | None = None,
    ) -> bytes:
        """Send the trace events of a project's sessions as CSV, while they are read."""
        return self._transport.bytes(
            "GET",
            f"/api/projects/{place(project_id)}/sessions/export",
            query={
                "format": format_,
                "from": from_,
                "to": to,
                "sessionId": session_id,
                "status": status,
                "channel": channel,
                "eventType": event_type,
            },
            schemes=("apiKey", "bearer"),
        )

    def list_messages(
        self,
        project_id: str,
        session_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        direction: Literal["asc", "desc"] | None = None,
    ) -> HistoryReply:
        """Return messages of a session page by page, from the first one or the last one on."""
        return cast(
            "HistoryReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/messages",
                query={"limit": limit, "cursor": cursor, "direction": direction},
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )

    def list_children(self, project_id: str, session_id: str, span_id: str) -> ChildrenReply:
        """Return the direct children of a span in time order; the span of a turn is `turn-` and its number."""
        return cast(
            "ChildrenReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/traces/{place(span_id)}/children",
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_metrics(self, project_id: str, session_id: str) -> SessionMetricsReply:
        """Return the figures of a session, computed from its trace events."""
        return cast(
            "SessionMetricsReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/metrics",
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_analysis(self, project_id: str, session_id: str) -> SessionAnalysisReply:
        """Return what stands out in a session, by fixed rules: the same session gives the same findings."""
        return cast(
            "SessionAnalysisReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/analysis",
                schemes=("apiKey", "bearer"),
            ),
        )

    def create_session(
        self, project_id: str, body: NewSessionBody, *, idempotency_key: str = ""
    ) -> CreatedSessionReply:
        """Open a session; its agent speaks at the first message. Runs the working copy unless a target is ..."""
        return cast(
            "CreatedSessionReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/sessions",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def list_sessions(
        self,
        project_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        status: Literal["active", "ended"] | None = None,
        channel: Literal["api", "web_debug", "voice"] | None = None,
        agent_name: str | None = None,
        environment: str | None = None,
        q: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        range_: str | None = None,
        sort_by: Literal["lastActivityAt", "createdAt", "messageCount", "durationMs"] | None = None,
        sort_dir: Literal["asc", "desc"] | None = None,
    ) -> SessionListReply:
        """Return sessions of a project, the most recently active first; `q` looks through the newest ones."""
        return cast(
            "SessionListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions",
                query={
                    "limit": limit,
                    "offset": offset,
                    "status": status,
                    "channel": channel,
                    "agentName": agent_name,
                    "environment": environment,
                    "q": q,
                    "from": from_,
                    "to": to,
                    "range": range_,
                    "sortBy": sort_by,
                    "sortDir": sort_dir,
                },
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_session(
        self, project_id: str, session_id: str, *, include: Literal["messages"] | None = None
    ) -> SessionReply:
        """Return one session with the state of its agents."""
        return cast(
            "SessionReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}",
                query={"include": include},
                schemes=("apiKey", "bearer"),
            ),
        )

    def delete_session(self, project_id: str, session_id: str) -> DeletedSessionReply:
        """End a session and remove what it left: any credential that may see it may; an SDK token sees ..."""
        return cast(
            "DeletedSessionReply",
            self._transport.json(
                "DELETE",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}",
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )

    def reset_session(self, project_id: str, session_id: str, *, idempotency_key: str = "") -> ResetSessionReply:
        """Put a session back to its start: who may delete it may; its transcript and traces stay."""
        return cast(
            "ResetSessionReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/reset",
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )

    def list_traces(
        self,
        project_id: str,
        session_id: str,
        *,
        event_type: str | None = None,
        event_types: str | None = None,
        decision_kind: Literal[
            "routing",
            "handoff",
            "delegation",
            "escalation",
            "completion",
            "flow_transition",
            "retry",
            "backtrack",
            "stop",
            "pause",
            "resume",
            "extraction",
        ]
        | None = None,
        span_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        include: Literal["metrics"] | None = None,
    ) -> TracesReply:
        """Return trace events of a session, with its figures when they are asked for."""
        return cast(
            "TracesReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sessions/{place(session_id)}/traces",
                query={
                    "eventType": event_type,
                    "eventTypes": event_types,
                    "decisionKind": decision_kind,
                    "spanId": span_id,
                    "limit": limit,
                    "offset": offset,
                    "order": order,
                    "include": include,
                },
                schemes=("apiKey", "bearer"),
            ),
        )
