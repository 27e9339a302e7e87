from __future__ import annotations

import pytest

from abl.compiler import Unit, compile_documents
from abl.syntax.document import Document
from abl.syntax.flow import Flow, Step
from abl.syntax.steps import ErrorHandler


def handling(*handlers: ErrorHandler, **more) -> dict:
    document = Document(name="Desk", on_error=list(handlers), **more)
    return compile_documents([Unit(document)]).output["agents"]["Desk"]["error_handling"]


def test_without_handlers_there_is_the_built_in_one() -> None:
    lowered = handling(messages={"error_default": "Oops."})
    assert lowered == {
        "handlers": [],
        "default_handler": {
            "type": "default",
            "respond": "Oops.",
            "retry": 1,
            "retry_delay_ms": 1000,
            "retry_backoff": "fixed",
            "then": "continue",
        },
    }


def test_a_written_default_replaces_it() -> None:
    lowered = handling(ErrorHandler(type="DEFAULT", respond="Sorry.", then="ESCALATE"), ErrorHandler(type="tool_error"))
    assert lowered["default_handler"]["respond"] == "Sorry."
    assert lowered["default_handler"]["then"] == "escalate"
    assert [one["type"] for one in lowered["handlers"]] == ["tool_error"]


def test_a_handler_keeps_everything_written() -> None:
    made = ErrorHandler(
        type="tool_timeout", subtypes=["find_parcel"], retry=2, retry_delay=500, retry_backoff="exponential",
        retry_max_delay=4000, respond="Slow.", then="RETRY_STEP",
    )  # fmt: skip
    assert handling(made)["handlers"] == [
        {
            "type": "tool_timeout",
            "subtypes": ["find_parcel"],
            "respond": "Slow.",
            "retry": 2,
            "retry_delay_ms": 500,
            "retry_backoff": "exponential",
            "retry_max_delay_ms": 4000,
            "then": "retry_step",
        }
    ]


def test_retries_and_delays_have_a_bound() -> None:
    lowered = handling(ErrorHandler(type="x", retry=99, retry_delay=10**9, retry_max_delay=10**9))["handlers"][0]
    assert (lowered["retry"], lowered["retry_delay_ms"], lowered["retry_max_delay_ms"]) == (10, 60_000, 60_000)


@pytest.mark.parametrize(
    ("written", "lowered"),
    [
        ("RETRY_STEP", {"then": "retry_step"}),
        ("then retry_step please", {"then": "retry_step"}),
        ("BACKTRACK", {"then": "backtrack"}),
        ("BACKTRACK ask", {"then": "backtrack", "backtrack_to": "ask"}),
        ("ESCALATE", {"then": "escalate"}),
        ("HANDOFF Claims", {"then": "handoff", "handoff_target": "Claims"}),
        ("HANDOFF to Claims", {"then": "handoff", "handoff_target": "Claims"}),
        ("complete", {"then": "complete"}),
        ("CONTINUE", {"then": "continue"}),
        ("whatever", {"then": "continue"}),
        ("", {"then": "continue"}),
    ],
)
def test_what_follows_is_read_from_the_text(written: str, lowered: dict[str, str]) -> None:
    handler = handling(ErrorHandler(type="x", then=written))["handlers"][0]
    assert {key: handler[key] for key in handler if key in ("then", "backtrack_to", "handoff_target")} == lowered


@pytest.mark.parametrize(
    ("written", "lowered"),
    [
        ("ask", {"then": "backtrack", "backtrack_to": "ask"}),
        ("complete_order", {"then": "backtrack", "backtrack_to": "complete_order"}),
        ("retry", {"then": "retry_step"}),
        ("nosuch", {"then": "continue"}),
    ],
)
def test_a_step_behind_then_is_gone_to(written: str, lowered: dict[str, str]) -> None:
    flow = Flow(steps=[Step(name="ask"), Step(name="complete_order"), Step(name="retry")])
    handler = handling(ErrorHandler(type="x", then=written), flow=flow)["handlers"][0]
    assert {key: handler[key] for key in handler if key in ("then", "backtrack_to")} == lowered
