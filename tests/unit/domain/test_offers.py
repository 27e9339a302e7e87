"""What is offered, and which actions answer it. Spec: platform-api 13.2; abl-language 4.2, 4.3."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import InvalidInput
from domain.messages import ActionEvent
from domain.offers import INVALID_VALUE, UNKNOWN_ACTION, check_action, offered

ACTIONS: dict[str, Any] = {
    "elements": [
        {"id": "go", "type": "button", "label": "Go", "value": "I go"},
        {"id": "stay", "type": "button", "label": "Stay"},
        {"id": "hub", "type": "select", "label": "Hub", "options": [{"id": "ber", "label": "Berlin"}]},
        {"id": "many", "type": "input", "label": "How many", "input_type": "number", "required": True},
        {"id": "day", "type": "input", "label": "Day", "input_type": "date"},
        {"id": "at", "type": "input", "label": "At", "input_type": "time"},
        {"id": "mail", "type": "input", "label": "Mail", "input_type": "email"},
        {"id": "note", "type": "input", "label": "Note"},
    ],
    "submit_id": "send",
    "submit_label": "Send it",
}
RICH: dict[str, Any] = {
    "quick_replies": [{"id": "more", "label": "More of it"}, {"label": "No id"}],
    "carousel": {"cards": [{"title": "One", "buttons": [{"id": "card-1", "label": "Take", "value": "one"}]}]},
    "form": {"fields": [{"id": "seat", "type": "select", "required": True, "options": ["window", {"id": "aisle"}]}]},
}
FULL = {"seat": "aisle", "many": "2"}


def pressed(action_id: str, value: str = "", **form: Any) -> ActionEvent:
    return ActionEvent(action_id, value, form=form)


@pytest.mark.parametrize(
    ("action", "value"),
    [
        (pressed("go"), "I go"),
        (pressed("go", "I go"), "I go"),
        (pressed("stay"), "stay"),
        (pressed("go", note="by the way"), "I go"),
        (pressed("hub", "ber"), "ber"),
        (pressed("many", "3.5"), "3.5"),
        (pressed("many", many="4"), ""),
        (pressed("note"), ""),
        (pressed("more"), "more"),
        (pressed("more", "More of it"), "More of it"),
        (pressed("No id"), "No id"),
        (pressed("card-1"), "one"),
        (pressed("send", **FULL), ""),
        (pressed("send", "Send it", **FULL, day="2026-02-28", at="23:59", mail="a@b", hub="ber", note="x"), "Send it"),
        (pressed("send", "send", **FULL, day="", mail=""), "send"),
    ],
)
def test_what_is_offered_can_be_sent(action: ActionEvent, value: str) -> None:
    assert check_action(action, offered(ACTIONS, RICH)).value == value


@pytest.mark.parametrize(
    ("action", "path", "words"),
    [
        (pressed("go", "I stay"), "/action/value", "no value of 'go': I go"),
        (pressed("hub", "vie"), "/action/value", "must be one of its options: ber"),
        (pressed("hub"), "/action/value", "is required"),
        (pressed("many", "many"), "/action/value", "must be a number"),
        (pressed("many"), "/action/formData/many", "is required"),
        (pressed("more", "less"), "/action/value", "no value of 'more'"),
        (pressed("send", "anything", **FULL), "/action/value", "sends its fields in formData"),
        (pressed("send", many="2"), "/action/formData/seat", "is required"),
        (pressed("send", seat="roof", many="2"), "/action/formData/seat", "must be one of its options: window, aisle"),
        (pressed("send", **FULL, day="2026-02-30"), "/action/formData/day", "must be a date"),
        (pressed("send", **FULL, day="20260228"), "/action/formData/day", "must be a date"),
        (pressed("send", **FULL, at="24:00"), "/action/formData/at", "must be a time"),
        (pressed("send", **FULL, mail="nobody"), "/action/formData/mail", "must be an e-mail address"),
        (pressed("send", **FULL, **{"a/b": "c"}), "/action/formData/a~1b", "is no field that is offered"),
        (pressed("send", seat="aisle", many=2), "/action/formData/many", "must be a text"),
        (pressed("stay", other="x"), "/action/formData/other", "is no field that is offered"),
    ],
)
def test_what_is_not_offered_is_refused_and_said_where(action: ActionEvent, path: str, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_action(action, offered(ACTIONS, RICH))
    assert refused.value.details["reason"] == INVALID_VALUE
    assert [one["path"] for one in refused.value.details["fields"]] == [path]
    assert words in refused.value.message


@pytest.mark.parametrize("action_id", ["seat", "window", "Send it", "submit", "form", ""])
def test_an_id_that_nothing_offered_has_is_unknown(action_id: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_action(pressed(action_id), offered(ACTIONS, RICH), handled={action_id})
    assert refused.value.details["reason"] == UNKNOWN_ACTION
    assert "go, stay, more" in refused.value.message


def test_a_form_without_an_id_of_its_own_is_sent_under_a_word() -> None:
    alone = offered(None, RICH)
    assert check_action(pressed("form", seat="window"), alone).form == {"seat": "window"}
    unnamed = offered({**ACTIONS, "submit_id": ""}, None)
    assert check_action(pressed("submit", many="1"), unnamed).form == {"many": "1"}
    assert "submit" not in offered({"elements": ACTIONS["elements"]}, None).ids


@pytest.mark.parametrize("name", ["adaptive_card", "slack", "ag_ui", "whatsapp", "html"])
def test_what_cannot_be_read_offers_what_its_agent_handles(name: str) -> None:
    wanted = offered(None, {name: '{"type": "x"}'})
    assert wanted
    event = pressed("approve", "yes", why="because")
    assert check_action(event, wanted, handled={"approve"}) == event
    with pytest.raises(InvalidInput):
        check_action(event, wanted, handled={"reject"})


@pytest.mark.parametrize(
    "rich", [{}, {"markdown": "*x*"}, {"carousel": {"cards": "all"}}, {"quick_replies": {"a": 1}}, {"form": []}]
)
def test_nothing_is_offered_by_what_offers_nothing(rich: dict[str, Any]) -> None:
    assert not offered({}, rich)
