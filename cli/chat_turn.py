"""One turn as it is shown: its text while it comes, then what came with it, and what it has to be answered with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cli.chat_link import JsonObject, Told
from cli.output import command
from cli.terminal.choices import Choice, choices_of, lines_of
from cli.terminal.console import Console
from cli.terminal.rich_content import rich_lines

BEGINS_AGAIN = "(the answer begins again)"
REPLACED = "(the answer was replaced)"
CANCELLED = "(cancelled)"
NO_MODEL = "MODEL_NOT_CONFIGURED"
WITHOUT_KEY = "Without any key: `{} models pull` fetches a small model that runs on this machine."


@dataclass(slots=True)
class Shown:
    """What a turn has shown.

    Attributes:
        reply: Its text.
        failure: Why there is none; "" when there is.
        is_waiting: Somebody outside has to answer before the session goes on.
        has_ended: Its last event was read.
    """

    reply: str = ""
    agent: str = ""
    failure: str = ""
    is_waiting: bool = False
    has_ended: bool = False
    choices: list[Choice] = field(default_factory=list)
    traces: list[JsonObject] = field(default_factory=list)


class TurnPrinter:
    """Prints the pieces of one turn; it can be fed in several goes."""

    def __init__(self, console: Console, agent: str) -> None:
        self.shown = Shown(agent=agent)
        self._console = console
        self._printed = ""
        self._is_in_line = False
        self._rich: JsonObject = {}
        self._actions: JsonObject = {}

    def read(self, pieces: Iterable[Told]) -> Shown:
        """Print the pieces to the last one and return what was shown."""
        for piece in pieces:
            self._take(piece)
        return self.shown

    def interrupted(self) -> None:
        """Somebody pressed Ctrl-C: go on at a new line."""
        self._is_in_line = True
        self._end_line()

    def _take(self, piece: Told) -> None:
        data = piece.data
        match piece.kind:
            case "response_chunk":
                self._write(str(data.get("chunk", "")))
            case "response_restart" | "response_start" if self._printed:
                self._break_off(BEGINS_AGAIN)
            case "trace_event":
                self.shown.traces.append(data.get("event") or {})
            case "response_end":
                self._end_text(str(data.get("fullText", "")))
                self._rich, self._actions = data.get("richContent") or {}, data.get("actions") or {}
            case "complete":
                self._complete(data)
            case "error":
                self._end_line()
                self.shown.failure = failure_of(data)
                self._console.fault(self.shown.failure)
                self.shown.has_ended = True

    def _complete(self, data: JsonObject) -> None:
        shown = self.shown
        self._end_text(str(data.get("response") or ""))
        self._end_line()
        self._rich = data.get("richContent") or self._rich
        self._actions = data.get("actions") or self._actions
        agent = str(data.get("agentName") or shown.agent)
        for line in rich_lines(self._rich):
            self._console.line(line)
        shown.choices = choices_of(self._actions, self._rich)
        for line in lines_of(shown.choices):
            self._console.line(line)
        for line in ending_lines(data.get("action") or {}):
            self._console.aside(line)
        if shown.agent and agent != shown.agent:
            self._console.hint(f"(now with {agent})")
        shown.agent = agent
        shown.has_ended = True

    def _write(self, text: str) -> None:
        if not text:
            return
        try:
            self._console.write(text)
        finally:  # Ctrl-C may come when it stands on the screen and before that is written down here
            self._printed += text
            self._is_in_line = not text.endswith("\n")

    def _end_text(self, full: str) -> None:
        """Print what is still missing of the whole text; what was shown and does not stand in it is void."""
        if full.startswith(self._printed):
            self._write(full[len(self._printed) :])
        elif full:
            self._break_off(REPLACED)
            self._write(full)
        self.shown.reply = full or self._printed

    def _break_off(self, word: str) -> None:
        """What was printed is void."""
        self._end_line()
        self._console.aside(word)
        self._printed = ""

    def _end_line(self) -> None:
        if self._is_in_line:
            self._console.line()
        self._is_in_line = False


def failure_of(data: JsonObject) -> str:
    """Return an error of a turn as one text: what it is, and what mends it where that is known."""
    details = data.get("details") or {}
    told = [data.get("error") or data.get("code"), details.get("hint")]
    told += [WITHOUT_KEY.format(command())] if details.get("reason") == NO_MODEL else []
    return "\n".join(str(text) for text in told if text)


def ending_lines(action: JsonObject) -> list[str]:
    """Return what is to be known of the way a turn has ended. Spec: platform-api 4.1.

    >>> ending_lines({"type": "block", "reason": "too large"})
    ['(blocked: too large)']
    """
    match action.get("type"):
        case "escalate":
            return [f"(handed to people: {action.get('reason', '')}, priority {action.get('priority', 'normal')})"]
        case "complete":
            return ["(complete; the next message begins anew)"]
        case "block":
            return [f"(blocked: {action.get('reason') or action.get('constraint') or ''})"]
        case _:
            return []


def waiting_line(waits: JsonObject) -> str:
    """Return what a session waits for. Spec: platform-api 5.3.

    >>> waiting_line({"reason": "May it be?", "taskId": "ht_1", "expiresAt": "2026-11-22"})
    'waits for a person: May it be? (task ht_1), until 2026-11-22'
    """
    is_task = bool(waits.get("taskId"))
    by = f"task {waits['taskId']}" if is_task else f"callback {waits.get('callbackId')}"
    whom = "a person" if is_task else "an answer from outside"
    return f"waits for {whom}: {waits.get('reason')} ({by}), until {waits.get('expiresAt')}"
