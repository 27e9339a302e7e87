"""CONSTRAINTS in the YAML form, in both of its shapes. Spec: abl-language 9."""

from __future__ import annotations

from abl.parser.scalars import is_formula
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rules import RULE_KINDS, Constraint
from abl.yaml_form.reader import YamlReader, reads
from abl.yaml_form.tree import Mapping, Scalar, Sequence, Tree
from abl.yaml_form.values import clean, content_offset, is_null, key_text, one_line, text_of

_GROUP_KEYS = frozenset({"requirements", "rules", "constraints"})


@reads(Kind.RULES)
def read_rules(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read `[{condition, on_fail, …}]`, `[{name, requirements: […]}]`, or a map from labels to lists."""
    rules: list[Constraint] = getattr(node, row.field)
    node.at[row.field] = tree.offset
    before = len(rules)
    _read(y, rules, tree, "")
    plain = [one for one in rules[before:] if one.text and not one.condition]
    if plain:
        place, length = plain[0].at["text"], len(plain[0].text.split("\n", 1)[0])
        y.inner.report("CONSTRAINT_PLAIN_ITEM", place, length, value=str(len(plain)), section=row.plain_name)


def _read(y: YamlReader, rules: list[Constraint], tree: Tree, phase: str) -> None:
    if isinstance(tree, Sequence):
        for one in tree.items:
            _read_one(y, rules, one, phase)
    elif isinstance(tree, Mapping) and not _is_rule(tree):
        for name, _, value in y.entries(tree):
            _read(y, rules, value, name)
    elif not is_null(tree):
        _read_one(y, rules, tree, phase)


def _is_rule(tree: Mapping) -> bool:
    names = {key_text(key).lower() for key, _ in tree.pairs}
    return bool(names & {"condition", "require", *RULE_KINDS})


def _read_one(y: YamlReader, rules: list[Constraint], tree: Tree, phase: str) -> None:
    if isinstance(tree, Scalar):
        rules.append(_text_rule(y, tree, phase))
    elif isinstance(tree, Mapping):
        group = next((value for key, value in tree.pairs if key_text(key).lower() in _GROUP_KEYS), None)
        if group is not None:
            label = next((value for key, value in tree.pairs if key_text(key).lower() in ("name", "phase")), None)
            _read(y, rules, group, text_of(label, y.source) if label is not None else phase)
        else:
            rules.append(_rule(y, tree, phase))
    else:
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property="constraints")


def _rule(y: YamlReader, tree: Mapping, phase: str) -> Constraint:
    rule = y.new(Constraint, tree, phase=phase)
    rest: list[tuple[Tree, Tree]] = []
    for key, value in tree.pairs:
        name = key_text(key).lower()
        if name in RULE_KINDS and isinstance(value, Scalar):
            rule.kind, rule.condition = name, one_line(value.text)
            rule.at.update(kind=key.offset, condition=content_offset(value, y.source))
        elif name in ("phase", "text") and isinstance(value, Scalar):
            setattr(rule, name, clean(value.text))
            rule.at[name] = content_offset(value, y.source)
        elif name != "name":
            rest.append((key, value))
    y.props(rule, Mapping(tree.offset, rest, tree.end))
    if not rule.kind and not rule.text:
        rule.kind = "require"
    return rule


def _text_rule(y: YamlReader, tree: Scalar, phase: str) -> Constraint:
    """Read `REQUIRE condition …` or a bare condition as a rule, anything else as an instruction for the model."""
    kind, _, condition = one_line(tree.text).partition(" ")
    word = kind.rstrip(":")
    place = content_offset(tree, y.source)
    if word.lower() in RULE_KINDS and condition and (word.isupper() or kind.endswith(":")):
        rule = y.new(Constraint, tree, kind=word.lower(), condition=condition.strip(), phase=phase)
        rule.at.update(kind=place, condition=place + len(kind) + 1)
        return rule
    written = clean(tree.text)
    if is_formula(one_line(written)):
        rule = y.new(Constraint, tree, kind="require", condition=one_line(written), phase=phase)
        rule.at["condition"] = place
        return rule
    rule = y.new(Constraint, tree, text=written, phase=phase)
    rule.at["text"] = place
    return rule
