"""Buttons as numbered choices."""

from __future__ import annotations

from typing import Any

from cli.terminal.choices import choices_of, chosen, lines_of

SELECT = {
    "id": "pick",
    "type": "select",
    "label": "Thing",
    "options": [{"id": "tea", "label": "Tea", "description": "Green"}, {"id": "coffee", "label": "Coffee"}],
}
BUTTON = {"id": "no", "type": "button", "label": "Nothing", "value": "none", "description": "leaves"}
INPUT = {"id": "amount", "type": "input", "label": "Amount", "input_type": "number", "required": True}


def actions(*elements: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"elements": list(elements), **more}


def test_each_option_of_a_select_and_each_button_has_a_number() -> None:
    assert lines_of(choices_of(actions(SELECT, BUTTON), None)) == [
        "  1. Thing: Tea  (Green)",
        "  2. Thing: Coffee",
        "  3. Nothing  (leaves)",
    ]


def test_a_number_presses_the_button_under_its_render_id() -> None:
    found = choices_of(actions(SELECT, BUTTON, render_id="list"), None)
    second, third = chosen(" 2 ", found), chosen("3", found)
    assert second is not None
    assert third is not None
    assert second.filled({}) == {"actionId": "pick", "value": "coffee", "renderId": "list"}
    assert (third.message, third.action["value"]) == ("none", "none")


def test_any_other_line_is_a_message() -> None:
    found = choices_of(actions(SELECT), None)
    assert [chosen(line, found) for line in ("0", "3", "1a", "-1", "", "²")] == [None] * 6


def test_a_form_asks_for_its_fields_and_sends_them_together() -> None:
    form = {"title": "Seat", "fields": [{"id": "seat", "type": "select", "options": ["window", {"id": "aisle"}]}]}
    (submit,) = choices_of(actions(INPUT, submit_id="order", submit_label="Order"), {"form": form})
    assert [one.prompt for one in submit.inputs] == ["seat (select, window | aisle, optional): ", "Amount (number): "]
    assert submit.filled({"seat": "window"}) == {"actionId": "order", "formData": {"seat": "window"}}


def test_quick_replies_and_buttons_of_cards_are_choices_once() -> None:
    rich = {
        "quick_replies": [{"id": "no", "label": "Nothing"}, {"id": "again", "label": "Again"}],
        "carousel": {"cards": [{"title": "A", "buttons": [{"id": "again", "label": "Again"}, {"id": "buy"}]}]},
    }
    assert [one.label for one in choices_of(actions(BUTTON), rich)] == ["Nothing", "Again", "buy"]
