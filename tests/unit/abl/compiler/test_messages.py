from __future__ import annotations

from abl.compiler.default_messages import default_messages
from abl.languages import SENTENCES


def test_all_known_keys_have_a_text(agent_of) -> None:
    messages = agent_of("")["messages"]
    assert messages == default_messages()
    assert set(messages) == set(SENTENCES)
    assert all(messages.values())


def test_the_document_goes_before_the_project_before_the_defaults(agent_of) -> None:
    messages = agent_of(
        'MESSAGES:\n  Greeting: "Mine"\n  own_key: "Own"\n', messages={"GREETING": "P", "empty_input": "P"}
    )["messages"]
    assert (messages["greeting"], messages["empty_input"], messages["own_key"]) == ("Mine", "P", "Own")
