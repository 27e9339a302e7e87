"""SET, CALL, branches, failure actions, STORE, TRANSFORM and human outcomes in the YAML form. Spec: abl-language 9."""

from __future__ import annotations

from itertools import pairwise

from abl.parser.branches import ELSE_IF, LAST, resolved_as
from abl.parser.late import place_sets
from abl.parser.reader import is_lost
from abl.printer.yaml_names import yaml_rows
from abl.syntax.coordination import History, HumanOutcome
from abl.syntax.flow import Transform
from abl.syntax.memory import Store
from abl.syntax.node import Kind, Node, Prop, fold
from abl.syntax.rules import FailAction
from abl.syntax.steps import Assignment, Branch, Call
from abl.yaml_form.kinds import fill, list_items
from abl.yaml_form.reader import PARTS, YamlReader, reads
from abl.yaml_form.tree import Mapping, Scalar, Sequence, Tree
from abl.yaml_form.values import clean, content_offset, expression_of, is_null, key_text, one_line, raw_text, text_of

_CALL_PARTS = {"call_with": "with_", "call_as": "as_", "with": "with_", "as": "as_"}
_FAIL_WORDS = {"collect_field": "", "goto_step": "", "retry_step": "retry"}
"""Words for failure actions that only the YAML form has -> the type that the text form gives the same thing."""


