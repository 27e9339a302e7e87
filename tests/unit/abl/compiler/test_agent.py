from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl.compiler import Unit, compile_documents
from abl.ir import AGENT_KEYS
from abl.source import Source
from abl.syntax.document import Document
from abl.syntax.flow import Flow, Step
from abl.syntax.node import NODES
from abl.syntax.profile import Profile
from abl.syntax.tools import Parameter, Tool, TypeExpr

EVERYTHING = """
VERSION: "2.1.0"
DESCRIPTION: Finds parcels
LANGUAGE: de-DE
NLU:
  default_language: de
INTENTS:
  trace: Where
CONVERSATION:
  speaking:
    style: concise
ON_START:
  RESPOND: Hello
FLOW:
  a:
    REASONING: true
HANDOFF:
  - TO: B
    WHEN: a
TEMPLATES:
  pick:
    DEFAULT: d
    MARKDOWN: m
"""


def test_every_key_of_an_agent_is_documented(agent_of) -> None:
    agent = agent_of(EVERYTHING, project_runtime_config={"a": 1}, omnichannel={"b": [2]})
    assert set(agent) == set(AGENT_KEYS)
    assert agent["project_runtime_config"] == {"a": 1}
    assert agent["conversation_behavior"] == {"speaking": {"style": "concise"}}


def test_the_metadata_says_what_was_compiled(agent_of) -> None:
    metadata = agent_of(EVERYTHING)["metadata"]
    assert (metadata["name"], metadata["version"], metadata["type"]) == ("Parcel_Desk", "2.1.0", "agent")
    assert metadata["description"] == "Finds parcels"
    assert len(metadata["source_hash"]) == 16
    assert agent_of("")["metadata"]["version"] == "1.0.0"


def test_documents_without_a_text_have_hashes_of_their_own() -> None:
    def hashed(goal: str) -> str:
        unit = Unit(Document(name="Desk", goal=goal))
        return compile_documents([unit]).output["agents"]["Desk"]["metadata"]["source_hash"]

    assert hashed("a") == hashed("a")
    assert hashed("a") != hashed("b")


ODD = st.sampled_from(
    [None, "", "x", "TEMPLATE(x)", 0, -1, 10**30, 1e308, float("nan"), float("inf"), True, False, [], [None], ["x", 3], {},
     {"a": None}, {1: object()}, object(), b"x", {"default": 3}, "\ud800"]
)  # fmt: skip


@st.composite
def odd_nodes(draw: st.DrawFn, depth: int = 0) -> Any:
    cls = NODES[draw(st.sampled_from(sorted(NODES)))]
    return _filled(draw, cls, depth)


def _filled(draw: st.DrawFn, cls: type, depth: int) -> Any:
    made = cls()
    names = draw(st.lists(st.sampled_from(cls.FIELDS), max_size=6, unique=True)) if cls.FIELDS else []
    for name in names:
        row = cls.BY_FIELD.get(name)
        if row is not None and row.node in NODES and depth < 3:
            child = _filled(draw, NODES[row.node], depth + 1)
            setattr(made, name, draw(st.sampled_from([child, [child], [child, child, None]])))
        else:
            setattr(made, name, draw(ODD))
    return made


@st.composite
def odd_documents(draw: st.DrawFn) -> Document:
    document = _filled(draw, Document, 0)
    document.name = "Desk"
    document.kind = draw(st.sampled_from(["agent", "supervisor", "tools", "profile"]))
    document.format = draw(st.sampled_from(["abl", "yaml"]))
    document.flow = document.flow or Flow(steps=[_filled(draw, Step, 0)])
    return document


@settings(max_examples=150, deadline=None)
@given(st.lists(odd_documents(), min_size=1, max_size=3))
def test_no_document_makes_the_compiler_raise_and_the_output_is_json(documents: list[Document]) -> None:
    output = compile_documents([Unit(one) for one in documents]).output
    assert json.loads(json.dumps(output, allow_nan=False)) == output


@pytest.mark.parametrize("depth", [10, 5000])
def test_deep_types_have_a_bound(depth: int) -> None:
    kind = TypeExpr()
    parameter = Parameter(name="p")
    for _ in range(depth):
        kind = TypeExpr(base="array", items=kind)
        parameter = Parameter(name="p", type=kind, properties=[parameter])
    document = Document(name="Desk", tools=[Tool(name="f", parameters=[parameter], returns=kind)])
    output = compile_documents([Unit(document, Source("x"))]).output
    assert output["agents"]["Desk"]["tools"][0]["name"] == "f"


def test_a_profile_document_of_an_agent_may_replace_its_flow() -> None:
    profile = Profile(name="p", flow_replace=Flow(steps=[Step(name="a")]))
    output = compile_documents([Unit(Document(name="Desk", behavior_profiles=[profile]))]).output
    assert output["agents"]["Desk"]["behavior_profiles"][0]["flow_replace"]["steps"] == ["a"]
