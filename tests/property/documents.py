"""Hypothesis strategies for valid documents of every kind.

Every property of every class can occur; texts hold what breaks naive writers: quotes, comment signs, braces, colons,
arrows, unicode and line ends.
"""

from __future__ import annotations

from hypothesis import strategies as st

from abl.syntax.document import Document
from abl.syntax.node import NODES, Kind, Node
from abl.syntax.profile import Profile
from abl.syntax.tools import ToolDefaults
from tests.property.constructs import tool, tool_import
from tests.property.nodes import NEVER, VALUES, Dice, draw_node, unique
from tests.property.words import CONDITIONS, NAMES

INLINE_PROFILE = ("priority", "when", "instructions", "conversation")


@st.composite
def agents(draw: st.DrawFn, focus: dict[str, tuple[str, ...]] | None = None) -> Document:
    """Agents and supervisors."""
    return _agent(Dice(draw, focus))


def _agent(draw: Dice) -> Document:
    focus = draw.focus.get("Document", ())
    made = draw_node(draw, Document, 0, always=("goal",), most=5)
    assert isinstance(made, Document)
    made.kind = draw(st.sampled_from(["agent", "agent", "supervisor"]))
    made.name = draw(st.sampled_from(["Parcel_Tracer", "A", "Claims_2"]))
    if draw(st.integers(0, 3)) == 0 or "tools" in focus:
        made.tools = unique([tool(draw) for _ in range(draw(st.integers(1, 3)))])
        made.tool_imports = [tool_import(draw)] if draw(st.booleans()) else None
    if draw(st.integers(0, 5)) == 0:
        made.behavior_profiles = unique([_profile(draw, INLINE_PROFILE) for _ in range(draw(st.integers(1, 2)))])
    if draw(st.integers(0, 5)) == 0 or "identity" in focus:
        made.identity = draw_node(draw, NODES["Identity"], 1)
        made.persona, made.limitations = made.persona or "Calm", made.limitations or ["No customs"]
    return made


def _profile(draw: Dice, only: tuple[str, ...] = ()) -> Profile:
    made = Profile()
    rows = [row for row in Profile.PROPS if not only or row.field in only]
    wanted = draw(st.lists(st.sampled_from(rows), max_size=5, unique_by=lambda row: row.field))
    focus = draw.focus.get("Profile", ())
    for row in [*wanted, *(one for one in rows if one.field in focus and one not in wanted)]:
        setattr(made, row.field, VALUES[row.kind](draw, row, 1))
    made.name, made.priority, made.when = (
        draw(NAMES | st.just("phone-callers")),
        draw(st.integers(0, 99)),
        draw(CONDITIONS),
    )
    return made


@st.composite
def profiles(draw: st.DrawFn, focus: dict[str, tuple[str, ...]] | None = None) -> Document:
    """Behaviour profiles that are documents of their own."""
    profile = _profile(Dice(draw, focus))
    return Document(kind="profile", name=profile.name, behavior_profiles=[profile])


@st.composite
def libraries(draw: st.DrawFn, focus: dict[str, tuple[str, ...]] | None = None) -> Document:
    """Tool libraries."""
    return _library(Dice(draw, focus))


def _library(draw: Dice) -> Document:
    made = Document(kind="tools", tools=unique([tool(draw) for _ in range(draw(st.integers(1, 3)))]))
    if draw(st.booleans()) or "ToolDefaults" in draw.focus:
        made.tool_defaults = draw_node(draw, ToolDefaults, 1)  # type: ignore[assignment]
    return made


def documents() -> st.SearchStrategy[Document]:
    """Documents of every kind."""
    return agents() | agents() | agents() | profiles() | libraries()


class Shown:
    """A document that shows itself briefly when a test fails."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        return repr(self.document)


def focused(cls: type[Node]) -> st.SearchStrategy[Document]:
    """Return documents that hold a node of `cls` in which everything is said that can be."""
    every = tuple(row.field for row in cls.PROPS if row.kind not in NEVER)
    for root, make in (("Document", agents), ("Profile", profiles), ("ToolDefaults", libraries)):
        chain = _chains(root).get(cls.__name__)
        if chain is not None:
            return make({name: (field,) for name, field in chain} | {cls.__name__: every})
    raise LookupError(cls.__name__)


_HOLDS = {
    Kind.BRANCHES: "Branch",
    Kind.RULES: "Constraint",
    Kind.HUMAN: "HumanOutcome",
    Kind.TEMPLATES: "Template",
    Kind.SET: "Assignment",
    Kind.TOOLS: "Tool",
    Kind.PARAMETERS: "Parameter",
    Kind.ANY: "Profile",
}
_PLAIN_FIELDS = {
    "Flow": [("steps", "Step")],
    "ActionSet": [("elements", "Element")],
    "Element": [("options", "Option")],
}


def _chains(root: str) -> dict[str, list[tuple[str, str]]]:
    """Return class -> the (class, field) pairs that lead to it from `root`, the shortest way."""
    found: dict[str, list[tuple[str, str]]] = {root: []}
    queue = [root]
    while queue:
        name = queue.pop(0)
        cls = NODES[name]
        held = [(row.field, row.node or _HOLDS.get(row.kind, "")) for row in cls.PROPS]
        for field, inner in [*held, *_PLAIN_FIELDS.get(name, [])]:
            if inner and inner not in found:
                found[inner] = [*found[name], (name, field)]
                queue.append(inner)
    return found


CLASSES = [NODES[name] for name in sorted({**_chains("Document"), **_chains("Profile"), **_chains("ToolDefaults")})]
"""The classes of which documents are made."""