@reads(Kind.SET)
def read_set(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read assignments: `[{variable, expression}]`, a map, a text `a = 1`, or a list of such texts."""
    found: list[Assignment] = []
    node.at.setdefault(row.field, tree.offset)
    if isinstance(tree, Scalar):
        if not is_null(tree):
            y.as_line(node, row, tree)
    elif isinstance(tree, Sequence):
        for one in tree.items:
            if isinstance(one, Mapping) and (made := _assignment(y, one)) is not None:
                found.append(made)
            else:
                read_set(y, node, row, one)
    else:
        for name, key, value in y.entries(tree):
            found.append(_assign(y, name, key, value))
    getattr(node, row.field).extend(place_sets(node, found))
    y.inner.acting.append(node)


def _assignment(y: YamlReader, tree: Mapping) -> Assignment | None:
    parts = {key_text(key).lower(): value for key, value in tree.pairs}
    name = parts.get("variable") or parts.get("name")
    value = parts.get("expression") or parts.get("value")
    if name is None or value is None or not isinstance(name, Scalar):
        return None
    return _assign(y, one_line(name.text), name, value)


def _assign(y: YamlReader, name: str, key: Tree, value: Tree) -> Assignment:
    text = expression_of(value, y.source)
    made = y.new(Assignment, key, variable=name, expression=text)
    made.at.update(variable=key.offset, expression=content_offset(value, y.source))
    return made


@reads(Kind.CALL)
def read_call(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a call: a text `tool(args) AS var`, or a map {tool, with, as}."""
    if isinstance(tree, Scalar):
        known = getattr(node, row.field)
        y.as_line(node, row, tree)
        if known is not None:
            _keep_parts(getattr(node, row.field), known)
        return
    if not isinstance(tree, Mapping):
        y.report("INVALID_CALL", tree, value=text_of(tree, y.source))
        return
    tool = next((value for key, value in tree.pairs if key_text(key).lower() in ("tool", "name")), None)
    if isinstance(tool, Scalar):
        read_call(y, node, row, tool)
    call = _call_of(y, node, row, tree)
    rest = Mapping(tree.offset, [pair for pair in tree.pairs if pair[1] is not tool], tree.end)
    y.props(call, rest)


def _call_of(y: YamlReader, node: Node, row: Prop, tree: Tree) -> Call:
    call = getattr(node, row.field)
    if call is None:
        call = y.new(Call, tree)
        y.set(node, row, call, tree)
        y.inner.acting.append(node)
    assert isinstance(call, Call)
    return call


def _keep_parts(call: Call, known: Call) -> None:
    """Keep what `call_with` or `call_as` said before `call` itself was read."""
    call.with_ = call.with_ or known.with_
    call.as_ = call.as_ or known.as_
    for name in ("with_", "as_"):
        if name in known.at:
            call.at.setdefault(name, known.at[name])


def call_part(y: YamlReader, node: Node, name: str, value: Tree) -> bool:
    """Read `call_with`, `call_as`, `call_spec`, `with` or `as` of a node that can call. True when it was one."""
    row = node.BY_FIELD.get("call")
    word = fold(name).lower()
    if row is None or is_null(value):
        return False
    if word == "call_spec":
        read_call(y, node, row, value)
        return True
    if word not in _CALL_PARTS:
        return False
    call = _call_of(y, node, row, value)
    y.value(call, Call.BY_FIELD[_CALL_PARTS[word]], value)
    return True


PARTS["call"] = call_part


@reads(Kind.BRANCHES)
def read_branches(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read `[{condition, respond, set, call, then}]`; a branch without condition, or with `else`, always matches."""
    branches: list[Branch] = getattr(node, row.field)
    node.at[row.field] = tree.offset
    for one in tree.items if isinstance(tree, Sequence) else [tree]:
        branch = y.new(Branch, one)
        branches.append(branch)
        if isinstance(one, Mapping):
            y.props(branch, _as_usual(y, branch, one))
        elif isinstance(one, Scalar):
            y.value(branch, Branch.BY_FIELD["then"], one)
        if branch.condition.strip().lower() in ("else", "default", "*"):
            branch.condition = ""
        if not branch.condition and not branch.otherwise:
            branch.otherwise = True
            branch.at.setdefault("otherwise", one.offset)
            head = key_text(one.pairs[0][0]) if isinstance(one, Mapping) and one.pairs else ""
            if head in branch.extras and not is_lost(branch, fold(head)):
                y.report("UNKNOWN_BRANCH", one, name=head)
    for branch, after in pairwise(branches):
        if not branch.condition:
            assert after.pos is not None
            y.inner.report("UNREACHABLE_BRANCH", after.pos.offset, 2)
            break


def _as_usual(y: YamlReader, branch: Branch, tree: Mapping) -> Mapping:
    """Return a branch with `if` for `elif`, and without `else: {…}` or `default`, whose content is the branch."""
    for key, value in tree.pairs:
        name = key_text(key)
        others = [pair for pair in tree.pairs if pair[0] is not key]
        text = value.text.strip() if isinstance(value, Scalar) and not is_null(value) else ""
        if ELSE_IF.fullmatch(name) and text:
            y.value(branch, Branch.BY_FIELD["condition"], value)
            return Mapping(tree.offset, others, tree.end)
        if name.upper() in LAST and not (name.upper() == "ELSE" and text):
            branch.otherwise = True
            if text and text.lower() != "true":
                y.value(branch, Branch.BY_FIELD["then"], value)
            inner = value.pairs if isinstance(value, Mapping) else []
            return Mapping(tree.offset, [*others, *inner], tree.end)
    return tree


@reads(Kind.ACTION)
def read_action(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a text, an action word with its argument, or {action, message, target, reason, fields, then}."""
    if isinstance(tree, Scalar):
        text = clean(tree.text)
        if "\n" in text:
            made = y.new(FailAction, tree, message=text)
            made.at["message"] = content_offset(tree, y.source)
            y.set(node, row, made, tree)
        else:
            y.as_line(node, row, tree, text)
        return
    made = y.new(FailAction, tree)
    y.set(node, row, made, tree)
    if not isinstance(tree, Mapping):
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property=row.plain_name)
        return
    y.props(made, tree)
    if made.type == "goto_step" and made.target and not made.goto:
        made.goto, made.target = made.target, ""
    if made.type == "retry_step":
        made.retry, made.type = True if made.retry is None else made.retry, ""
    made.type = _FAIL_WORDS.get(made.type, made.type)
    if not made.type:
        made.type = "escalate" if made.reason else "handoff" if made.target else ""


@reads(Kind.STORE)
def read_store(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read `value -> target`, or {value, target} where the value may be a list of field names."""
    if isinstance(tree, Scalar):
        y.as_line(node, row, tree)
        return
    store = y.new(Store, tree)
    y.set(node, row, store, tree)
    if not isinstance(tree, Mapping):
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property=row.plain_name)
        return
    rest: list[tuple[Tree, Tree]] = []
    for key, value in tree.pairs:
        if key_text(key).lower() in ("value", "fields") and isinstance(value, Sequence):
            store.fields = [text for text, _ in list_items(y, value)]
        else:
            rest.append((key, value))
    y.props(store, Mapping(tree.offset, rest, tree.end))


@reads(Kind.TRANSFORM)
def read_transform(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read {source, item_var, target, filter, map, sort_by, limit}, or `source AS item INTO target`."""
    if not isinstance(tree, Mapping):
        if isinstance(tree, Scalar):
            y.as_line(node, row, tree)
        return
    made = y.new(Transform, tree)
    y.set(node, row, made, tree)
    rest: list[tuple[Tree, Tree]] = []
    for key, value in tree.pairs:
        field = _TRANSFORM_FIELDS.get(key_text(key).lower())
        if field and isinstance(value, Scalar):
            setattr(made, field, one_line(value.text))
            made.at[field] = content_offset(value, y.source)
        else:
            rest.append((key, value))
    y.props(made, Mapping(tree.offset, rest, tree.end))


_TRANSFORM_FIELDS = {
    "source": "source", "item_var": "item_var", "item": "item_var", "as": "item_var", "target": "target",
    "into": "target",
}  # fmt: skip


@reads(Kind.HISTORY)
def read_history(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read `auto`, `last_4`, or {mode, count}."""
    if isinstance(tree, Scalar):
        y.as_line(node, row, tree)
        return
    made = y.new(History, tree)
    y.set(node, row, made, tree)
    fill(y, made, row, tree)


@reads(Kind.HUMAN)
def read_human(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read `[{condition, action}]`, texts `IF condition: ACTION`, or a map of resolutions."""
    outcomes: list[HumanOutcome] = getattr(node, row.field)
    node.at[row.field] = tree.offset
    for one in tree.items if isinstance(tree, Sequence) else [tree]:
        if isinstance(one, Mapping) and _is_by_resolution(one):
            made_of = [_of_resolution(y, name, key, value) for name, key, value in y.entries(one)]
            outcomes.extend(sorted(made_of, key=lambda made: not made.condition))
            continue
        made = y.new(HumanOutcome, one)
        if isinstance(one, Mapping):
            if not _human_pair(y, made, one):
                y.props(made, one)
        elif isinstance(one, Scalar):
            _human_text(made, one_line(one.text), content_offset(one, y.source))
        else:
            made.extras[""] = raw_text(one, y.source)
        outcomes.append(made)


def _is_by_resolution(tree: Mapping) -> bool:
    """Return whether the keys of a map are resolutions, and no properties of an outcome or conditions."""
    names = [key_text(key) for key, _ in tree.pairs]
    rows = yaml_rows(HumanOutcome)
    return bool(names) and not any(" " in name or fold(name) in rows for name in names)


def _of_resolution(y: YamlReader, name: str, key: Tree, value: Tree) -> HumanOutcome:
    """Read `resolution: ACTION`, or a map of properties below a resolution."""
    made = y.new(HumanOutcome, value)
    if isinstance(value, Mapping):
        y.props(made, value)
    elif isinstance(value, Scalar):
        made.action, made.at["action"] = clean(value.text), content_offset(value, y.source)
    else:
        y.unknown(made, name, key, value)
    if "condition" in made.at:
        y.report("UNKNOWN_OUTCOME", key, name=name)
    made.condition, made.at["condition"] = resolved_as(name), key.offset
    return made


def _human_pair(y: YamlReader, made: HumanOutcome, tree: Mapping) -> bool:
    """Read `IF condition: ACTION`, which YAML takes for a map of one pair. True when it was that."""
    key, value = tree.pairs[0] if len(tree.pairs) == 1 else (tree, tree)
    word, _, condition = key_text(key).partition(" ")
    if not isinstance(value, Scalar) or word.upper() not in ("IF", "WHEN") or not condition:
        return False
    made.condition, made.action = condition.strip(), clean(value.text)
    made.at.update(condition=key.offset + len(word) + 1, action=content_offset(value, y.source))
    return True


def _human_text(made: HumanOutcome, text: str, offset: int) -> None:
    word, _, rest = text.partition(" ")
    condition, colon, action = rest.rpartition(":")
    if word.upper() in ("IF", "WHEN") and colon:
        made.condition, made.action = condition.strip(), action.strip()
        made.at.update(condition=offset + len(word) + 1, action=offset + len(text) - len(action.lstrip()))
    else:
        made.action = text
        made.at["action"] = offset
