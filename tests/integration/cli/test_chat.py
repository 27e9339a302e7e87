"""`abl chat` as it is really run: at a terminal, in a pipe, and against a server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.repository import ROOT
from tests.support.terminal import CTRL_C, CTRL_D, at_a_terminal, piped

pytestmark = pytest.mark.xdist_group("product")

SHOP = """\
AGENT: Shop
GOAL: "Sell one thing"

FLOW:
  entry_point: offer
  offer -> form -> done

  offer:
    REASONING: false
    RESPOND: "What would you like?"
      ACTIONS:
        - SELECT: "Thing"
          ID: pick
          OPTIONS:
            - "Tea" -> tea
              DESCRIPTION: "Green"
            - "Coffee" -> coffee
    ON_ACTION:
      pick:
        SET: thing = _action.value
        RESPOND: "{{thing}}, good choice."
        TRANSITION: form
    ON_INPUT:
      - ELSE:
        RESPOND: "Please choose from the list."
        THEN: offer

  form:
    REASONING: false
    RESPOND: "How much of it?"
      ACTIONS:
        SUBMIT_LABEL: "Order"
        SUBMIT_ID: order
        - INPUT: "Amount"
          ID: amount
          INPUT_TYPE: number
          REQUIRED: true
    ON_ACTION:
      order:
        SET: amount = _action.formData.amount
        RESPOND: "{{amount}} of {{thing}} it is."
        THEN: done
    ON_INPUT:
      - ELSE:
        THEN: form

  done:
    REASONING: false
    RESPOND: "Goodbye."
    THEN: COMPLETE
"""
THINKER = 'AGENT: Thinker\nGOAL: "Answer questions"\n'
ASKS = """\
AGENT: Asks
GOAL: "Have a person decide"

FLOW:
  entry_point: decide

  decide:
    REASONING: false
    RESPOND: "A colleague looks at it."
    HUMAN_APPROVAL:
      prompt: "May it be?"
      timeout: 86400
      on_approve: closed
      on_reject: closed
      on_timeout: closed
    THEN: closed

  closed:
    REASONING: false
    RESPOND: "It is decided."
    THEN: COMPLETE
