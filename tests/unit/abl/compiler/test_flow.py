from __future__ import annotations


def steps(agent: dict) -> dict:
    return agent["flow"]["definitions"]


def test_an_agent_without_flow_has_none(agent_of) -> None:
    assert "flow" not in agent_of("")


def test_the_order_is_the_list_then_the_sequences_then_the_definitions(agent_of) -> None:
    flow = agent_of("""FLOW:
  b -> a
  c:
    REASONING: false
    RESPOND: c
  a:
    REASONING: false
    RESPOND: a
  b:
    REASONING: false
    RESPOND: b
""")["flow"]
    assert flow["steps"] == ["b", "a", "c"]
    assert flow["entry_point"] == "b"


def test_the_written_entry_point_counts(agent_of) -> None:
    text = "FLOW:\n  entry_point: b\n  a:\n    REASONING: false\n    RESPOND: a\n  b:\n    REASONING: false\n    RESPOND: b\n"
    assert agent_of(text)["flow"]["entry_point"] == "b"


def test_a_sequence_gives_the_next_step_only_where_none_is_written(agent_of) -> None:
    found = steps(
        agent_of("""FLOW:
  a -> b -> complete
  a:
    REASONING: false
    RESPOND: a
  b:
    REASONING: false
    RESPOND: b
  c:
    REASONING: false
    RESPOND: c
    THEN: a
""")
    )
    assert (found["a"]["then"], found["b"]["then"], found["c"]["then"]) == ("b", "COMPLETE", "a")


def test_a_step_keeps_everything_written(agent_of) -> None:
    step = steps(
        agent_of("""FLOW:
  look:
    REASONING: false
    WHEN: code IS SET
    MAX_ATTEMPTS: 2
    ON_EXHAUSTED: complete
    SET: kind = "a"
    CLEAR: x, y
    TRANSFORM: offers AS offer INTO cheap
      FILTER: offer.price < 10
      MAP:
        name: offer.name
      SORT_BY: price DESC
      LIMIT: 3
    CHECK: code != ""
    RESPOND: "Looking"
    MESSAGE_KEY: looking
    PRESENT: "So far"
    CORRECTIONS: false
    SUCCESS_WHEN: code IS SET
    AWAIT_ATTACHMENT:
      NAME: photo
      PROMPT: "A photo?"
      TIMEOUT: 60
      ON_TIMEOUT: look
    HUMAN_APPROVAL:
      PROMPT: "Pay?"
      ON_APPROVE: look
      TIMEOUT: 30
    THEN: complete
""")
    )["look"]
    assert step["set"] == [{"variable": "kind", "expression": '"a"'}]
    assert step["clear"] == ["x", "y"]
    assert step["transform"] == {
        "source": "offers",
        "item_var": "offer",
        "target": "cheap",
        "filter": "offer.price < 10",
        "map": {"name": "offer.name"},
        "sort_by": {"field": "price", "order": "desc"},
        "limit": 3,
    }
    assert step["await_attachment"] == {
        "variable": "photo",
        "prompt": "A photo?",
        "required": True,
        "timeout_seconds": 60,
        "on_timeout": "look",
    }
    assert step["human_approval"] == {"prompt": "Pay?", "timeout_seconds": 30, "on_approve": "look"}
    assert (step["when"], step["max_attempts"], step["on_exhausted"]) == ("code IS SET", 2, "COMPLETE")
    assert (step["check"], step["respond"], step["message_key"]) == ('code != ""', "Looking", "looking")
    assert (step["present"], step["corrections"], step["success_when"]) == ("So far", False, "code IS SET")
    assert step["then"] == "COMPLETE"
    assert "reasoning_zone" not in step


def test_a_reasoning_step_is_a_zone(agent_of) -> None:
    zone = steps(
        agent_of("""FLOW:
  advise:
    REASONING: true
    GOAL: "Agree on an option"
    BEHAVIOR: "Be brief"
    AVAILABLE_TOOLS: [open_claim]
    EXIT_WHEN: claim_id IS SET
    MAX_TURNS: 4
    STEP_CONSTRAINTS:
      - REQUIRE amount < 5
""")
    )["advise"]["reasoning_zone"]
    assert zone["goal"] == "Agree on an option\n\nBe brief"
    assert (zone["available_tools"], zone["exit_when"], zone["max_turns"]) == (["open_claim"], "claim_id IS SET", 4)
    assert zone["constraints"][0]["condition"] == "amount IS NOT SET OR amount < 5"


def test_a_zone_falls_back_to_the_agents_goal_and_to_complete_when(agent_of) -> None:
    text = "FLOW:\n  advise:\n    REASONING: true\n    COMPLETE_WHEN: done == true\n"
    zone = steps(agent_of(text))["advise"]["reasoning_zone"]
    assert zone == {"goal": "Find parcels", "max_turns": 10, "constraints": [], "exit_when": "done == true"}


def test_rules_of_a_deterministic_step_stay_with_the_step(agent_of) -> None:
    text = "FLOW:\n  a:\n    REASONING: false\n    RESPOND: a\n    STEP_CONSTRAINTS:\n      - REQUIRE x < 5\n"
    assert len(steps(agent_of(text))["a"]["step_constraints"]) == 1


GATHERED = """GATHER:
  tracking_code:
    prompt: "Code?"
    validate: "^[A-Z]+$"
    max_retries: 2
FLOW:
  ask:
    REASONING: false
"""


