"""What may be typed at the cursor. The words come from the schema and from the names of the project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from abl.editor.cursor import Cursor, Stage, cursor_at
from abl.editor.describe import summary_of
from abl.editor.formulas import filters, formula
from abl.editor.names import Symbol, mentioned_by
from abl.editor.suggestion import Sort, Suggestion, escaped, of_property, property_snippet
from abl.editor.values import values
from abl.editor.workspace import Workspace
from abl.outline import Form
from abl.syntax.conversation import Shape
from abl.syntax.document import HEADERS, HOOKS, Document
from abl.syntax.execution import OPERATIONS
from abl.syntax.flow import Flow
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.profile import Profile
from abl.syntax.rich import FORMAT_KEYS
from abl.syntax.rules import RULE_KINDS
from abl.syntax.steps import Call

MAX_SUGGESTIONS = 500
ERRORS = ("tool_timeout", "tool_error", "llm_timeout", "llm_error", "validation", "DEFAULT")
"""Kinds of errors that are proposed under ON_ERROR."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The cursor in a file of a workspace."""

    workspace: Workspace
    path: str
    cursor: Cursor
    offset: int

    def names(self, symbol: Symbol) -> list[str]:
        """Return the names of a kind that may be mentioned here."""
        return list(self.workspace.names(self.path, self.offset, symbol))


def completion(workspace: Workspace, path: str, offset: int) -> list[Suggestion]:
    """Return what may be typed at `offset` of a file, the most likely first."""
    file = workspace.file(path)
    if file is None or file.is_yaml:
        return []
    cursor = cursor_at(file.text, offset)
    scene = Scene(workspace, path, cursor, offset)
    word = cursor.word.lower()
    unique: dict[str, Suggestion] = {}
    for one in _suggestions(scene):
        if word in one.label.lower():
            unique.setdefault(one.label, replace(one, offset=cursor.start, length=len(cursor.word)))
    found = sorted(unique.values(), key=lambda one: not one.label.lower().startswith(word))
    return found[:MAX_SUGGESTIONS]


def _suggestions(scene: Scene) -> Iterable[Suggestion]:
    cursor = scene.cursor
    if cursor.stage is Stage.SECTION:
        return _sections(scene)
    if cursor.stage is Stage.KEY:
        keys = _KEYS.get(cursor.body.form)
        found = keys(scene) if keys is not None else ()
        return map(_only_key, found) if cursor.rest.lstrip().startswith(":") else found
    if cursor.stage is Stage.FILTER:
        return filters()
    if cursor.stage is Stage.FORMULA:
        return formula(scene.workspace, scene.path, scene.offset, cursor)
    if cursor.stage is Stage.VALUE:
        return values(scene.workspace, scene.path, scene.offset, cursor)
    return ()


def _only_key(one: Suggestion) -> Suggestion:
    """Return a suggestion for a place where the colon already stands."""
    return replace(one, snippet=escaped(one.label))


def _sections(scene: Scene) -> Iterator[Suggestion]:
    made = scene.cursor.outline
    here = {section.word for k, section in made.sections.items() if k != scene.cursor.k}
    is_profile = made.lines.texts[0].startswith("BEHAVIOR_PROFILE") if len(made.lines) else False
    if not here.intersection((*HEADERS, "TOOLS", "BEHAVIOR_PROFILE")):
        for word, doc in (("AGENT", "An agent."), ("SUPERVISOR", "An agent that routes to others.")):
            snippet = f'{word}: ${{1:My_Agent}}\nGOAL: "${{2:What this agent has to reach}}"\n$0'
            yield Suggestion(word, Sort.SECTION, 0, 0, snippet, doc, doc)
        profile = "BEHAVIOR_PROFILE: ${1:name}\nPRIORITY: ${2:10}\nWHEN: ${3:condition}\n$0"
        yield Suggestion("BEHAVIOR_PROFILE", Sort.SECTION, 0, 0, profile, "How agents behave under a condition.")
    cls: type[Node] = Profile if is_profile else Document
    for row in cls.PROPS:
        taken = row.key in here or here.intersection(row.aliases)
        if not row.legacy and (not taken or row.repeat in ("append", "merge")) and row.key != "BEHAVIOR_PROFILE":
            yield of_property(cls, row, sort=Sort.SECTION)


