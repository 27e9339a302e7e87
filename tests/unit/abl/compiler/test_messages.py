from __future__ import annotations

from abl.compiler.default_messages import DEFAULT_MESSAGES


def test_all_known_keys_have_a_text(agent_of) -> None:
    assert agent_of("")["messages"] == DEFAULT_MESSAGES
    assert len(DEFAULT_MESSAGES) == 46
    assert all(DEFAULT_MESSAGES.values())


def test_the_document_goes_before_the_project_before_the_defaults(agent_of) -> None:
    messages = agent_of(
        'MESSAGES:\n  Greeting: "Mine"\n  own_key: "Own"\n', messages={"GREETING": "P", "empty_input": "P"}
    )["messages"]
    assert (messages["greeting"], messages["empty_input"], messages["own_key"]) == ("Mine", "P", "Own")
