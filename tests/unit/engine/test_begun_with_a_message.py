"""A session that begins with a message: the flow begins with it in hand, behind its guardrails, and once."""

from __future__ import annotations

from engine import AskModel, CallTool
from engine import facts as f
from engine.testing import Conversation, gives, program_of, says
from tests.support.cells import over

TOOLS = """\
TOOLS:
  note(text: string) -> {id: string}
    description: "Writes a note"
    type: http
    endpoint: "https://notes.example/notes"
    method: POST
"""
WORK = f"""\
AGENT: Clerk
GOAL: "Take notes"

GUARDRAILS:
  no_cards:
    kind: input
    check: "input CONTAINS 'card'"
    action: block
    message: "No cards, please."

{TOOLS}
ON_START:
  RESPOND: "Clerk here."

FLOW:
  entry_point: work
  work:
    REASONING: false
    CALL: note(input)
      AS: noted
    ON_SUCCESS:
      RESPOND: "Noted {{{{input}}}} as {{{{noted.id}}}}."
"""


def a_talk(text: str, **more: object) -> Conversation:
    program = program_of({"a.abl": text})
    return Conversation(program, tools={"note": gives({"id": "n1"}), "wipe": gives({"done": True})}, **more)  # type: ignore[arg-type]


def calls(talk: Conversation) -> list[object]:
    return [one.arguments.get("text") for one in talk.effects if isinstance(one, CallTool)]


def test_a_flow_that_asks_nothing_runs_once_on_the_message() -> None:
    for ending in ("", "    THEN: COMPLETE\n"):
        talk = a_talk(WORK + ending)
        assert talk.say("milk") == "Clerk here.\n\nNoted milk as n1."
        assert calls(talk) == ["milk"]
        assert talk.say("eggs").endswith("Noted eggs as n1.")
        assert calls(talk) == ["milk", "eggs"]


def test_without_a_message_a_step_that_reads_it_waits_for_one() -> None:
    for ending in ("", "    THEN: COMPLETE\n"):
        talk = a_talk(WORK + ending)
        assert talk.begin() == "Clerk here."
        assert calls(talk) == []
        assert talk.say("my card is 12") == "No cards, please."
        assert talk.say("milk") == "Noted milk as n1."
        assert talk.say("eggs").endswith("Noted eggs as n1.")
        assert calls(talk) == ["milk", "eggs"]


def test_a_journal_from_before_folds_as_it_was_written() -> None:
    talk = a_talk(WORK)
    assert talk.begin(may_wait=False) == "Clerk here.\n\nNoted  as n1."
    assert talk.say("milk") == "Noted milk as n1."
    assert len(calls(talk)) == 2


READERS = {
    "template": 'RESPOND: "You said {{input}}."',
    "set": 'SET: told = "so: " + input',
    "branches": 'CALL: note("x")\n    ON_RESULT:\n      - IF: input == "x"\n        THEN: COMPLETE\n      - ELSE:\n        THEN: COMPLETE',
    "from state": "CALL: hear",
    "condition": 'WHEN: input CONTAINS "m"\n    RESPOND: "Hm."',
    "message": "MESSAGE_KEY: told",
}
HELD = f"""\
AGENT: Clerk
GOAL: "Take notes"

{TOOLS}  hear(input: string) -> {{id: string}}
    description: "Hears"
    type: http
    endpoint: "https://notes.example/hear"
    method: POST

MESSAGES:
  told: "Heard {{{{input}}}}"

FLOW:
  entry_point: greet
  greet:
    REASONING: false
    RESPOND: "Your input is welcome."
    THEN: work
  work:
    REASONING: false
    LINES
    THEN: COMPLETE
"""


@over("lines", READERS.values(), ids=READERS)
def test_the_flow_comes_as_far_as_the_step_that_reads(lines: str) -> None:
    talk = a_talk(HELD.replace("LINES", lines))
    assert talk.begin() == "Your input is welcome."
    assert calls(talk) == []
    assert talk.state.threads["Clerk"].step == "work"
    talk.say("milk")
    assert talk.state.threads["Clerk"].status == "completed"


