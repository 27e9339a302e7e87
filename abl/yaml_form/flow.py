"""FLOW in the YAML form: steps as a map or a list. Spec: abl-language 9."""

from __future__ import annotations

import re

from abl.syntax.flow import Flow, Step
from abl.syntax.node import Kind, Node, Prop
from abl.yaml_form.kinds import list_items
from abl.yaml_form.reader import YamlReader, reads
from abl.yaml_form.tree import Mapping, Scalar, Sequence, Tree
from abl.yaml_form.values import content_offset, is_null, key_text, text_of

_ARROW = re.compile(r"\s*(?:->|→)\s*")


@reads(Kind.FLOW)
def read_flow(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read entry point, order, sequences and steps."""
    flow = y.new(Flow, tree, steps=[])
    y.set(node, row, flow, tree)
    if isinstance(tree, Sequence):
        _steps(y, flow, tree)
        return
    if not isinstance(tree, Mapping):
        if not is_null(tree):
            y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property="flow")
        return
    rest: list[tuple[Tree, Tree]] = []
    for key, value in tree.pairs:
        name = key_text(key).lower()
        if name in ("steps", "definitions"):
            _steps(y, flow, value)
        elif name in ("sequence", "sequences"):
            flow.sequences = [*(flow.sequences or []), *_sequences(y, value)]
        elif name == "order":
            y.value(flow, Flow.BY_FIELD["order"], value)
        else:
            rest.append((key, value))
    y.props(flow, Mapping(tree.offset, rest, tree.end))


def _sequences(y: YamlReader, tree: Tree) -> list[list[str]]:
    """Read `a -> b`, a list of such texts, or a list of lists."""
    if isinstance(tree, Scalar):
        return [_ARROW.split(tree.text.strip())]
    if isinstance(tree, Mapping):
        return []
    plain = [one.text for one in tree.items if isinstance(one, Scalar)]
    if len(plain) == len(tree.items) and not any(_ARROW.search(one) for one in plain):
        return [plain] if plain else []
    return [
        [text for text, _ in list_items(y, one)] if isinstance(one, Sequence) else _ARROW.split(text_of(one, y.source))
        for one in tree.items
    ]


def _steps(y: YamlReader, flow: Flow, tree: Tree) -> None:
    """Read steps: a map by name, or a list with `name`; a list of mere names is the order."""
    steps = flow.steps = flow.steps or []
    if isinstance(tree, Mapping):
        for name, key, value in y.entries(tree):
            _step(y, steps, name, key, value)
    elif isinstance(tree, Sequence) and tree.items and all(isinstance(one, Scalar) for one in tree.items):
        y.value(flow, Flow.BY_FIELD["order"], tree)
    elif isinstance(tree, Sequence):
        for one in tree.items:
            _listed_step(y, steps, one)
    elif not is_null(tree):
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property="steps")


def _listed_step(y: YamlReader, steps: list[Step], tree: Tree) -> None:
    if not isinstance(tree, Mapping):
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property="steps")
        return
    for at, (key, value) in enumerate(tree.pairs):
        if key_text(key).lower() in ("name", "step", "id") and isinstance(value, Scalar):
            rest = Mapping(tree.offset, [*tree.pairs[:at], *tree.pairs[at + 1 :]], tree.end)
            _step(y, steps, value.text.strip(), value, rest)
            return
    if len(tree.pairs) == 1:
        _step(y, steps, key_text(tree.pairs[0][0]), *tree.pairs[0])
        return
    y.report("INVALID_STEP_NAME", tree, name="", step="")


def _step(y: YamlReader, steps: list[Step], name: str, key: Tree, value: Tree) -> None:
    step = y.new(Step, key, name=name)
    step.at["name"] = content_offset(key, y.source)
    for other in steps[-_LOOKED_BACK:]:
        if other.name == name and other.pos is not None:
            y.report("DUPLICATE_STEP_NAME", key, name=name, step=name, first_line=str(other.pos.line))
            break
    steps.append(step)
    if isinstance(value, Mapping):
        y.props(step, value)
    elif not is_null(value):
        y.report("EXPECTED_MAP", value, value=text_of(value, y.source), property=name)


_LOOKED_BACK = 64
"""Steps looked back for a name defined twice, so that a long list stays linear."""
