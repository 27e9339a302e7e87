"""A conversation in the terminal: lines in, turns out, and commands that begin with a slash."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from cli.chat_link import Link, Told
from cli.chat_turn import CANCELLED, Shown, TurnPrinter, waiting_line
from cli.output import CLEAN, FAULTY
from cli.terminal.choices import Choice, chosen
from cli.terminal.console import Console
from cli.terminal.traces import short, trace_lines
from domain.errors import AppError

PROMPT = "> "
WAIT_S = 60.0
"""How long `/wait` waits when it is not told otherwise."""
MAX_WAIT_S = 86_400.0
LEAVES = "(Ctrl-C once more leaves; so does /quit)"
HELP = {
    "/trace": "what was done in the last turn",
    "/trace on|off": "show that after each turn, or not",
    "/state": "where the session stands: agent, step, values, what it waits for",
    "/agents": "the agents of the project",
    "/reset": "begin the session anew",
    "/wait [SECONDS]": "wait for what comes from outside: a callback, a reminder, a late answer",
    "/save FILE": "write the conversation so far to a file",
    "/help": "this",
    "/quit": "leave; Ctrl-D does too",
}
SPEAKERS = {"user": "you"}


class Conversation:
    """One session at one terminal."""

    def __init__(self, link: Link, console: Console, *, with_traces: bool = False) -> None:
        self._link = link
        self._console = console
        self._with_traces = with_traces
        self._last = Shown()
        self._said: list[tuple[str, str]] = []
        self._has_failed = False
        self._commands: dict[str, Callable[[str], bool]] = {
            "/trace": self._trace,
            "/state": self._state,
            "/agents": self._agents,
            "/reset": self._reset,
            "/wait": self._wait,
            "/save": self._save,
            "/help": self._help,
            "/quit": lambda _rest: False,
            "/exit": lambda _rest: False,
        }

    def run(self) -> int:
        """Talk until there is no more to say; return the exit status."""
        self._console.hint(f"{self._link.title}. /help lists what else can be typed.")
        self._recall()
        is_leaving = False
        while True:
            try:
                line = self._console.ask(PROMPT)
                if line is None or not self._take(line):
                    break
                is_leaving = False
            except KeyboardInterrupt:
                if is_leaving or not self._console.is_live:
                    break
                self._console.line()
                self._console.aside(LEAVES)
                is_leaving = True
            except AppError as error:
                self._fail(error)
        return FAULTY if self._has_failed else CLEAN

    def _take(self, line: str) -> bool:
        """Carry a line out; False ends the conversation."""
        word, _, rest = line.strip().partition(" ")
        if not word:
            return True
        if word.startswith("/") and word.isascii():
            command = self._commands.get(word.lower())
            if command is None:
                self._console.fault(f"there is no {word}; /help lists what there is")
                self._has_failed = self._has_failed or not self._console.is_live
                return True
            return command(rest.strip())
        if self._last.is_waiting:
            self._show(self._link.missed())
        choice = chosen(line, self._last.choices)
        if choice is None:
            return self._say(line)
        answers = self._asked(choice)
        return answers is None or self._say(choice.message or choice.label, choice, answers)

    def _say(self, text: str, choice: Choice | None = None, answers: dict[str, str] | None = None) -> bool:
        self._said.append(("you", text if not answers else f"{text} {short(answers)}"))
        action = choice.filled(answers or {}) if choice is not None else None
        return self._show(self._link.say(text, action))

    def _show(self, pieces: Iterable[Told]) -> bool:
        """Print a turn; Ctrl-C gives it up, a second one leaves. Return whether to go on."""
        printer = TurnPrinter(self._console, self._last.agent)
        try:
            printer.read(pieces)
        except KeyboardInterrupt:
            printer.interrupted()
            if not self._console.is_live or not self._cancel(printer, pieces):
                return False
        shown = printer.shown
        if not (shown.has_ended or shown.traces or shown.reply):
            return True
        self._last = shown
        if shown.reply:
            self._said.append((shown.agent or "agent", shown.reply))
        self._has_failed = self._has_failed or bool(shown.failure)
        waits = self._link.waits()
        shown.is_waiting = waits is not None
        if waits is not None:
            self._console.aside(f"({waiting_line(waits)})")
        if self._with_traces:
            self._print_traces()
        return True

    def _cancel(self, printer: TurnPrinter, pieces: Iterable[Told]) -> bool:
        """Give the running turn up and print what it still says; False when Ctrl-C comes once more."""
        self._console.aside(CANCELLED)
        try:
            if self._link.cancel():
                printer.read(pieces)
        except KeyboardInterrupt:
            return False
        return True

    def _asked(self, choice: Choice) -> dict[str, str] | None:
        """Return the answers to what a choice asks for first; None when the lines end."""
        answers: dict[str, str] = {}
        for one in choice.inputs:
            while True:
                line = self._console.ask(one.prompt)
                if line is None:
                    return None
                if line.strip():
                    answers[one.name] = line.strip()
                elif one.required:
                    self._console.fault(f"{one.label} is needed")
                    continue
                break
        return answers

    def _recall(self) -> None:
        """Show where a session stands that is gone on with."""
        if not self._link.session_id:
            return
        lines = [one for one in self._link.view().get("messages") or () if one.get("content")]
        for one in lines:
            speaker = SPEAKERS.get(str(one["role"])) or str(one.get("agentName") or one["role"])
            self._said.append((speaker, str(one["content"])))
        self._console.hint(f"session {self._link.session_id} goes on; it has {len(lines)} messages, the last is:")
        if self._said:
            self._console.hint(f"{self._said[-1][0]}: {self._said[-1][1]}")

    def _fail(self, error: AppError) -> None:
        hint = error.details.get("hint")
        self._console.fault(f"{error.message}{f'{chr(10)}{hint}' if hint else ''}")
        self._has_failed = True

    # -- commands -------------------------------------------------------------------------------------------------

    def _trace(self, rest: str) -> bool:
        if rest in ("on", "off"):
            self._with_traces = rest == "on"
        else:
            self._print_traces()
        return True

    def _print_traces(self) -> None:
        for line in trace_lines(self._last.traces) or ["  nothing was done yet"]:
            self._console.aside(line)

    def _state(self, _rest: str) -> bool:
        view = self._link.view()
        if not view:
            self._console.aside("no session yet: it begins with the first message")
            return True
        step = f", step {view['currentStep']}" if view.get("currentStep") else ""
        self._console.line(f"session   {self._link.session_id}")
        self._console.line(f"agent     {view.get('agentName')}{step}, {view.get('executionState')}")
        stack = [str(one.get("agentName")) for one in view.get("agentStack") or ()]
        if len(stack) > 1:
            self._console.line(f"stack     {' > '.join(stack)}")
        for name, value in sorted((view.get("variables") or {}).items()):
            self._console.line(f"  {name} = {short(value)}")
        if view.get("memoryStores"):
            self._console.line(f"stores    {', '.join(view['memoryStores'])}")
        waits = view.get("suspension")
        if waits:
            self._console.line(waiting_line(waits))
        return True

    def _agents(self, _rest: str) -> bool:
        for one in self._link.agents():
            self._console.line(f"{'*' if one.is_entry else ' '} {one.name}  {short(one.goal)}".rstrip())
        return True

    def _reset(self, _rest: str) -> bool:
        self._link.reset()
        self._last = Shown()
        self._console.hint("the session begins anew")
        return True

    def _wait(self, rest: str) -> bool:
        try:
            within_s = float(rest or WAIT_S)
        except ValueError:
            within_s = 0.0
        if not 0.0 < within_s <= MAX_WAIT_S:
            self._console.fault(f"/wait takes a number of seconds up to {MAX_WAIT_S:g}, not {rest}")
            return True
        if not self._link.session_id:
            self._console.aside("no session yet: it begins with the first message")
            return True
        return self._show(self._link.wait(within_s))

    def _save(self, rest: str) -> bool:
        if not rest:
            self._console.fault("/save takes the name of a file")
            return True
        text = "".join(f"{speaker}: {said}\n" for speaker, said in self._said)
        try:
            Path(rest).expanduser().write_text(text, encoding="utf-8")
        except OSError as error:
            self._console.fault(f"cannot write {rest}: {error.strerror}")
            self._has_failed = True
        else:
            self._console.hint(f"{len(self._said)} messages are in {rest}")
        return True

    def _help(self, _rest: str) -> bool:
        width = max(map(len, HELP))
        for name, told in HELP.items():
            self._console.line(f"  {name:<{width}}  {told}")
        self._console.line("  A number chooses what was offered under it; everything else is a message.")
        return True
