"""The names of a text and their exact places."""

from __future__ import annotations

from pathlib import Path

from abl.editor.names import Symbol
from abl.editor.symbols import DECLARES, MENTIONS, WRITES
from tests.support.cells import over
from tests.support.cursor_texts import HEAD, names
from tests.support.repository import ROOT

EXAMPLES = sorted((ROOT / "examples").rglob("*.abl"))


def found(text: str, symbol: Symbol) -> list[tuple[str, str, int]]:
    """Return name, line and rank of every occurrence of a kind."""
    workspace, path = names(text)
    file = workspace.file(path)
    assert file is not None
    return [
        (one.name, file.source.line(file.source.pos(one.offset).line).strip(), one.rank)
        for one in file.occurrences
        if one.symbol is symbol
    ]


@over("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_occurrence_stands_where_it_says(path: Path) -> None:
    workspace, name = names(path.read_text(encoding="utf-8"))
    file = workspace.file(name)
    assert file is not None
    assert file.occurrences
    for one in file.occurrences:
        assert file.text[one.offset : one.stop] == one.name


def test_steps_are_found_in_targets_and_sequences() -> None:
    text = (
        HEAD
        + "FLOW:\n  entry_point: a\n  a -> b  # then b\n  a:\n    THEN: b\n  b:\n    ON_INPUT:\n      - IF: x\n        THEN: a\n      - ELSE:\n        THEN: COMPLETE\n"
    )
    assert found(text, Symbol.STEP) == [
        ("a", "entry_point: a", MENTIONS),
        ("a", "a -> b  # then b", MENTIONS),
        ("b", "a -> b  # then b", MENTIONS),
        ("a", "a:", DECLARES),
        ("b", "THEN: b", MENTIONS),
        ("b", "b:", DECLARES),
        ("a", "THEN: a", MENTIONS),
    ]


def test_tools_are_found_in_calls_lists_rules_and_events() -> None:
    text = (
        HEAD
        + "TOOLS:\n  find(code: string)\nMEMORY:\n  recall:\n    - ON: tool:find:after\n      ACTION: inject_context\n"
        "CONSTRAINTS:\n  - REQUIRE a BEFORE calling find\nFLOW:\n  s:\n    AVAILABLE_TOOLS: [find]\n    CALL: find(code)\n"
        "    CHECK: last_find_result.ok\n"
    )
    lines = [line for _, line, _ in found(text, Symbol.TOOL)]
    assert lines == [
        "find(code: string)", "- ON: tool:find:after", "- REQUIRE a BEFORE calling find", "AVAILABLE_TOOLS: [find]",
        "CALL: find(code)", "CHECK: last_find_result.ok",
    ]  # fmt: skip


def test_variables_are_found_in_formulas_and_templates_but_not_in_comments() -> None:
    text = (
        HEAD
        + "GATHER:\n  code:\n    type: string\n# {{code}} in a comment\nFLOW:\n  s:\n    SET: n = UPPER(code) + 1\n"
        "    RESPOND: |\n      {{#if code}}{{ code | upper }}{{/if}} {{#each items}}{{this.code}}{{/each}}\n    CHECK: n > 1\n"
    )
    assert [name for name, _, _ in found(text, Symbol.VARIABLE)] == ["code", "n", "code", "code", "code", "items", "n"]
    assert [rank for name, _, rank in found(text, Symbol.VARIABLE) if name == "n"] == [WRITES, MENTIONS]


def test_a_declared_path_is_one_name() -> None:
    text = HEAD + "MEMORY:\n  persistent:\n    - PATH: user.hub\nCOMPLETE:\n  - WHEN: user.hub.city == user.name\n"
    assert [name for name, _, _ in found(text, Symbol.VARIABLE)] == ["user.hub", "user.hub", "user"]


def test_conditions_over_several_lines_have_exact_places() -> None:
    text = HEAD + "COMPLETE:\n  - WHEN: |\n      alpha > 1\n      AND beta\n    RESPOND: x\n"
    assert found(text, Symbol.VARIABLE) == [("alpha", "alpha > 1", MENTIONS), ("beta", "AND beta", MENTIONS)]


def test_implications_are_read_in_both_parts() -> None:
    text = HEAD + "CONSTRAINTS:\n  - REQUIRE alpha > 1 IMPLIES beta IS SET\n"
    assert [name for name, _, _ in found(text, Symbol.VARIABLE)] == ["alpha", "beta"]


def test_agents_handlers_templates_and_intents() -> None:
    text = (
        HEAD + "INTENTS:\n  refund: 'wants money'\nHANDOFF:\n  - TO: Cards\n    WHEN: intent.category == \"refund\"\n"
        "    ON_RETURN:\n      HANDLER: back\nRETURN_HANDLERS:\n  back:\n    RESPOND: TEMPLATE(card)\n"
        'TEMPLATES:\n  card: "hi"\nON_ERROR:\n  DEFAULT:\n    THEN: HANDOFF Cards\n'
    )
    assert [name for name, _, _ in found(text, Symbol.AGENT)] == ["Desk", "Cards", "Cards"]
    assert [rank for _, _, rank in found(text, Symbol.HANDLER)] == [MENTIONS, DECLARES]
    assert [rank for _, _, rank in found(text, Symbol.TEMPLATE)] == [MENTIONS, DECLARES]
    assert [rank for _, _, rank in found(text, Symbol.INTENT)] == [DECLARES, MENTIONS]


def test_messages_are_declared_by_their_keys() -> None:
    text = HEAD + 'MESSAGES:\n  hello: "Hi"\nFLOW:\n  s:\n    MESSAGE_KEY: hello\n'
    assert [rank for _, _, rank in found(text, Symbol.MESSAGE)] == [DECLARES, MENTIONS]


def test_a_text_without_document_has_no_names() -> None:
    assert found("nothing here", Symbol.AGENT) == []
    assert found("agent: A\ngoal: x\n", Symbol.AGENT) is not None
