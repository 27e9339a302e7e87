"""Rich content and traces as lines, and what may not reach a terminal."""

from __future__ import annotations

import io

from cli.chat_link import Told
from cli.chat_turn import TurnPrinter
from cli.terminal.console import Console, clean
from cli.terminal.rich_content import rich_lines
from cli.terminal.traces import trace_lines


def console() -> Console:
    return Console(io.StringIO(), io.StringIO(), io.StringIO())


def printed(*pieces: tuple[str, dict[str, object]]) -> str:
    paper = console()
    TurnPrinter(paper, "Desk").read([Told(*one) for one in pieces])
    assert isinstance(paper.out, io.StringIO)
    return paper.out.getvalue()


def test_a_table_is_aligned_as_its_columns_say() -> None:
    table = {
        "columns": [{"key": "name", "header": "Thing"}, {"key": "price", "header": "Price", "align": "right"}],
        "rows": [{"name": "Tea", "price": 4}, {"name": "Coffee", "price": 12}],
    }
    assert rich_lines({"table": table}) == ["Thing   Price", "Tea         4", "Coffee     12"]


def test_what_a_terminal_cannot_show_is_named() -> None:
    rich = {"image": {"url": "https://x.example/a.png", "alt": "Plan"}, "html": "<b>x</b>", "markdown": "**x**"}
    assert rich_lines(rich) == ["[Plan: https://x.example/a.png]", "[also sent: HTML]"]


def test_content_of_another_form_does_not_break_the_answer() -> None:
    assert rich_lines({"table": {"columns": ["a"], "rows": "{{found}}"}, "progress": {"value": "x", "max": 3}}) == [
        "{{found}}",
        ": x of 3",
    ]


def test_a_failed_tool_is_one_line() -> None:
    event = {
        "type": "tool_result",
        "agentName": "Desk",
        "durationMs": 17,
        "data": {"toolName": "track", "success": False, "error": {"code": "TIMEOUT", "message": "too late"}},
    }
    assert trace_lines([event]) == ["  Desk  result    track failed: TIMEOUT too late  [17 ms]"]


def test_no_text_steers_the_terminal() -> None:
    assert clean("\x1b]0;title\x07red\x9b31m\r\n\ttab") == "]0;titlered31m\n\ttab"


def test_a_streamed_text_is_printed_once() -> None:
    chunks = [("response_chunk", {"chunk": "Good "}), ("response_chunk", {"chunk": "day"})]
    ends = [("response_end", {"fullText": "Good day"}), ("complete", {"response": "Good day", "agentName": "Desk"})]
    assert printed(*chunks, *ends) == "Good day\n"


def test_a_text_that_was_replaced_is_printed_again_with_a_word() -> None:
    pieces = [("response_chunk", {"chunk": "My card is 4111"}), ("complete", {"response": "My card is [card]"})]
    assert printed(*pieces) == "My card is 4111\n(the answer was replaced)\nMy card is [card]\n"