@over("lines", ['RESPOND: "Noted."', 'CALL: note("opened")', 'SET: told = "input"'])
def test_a_step_that_reads_nothing_is_done_when_the_session_opens(lines: str) -> None:
    talk = a_talk(HELD.replace("LINES", lines))
    talk.begin()
    assert talk.state.threads["Clerk"].status == "completed"


@over("question", ["GATHER: name", "ON_INPUT:\n      - ELSE:\n        THEN: COMPLETE"])
def test_a_step_that_asks_puts_its_question_when_the_session_opens(question: str) -> None:
    talk = a_talk(HELD.replace("LINES", f'SET: first = input\n    RESPOND: "Who is there?"\n    {question}'))
    assert "Who is there?" in talk.begin()


def test_no_flow_begins_with_a_message_that_a_guardrail_stops() -> None:
    for ending in ("", "    THEN: COMPLETE\n"):
        talk = a_talk(WORK + ending)
        assert talk.say("my card is 12") == "Clerk here.\n\nNo cards, please."
        assert calls(talk) == []
        assert talk.say("milk") == "Noted milk as n1."
        assert talk.say("the card again").endswith("No cards, please.")
        assert calls(talk) == ["milk"]


CONFIRMED = """\
AGENT: Wiper
GOAL: "Wipe"

TOOLS:
  wipe() -> {done: boolean}
    description: "Wipe the disk"
    type: http
    endpoint: "https://notes.example/wipe"
    method: POST
    confirm: always

FLOW:
  entry_point: wipe
  wipe:
    REASONING: false
    CALL: wipe()
    ON_SUCCESS:
      RESPOND: "Wiped."
"""


def test_a_yes_to_a_question_that_nobody_has_read_is_none() -> None:
    talk = a_talk(CONFIRMED)
    question = talk.say("yes")
    assert question.endswith("?")
    assert calls(talk) == []
    assert talk.say("yes") == "Wiped."


ZONE = """\
AGENT: Guide
GOAL: "Help"

FLOW:
  entry_point: help
  help:
    REASONING: true
    GOAL: "Answer"
"""


def test_a_zone_hears_the_message_in_one_call_of_the_model() -> None:
    talk = a_talk(ZONE, model=[says("Paris."), says("Rome.")])
    assert talk.say("the capital of France?") == "Paris."
    assert talk.say("of Italy?") == "Rome."
    heard = [
        [one.content for one in ask.request.messages if one.role == "user"]
        for ask in talk.effects
        if isinstance(ask, AskModel)
    ]
    assert heard == [["the capital of France?"], ["the capital of France?", "of Italy?"]]


APPROVED = f"""\
AGENT: Boss
GOAL: "Have it approved"

{TOOLS}
FLOW:
  entry_point: work
  work:
    REASONING: false
    RESPOND: "Somebody looks at it."
    HUMAN_APPROVAL:
      prompt: "May I?"
    THEN: write
  write:
    REASONING: false
    CALL: note("x")
    ON_SUCCESS:
      RESPOND: "Done."
"""


def test_a_flow_that_waits_for_a_person_from_its_first_step_goes_on_once() -> None:
    talk = a_talk(APPROVED)
    assert talk.say("go").startswith("Somebody looks at it.")
    (waits,) = talk.state.suspensions
    assert talk.tell(f.HumanResolved(at=talk.state.at, suspension_id=waits, approved=True)) == "Done."
    assert calls(talk) == ["x"]


GATHERED = """\
AGENT: Desk
GOAL: "Book"

FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      - guests: required
        type: number
        prompt: "How many guests?"
      - nights: required
        type: number
        prompt: "How many nights?"
    THEN: tell
  tell:
    REASONING: false
    RESPOND: "{{guests}} guests, {{nights}} nights."
"""