def test_a_field_of_the_step_borrows_from_the_agents(agent_of) -> None:
    gather = steps(agent_of(GATHERED + "    GATHER:\n      - tracking_code: required\n      - region: default=EU\n"))[
        "ask"
    ]["gather"]
    assert gather["strategy"] == "pattern"
    code, region = gather["fields"]
    assert (code["prompt"], code["validation"]["rule"], code["validation"]["max_retries"]) == ("Code?", "^[A-Z]+$", 2)
    assert region["default"] == "EU"


def test_what_the_step_writes_wins(agent_of) -> None:
    text = (
        GATHERED + '    GATHER:\n      - tracking_code:\n        PROMPT: "The code, please"\n        REQUIRED: false\n'
    )
    field = steps(agent_of(text))["ask"]["gather"]["fields"][0]
    assert (field["prompt"], field["required"]) == ("The code, please", False)
    assert field["extraction_hints"] == ["The code, please"]


def test_collect_and_prompt_are_a_gather_of_one_field(agent_of) -> None:
    step = steps(agent_of('MODE: scripted\nFLOW:\n  ask:\n    COLLECT: name\n    PROMPT: "Your name?"\n'))["ask"]
    assert [(one["name"], one["prompt"]) for one in step["gather"]["fields"]] == [("name", "Your name?")]


def test_branches_and_outcomes_have_their_shapes(agent_of) -> None:
    step = steps(
        agent_of("""TOOLS:
  find_parcel(code: string, region: string = "EU") -> object
    description: "d"
FLOW:
  look:
    REASONING: false
    CALL: find_parcel(tracking_code, region) AS parcel
    ON_RESULT:
      - IF: parcel.status == "lost"
        SET: parcel_status = "lost"
        CLEAR: x
        CALL: find_parcel(y) AS z
        MESSAGE_KEY: lost
        THEN: look
      - ELSE:
        RESPOND: "Fine."
        HANDOFF: Claims
    ON_SUCCESS:
      SET: ok = true
      THEN: look
      BRANCHES:
        - IF: ok
          THEN: escalate
    ON_FAILURE: look
    ON_INPUT:
      - IF: yes
        THEN: look
""")
    )["look"]
    assert step["on_result"] == [
        {
            "condition": 'parcel.status == "lost"',
            "then": "look",
            "set": [{"variable": "parcel_status", "expression": '"lost"'}],
            "clear": ["x"],
            "message_key": "lost",
            "call": "find_parcel",
            "call_spec": {"tool": "find_parcel", "with": {"code": "y"}, "as": "z"},
            "say_after": "find_parcel",
        },
        {"handoff": "Claims", "respond": "Fine."},
    ]
    assert step["on_failure"] == {"then": "look"}
    assert step["on_input"] == [{"condition": "yes", "then": "look"}]
    assert step["call_with"] == {"code": "tracking_code", "region": "region"}
    assert (step["call"], step["call_as"]) == ("find_parcel", "parcel")
    assert step["on_success"]["set"] == [{"variable": "ok", "expression": "true"}]


def test_digressions_keep_their_order_of_actions(agent_of) -> None:
    flow = agent_of("""FLOW:
  a:
    REASONING: false
    RESPOND: a
    DIGRESSIONS:
      - INTENT: opening_hours
        KEYWORDS: ["open", "hours"]
        CONDITION: channel != "voice"
        DO:
          - SET: x = 1
          - CALL: hub_hours(last_hub) AS hours
          - DELEGATE:
              AGENT: Rates
              RETURN: true
              ON_RETURN:
                MAP: {a: b}
          - RESPOND: "{{hours.text}}"
          - RESUME
    SUB_INTENTS:
      - INTENT: explain
        RESPOND: "On the receipt."
  global_digressions:
    - INTENT: stop
      GOTO: a
""")["flow"]
    assert flow["definitions"]["a"]["digressions"] == [
        {
            "intent": "opening_hours",
            "keywords": ["open", "hours"],
            "condition": 'channel != "voice"',
            "do": [
                {"set": [{"variable": "x", "expression": "1"}]},
                {
                    "call": "hub_hours",
                    "call_spec": {"tool": "hub_hours", "with": {}, "args": ["last_hub"], "as": "hours"},
                },
                {"delegate": {"agent": "Rates", "return": True, "map": {"a": "b"}}},
                {"respond": "{{hours.text}}"},
                {"resume": True},
            ],
        }
    ]
    assert flow["definitions"]["a"]["sub_intents"] == [{"intent": "explain", "respond": "On the receipt."}]
    assert flow["global_digressions"] == [{"intent": "stop", "goto": "a"}]


def test_errors_and_actions_of_a_step(agent_of) -> None:
    step = steps(
        agent_of("""FLOW:
  a:
    REASONING: false
    RESPOND: a
    ON_ERROR:
      - TYPE: tool_error
        SUBTYPE: find_parcel
        THEN: BACKTRACK
        BACKTRACK_TO: a
    ON_ACTION:
      again:
        TRANSITION: a
""")
    )["a"]
    assert step["on_error"] == [
        {
            "type": "tool_error",
            "subtypes": ["find_parcel"],
            "backtrack_to": "a",
            "retry_delay_ms": 1000,
            "retry_backoff": "fixed",
            "then": "backtrack",
        }
    ]
    assert step["on_action"] == [{"action_id": "again", "transition": "a"}]