def _wanted(cursor: Cursor, cls: type[Node], present: frozenset[str]) -> Iterator[Prop]:
    """Yield the properties of a class that may be added here."""
    wrapper = cursor.body.row.key if cursor.body.row is not None and cursor.body.row.kind is Kind.FLAT else ""
    for row in cls.PROPS:
        repeats = row.repeat == "append"
        if not row.legacy and (repeats or row.field not in present) and row.group == wrapper:
            yield row


def _props(scene: Scene) -> Iterator[Suggestion]:
    cls = scene.cursor.body.cls
    if cls is None:
        return
    for row in _wanted(scene.cursor, cls, scene.cursor.present):
        yield of_property(cls, row)


def _call(scene: Scene) -> Iterator[Suggestion]:
    for row in Call.PROPS:
        if row.field not in scene.cursor.present:
            yield of_property(Call, row)
    yield from _props(scene)


def _entries(scene: Scene) -> Iterator[Suggestion]:
    cursor = scene.cursor
    cls, row = cursor.body.cls, cursor.body.row
    if cls is None:
        return
    symbol = mentioned_by(cls, cls.MAIN)
    if cls.__name__ == "GatherField" and row is not None and row.style == "dash":
        for name in scene.names(Symbol.VARIABLE):
            yield Suggestion(name, Sort.VARIABLE, snippet=name if cursor.dash else f"{name}:", detail="field")
    elif cls.__name__ in ("Hook", "ErrorHandler"):
        for word in HOOKS if cls.__name__ == "Hook" else ERRORS:
            yield Suggestion(word, Sort.VALUE, snippet=f"{word}:\n  $0")
    elif cls.__name__ == "Parameter":
        yield from _props(scene)
    if cursor.dash:
        for one in _wanted(cursor, cls, frozenset()):
            yield of_property(cls, one)
    elif row is not None and row.style == "dash":
        first = cls.BY_FIELD.get(cls.MAIN) or cls.PROPS[0]
        yield Suggestion(f"- {first.key}", Sort.PROPERTY, snippet=f"- {property_snippet(first)}", detail=first.doc)
    elif symbol is not None and symbol is not Symbol.VARIABLE:
        yield Suggestion("name", Sort.NAME, snippet="${1:name}:\n  $0", detail=f"a {symbol}")


def _mixed(scene: Scene) -> Iterator[Suggestion]:
    cursor = scene.cursor
    cls = cursor.body.cls
    if cls is None:
        return
    rest = cls.BY_FIELD[cls.REST]
    body = replace(cursor.body, form=Form.ENTRIES, cls=NODES[rest.node], row=rest)
    yield from _entries(replace(scene, cursor=replace(cursor, body=body)))
    if not cursor.dash:
        for row in _wanted(cursor, cls, cursor.present):
            if row is not rest:
                yield of_property(cls, row)


def _keywords(words: Iterable[tuple[str, str, str]], scene: Scene) -> Iterator[Suggestion]:
    """Yield words that open a dash item: label, snippet, sentence."""
    lead = "" if scene.cursor.dash else "- "
    for label, snippet, doc in words:
        yield Suggestion(label, Sort.KEYWORD, snippet=lead + snippet, detail=doc, documentation=doc)


def _branches(scene: Scene) -> Iterator[Suggestion]:
    yield from _keywords(
        (
            ("IF", "IF: ${1:condition}\n  THEN: ${2:step}$0", "A branch that is taken when its condition holds."),
            ("ELSE", "ELSE:\n  THEN: ${1:step}$0", "The branch that always matches."),
        ),
        scene,
    )


_RULE_DOCS = {
    "require": "Must hold; otherwise ON_FAIL.",
    "warn": "Should hold; otherwise it is noted.",
    "limit": "A limit that must not be passed.",
    "restrict": "Something the agent must not do.",
}


def _rules(scene: Scene) -> Iterator[Suggestion]:
    words = ((kind.upper(), f"{kind.upper()} ${{1:condition}}$0", _RULE_DOCS.get(kind, "")) for kind in RULE_KINDS)
    yield from _keywords(words, scene)


_SIGNATURE = '${1:name}(${2:parameter: string}) -> ${3:object}\n  description: "$4"$0'


