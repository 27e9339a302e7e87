"""Hypothesis strategies for valid documents of every kind, driven by the property tables of the node classes.

Every property of every class can occur; texts hold what breaks naive writers: quotes, comment signs, braces, colons,
arrows, unicode and line ends. What a class demands of its fields together (a branch has a condition or is ELSE) is
said once in `MENDED`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from abl.syntax.conversation import FIELDS
from abl.syntax.coordination import History, HumanOutcome
from abl.syntax.document import HOOKS, Document
from abl.syntax.flow import Flow, Step, Transform
from abl.syntax.memory import Store
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.profile import Profile
from abl.syntax.rich import FORMAT_KEYS, TEXT_FORMATS, ActionSet, Element, Option, Template, Voice
from abl.syntax.rules import RULE_KINDS, Constraint, FailAction
from abl.syntax.steps import Argument, Assignment, Branch, Call, Do
from abl.syntax.tools import BASE_TYPES, TOOL_TYPES, Parameter, Tool, ToolDefaults, ToolImport, TypeExpr

MAX_DEPTH = 4
INLINE_PROFILE = ("priority", "when", "instructions", "conversation")

# --- words and texts ----------------------------------------------------------------------------------------------

WORDS = ("parcel", "hub_1", "x", "Region", "claim_amount", "user_id", "status", "Überweg", "_hidden", "b2")
PIECES = (
    *("word", "Two words", "it's", '"quoted"', '"', "'", "# no comment", "#12", "a: b", ": ", "{", "}", "{{x.y}}"),
    *("[1, 2]", "|", ">", "->", "→", "é𝄞", "„so“", "\\n", "\\", "// not", "/* no */", "- dash", "50 %", "(", ")", ","),
    *(
        "true",
        "null",
        "1.0",
        "GOAL: x",
        "IF a == b",
        "=",
        "---",
        "```",
        "&a",
        "*b",
        "!c",
        "@d",
        "?",
        "~",
        "\t",
        "```abl",
    ),
)
NAMES = st.sampled_from([word for word in WORDS if word.isascii()]) | st.from_regex(
    r"[a-z]{1,3}_[a-z0-9]{1,4}", fullmatch=True
)
PATHS = NAMES | st.tuples(NAMES, NAMES).map(".".join)


def cleaned(text: str) -> str:
    """Return a text as documents hold it."""
    return "\n".join([line.rstrip() for line in text.split("\n")]).strip()


def _joined(parts: list[str]) -> str:
    return cleaned("".join(parts))


LINES = (
    st.lists(st.sampled_from(PIECES) | st.sampled_from([" ", " "]), min_size=1, max_size=6).map(_joined).filter(bool)
)
TEXTS = LINES | st.lists(LINES | st.just("") | LINES.map("  ".__add__), min_size=2, max_size=4).map("\n".join).map(
    cleaned
).filter(bool)
STRINGS = st.sampled_from(['"lost"', "'found it'", '"a: b"', '"# 1"', '"x -> y"', '"é"', '"{{x}}"', '""', '"\\d+"'])
OPERANDS = PATHS | STRINGS | st.sampled_from(["1", "2.5", "true", "null", "[1, 2]", "LENGTH(x)", "UPPER(a.b)"])
COMPARISONS = st.tuples(PATHS, st.sampled_from(["==", "!=", "<=", ">", "CONTAINS", "NOT IN", "MATCHES"]), OPERANDS).map(
    " ".join
) | PATHS.map("{} IS SET".format)
CONDITIONS = COMPARISONS | st.tuples(
    COMPARISONS, st.sampled_from(["AND", "OR"]), COMPARISONS.map("NOT ({})".format)
).map(" ".join)
EXPRESSIONS = OPERANDS | st.tuples(PATHS, st.sampled_from(["+", "-", "*"]), OPERANDS).map(" ".join) | STRINGS
NUMBERS = st.integers(0, 1000) | st.integers(0, 100).map(lambda n: n / 100)
JSON_TEXTS = LINES.filter(lambda text: not ('"' in text and "'" in text and "#" in text))
JSON = st.recursive(
    st.booleans() | st.integers(-9, 999) | st.none() | JSON_TEXTS | NAMES | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.just("two words"), inner, max_size=3),
    max_leaves=8,
)
LITERALS = (
    st.booleans() | NUMBERS | LINES | NAMES | st.lists(NAMES | NUMBERS, max_size=3)
    | st.dictionaries(NAMES, NAMES | NUMBERS | st.booleans(), max_size=3)
)  # fmt: skip


class Dice:
    """Draws values; `focus` names fields that are set whenever a node of a class is made."""

    def __init__(self, draw: st.DrawFn, focus: dict[str, tuple[str, ...]] | None = None) -> None:
        self._draw = draw
        self.focus = focus or {}

    def __call__(self, strategy: st.SearchStrategy[Any]) -> Any:
        """Draw one value."""
        return self._draw(strategy)


Make = Callable[[Dice, Prop, int], Any]


def unique(items: list[Any], key: str = "name") -> list[Any]:
    """Return the items without those whose name has been seen."""
    seen: dict[str, Any] = {}
    for item in items:
        seen.setdefault(getattr(item, key), item)
    return list(seen.values())


# --- nodes --------------------------------------------------------------------------------------------------------


def draw_node(draw: Dice, cls: type[Node], depth: int, *, always: tuple[str, ...] = (), most: int = 4) -> Node:
    """Draw a node with some of its properties."""
    made = cls()
    rows = [row for row in cls.PROPS if _may_occur(cls, row)]
    wanted = draw(st.lists(st.sampled_from(rows), max_size=most, unique_by=lambda row: row.field)) if rows else []
    focus = draw.focus.get(cls.__name__, ())
    chosen = {row.field: row for row in wanted} | {name: cls.BY_FIELD[name] for name in always if name in cls.BY_FIELD}
    chosen |= {row.field: row for row in rows if row.field in focus}
    for row in chosen.values():
        if depth < MAX_DEPTH or row.kind not in _NESTED or row.field in focus:
            setattr(made, row.field, VALUES[row.kind](draw, row, depth))
    if cls.MAIN and not getattr(made, cls.MAIN):
        row = cls.BY_FIELD.get(cls.MAIN)
        setattr(made, cls.MAIN, VALUES[row.kind](draw, row, depth) if row else draw(NAMES))
    mend = MENDED.get(cls.__name__)
    if mend is not None:
        mend(draw, made)
    return made


_NESTED = frozenset({Kind.NODE, Kind.ENTRIES, Kind.FLOW, Kind.STEP_GATHER, Kind.BRANCHES, Kind.CALL, Kind.FREE})
_NEVER = frozenset({Kind.FLAT, Kind.SKIP, Kind.ANY, Kind.TOOLS, Kind.PARAMETERS})


def _may_occur(cls: type[Node], row: Prop) -> bool:
    if cls is Parameter and row.field in ("items", "properties", "type", "default"):
        return False
    return row.kind not in _NEVER and (cls.__name__, row.field) not in _SKIPPED


_SKIPPED = {("Document", "model"), ("Document", "identity")}


def _entries(draw: Dice, row: Prop, depth: int) -> list[Node]:
    cls = NODES[row.node]
    items = [draw_node(draw, cls, depth + 1) for _ in range(draw(st.integers(1, 2)))]
    items = [item for item in items if any(True for _ in item.written())]
    if cls.MAIN:
        return unique(items, cls.MAIN)
    return items or [draw_node(draw, cls, depth + 1, always=(cls.PROPS[0].field,))]


def _mapping(draw: Dice, row: Prop, depth: int) -> dict[str, str]:
    expression = row.field in ("with_", "input")
    values = EXPRESSIONS if expression else PATHS if row.field in ("returns", "map", "set") else TEXTS
    keys = NAMES.map(str.lower) if row.field == "messages" else NAMES | st.sampled_from(["X-Key", "a.b"])
    return draw(st.dictionaries(keys, values, min_size=1, max_size=3))


def _bounded(draw: Dice, row: Prop, depth: int) -> float:
    low, high = int(row.minimum or 0), int(row.maximum if row.maximum is not None else 1000)
    if row.kind is Kind.INTEGER:
        return draw(st.integers(low, high))
    return draw(st.integers(low, high) | st.integers(low * 100, high * 100).map(lambda n: n / 100))


def _duration(draw: Dice, row: Prop, depth: int) -> float:
    value = draw(st.integers(0, 100_000) | st.integers(0, 9999).map(lambda n: n / 100))
    return int(value) if value == int(value) else value


def _node(draw: Dice, row: Prop, depth: int) -> Node:
    return draw_node(draw, NODES[row.node], depth + 1)


def _type(draw: Dice, depth: int = 0, *, described: bool = True) -> TypeExpr:
    form = draw(st.sampled_from(["base", "base", "fields", "items", "values"])) if depth < 2 else "base"
    if form == "fields":
        return TypeExpr(
            base="object", fields=unique([_field(draw, depth + 1, described) for _ in range(draw(st.integers(1, 2)))])
        )
    if form == "items":
        return TypeExpr(base="array", items=_type(draw, depth + 1, described=described))
    if form == "values":
        return TypeExpr(values=draw(st.lists(NAMES | st.just("two words"), min_size=1, max_size=3)))
    return TypeExpr(base=draw(st.sampled_from(BASE_TYPES)))


def _field(draw: Dice, depth: int, described: bool) -> Parameter:
    made = Parameter(
        name=draw(NAMES), type=_type(draw, depth, described=described), optional=draw(st.sampled_from([None, True]))
    )
    if described and draw(st.booleans()):
        made.description = draw(LINES)
    return made


def _parameter(draw: Dice) -> Parameter:
    made = draw_node(draw, Parameter, MAX_DEPTH)
    assert isinstance(made, Parameter)
    made.name = draw(NAMES)
    made.type = draw(st.none() | st.just(1)) and _type(draw)
    made.default = draw(st.none() | st.booleans() | NUMBERS | NAMES | LINES)
    made.optional = draw(st.sampled_from([None, True]))
    return made


def _tool(draw: Dice) -> Tool:
    made = draw_node(draw, Tool, 1, always=("description",), most=8)
    assert isinstance(made, Tool)
    made.name = draw(NAMES)
    made.type = draw(st.sampled_from(["", *TOOL_TYPES]))
    made.parameters = unique([_parameter(draw) for _ in range(draw(st.integers(0, 3)))])
    made.returns = _type(draw, described=False) if draw(st.booleans()) else None
    return made


def _tool_import(draw: Dice) -> ToolImport:
    if draw(st.booleans()):
        return ToolImport(slug=draw(NAMES), version=draw(st.sampled_from(["", "1.2.0"])))
    return ToolImport(path="./parcels.tools.abl", names=draw(st.lists(NAMES, min_size=1, max_size=2)))


def _set(draw: Dice, row: Prop, depth: int) -> list[Assignment]:
    return [Assignment(variable=draw(PATHS), expression=draw(EXPRESSIONS)) for _ in range(draw(st.integers(1, 3)))]


def _call(draw: Dice, row: Prop, depth: int) -> Call:
    made = draw_node(draw, Call, depth + 1)
    assert isinstance(made, Call)
    made.tool = draw(NAMES)
    if draw(st.booleans()):
        made.arguments = [
            Argument(name=draw(st.just("") | NAMES), expression=draw(EXPRESSIONS))
            for _ in range(draw(st.integers(0, 2)))
        ]
    return made


def _branches(draw: Dice, row: Prop, depth: int) -> list[Node]:
    made = [draw_node(draw, Branch, depth + 1) for _ in range(draw(st.integers(1, 2)))]
    for branch in made:
        branch.condition, branch.otherwise = draw(CONDITIONS), False
    if draw(st.booleans()):
        made[-1].condition, made[-1].otherwise = "", True
    return made


def _rules(draw: Dice, row: Prop, depth: int) -> list[Constraint]:
    phases = ["", "claims", "always"] if row.field == "constraints" else [""]
    rules = []
    for _ in range(draw(st.integers(1, 3))):
        rule = Constraint(phase=draw(st.sampled_from(phases)))
        if draw(st.integers(0, 4)):
            rule.kind, rule.condition = draw(st.sampled_from(RULE_KINDS)), draw(CONDITIONS)
            rule.when = draw(st.just("") | CONDITIONS)
            rule.before = draw(st.sampled_from(["", "calling find_parcel", "returning results"]))
        else:
            rule.text = draw(TEXTS)
            rules.append(rule)
            continue
        if draw(st.booleans()):
            rule.on_fail = _action(draw, Constraint.BY_FIELD["on_fail"], depth)
        rule.severity = draw(st.sampled_from(["", "error", "warning"]))
        rules.append(rule)
    return sorted(rules, key=lambda rule: rule.phase)


def _action(draw: Dice, row: Prop, depth: int) -> FailAction:
    if row.field == "action":
        word = draw(st.sampled_from(["block", "warn", "redact", "fix", "reask", "filter"]))
        return FailAction(type=word, message=draw(st.just("") | LINES))
    form = draw(st.integers(0, 4))
    if form == 0:
        return FailAction(message=draw(TEXTS))
    if form == 1:
        return FailAction(type=draw(st.sampled_from(["block", "respond"])), message=draw(TEXTS))
    if form == 2:
        return draw(
            st.sampled_from(
                [
                    FailAction(type="escalate", reason="too late # 3"),
                    FailAction(type="handoff", target="Claims_Desk"),
                    FailAction(type="continue"),
                    FailAction(type="redact"),
                    FailAction(type="retry", count=2),
                    FailAction(type="escalate"),
                ]
            )
        )
    made = draw_node(draw, FailAction, depth + 1, always=("message",))
    assert isinstance(made, FailAction)
    made.type = "escalate" if made.reason else "handoff" if made.target else made.type
    return made


def _store(draw: Dice, row: Prop, depth: int) -> Store:
    if draw(st.booleans()):
        return Store(fields=draw(st.lists(NAMES, min_size=1, max_size=3)), target=draw(PATHS))
    return Store(value=draw(PATHS | STRINGS.filter(lambda text: "->" not in text)), target=draw(PATHS))


def _transform(draw: Dice, row: Prop, depth: int) -> Transform:
    made = draw_node(draw, Transform, depth + 1)
    assert isinstance(made, Transform)
    made.source, made.item_var, made.target = draw(PATHS), draw(NAMES), draw(PATHS)
    return made


def _history(draw: Dice, row: Prop, depth: int) -> History:
    mode = draw(st.sampled_from(["auto", "none", "summary_only", "full", "last_n"]))
    return History(mode=mode, count=draw(st.integers(0, 20)) if mode == "last_n" else None)


def _human(draw: Dice, row: Prop, depth: int) -> list[HumanOutcome]:
    actions = st.sampled_from(["COMPLETE", "CONTINUE", "ESCALATE", "HANDOFF to Claims_Desk"])
    return [HumanOutcome(condition=draw(CONDITIONS), action=draw(actions)) for _ in range(draw(st.integers(1, 3)))]


def _formats(draw: Dice, row: Prop | None = None, depth: int = 0) -> dict[str, Any]:
    names = sorted(set(FORMAT_KEYS.values()))
    made = {}
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)):
        body = st.dictionaries(NAMES, JSON, min_size=1, max_size=3) | st.lists(JSON, min_size=1, max_size=2)
        made[name] = draw(TEXTS if name in TEXT_FORMATS else body)
    return made


def _elements(draw: Dice, row: Prop, depth: int) -> ActionSet:
    made = draw_node(draw, ActionSet, MAX_DEPTH)
    assert isinstance(made, ActionSet)
    made.elements = []
    for _ in range(draw(st.integers(1, 2))):
        element = draw_node(draw, Element, MAX_DEPTH)
        assert isinstance(element, Element)
        element.type, element.label = draw(st.sampled_from(["button", "select", "input"])), _label(draw)
        element.options = []
        if draw(st.booleans()):
            described = st.just("") | TEXTS
            element.options = [
                Option(label=_label(draw), id=draw(NAMES), description=draw(described))
                for _ in range(draw(st.integers(1, 2)))
            ]
        made.elements.append(element)
    return made


def _label(draw: Dice) -> str:
    return draw(LINES.filter(lambda text: not ("#" in text or "->" in text or "→" in text or '"' in text)))


def _templates(draw: Dice, row: Prop, depth: int) -> list[Template]:
    made = []
    for _ in range(draw(st.integers(1, 3))):
        template = Template(name=draw(NAMES), text=draw(TEXTS))
        if draw(st.booleans()):
            template.formats = {name: one for name, one in _formats(draw).items() if name != "default"} or None
            template.text = draw(st.just("") | TEXTS) if template.formats else template.text
        if draw(st.booleans()):
            template.voice = Voice(plain_text=draw(TEXTS))
        made.append(template)
    return unique(made)


def _step(draw: Dice, depth: int) -> Step:
    made = draw_node(draw, Step, depth + 1, always=("reasoning",), most=6)
    assert isinstance(made, Step)
    made.name = draw(st.from_regex(r"step_[a-z0-9]{1,3}", fullmatch=True))
    return made


def _flow(draw: Dice, row: Prop, depth: int) -> Flow:
    made = draw_node(draw, Flow, depth + 1)
    assert isinstance(made, Flow)
    made.steps = unique([_step(draw, depth) for _ in range(draw(st.integers(1, 3)))])
    names = [step.name for step in made.steps]
    if len(names) > 1 and draw(st.booleans()):
        made.sequences = [names]
    return made


def _conversation(draw: Dice, row: Prop, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for part in draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=2, unique=True)):
        shape = FIELDS[part]
        assert isinstance(shape, dict)
        made[part] = _shaped(draw, shape)
    return made


def _shaped(draw: Dice, shape: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key in draw(st.lists(st.sampled_from(sorted(shape)), min_size=1, max_size=2, unique=True)):
        want = shape[key]
        if isinstance(want, dict):
            made[key] = _shaped(draw, want)
        elif key == "language_policy":
            made[key] = "fixed"
        else:
            made[key] = draw({"int": st.integers(0, 9), "bool": st.booleans()}.get(want, NAMES | JSON_TEXTS))
    return made


VALUES: dict[Kind, Make] = {
    Kind.TEXT: lambda draw, row, depth: draw(TEXTS if row.key != "BEFORE" else LINES),
    Kind.RESPOND: lambda draw, row, depth: draw(TEXTS | st.just("TEMPLATE(card)")),
    Kind.CODE: lambda draw, row, depth: draw(TEXTS | st.sampled_from([r"^[A-Z]{2}\d{9}$", "session:start", "email"])),
    Kind.NAME: lambda draw, row, depth: draw(PATHS),
    Kind.TARGET: lambda draw, row, depth: draw(NAMES | st.sampled_from(["COMPLETE", "ESCALATE"])),
    Kind.CONDITION: lambda draw, row, depth: draw(CONDITIONS),
    Kind.EXPRESSION: lambda draw, row, depth: draw(EXPRESSIONS),
    Kind.CHOICE: lambda draw, row, depth: draw(st.sampled_from(row.choices)),
    Kind.BOOL: lambda draw, row, depth: draw(st.booleans()),
    Kind.FLAG: lambda draw, row, depth: True,
    Kind.INTEGER: _bounded,
    Kind.NUMBER: _bounded,
    Kind.DURATION: _duration,
    Kind.LITERAL: lambda draw, row, depth: draw(LITERALS),
    Kind.LIST: lambda draw, row, depth: draw(
        st.lists(NAMES, min_size=1, max_size=3) | st.lists(TEXTS, min_size=1, max_size=3)
    ),
    Kind.MAP: _mapping,
    Kind.FREE: lambda draw, row, depth: draw(JSON.filter(lambda value: value is not None)),
    Kind.NODE: _node,
    Kind.ENTRIES: _entries,
    Kind.SET: _set,
    Kind.CALL: _call,
    Kind.BRANCHES: _branches,
    Kind.RULES: _rules,
    Kind.ACTION: _action,
    Kind.STORE: _store,
    Kind.TYPE: lambda draw, row, depth: _type(draw, described=False),
    Kind.FLOW: _flow,
    Kind.STEP_GATHER: _node,
    Kind.TRANSFORM: _transform,
    Kind.HISTORY: _history,
    Kind.FORMATS: _formats,
    Kind.ELEMENTS: _elements,
    Kind.HUMAN: _human,
    Kind.CONVERSATION: _conversation,
    Kind.TEMPLATES: _templates,
    Kind.PROFILES: lambda draw, row, depth: draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)),
}

# --- what fields of a class demand of each other ------------------------------------------------------------------


def _keep_one(draw: Dice, made: Node) -> None:
    """Leave a Do with a single action."""
    names = [name for name, _ in made.written()]
    keep = draw(st.sampled_from(names)) if names else "resume"
    if keep in ("voice_config", "rich_content", "actions", "carousel"):
        made.respond = made.respond or "Look"
        return
    for name in names:
        if name != keep:
            setattr(made, name, Do.DEFAULTS[name])
    if not names:
        made.resume = True


def _digression(draw: Dice, made: Node) -> None:
    made.intent = draw(NAMES)
    if made.do:
        for name in ("respond", "goto", "delegate", "call", "resume", "clear", "set", "message_key", "carousel"):
            setattr(made, name, type(made).DEFAULTS[name])
        made.voice_config = made.rich_content = made.actions = None
        made.set, made.clear = [], []


def _hook(draw: Dice, made: Node) -> None:
    made.name = draw(st.sampled_from(HOOKS))


def _delegate_call(draw: Dice, made: Node) -> None:
    made.agent = draw(NAMES)


def _unempty(draw: Dice, made: Node) -> None:
    """Give an otherwise empty node without a name its first property."""
    if not any(True for _ in made.written()):
        row = type(made).PROPS[0]
        setattr(made, row.field, VALUES[row.kind](draw, row, MAX_DEPTH))


MENDED: dict[str, Callable[[st.DrawFn, Node], None]] = {
    "Do": _keep_one,
    "Digression": _digression,
    "Hook": _hook,
    "DelegateCall": _delegate_call,
}
for _name, _cls in NODES.items():
    if not _cls.MAIN and _name not in MENDED and _cls.PROPS:
        MENDED[_name] = _unempty


# --- documents ----------------------------------------------------------------------------------------------------


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
        made.tools = unique([_tool(draw) for _ in range(draw(st.integers(1, 3)))])
        made.tool_imports = [_tool_import(draw)] if draw(st.booleans()) else None
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
    made = Document(kind="tools", tools=unique([_tool(draw) for _ in range(draw(st.integers(1, 3)))]))
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
    every = tuple(row.field for row in cls.PROPS if row.kind not in _NEVER)
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
