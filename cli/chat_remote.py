"""A conversation with a server that runs: its HTTP API, the turn as server-sent events. Spec: platform-api 4.1, 5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPResponse
from urllib.parse import quote

from cli.chat_link import TURN_ENDS, AgentLine, JsonObject, Told
from cli.server import Server, project_path
from domain.errors import Forbidden, InvalidInput

NOT_SENT = "-"
"""Stands in a request that only reads on: it begins no turn. Spec: platform-api 4.1."""


class RemoteLink:
    """Satisfies `cli.chat_link.Link`."""

    def __init__(self, url: str, key: str, project_id: str, *, agent: str, session: str) -> None:
        self._server = Server(url, key)
        self._project_id = project_id
        self._agent = agent
        self._session_id = session
        self._last_id = ""
        self._may_read = True

    @property
    def title(self) -> str:
        """The server and the project."""
        return f"{self._project_id} at {self._server.url}"

    @property
    def session_id(self) -> str:
        """The session."""
        return self._session_id

    def say(self, text: str, action: JsonObject | None = None) -> Iterator[Told]:
        """Run one turn: a text, or a pressed button or a sent form."""
        body: JsonObject = {"projectId": self._project_id}
        if text or action is None:
            body["message"] = text
        if action is not None:
            body["action"] = action
        if self._session_id:
            body["sessionId"] = self._session_id
        elif self._agent:
            body["agentId"] = self._agent
        return self._told(body, {})

    def missed(self) -> Iterator[Told]:
        """Return what came since the last turn."""
        if not self._last_id:
            return iter(())
        body = {"projectId": self._project_id, "message": NOT_SENT, "sessionId": self._session_id}
        return self._told(body, {"Last-Event-ID": self._last_id}, is_one_turn=False)

    def wait(self, within_s: float) -> Iterator[Told]:
        """Raise InvalidInput: a server is not waited for in this way."""
        raise InvalidInput(f"the server is not listened to between two messages, not for {within_s:g} s either")

    def cancel(self) -> bool:
        """Return False: the API has no route that gives a turn up."""
        return False

    def reset(self) -> None:
        """Put the session back to its start."""
        if self._session_id:
            self._json("POST", "/reset", {})

    def view(self) -> JsonObject:
        """Return what is known of the session."""
        if not self._session_id:
            return {}
        session: JsonObject = self._json("GET", "", include="messages")["session"]
        return session

    def waits(self) -> JsonObject | None:
        """Return what the session waits for."""
        try:
            found: JsonObject | None = self._json("GET", "")["session"].get("suspension") if self._may_read else None
        except Forbidden:
            self._may_read = False  # a key that may only talk: what is waited for stays the agent's to say
            found = None
        return found

    def agents(self) -> list[AgentLine]:
        """Raise InvalidInput: the API lists no agents."""
        raise InvalidInput("a server does not list its agents; see the project's folder")

    def close(self) -> None:
        """Do nothing: the session stays on the server."""

    def _told(self, body: JsonObject, headers: dict[str, str], *, is_one_turn: bool = True) -> Iterator[Told]:
        accepts = {"Accept": "text/event-stream", **headers}
        with self._server.open("/api/v1/chat/agent", body, accepts) as answer:
            for told, event_id in _events(answer):
                self._last_id = event_id or self._last_id
                if told.kind == "session_start":
                    self._session_id = str(told.data["sessionId"])
                yield told
                if is_one_turn and told.kind in TURN_ENDS:
                    return

    def _json(self, method: str, path: str, body: JsonObject | None = None, **query: str) -> JsonObject:
        """Return what a route of the session answers."""
        session = f"{project_path(self._project_id)}/sessions/{quote(self._session_id, safe='')}"
        return self._server.call(method, session + path, body, **query)


def _events(lines: HTTPResponse) -> Iterator[tuple[Told, str]]:
    """Return the events of a stream with their ids; a stream that is cut says so by its end."""
    kind = data = event_id = ""
    for raw in lines:
        name, _, value = raw.decode().rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "data":
            data = value
        elif name == "id":
            event_id = value
        elif not name and kind:
            yield Told(kind, json.loads(data)), event_id
            kind = data = event_id = ""