def _tools(scene: Scene) -> Iterator[Suggestion]:
    yield Suggestion("tool", Sort.KEYWORD, snippet=_SIGNATURE, detail="A new tool.")
    for name, one in scene.workspace.names(scene.path, scene.offset, Symbol.TOOL).items():
        shown = summary_of(one)
        yield Suggestion(name, Sort.TOOL, snippet=escaped(shown), detail=shown)


def _steps(scene: Scene) -> Iterator[Suggestion]:
    declared = scene.names(Symbol.STEP)
    mentioned = {one.name for _, one in scene.workspace.places(scene.path, scene.offset, Symbol.STEP)}
    for name in sorted(mentioned.difference(declared)):
        yield Suggestion(
            name, Sort.STEP, snippet=f"{name}:\n  REASONING: ${{1|false,true|}}\n  $0", detail="not written yet"
        )
    yield Suggestion(
        "step", Sort.KEYWORD, snippet="${1:name}:\n  REASONING: ${2|false,true|}\n  $0", detail="A new step."
    )
    for row in Flow.PROPS:
        if row.field not in scene.cursor.present:
            yield of_property(Flow, row)


def _elements(scene: Scene) -> Iterator[Suggestion]:
    words = ("BUTTON", 'BUTTON: "${1:label}" -> ${2:action_id}$0', "A button."), (
        "SELECT", 'SELECT: "${1:label}" -> ${2:action_id}\n  OPTIONS:\n    - "${3:choice}"$0', "A choice of several.",
    ), ("INPUT", 'INPUT: "${1:label}" -> ${2:action_id}$0', "A field to type into.")  # fmt: skip
    yield from _keywords(words, scene)


def _formats(scene: Scene) -> Iterator[Suggestion]:
    for name in dict.fromkeys(FORMAT_KEYS.values()):
        yield Suggestion(name.upper(), Sort.PROPERTY, snippet=f"{name.upper()}: $0", detail=f"The answer as {name}.")


def _shape(scene: Scene) -> Iterator[Suggestion]:
    shape: Shape = scene.cursor.body.shape
    for key, want in shape.items():
        nested = isinstance(want, dict)
        detail = "block" if isinstance(want, dict) else {"bool": "true or false", "int": "whole number"}.get(want, want)
        yield Suggestion(key, Sort.PROPERTY, snippet=f"{key}:\n  $0" if nested else f"{key}: $0", detail=detail)


def _map(scene: Scene) -> Iterator[Suggestion]:
    row = scene.cursor.body.row
    if row is not None and row.field == "models":
        for word in OPERATIONS:
            yield Suggestion(word, Sort.VALUE, snippet=f"{word}: $0")
    if row is not None and row.field == "with_":
        yield from _parameters(scene)


def _parameters(scene: Scene) -> Iterator[Suggestion]:
    """Yield the parameters of the tool whose WITH the cursor stands in."""
    made, k = scene.cursor.outline, scene.cursor.k
    for parent in made.ancestors(k):
        entry = made.entries[parent]
        if entry.row is None or entry.row.kind is not Kind.CALL:
            continue
        name = made.lines.texts[parent][entry.value :].partition("(")[0].split()[0]
        one = scene.workspace.names(scene.path, scene.offset, Symbol.TOOL).get(name)
        for parameter in getattr(one.node, "parameters", ()) if one is not None else ():
            yield Suggestion(
                parameter.name, Sort.PROPERTY, snippet=f"{parameter.name}: $0", detail=parameter.description
            )
        return


def _items(scene: Scene) -> Iterator[Suggestion]:
    yield from values(scene.workspace, scene.path, scene.offset, scene.cursor)


_KEYS: dict[Form, Callable[[Scene], Iterator[Suggestion]]] = {
    Form.SECTIONS: _sections, Form.PROPS: _props, Form.RESPOND: _props, Form.CALL: _call, Form.ENTRIES: _entries,
    Form.MIXED: _mixed, Form.BRANCHES: _branches, Form.RULES: _rules, Form.TOOLS: _tools, Form.STEPS: _steps,
    Form.ELEMENTS: _elements, Form.FORMATS: _formats, Form.SHAPE: _shape, Form.MAP: _map, Form.ITEMS: _items,
}  # fmt: skip