"""


def a_project(folder: Path, text: str) -> Path:
    project = folder / "project"
    project.mkdir()
    (project / "one.agent.abl").write_text(text, encoding="utf-8")
    return project


def test_lines_of_a_pipe_are_messages_and_numbers_choose_what_was_offered(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    said = piped(f"hello\nhm\n2\n1\n3\n/save {kept}\n", "chat", str(a_project(tmp_path, SHOP)))
    assert said.stderr == ""
    assert said.returncode == 0
    assert "  1. Thing: Tea  (Green)\n  2. Thing: Coffee\ncoffee, good choice.\n" in said.stdout
    assert said.stdout.endswith("3 of coffee it is.\n\nGoodbye.\n(complete; the next message begins anew)\n")
    assert kept.read_text().splitlines()[:2] == ["you: hello", "Shop: What would you like?"]


def test_what_can_be_asked_beside_the_conversation_is_answered(tmp_path: Path) -> None:
    said = piped("hello\n/trace\n/state\n/agents\n/help\n/nonsense\n", "chat", str(a_project(tmp_path, SHOP)))
    assert "  Shop  decision  flow_transition offer entered\n" in said.stdout
    assert "agent     Shop, step offer, idle\n" in said.stdout
    assert "* Shop  Sell one thing\n" in said.stdout
    assert "there is no /nonsense; /help lists what there is\n" in said.stderr
    assert said.returncode == 1


def test_without_a_model_it_is_said_what_to_set(tmp_path: Path) -> None:
    said = piped("hello\n", "chat", str(a_project(tmp_path, THINKER)))
    assert said.returncode == 1
    assert "ANTHROPIC_API_KEY" in said.stderr
    assert "`.venv/bin/abl models pull`" in said.stderr


def test_an_agent_that_only_a_model_can_guard_says_why_it_keeps_everything_back() -> None:
    said = piped("hello\n", "chat", "examples/clinic-pharmacy")
    assert "Pharmacy_Desk keeps back what is said: only a model can judge abuse, no_diagnosis" in said.stderr
    assert "`.venv/bin/abl models pull`" in said.stderr


def test_a_folder_with_several_agents_says_which_one_speaks() -> None:
    with at_a_terminal("chat", "examples/bank-front-desk") as terminal:
        terminal.wait_for("agent: Bank_Front_Desk (--agent for another: ")
        terminal.wait_for("> ")  # before it the terminal reads whole lines, and the key would be lost
        terminal.press(CTRL_D)


def test_a_project_that_does_not_compile_is_told_as_by_check(tmp_path: Path) -> None:
    project = a_project(tmp_path, SHOP.replace("FLOW:", "FLOWW:"))
    said = piped("hello\n", "chat", str(project))
    checked = piped("", "check", "--quiet", str(project))
    assert said.returncode == 1
    assert checked.stdout.split("\n\n")[0] in said.stderr


def test_a_session_that_was_kept_is_gone_on_with(tmp_path: Path) -> None:
    project, data = str(a_project(tmp_path, SHOP)), str(tmp_path / "data")
    first = piped("hello\nhm\n1\n/state\n", "chat", project, "--data-dir", data)
    session = next(line.split()[1] for line in first.stdout.splitlines() if line.startswith("session"))
    second = piped("/state\n", "chat", project, "--data-dir", data, "--session", session)
    assert "agent     Shop, step form, idle\n  thing = tea\n" in second.stdout


def test_whom_a_session_waits_for_is_said(tmp_path: Path) -> None:
    said = piped("hello\n/state\n", "chat", str(a_project(tmp_path, ASKS)))
    assert re.search(r"\(waits for a person: May it be\? \(task ht_\w+\), until ", said.stdout)
    assert "agent     Asks, step decide, suspended\nwaits for a person: May it be? (task " in said.stdout


def test_ctrl_c_gives_the_running_turn_up_and_is_answered_at_the_prompt(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    rows = [
        {"user": "slow", "text": "One two three four", "fault": {"kind": "hang", "after_deltas": 2}},
        {"text": "Here I am."},
    ]
    script.write_text(json.dumps({"rows": rows}))
    project = str(a_project(tmp_path, THINKER))
    with at_a_terminal("chat", project, ABL_SCRIPTED=str(script)) as terminal:
        terminal.wait_for("> ")
        terminal.type("slow")
        terminal.wait_for("One two")
        terminal.press(CTRL_C)
        terminal.wait_for("(cancelled)\r\n> ")
        terminal.type("hello")
        terminal.wait_for("Here I am.\r\n> ")
        terminal.interrupt("(Ctrl-C once more leaves; so does /quit)\r\n> ")
        terminal.press(CTRL_D)
        assert terminal.status() == 0


def test_a_file_saved_between_two_messages_is_used_by_the_next(tmp_path: Path) -> None:
    project = a_project(tmp_path, SHOP)
    agent = project / "one.agent.abl"
    with at_a_terminal("chat", str(project)) as terminal:
        terminal.wait_for("> ")
        terminal.type("hello")
        terminal.wait_for("  2. Thing: Coffee\r\n> ")
        agent.write_text(SHOP.replace("Please choose from the list.", "One of these, please."))
        terminal.type("hm")
        terminal.wait_for("goes on with the saved version, at Shop / offer")
        terminal.wait_for("One of these, please.")
        agent.write_text(SHOP.replace("FLOW:", "FLOWW:"))
        terminal.type("hm")
        terminal.wait_for("error[UNKNOWN_SECTION]")
        terminal.wait_for("not in use: the last good version is served on")
        terminal.wait_for("One of these, please.")
        terminal.wait_for("> ")
        terminal.press(CTRL_D)
        assert terminal.status() == 0


def test_an_error_that_only_some_turns_would_meet_is_told_and_the_agent_answers(tmp_path: Path) -> None:
    project = a_project(
        tmp_path,
        THINKER + '\nFLOW:\n  entry_point: one\n\n  one:\n    REASONING: false\n    RESPOND: "Hi"\n    THEN: twoo\n',
    )
    told = piped("hello\n", "chat", str(project))
    assert "DANGLING_STEP_REF" in told.stderr
    assert "in use all the same" in told.stderr
    assert "Hi" in told.stdout


def test_the_first_agent_of_the_readme_says_what_the_readme_shows() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    talk = re.search(r"\$ printf '([^']*)' \| \.venv/bin/abl chat docs/first-agent .*?\n(.*?)```", readme, re.DOTALL)
    command, shown = talk.groups()
    said = piped(command.replace("\\n", "\n"), "chat", "docs/first-agent", "--mocks", "docs/first-agent/mocks.yaml")
    assert said.stdout + said.stderr == shown