def test_the_message_is_read_once_for_the_first_question() -> None:
    talk = a_talk(GATHERED)
    assert talk.say("hello") == "How many guests?"
    assert talk.say("4") == "How many nights?"
    assert talk.say("2") == "4 guests, 2 nights."


def test_a_test_context_names_the_step_the_message_begins_with() -> None:
    talk = a_talk(GATHERED)
    talk.begin(
        with_message=True,
        test_context=f.TestContext(start_at_step="tell", session_variables={"guests": 3, "nights": 1}),
    )
    assert talk.tell(f.UserSpoke(at=talk.state.at, text="hi", opening_unseen=True)) == "3 guests, 1 nights."


OPENED = """\
AGENT: Clerk
GOAL: "Take notes"

TOOLS:
  note(text: string) -> {id: string}
    description: "Writes a note"
    type: http
    endpoint: "https://notes.example/notes"
    method: POST
    HINTS

GUARDRAILS:
  no_cards:
    kind: input
    check: "input CONTAINS 'card'"
    action: block
    message: "No cards, please."

FLOW:
  entry_point: work
  work:
    REASONING: false
    CALL: note("opened")
      AS: noted
    ON_SUCCESS:
      RESPOND: "Noted as {{noted.id}}."
ENDING
"""
ENDINGS = ("", "    THEN: COMPLETE\n")


def opened(ending: str, hints: str = "") -> Conversation:
    return a_talk(OPENED.replace("    HINTS\n", hints).replace("ENDING", ending))


@over("ending", ENDINGS)
def test_what_the_opening_has_done_is_not_done_again_for_the_first_message(ending: str) -> None:
    talk = opened(ending)
    assert talk.begin() == "Noted as n1."
    assert talk.say("hello") == "Noted as n1."
    assert calls(talk) == ["opened"]
    assert talk.say("and again") == "Noted as n1."
    assert calls(talk) == ["opened", "opened"]


@over("ending", ENDINGS)
def test_a_first_message_that_a_guardrail_stops_leaves_it_at_that(ending: str) -> None:
    talk = opened(ending)
    talk.begin()
    assert talk.say("my card is 12") == "No cards, please."
    assert talk.say("hello") == "Noted as n1."
    assert calls(talk) == ["opened"]


@over("ending", ENDINGS)
def test_an_opening_that_changes_nothing_is_run_again(ending: str) -> None:
    talk = opened(ending, "    side_effects: false\n")
    talk.begin()
    assert talk.say("hello") == "Noted as n1."
    assert calls(talk) == ["opened", "opened"]


@over("ending", ENDINGS)
def test_a_journal_from_before_runs_what_the_opening_did_again(ending: str) -> None:
    talk = opened(ending)
    talk.begin(runs_once=False)
    assert talk.say("hello") == "Noted as n1."
    assert calls(talk) == ["opened", "opened"]


def test_what_on_start_has_done_is_not_done_again_for_the_first_message() -> None:
    text = 'AGENT: Clerk\nGOAL: "Take notes"\n\n' + TOOLS + 'ON_START:\n  CALL: note("opened")\n  RESPOND: "Done."\n'
    talk = a_talk(text + "\nFLOW:\n  entry_point: end\n  end:\n    REASONING: false\n    THEN: COMPLETE\n")
    assert talk.begin() == "Done."
    assert talk.say("hello") == "Done."
    assert calls(talk) == ["opened"]


def test_an_opening_that_waits_for_words_gives_the_first_message_to_the_step_that_reads_it() -> None:
    talk = opened(
        "    THEN: hear\n\n  hear:\n    REASONING: false\n    CALL: note(input)\n    RESPOND: 'Heard {{input}}.'\n"
    )
    assert talk.begin() == "Noted as n1."
    assert talk.say("hello").endswith("Heard hello.")
    assert calls(talk) == ["opened", "hello"]
