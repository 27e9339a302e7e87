"""Template text -> parts, with every fault in it; unreadable tags render as nothing, unclosed ones as text.

Spec: abl-language 6.8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from abl.diagnostics.suggest import closest
from abl.expressions.analysis import analyse
from abl.expressions.faults import Edit, Fault
from abl.expressions.inspection import walk
from abl.expressions.interpolation import CLOSE, OPEN, Tag, tags_of
from abl.expressions.limits import MAX_NESTING
from abl.expressions.parse import Parser
from abl.expressions.reader import UnreadableError
from abl.expressions.repair import repair
from abl.expressions.tree import Invalid, Node, Variable
from abl.templates.parts import Choice, Each, Part, Plain, Value

BLOCKS = ("each", "if")
MAX_FAULTS = 1_000
"""Faults that are told of one template."""
MAX_REPAIRS = 50
"""After so many faults no more edits are looked for."""
_ESCAPED = re.compile(r'''"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\\"(?P<inside>(?:[^\\"]|\\(?!"))*)\\"''', re.DOTALL)
_BLOCK = re.compile(r"\s*+#\s*+(\w*+)\s*+(.*\S|)\s*+\Z", re.DOTALL)
FOREIGN = "{%"
_FOREIGN = re.compile(r"\{%-?\s*(?P<word>\w*)(?P<rest>[^%\n]*)%\}")
_MEANT = {"if": "{{{{#if {rest}}}}}", "else": "{{{{else}}}}", "endif": "{{{{/if}}}}"}
"""Tags of other template languages -> the tag that says the same here; a loop names its elements otherwise."""
_ELSE = re.compile(r"\s*+#?\s*+else(?:\s++if\s++(.*\S|))?\s*+\Z", re.DOTALL)
_NAME_OF_TAG = re.compile(r"\s*[#/]?[\w.@]+(?:\[\w+\])*(?:[ \t]*\|[ \t]*\w+)*(?:(?<=each)[ \t]+[\w.]+)?")


@dataclass(frozen=True, slots=True)
class TemplateAnalysis:
    """What a template mentions and what is wrong with it.

    Attributes:
        paths: Dotted paths of its variables, each once; `this` and `@index` of an #each are not among them.
        expressions: The trees of its tags, in the order of the text.
        faults: What is wrong, with places relative to the text.
    """

    paths: tuple[str, ...]
    expressions: tuple[Node, ...]
    faults: tuple[Fault, ...]


@dataclass(slots=True)
class _Frame:
    """A block that is open: `each`, `if`, `ignored`, or `text` for the whole template."""

    kind: str
    tag: Tag
    node: Node
    parts: list[Part] = field(default_factory=list)
    then: tuple[Part, ...] | None = None
    chained: bool = False


def analyse_template(text: object) -> TemplateAnalysis:
    """Return what the template `text` mentions and what is wrong with it; never raises."""
    if not isinstance(text, str):
        detail = f"text is expected, not {type(text).__name__}"
        return TemplateAnalysis((), (), (Fault("TEMPLATE_SYNTAX", 0, 0, {"value": "", "detail": detail}),))
    reader = TemplateReader(text)
    reader.parts()
    reader.foreign_tags()
    named = (one for node in reader.expressions for one in walk(node) if isinstance(one, Variable))
    paths = dict.fromkeys(".".join(one.path) for one in named if one.path[0] != "this" and one.path[0][0] != "@")
    return TemplateAnalysis(tuple(paths), tuple(reader.expressions), tuple(reader.faults))


class TemplateReader:
    """Reads one text; afterwards `expressions` and `faults` are filled."""

    def __init__(self, text: str) -> None:
        """Start in front of `text`."""
        self.text = text
        self.expressions: list[Node] = []
        self.faults: list[Fault] = []
        self._open = [_Frame("text", Tag(0, "", 0), Invalid(""))]

    def parts(self) -> tuple[Part, ...]:
        """Return the parts of the whole template."""
        at = 0
        for tag in tags_of(self.text):
            if tag.start > at:
                self._add(Plain(self.text[at : tag.start]))
            at = tag.start if tag.stop is None else tag.stop
            self._tag(tag._replace(inside=_unescaped(tag.inside)))
        if at < len(self.text):
            self._add(Plain(self.text[at:]))
        while len(self._open) > 1:
            self._unclosed_block(self._open[-1])
            self._close()
        return tuple(self._open[0].parts)

    def _report(self, fault: Fault) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)

    def _add(self, part: Part) -> None:
        self._open[-1].parts.append(part)

    def _tag(self, tag: Tag) -> None:
        inside = tag.inside.strip()
        if tag.stop is None:
            self._unclosed_tag(tag)
        elif inside.startswith("/"):
            self._closing(tag, inside[1:].strip())
        elif (otherwise := _ELSE.match(tag.inside)) is not None:
            self._else(tag, otherwise)
        elif inside.startswith("#"):
            self._opening(tag)
        elif not inside:
            self._fault(tag, "nothing stands between the braces", self._whole(tag, ""), "drop the empty braces")
        elif tag.start and self.text[tag.start - 1] == "{" and self.text.startswith("}", tag.stop):
            edit = (tag.start - 1, (tag.stop or 0) - tag.start + 2, OPEN + tag.inside + CLOSE)
            self._fault(tag, "two braces are enough, values are never escaped", edit, "write two braces")
            self._value(tag)
        else:
            self._value(tag)

    def _value(self, tag: Tag) -> None:
        node = self._filtered(tag.inside, tag.start + 2)
        if node is not None:
            self.expressions.append(node)
            self._add(Value(node))

    def _filtered(self, inside: str, base: int) -> Node | None:
        parser = Parser(inside, base, noted=len(self.faults))
        try:
            node = parser.with_filters()
        except UnreadableError as stopped:
            mended = repair(inside, stopped, _reads) if len(self.faults) < MAX_REPAIRS else None
            edit = (mended.edit[0] + base, mended.edit[1], mended.edit[2]) if mended else None
            start, length = base + stopped.token.start, len(stopped.token.text)
            said = {"value": inside.strip(), "detail": (mended and mended.detail) or stopped.detail}
            self._report(Fault("TEMPLATE_SYNTAX", start, length, said, edit, mended.title if mended else ""))
            return None
        for fault in parser.faults:
            self._report(fault)
        return node

    def _condition(self, text: str, base: int) -> Node:
        analysis = analyse(text, condition=True)
        for fault in analysis.faults:
            hard = fault.code in ("INVALID_CONDITION", "NATURAL_LANGUAGE_CONDITION")
            said = dict(fault.arguments)
            said.setdefault("detail", "it is no condition")
            moved = fault.moved(base)
            self._report(replace(moved, code="TEMPLATE_SYNTAX", arguments=said) if hard else moved)
        if isinstance(analysis.node, Invalid):
            return analysis.node
        node = Parser(text, base).whole() if text.strip() and not analysis.faults else analysis.node
        self.expressions.append(node)
        return node

    # -- blocks ------------------------------------------------------------------------------------------------

    def _opening(self, tag: Tag) -> None:
        found = _BLOCK.match(tag.inside)
        kind, argument = (found[1], found[2]) if found else ("", "")
        base = tag.start + 2 + (found.start(2) if found else 0)
        if kind not in BLOCKS:
            near = closest(kind, BLOCKS)
            at = tag.start + 2 + (found.start(1) if found else 0)
            edit = (at, len(kind), near) if near else None
            said = {"name": f"#{kind}", "suggestion": f"#{near}" if near else "", "known": "#each, #if"}
            self._fault(tag, f"`#{kind}` is no block", edit, f"write `#{near}`" if near else "", **said)
            self._ignore(tag)
        elif len(self._open) > MAX_NESTING:
            self._fault(tag, f"blocks are nested deeper than {MAX_NESTING} levels", None, "")
            self._ignore(tag)
        elif not argument:
            self._fault(tag, f"`#{kind}` needs {'a list' if kind == 'each' else 'a condition'}", None, "")
            self._open.append(_Frame(kind, tag, Invalid("")))
        elif kind == "if":
            self._open.append(_Frame(kind, tag, self._condition(argument, base)))
        else:
            node = self._filtered(argument, base)
            if node is not None:
                self.expressions.append(node)
            self._open.append(_Frame(kind, tag, node or Invalid(argument)))

    def _ignore(self, tag: Tag) -> None:
        """Open a block that is none: its parts are those of the block around it, and moved nowhere at its end."""
        self._open.append(_Frame("ignored", tag, Invalid(""), self._open[-1].parts))

    def _else(self, tag: Tag, found: re.Match[str]) -> None:
        frame = self._open[-1]
        if frame.kind != "if" or frame.then is not None:
            if frame.kind != "ignored":
                self._fault(tag, "`else` belongs to no #if", self._whole(tag, ""), "drop `{{else}}`")
            return
        frame.then, frame.parts = tuple(frame.parts), []
        if found[1] is not None:
            if len(self._open) > MAX_NESTING:
                self._fault(tag, f"blocks are nested deeper than {MAX_NESTING} levels", None, "")
                return
            node = self._condition(found[1], tag.start + 2 + found.start(1))
            self._open.append(_Frame("if", tag, node, chained=True))

    def _closing(self, tag: Tag, name: str) -> None:
        frame = self._open[-1]
        if len(self._open) == 1:
            self._fault(tag, f"`/{name}` closes nothing that is open", self._whole(tag, ""), f"drop `/{name}`")
            return
        if frame.kind != "ignored" and name != frame.kind:
            if any(one.kind == name for one in self._open):
                self._unclosed_block(frame, at=tag.start)
                self._close()
                self._closing(tag, name)
                return
            right = OPEN + "/" + frame.kind + CLOSE
            self._fault(tag, f"`#{frame.kind}` is open here", self._whole(tag, right), f"write `{right}`")
        self._close()

    def _close(self) -> None:
        """Turn the innermost open block into a part of the block around it."""
        chained = True
        while chained and len(self._open) > 1:
            frame = self._open.pop()
            chained = frame.chained
            if frame.kind == "ignored":
                continue
            if frame.kind == "each":
                self._add(Each(frame.node, tuple(frame.parts)))
            elif frame.then is None:
                self._add(Choice(frame.node, tuple(frame.parts), ()))
            else:
                self._add(Choice(frame.node, frame.then, tuple(frame.parts)))

    # -- faults ------------------------------------------------------------------------------------------------

    def foreign_tags(self) -> None:
        """Report `{% for x in list %}` and its like, which no template of the language has: they are shown as text."""
        for found in _FOREIGN.finditer(self.text):
            word, rest = found["word"], found["rest"].strip()
            if word == "endfor":
                continue  # what is to be written for it has been said with the loop
            wanted = _MEANT.get(word, "").format(rest=rest)
            detail = "`{% … %}` means nothing here and the user would read it"
            if word == "for":
                listed = rest.rpartition(" in ")[2].strip() or "items"
                detail += f": write `{{{{#each {listed}}}}}`, `{{{{this.field}}}}` inside of it, and `{{{{/each}}}}`"
            edit = (found.start(), found.end() - found.start(), wanted) if wanted else None
            arguments = {"value": found[0], "detail": detail}
            title = f"write `{wanted}`" if wanted else ""
            self._report(Fault("TEMPLATE_SYNTAX", found.start(), found.end() - found.start(), arguments, edit, title))

    def _whole(self, tag: Tag, new: str) -> Edit:
        return (tag.start, (tag.stop or tag.start) - tag.start, new)

    def _fault(self, tag: Tag, detail: str, edit: Edit | None, title: str, **said: str) -> None:
        length = (tag.stop or tag.start + 2) - tag.start
        arguments = {"value": tag.inside.strip(), "detail": detail, **said}
        self._report(Fault("TEMPLATE_SYNTAX", tag.start, length, arguments, edit, title))

    def _unclosed_tag(self, tag: Tag) -> None:
        inside = tag.start + 2
        brace = tag.inside.find("}")
        named = _NAME_OF_TAG.match(tag.inside)
        edit = None
        if brace >= 0:
            edit = (inside + brace, 1, CLOSE)
        elif named:
            edit = (inside + named.end(), 0, CLOSE)
        name = (tag.inside[:brace] if brace >= 0 else named[0] if named else tag.inside).strip()
        said = {"name": OPEN + name[:60], "value": name, "expected": CLOSE}
        length = 2 + (brace if brace >= 0 else named.end() if named else 0)
        title = "add `}}`" if edit else ""
        self._report(Fault("TEMPLATE_UNCLOSED", tag.start, length, said, edit, title))

    def _unclosed_block(self, frame: _Frame, at: int | None = None) -> None:
        if frame.kind == "ignored" or frame.chained:
            return
        closing = f"{OPEN}/{frame.kind}{CLOSE}"
        said = {"name": f"#{frame.kind}", "value": frame.tag.inside.strip(), "expected": closing}
        said["detail"] = f"`{OPEN}{said['value']}{CLOSE}` is never closed"
        place = len(self.text.rstrip("\n")) if at is None else at
        edit = (place, 0, closing)
        length = (frame.tag.stop or 0) - frame.tag.start
        self._report(Fault("TEMPLATE_SYNTAX", frame.tag.start, length, said, edit, f"add `{closing}`"))


def _unescaped(inside: str) -> str:
    """Return a tag of a quoted value with its `\\"…\\"` as strings: escapes stay raw until rendering (spec 1.4).

    Nothing moves: each backslash leaves a space outside of the string.
    """
    if '\\"' not in inside:
        return inside
    return _ESCAPED.sub(lambda one: one[0] if one["inside"] is None else f' "{one["inside"]}" ', inside)


def _reads(text: str) -> bool:
    try:
        Parser(text).with_filters()
    except UnreadableError:
        return False
    return True
