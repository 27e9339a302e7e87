"""Parses one YAML text into a document. Never raises, whatever the input. Spec: abl-language 9."""

from __future__ import annotations

import re

from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.parser.bounds import room
from abl.parser.document import result
from abl.parser.final import check_document
from abl.parser.sections import within_bounds
from abl.source import Source
from abl.syntax.document import Document
from abl.syntax.node import Kind, Node, Prop, fold
from abl.syntax.profile import Profile
from abl.syntax.result import ParseResult
from abl.syntax.rules import FailAction

# The readers of all kinds are in the table as soon as their modules are imported.
from abl.yaml_form import actions, content, flow, kinds, rules, tools
from abl.yaml_form.faults import report_fault
from abl.yaml_form.reader import YamlReader, reads
from abl.yaml_form.tree import Mapping, Scalar, Sequence, Tree, YamlFault, compose_within
from abl.yaml_form.values import content_offset, is_null, key_text, one_line, text_of
from abl.yaml_form.wording import reworded

__all__ = ["actions", "content", "flow", "kinds", "parse_yaml", "rules"]

_KINDS = {"AGENT": "agent", "SUPERVISOR": "supervisor", "BEHAVIOR_PROFILE": "profile"}
_INDENTED_MARK = re.compile(r"^[ \t]+(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_OWN_KEYS = frozenset({*_KINDS, "NAME", "KIND", "TOOL_IMPORTS", "TOOL_DEFAULTS"})


TREE_SHARE = 3
"""One part in so many of the memory of a parse is kept for nodes; the tree may take the rest."""


def parse_yaml(text: object, *, strict: bool = False) -> ParseResult:
    """Return what a text of the YAML form says."""
    if not isinstance(text, str):
        return ParseResult(None, [finding("NOT_TEXT", strict=strict, line=1, column=1, name=type(text).__name__)])
    source = Source(text)
    y = YamlReader(source, strict=strict)
    available = room(len(source.text), 0)
    for_nodes = available // TREE_SHARE
    composed = compose_within(_unmarked(source), available - for_nodes)
    tree, y.inner.room, y.inner.lines.left = composed.root, max(composed.room, 0) + for_nodes, composed.left
    if isinstance(tree, YamlFault):
        report_fault(y, tree)
        return result(None, y.inner)
    if not isinstance(tree, Mapping):
        shown = "a list" if isinstance(tree, Sequence) else "empty" if tree is None or is_null(tree) else "one value"
        y.inner.report("YAML_NOT_MAPPING", tree.offset if tree is not None else 0, 1, value=shown)
        return result(None, y.inner)
    document = _document(y, tree)
    y.inner.findings[:] = reworded(y.inner.findings, source.text)
    return result(document, y.inner)


def _unmarked(source: Source) -> Source:
    """Return an indented text with spaces for its `---` and `...`, which YAML knows at the margin only (spec 1.1)."""
    if _INDENTED_MARK.search(source.text) is None:
        return source
    lines = source.text.split("\n")
    said = [k for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    indent = lines[said[0]][: -len(lines[said[0]].lstrip())] if said else ""
    if not indent:
        return source
    for k, mark in ((said[0], "---"), (said[-1], "...")):
        if lines[k].rstrip() == indent + mark:
            lines[k] = " " * len(lines[k])
    return Source("\n".join(lines))


def _document(y: YamlReader, tree: Mapping) -> Document | None:
    document = Document(format="yaml", detected_type="yaml", pos=y.pos(tree))
    if not _header(y, document, tree):
        y.inner.report("YAML_MISSING_AGENT", tree.offset, 1)
        return None
    y.inner.with_mode = any(fold(key_text(key)) == "MODE" for key, _ in tree.pairs)
    with within_bounds(y.inner):
        _read(y, document, tree)
    _defaults(document)
    known = len(y.inner.findings)
    check_document(y.inner, document)
    y.inner.findings[known:] = [_for_yaml(one) for one in y.inner.findings[known:]]
    return document


def _read(y: YamlReader, document: Document, tree: Mapping) -> None:
    """Read what stands below the name and kind of a document."""
    target = _body(document)
    rest: list[tuple[Tree, Tree]] = []
    for key, value in tree.pairs:
        word = fold(key_text(key))
        if word == "TOOL_IMPORTS" and not is_null(value):
            tools.read_imports(y, document, value)
        elif word == "TOOL_DEFAULTS":
            tools.read_defaults(y, document, value)
        elif word not in _OWN_KEYS:
            rest.append((key, value))
    y.props(target, Mapping(tree.offset, rest, tree.end))


def _header(y: YamlReader, document: Document, tree: Mapping) -> bool:
    """Read name and kind; False when there is no name."""
    for key, value in tree.pairs:
        word = fold(key_text(key))
        if word == "KIND" and isinstance(value, Scalar) and value.text == "tools":
            document.kind = "tools"
            return True
        if word not in _KINDS or is_null(value):
            continue
        document.kind = _KINDS[word]
        document.pos = y.pos(key)
        if isinstance(value, Mapping):
            return _header_map(y, document, value)
        document.name = one_line(text_of(value, y.source))
        document.at["name"] = content_offset(value, y.source)
        _profile(document)
        return bool(document.name)
    return False


def _header_map(y: YamlReader, document: Document, tree: Mapping) -> bool:
    """Read `{name: …}`, and return whether there is a name; what else stands there belongs to the document."""
    for key, value in tree.pairs:
        if key_text(key).lower() == "name" and isinstance(value, Scalar):
            document.name = one_line(value.text)
            document.at["name"] = content_offset(value, y.source)
    rest = [pair for pair in tree.pairs if key_text(pair[0]).lower() != "name"]
    _profile(document)
    y.props(_body(document), Mapping(tree.offset, rest, tree.end))
    return bool(document.name)


def _profile(document: Document) -> None:
    """Give a profile document its profile."""
    if document.kind == "profile":
        profile = Profile(name=document.name, pos=document.pos, at={"name": document.at.get("name", 0)})
        document.behavior_profiles.append(profile)


def _body(document: Document) -> Document | Profile:
    """Return the node that the top-level keys belong to."""
    return document.behavior_profiles[0] if document.kind == "profile" else document


def _defaults(document: Document) -> None:
    """Write out the defaults that differ from the text form: guardrails check input and block."""
    for guardrail in document.guardrails:
        guardrail.kind = guardrail.kind or "input"
        if guardrail.action is None:
            guardrail.action = FailAction(type="block")


def _for_yaml(one: Diagnostic) -> Diagnostic:
    """Return a finding without its fix, which is written in the text form."""
    return Diagnostic(
        one.code, one.message, one.severity, one.line, one.column, one.offset, one.length, None, one.agent, one.path
    )


@reads(Kind.ANY)
def read_older(y: YamlReader, document: Node, row: Prop, tree: Tree) -> None:
    """Read profiles inside an agent; other content that only older texts have is kept as it was written."""
    if row.field == "agents" and isinstance(tree, Mapping):
        kinds.read_map(y, document, row, tree)
        return
    if not isinstance(document, Document) or row.field != "behavior_profiles":
        kinds.read_nothing(y, document, row, tree)
        return
    document.at[row.field] = tree.offset
    for one in tree.items if isinstance(tree, Sequence) else [tree]:
        profile = y.new(Profile, one)
        document.behavior_profiles.append(profile)
        if isinstance(one, Mapping):
            name = next((pair for pair in one.pairs if key_text(pair[0]).lower() == "name"), None)
            if name is not None:
                profile.name = one_line(text_of(name[1], y.source))
                profile.at["name"] = content_offset(name[1], y.source)
            y.props(profile, Mapping(one.offset, [pair for pair in one.pairs if pair is not name], one.end))
        else:
            profile.name = one_line(text_of(one, y.source))
