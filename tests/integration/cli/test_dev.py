"""`abl dev` as it is really run: what is saved is used by the next turn, what is broken is shown and not used."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.support.terminal import ABL, PATIENCE_S, piped, without_models

pytestmark = pytest.mark.xdist_group("product")

SAVES = 5
AGENT = """\
AGENT: Desk
GOAL: "Take down a name"

FLOW:
  entry_point: ask
  ask -> more -> done

  ask:
    REASONING: false
    RESPOND: "Who are you?"
    ON_INPUT:
      - ELSE:
        THEN: more

  more:
    REASONING: false
    RESPOND: "And more?"
    ON_INPUT:
      - IF: LOWER(input) == "no"
        THEN: done
      - ELSE:
        THEN: more

  done:
    REASONING: false
    RESPOND: "Goodbye."
    THEN: COMPLETE
"""
WITH_TOOL = """\
AGENT: Desk
GOAL: "Tell the time"

TOOLS:
  ask_time() -> {hour: integer}
    description: "Asks for the time"
    confirm: never

FLOW:
  entry_point: tell
  tell:
    REASONING: false
    CALL: ask_time()
      AS: time
    RESPOND: "It is {{time.hour}}."
    ON_INPUT:
      - ELSE:
        THEN: tell
"""


class Served:
    """A running `abl dev`."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.file = self.project / "desk.agent.abl"
        self.mocks = folder / "mocks.yaml"
        self.mocks.write_text("ask_time: {hour: 7}\n")
        self.lines: list[str] = []
        self._came = threading.Condition()
        self._program: subprocess.Popen[str] | None = None
        self._data = folder / "data"

    def start(self) -> None:
        words = [ABL, "dev", str(self.project), "--port", "0", "--data-dir", str(self._data)]
        words += ["--mocks", str(self.mocks)]
        self._program = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=without_models({})
        )
        self._reader = threading.Thread(target=self._read, args=(self._program,), daemon=True)
        self._reader.start()

    def _read(self, program: subprocess.Popen[str]) -> None:
        assert program.stdout is not None
        with program.stdout as printed:
            for line in printed:
                with self._came:
                    self.lines.append(line.rstrip("\n"))
                    self._came.notify_all()

    def wait_for(self, text: str, times: int = 1) -> None:
        with self._came:
            found = self._came.wait_for(lambda: sum(text in line for line in self.lines) >= times, PATIENCE_S)
        assert found, "\n".join([f"{text!r} never came:", *self.lines])

    def said(self, word: str) -> str:
        """Return what the greeting says of something."""
        return next(line.split()[-1] for line in self.lines if line.strip().startswith(word))

    def say(self, text: str, session: str = "") -> dict[str, Any]:
        body = {"projectId": self.said("project"), "message": text, **({"sessionId": session} if session else {})}
        headers = {"X-API-Key": self.said("api key"), "Content-Type": "application/json"}
        request = Request(f"{self.said('url')}/api/v1/chat/agent", json.dumps(body).encode(), headers)
        with urlopen(request, timeout=PATIENCE_S) as answer:
            reply: dict[str, Any] = json.load(answer)
        return reply

    def save(self, text: str) -> None:
        """Save as editors do: another file in the place of the old one."""
        beside = self.file.with_suffix(".new")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.file)

    def stop(self) -> int:
        assert self._program is not None
        self._program.terminate()
        status = self._program.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return status


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield the program; each test begins with the agent as it stands above."""
    dev = Served(tmp_path_factory.mktemp("dev"))
    dev.save(AGENT.replace("FLOW:", "FLOWW:"))
    dev.start()
    dev.wait_for("not in use: there is nothing to run until it is mended")
    dev.save(AGENT)
    dev.wait_for("Try:")
    dev.wait_for("-d '{")
    yield dev
    assert dev.stop() == 0


@pytest.fixture
def dev(served: Served) -> Served:
    served.save(AGENT)
    return served


def test_the_next_turn_uses_what_was_saved_and_its_session_goes_on(dev: Served) -> None:
    session = dev.say("hello")["sessionId"]
    assert dev.say("Ada", session)["response"] == "And more?"
    for number in range(SAVES):
        dev.save(AGENT.replace("And more?", f"What else, {number}?"))
        assert dev.say("yes", session)["response"] == f"What else, {number}?"
    dev.wait_for(f"session {session} goes on with the saved version, at Desk / more", SAVES)
    assert sum(bool(re.search(r"next turn on \(\d+ ms\)", line)) for line in dev.lines) >= SAVES


def test_what_is_saved_is_in_use_before_anybody_speaks(dev: Served) -> None:
    for number in range(SAVES):
        told = sum("in use from the next turn on" in line for line in dev.lines)
        dev.save(AGENT.replace("Who are you?", f"Who is it, {number}?"))
        dev.wait_for("in use from the next turn on", told + 1)
    assert f"Who is it, {SAVES - 1}?" in dev.say("hello")["response"]


def test_a_broken_file_is_shown_as_check_shows_it_and_the_last_good_version_answers(dev: Served) -> None:
    session = dev.say("hello")["sessionId"]
    told = sum("the last good version is served on" in line for line in dev.lines)
    dev.save(AGENT.replace("GOAL:", "GOALL:"))
    assert dev.say("Ada", session)["response"] == "And more?"
    dev.wait_for("the last good version is served on", told + 1)
    checked = piped("", "check", "--quiet", str(dev.project)).stdout.split("\n\n")[0].splitlines()
    place = dev.lines.index(checked[0])
    assert dev.lines[place : place + len(checked)] == checked
    assert dev.say("no", session)["response"] == "Goodbye."


def test_a_session_whose_step_is_gone_starts_anew_and_says_why(dev: Served) -> None:
    session = dev.say("hello")["sessionId"]
    dev.say("Ada", session)
    dev.save(AGENT.replace("more", "rest"))
    assert dev.say("yes", session)["response"].startswith("Who are you?")
    dev.wait_for(
        f"session {session} starts anew with the saved version: "
        "the conversation stands at the step more, which is no more there (of Desk)"
    )


def test_mocks_that_were_saved_answer_from_the_next_turn_on(dev: Served) -> None:
    dev.save(WITH_TOOL)
    first = dev.say("hello")
    assert first["response"] == "It is 7."
    dev.mocks.write_text("ask_time: {hour: 8}\n")
    assert dev.say("hello")["response"] == "It is 8.", "a new session"
    assert dev.say("again", first["sessionId"])["response"].endswith("It is 8."), "and one that began before"
    dev.wait_for(f"session {first['sessionId']} starts anew with the saved version: the mocks were changed")
    dev.mocks.write_text("ask_time: [")
    assert dev.say("hello")["response"] == "It is 8.", "the last good mocks"
    dev.wait_for("not in use: the last good mocks answer on")


def test_a_terminal_talks_to_a_server_that_runs(dev: Served) -> None:
    words = ("--url", dev.said("url"), "--key", dev.said("api key"), "--project", dev.said("project"))
    said = piped("hello\nAda\n/state\n", "chat", *words)
    assert said.stderr == ""
    assert said.stdout.startswith("Who are you?")
    assert "And more?" in said.stdout
    assert "agent     Desk, step more, idle\n" in said.stdout
    refused = piped("hello\n", "chat", *words[:3], "wrong", *words[4:])
    assert refused.returncode == 1
    assert "(401)" in refused.stderr
