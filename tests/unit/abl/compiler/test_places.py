from __future__ import annotations

from abl.compiler import Places, Unit, locate
from abl.compiler.places import Place
from abl.source import Pos, Source
from abl.syntax.coordination import Handoff
from abl.syntax.document import Document
from abl.syntax.memory import Recall
from abl.syntax.rules import Constraint

TEXT = 'HANDOFF:\n  - TO: B\n    WHEN: intent == "trase"\nGOAL: |\n  One line.\n    Two {{lines}}.\n'


def unit(path: str | None = "a.abl") -> Unit:
    return Unit(Document(), Source(TEXT), path)


def handoff() -> Handoff:
    at = {"to": TEXT.index("B\n"), "when": TEXT.index("intent")}
    return Handoff(pos=Pos(2, 5, 13), to="B", when='intent == "trase"', at=at)


def test_an_object_is_found_by_identity() -> None:
    places, ir, node = Places(), {"a": 1}, handoff()
    places.record(ir, node, unit())
    assert places.find(ir).node is node
    assert places.find({"a": 1}) is None
    assert len(places) == 1


def test_a_field_is_located_exactly() -> None:
    place = Place(handoff(), unit())
    assert locate(place, "when") == {
        "file": "a.abl",
        "line": 3,
        "column": 11,
        "offset": TEXT.index("intent"),
        "length": 17,
    }


def test_a_part_of_a_field_is_located() -> None:
    found = locate(Place(handoff(), unit()), "when", start=11, length=5)
    assert (found["column"], found["length"]) == (22, 5)
    assert TEXT[found["offset"] :][:5] == "trase"


def test_an_ir_key_leads_to_its_field() -> None:
    assert locate(Place(handoff(), unit()), "condition")["line"] == 3


def test_a_block_is_searched_line_by_line() -> None:
    goal = "One line.\n  Two {{lines}}."
    node = Document(goal=goal, at={"goal": TEXT.index("One")})
    found = locate(Place(node, unit()), "goal", start=goal.index("lines"), length=5)
    assert (found["line"], TEXT[found["offset"] :][:5]) == (6, "lines")


def test_a_block_is_searched_as_far_as_its_lines_stand_in_the_text() -> None:
    text = "GOAL: |\n  first\n  second\n    third {{x}}\n"
    for goal, line in (("first\nsecond\n  third {{x}}", 4), ("first\nother\n  third {{x}}", 2)):
        node = Document(goal=goal, at={"goal": text.index("first")})
        found = locate(Place(node, Unit(node, Source(text))), "goal", start=goal.index("{{"), length=5)
        assert found["line"] == line
    assert text[found["offset"] :].startswith("first")


def test_items_of_lists_and_maps_have_places_of_their_own() -> None:
    node = Recall(paths=["x", "One"], at={"paths.1": TEXT.index("One")})
    assert locate(Place(node, unit()), "paths.1")["length"] == 3
    passing = Handoff(pass_=["B"], at={"pass_.0": TEXT.index("B")})
    assert locate(Place(passing, unit()), "pass.0")["line"] == 2


def test_without_a_place_of_its_own_a_field_is_where_its_node_is() -> None:
    assert locate(Place(handoff(), unit()), "priority") == {"file": "a.abl", "line": 2, "column": 5, "offset": 13}


def test_made_documents_have_no_places() -> None:
    assert locate(Place(Constraint(), Unit(Document())), "condition") == {}
    assert locate(None, "condition") == {}


def test_every_object_that_came_from_the_text_has_a_place(compile_text) -> None:
    result = compile_text(
        "HANDOFF:\n  - TO: B\n    WHEN: a\nFLOW:\n  a:\n    REASONING: false\n    ON_INPUT:\n      - IF: yes\n        THEN: a\n"
    )
    agent = result.output["agents"]["Parcel_Desk"]
    step = agent["flow"]["definitions"]["a"]
    for ir, line in ((agent["coordination"]["handoffs"][0], 4), (step, 7), (step["on_input"][0], 10)):
        assert locate(result.places.find(ir))["line"] == line
    assert locate(result.places.find(step["on_input"][0]), "then")["column"] == 15
    assert result.places.find(agent) is not None
