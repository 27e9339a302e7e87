"""How a session comes to be: what it is pinned to, what a button is, what a test may pretend."""

import asyncio
from typing import Any

import msgspec
import pytest

from actors.runtime import ChatTurn, NewSession
from actors.session.live import LiveSession
from actors.session.opening import action_of, begun, found, pin_of_new
from actors.session.services import Chosen
from domain.errors import InvalidInput, NotFound
from tests.support.sessions import PIN, PROGRAM, PROJECT, SESSION, TENANT, MemoryStore, some_services


def a_live() -> LiveSession:
    return LiveSession(PIN, PROGRAM, MemoryStore(), 1)


@pytest.mark.parametrize(("tenant", "project"), [("ten_b", PROJECT), (TENANT, "c" + "q" * 24)])
def test_a_session_of_others_is_not_found(tenant: str, project: str) -> None:
    with pytest.raises(NotFound):
        found(a_live(), tenant, project)


def test_a_caller_of_the_whole_tenant_names_no_project() -> None:
    live = a_live()
    assert found(live, TENANT) is live


def test_a_button_has_its_parts_under_their_wire_names() -> None:
    action = action_of({"actionId": "rate", "value": "5", "formData": {"why": "fast"}, "renderId": "r", "other": 1})
    assert action is not None
    assert (action.action_id, action.value, action.form, action.render_id) == ("rate", "5", {"why": "fast"}, "r")
    assert action_of(None) is None
    with pytest.raises(InvalidInput):
        action_of({"value": "5"})


def said(**more: Any) -> ChatTurn:
    return ChatTurn(tenant_id=TENANT, project_id=PROJECT, message="hello", **more)


def test_a_session_begins_with_the_metadata_of_its_first_message() -> None:
    fact = asyncio.run(begun(a_live(), some_services(MemoryStore()), asked=said(metadata={"page": "checkout"})))
    assert fact.metadata == {"page": "checkout"}


@pytest.mark.parametrize("context", [{"startAtStep": "nowhere"}, {"toolMocks": "all"}])
def test_a_test_context_that_cannot_be_is_refused(context: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        asyncio.run(begun(a_live(), some_services(MemoryStore()), asked=said(test_context=context)))


def test_a_test_context_tells_the_engine_to_trace_prompts() -> None:
    asked = said(test_context={"startAtStep": "listen"})
    fact = asyncio.run(begun(a_live(), some_services(MemoryStore()), asked=asked))
    assert fact.trace_prompts
    assert not asyncio.run(begun(a_live(), some_services(MemoryStore()))).trace_prompts


def a_new(**more: object) -> NewSession:
    wanted = NewSession(tenant_id=TENANT, project_id=PROJECT, agent="Ledger", variables={"a": 1})
    return msgspec.structs.replace(wanted, **more)


def test_a_pin_says_how_long_the_session_may_be_quiet() -> None:
    pin = asyncio.run(pin_of_new(SESSION, a_new(), some_services(MemoryStore()))).pin
    assert pin.idle_s == 1_800.0
    assert pin.variables == {"a": 1}


@pytest.mark.parametrize("environment", ["production", "staging"])
def test_nothing_is_pretended_where_people_are(environment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    services = some_services(MemoryStore())

    async def choose(*_names: object, **_more: object) -> Chosen:
        return Chosen("prog_1", "Ledger", environment)

    monkeypatch.setattr(services.programs, "choose", choose)
    with pytest.raises(InvalidInput, match="development only"):
        asyncio.run(pin_of_new(SESSION, a_new(test_context={}), services))
