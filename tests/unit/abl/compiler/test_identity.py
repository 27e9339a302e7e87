from __future__ import annotations

import pytest

from abl.compiler import Unit, compile_documents
from abl.parser import parse_text


def test_instructions_are_appended_to_the_goal(agent_of) -> None:
    assert agent_of("INSTRUCTIONS: Be brief\n")["identity"]["goal"] == "Find parcels\n\nInstructions:\nBe brief"


def test_the_older_identity_fills_what_is_missing() -> None:
    text = 'AGENT: Desk\nMODE: reasoning\nIDENTITY:\n  role: "Tracer"\n  persona: "Brief"\n  expertise: ["parcels", "hubs"]\n  limitations: ["no customs"]\n'
    identity = compile_documents([Unit(parse_text(text).document)]).output["agents"]["Desk"]["identity"]
    assert identity["goal"] == "Tracer"
    assert identity["persona"] == "Brief\nExpertise: parcels, hubs"
    assert identity["limitations"] == ["no customs"]


def test_a_system_prompt_is_marked_as_custom(agent_of) -> None:
    prompt = agent_of('SYSTEM_PROMPT: "You are {{name}}"\n')["identity"]["system_prompt"]
    assert (prompt["template"], prompt["custom"]) == ("You are {{name}}", True)
    assert prompt["sections"] == {"context": True, "tools": True, "constraints": True, "history": True}
    assert agent_of("")["identity"]["system_prompt"]["custom"] is False


def test_execution_has_defaults(agent_of) -> None:
    execution = agent_of("")["execution"]
    assert execution["timeouts"] == {
        "tool_timeout_ms": 30_000,
        "llm_timeout_ms": 30_000,
        "session_timeout_ms": 1_800_000,
        "voice_latency_target_ms": 1000,
    }
    assert execution["sessionLifecycle"] == {"idleSeconds": 1800}
    assert (execution["max_iterations"], execution["max_flow_iterations"], execution["inline_gather"]) == (
        10,
        100,
        False,
    )
    assert "model" not in execution


def test_execution_keeps_everything_written(agent_of) -> None:
    execution = agent_of("""EXECUTION:
  model: "small-local"
  fallback_model: tiny
  temperature: 0
  max_tokens: 800
  max_reasoning_iterations: 6
  tool_timeout: 15s
  models:
    extraction: "tiny-local"
  voice:
    provider: builtin
    speed: 1.1
  timeouts:
    llm_timeout_ms: 5
    tool_timeout_ms: 6
  compaction:
    tool_results:
      strategy: truncate
  pipeline:
    enabled: true
    shortCircuit:
      enabled: true
    toolFilter:
      enabled: true
      maxTools: 4
""")["execution"]
    assert (execution["model"], execution["fallback_model"], execution["temperature"]) == ("small-local", "tiny", 0)
    assert (execution["max_tokens"], execution["max_iterations"]) == (800, 6)
    assert execution["operation_models"] == {"extraction": "tiny-local"}
    assert execution["voice"] == {"provider": "builtin", "speed": 1.1}
    assert (execution["timeouts"]["tool_timeout_ms"], execution["timeouts"]["llm_timeout_ms"]) == (15_000, 5)
    assert execution["compaction"] == {"tool_results": {"strategy": "truncate"}}
    assert execution["pipeline"] == {
        "enabled": True,
        "mode": "parallel",
        "shortCircuit": {"enabled": True, "confidenceThreshold": 0.85},
        "toolFilter": {"enabled": True, "maxTools": 4},
    }
    assert execution["hints"]["voice_optimized"] is True


def test_a_flow_halves_the_voice_latency(agent_of) -> None:
    flow = "FLOW:\n  a:\n    REASONING: false\n    RESPOND: x\n"
    assert agent_of(flow)["execution"]["timeouts"]["voice_latency_target_ms"] == 500


@pytest.mark.parametrize(("steps", "complexity"), [(1, "simple"), (6, "moderate"), (16, "complex")])
def test_complexity_is_counted(agent_of, steps: int, complexity: str) -> None:
    flow = "FLOW:\n" + "".join(f"  s{at}:\n    REASONING: false\n    RESPOND: x\n" for at in range(steps))
    assert agent_of(flow)["execution"]["hints"]["complexity"] == complexity


def test_hints_see_memory_and_humans(agent_of) -> None:
    hints = agent_of("MEMORY:\n  persistent:\n    - user.tier\nESCALATE:\n  triggers:\n    - WHEN: a\n")["execution"][
        "hints"
    ]
    assert (hints["requires_persistence"], hints["supports_hitl"]) == (True, True)
