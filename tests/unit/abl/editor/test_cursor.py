"""What stands around the cursor, also in a line that is half typed."""

from __future__ import annotations

from abl.editor.cursor import Stage, cursor_at
from tests.support.cells import over
from tests.support.cursor_texts import HEAD, cut

FLOW = HEAD + "FLOW:\n  s:\n"


@over(
    ("text", "stage", "cls", "key"),
    [
        ("^", Stage.SECTION, None, None),
        (HEAD + "TO^", Stage.SECTION, None, None),
        (HEAD + "LANGUAGE: ^", Stage.VALUE, "Document", "LANGUAGE"),
        (HEAD + "FLOW:\n  ^", Stage.KEY, "Flow", None),
        (FLOW + "    ^", Stage.KEY, "Step", None),
        (FLOW + "    ON_^\n    THEN: t\n", Stage.KEY, "Step", None),
        (FLOW + "    THEN:^", Stage.VALUE, "Step", "THEN"),
        (FLOW + "    WHEN: a > ^", Stage.FORMULA, "Step", "WHEN"),
        (FLOW + "    ON_INPUT:\n      - ^", Stage.KEY, "Branch", None),
        (FLOW + "    ON_INPUT:\n      -^", Stage.KEY, "Branch", None),
        (FLOW + "    ON_INPUT:\n      - IF: ^", Stage.FORMULA, "Branch", "IF"),
        (FLOW + "    ON_INPUT:\n      - IF: x\n        ^", Stage.KEY, "Branch", None),
        (FLOW + "    ON_INPUT:\n    - IF: x\n      ^", Stage.KEY, "Branch", None),
        (FLOW + '    RESPOND: "{{ ^', Stage.FORMULA, "Step", "RESPOND"),
        (FLOW + '    RESPOND: "{{ a | ^', Stage.FILTER, "Step", "RESPOND"),
        (FLOW + '    RESPOND: "{{a}} ^', Stage.VALUE, "Step", "RESPOND"),
        (FLOW + "    RESPOND: |\n      Hi {{ ^\n      more\n", Stage.FORMULA, "Step", "RESPOND"),
        (FLOW + "    RESPOND: |\n      Hi ^\n", Stage.NOTHING, "Step", "RESPOND"),
        (FLOW + "    CHECK: |\n      a ^\n", Stage.FORMULA, "Step", "CHECK"),
        (FLOW + "    SET: ^", Stage.VALUE, "Assignment", None),
        (FLOW + "    SET:\n      a = ^", Stage.FORMULA, "Assignment", None),
        (FLOW + "    CALL: f(^", Stage.FORMULA, "Step", "CALL"),
        (FLOW + "    CALL: f\n      WITH:\n        a: ^", Stage.FORMULA, "Call", "WITH"),
        (FLOW + "    AVAILABLE_TOOLS: [a, ^]", Stage.VALUE, "Step", "AVAILABLE_TOOLS"),
        (FLOW + "    AVAILABLE_TOOLS:\n      - ^", Stage.VALUE, "Step", "AVAILABLE_TOOLS"),
        (HEAD + "GATHER:\n  a:\n    type: ^", Stage.VALUE, "GatherField", "type"),
        (HEAD + "MEMORY:\n  session:\n    - NAME: a\n      ^", Stage.KEY, "SessionVariable", None),
        (HEAD + "HANDOFF:\n  - TO: B\n    CONTEXT:\n      ^", Stage.KEY, "Handoff", None),
        (HEAD + "TOOLS:\n  f(a: string)\n    ^", Stage.KEY, "Tool", None),
        (HEAD + "CONSTRAINTS:\n  - REQUIRE ^", Stage.FORMULA, "Constraint", "CONDITION"),
        (HEAD + "# just a comment ^", Stage.NOTHING, None, None),
    ],
)
def test_the_place_is_told_by_indentation(text: str, stage: Stage, cls: str | None, key: str | None) -> None:
    cursor = cursor_at(*cut(text))
    assert cursor.stage is stage
    shown = cursor.cls if cursor.cls is not None else cursor.body.cls
    if cls is not None:
        assert shown is not None
        assert shown.__name__ == cls
    assert (cursor.row.key if cursor.row is not None else None) == key


def test_the_word_before_the_cursor_is_known() -> None:
    cursor = cursor_at(*cut(FLOW + "    WHEN: parcel.st^ate"))
    assert (cursor.word, cursor.start, cursor.rest) == ("parcel.st", len(FLOW) + 10, "ate")


def test_what_a_body_has_already_is_known() -> None:
    text = FLOW + "    REASONING: false\n    ^\n    CALL: f\n      AS: x\n    THEN: t\n  t:\n    WHEN: a\n"
    assert cursor_at(*cut(text)).present == {"reasoning", "call", "then"}
    text = HEAD + "HANDOFF:\n  - TO: A\n    WHEN: x\n    ^\n  - TO: B\n    RETURN: true\n"
    assert cursor_at(*cut(text)).present == {"to", "when"}


def test_no_place_in_any_prefix_of_a_text_is_too_odd() -> None:
    text = FLOW + "    RESPOND: |\n      Hi {{a}}\n    ON_INPUT:\n    - IF: a\n      THEN: s\n"
    for offset in range(len(text) + 1):
        cursor_at(text[:offset], offset)
        cursor_at(text, offset)
