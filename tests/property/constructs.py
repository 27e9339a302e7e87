"""Hypothesis strategies for constructs with a form of their own, and what fields of a class demand of each other."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from abl.syntax.conversation import FIELDS
from abl.syntax.coordination import History, HumanOutcome
from abl.syntax.document import HOOKS
from abl.syntax.flow import Flow, Step, Transform
from abl.syntax.memory import Store
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.rich import FORMAT_KEYS, TEXT_FORMATS, ActionSet, Element, Option, Template, Voice
from abl.syntax.rules import RULE_KINDS, Constraint, FailAction
from abl.syntax.steps import Argument, Assignment, Branch, Call, Do
from abl.syntax.tools import BASE_TYPES, TOOL_TYPES, Parameter, Tool, ToolImport, TypeExpr
from tests.property.nodes import MAX_DEPTH, MENDED, VALUES, Dice, draw_node, unique
from tests.property.words import (
    CONDITIONS,
    EXPRESSIONS,
    JSON,
    JSON_TEXTS,
    LINES,
    NAMES,
    NUMBERS,
    PATHS,
    STRINGS,
    TEXTS,
)


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


def tool(draw: Dice) -> Tool:
    made = draw_node(draw, Tool, 1, always=("description",), most=8)
    assert isinstance(made, Tool)
    made.name = draw(NAMES)
    made.type = draw(st.sampled_from(["", *TOOL_TYPES]))
    made.parameters = unique([_parameter(draw) for _ in range(draw(st.integers(0, 3)))])
    made.returns = _type(draw, described=False) if draw(st.booleans()) else None
    return made


def tool_import(draw: Dice) -> ToolImport:
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


VALUES.update(
    {
        Kind.SET: _set,
        Kind.CALL: _call,
        Kind.BRANCHES: _branches,
        Kind.RULES: _rules,
        Kind.ACTION: _action,
        Kind.STORE: _store,
        Kind.TYPE: lambda draw, row, depth: _type(draw, described=False),
        Kind.FLOW: _flow,
        Kind.TRANSFORM: _transform,
        Kind.HISTORY: _history,
        Kind.FORMATS: _formats,
        Kind.ELEMENTS: _elements,
        Kind.HUMAN: _human,
        Kind.CONVERSATION: _conversation,
        Kind.TEMPLATES: _templates,
    }
)


_SHOWN = ("voice_config", "rich_content", "actions", "carousel")
_CHECKED = ("check", "do", "on_fail")


def _keep_one(draw: Dice, made: Node) -> None:
    """Leave a Do with a single action: an answer with what is shown beside it, or a check with what it leads to."""
    names = [name for name, _ in made.written()]
    keep = draw(st.sampled_from(names)) if names else "resume"
    kept = {keep}
    if keep in _SHOWN:
        made.respond, kept = made.respond or "Look", {"respond", *_SHOWN}
    elif keep in _CHECKED:
        made.check, kept = made.check or "parcel IS SET", {*_CHECKED}
    for name in names:
        if name not in kept:
            setattr(made, name, Do.DEFAULTS[name])
    if made.call is not None:
        made.call.set = []  # in a DO what reads a call is an item of its own
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


def _ordered(draw: Dice, made: Node) -> None:
    assert isinstance(made, Step)
    is_parted = bool(made.do and made.do_after and made.call is not None)
    made.does_first = len(made.do) if is_parted else 0
    made.do, made.do_after = [*made.do, *made.do_after], []  # the reader joins them, and knows how many stand first
    if made.do:
        made.check = ""  # the reader makes it a part of DO


def _delegate_call(draw: Dice, made: Node) -> None:
    made.agent = draw(NAMES)


def _unempty(draw: Dice, made: Node) -> None:
    """Give an otherwise empty node without a name its first property."""
    if not any(True for _ in made.written()):
        row = type(made).PROPS[0]
        setattr(made, row.field, VALUES[row.kind](draw, row, MAX_DEPTH))


MENDED.update(
    {
        "Do": _keep_one,
        "Step": _ordered,
        "Digression": _digression,
        "Hook": _hook,
        "DelegateCall": _delegate_call,
    }
)
MENDED.update({name: _unempty for name, cls in NODES.items() if not cls.MAIN and name not in MENDED and cls.PROPS})
