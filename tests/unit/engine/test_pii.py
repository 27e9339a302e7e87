from __future__ import annotations

from domain.model_calls import Message
from engine import SessionBegun
from engine.pii import hidden, hidden_messages, masked_data, register, restored
from engine.state import SessionState

IBAN = {"name": "iban", "sensitive": True, "sensitive_display": "mask", "mask_config": {"show_last": 4}}


def state() -> SessionState:
    return SessionState(begun=SessionBegun(at="2026-03-02T09:00:00.000Z", session_id="s"))


def test_a_value_has_one_stand_in_however_it_is_written() -> None:
    known = state()
    register(known, IBAN, "AT61 1904 3002 3457 3201")
    register(known, IBAN, "AT61 1904 3002 3457 3201")
    assert hidden(known, "from AT611904300234573201 or at61-1904-3002-3457-3201.") == "from [[IBAN_1]] or [[IBAN_1]]."
    assert restored(known, {"to": ["[[IBAN_1]]"]}) == {"to": ["AT61 1904 3002 3457 3201"]}


def test_a_second_value_has_a_second_stand_in_and_unknown_ones_stay() -> None:
    known = state()
    register(known, {"name": "full name", "pii_type": "name"}, "Anna Berg")
    register(known, {"name": "full name", "pii_type": "name"}, "Karl Berg")
    assert hidden(known, "anna berg and Karl Berg") == "[[FULL_NAME_1]] and [[FULL_NAME_2]]"
    assert restored(known, "[[FULL_NAME_2]] [[OTHER_1]]") == "Karl Berg [[OTHER_1]]"


def test_short_values_and_flags_and_open_fields_have_none() -> None:
    known = state()
    for field, value in ((IBAN, "12"), (IBAN, True), ({"name": "city"}, "Wien am Berg"), (IBAN, ["AT61"])):
        register(known, field, value)
    assert known.tokens == {}


def test_results_of_tools_that_are_open_to_models_stay() -> None:
    known = state()
    register(known, IBAN, "AT61 1904")
    messages = (Message("tool", "AT61 1904", name="look"), Message("tool", "AT61 1904", name="other"))
    assert [one.content for one in hidden_messages(known, messages, frozenset({"look"}))] == ["AT61 1904", "[[IBAN_1]]"]


def test_traces_show_the_masked_form() -> None:
    known = state()
    register(known, IBAN, "AT61 1904")
    assert masked_data(known, {"text": ["to AT611904"]}) == {"text": ["to *****1904"]}
