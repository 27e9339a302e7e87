"""The reader: walks nested lines and fills nodes by their own property tables.

One loop serves every construct. What differs between properties is the reader of their kind (`kinds`, and the
modules of special forms), which all have the signature of `ReadKind`. Spec: abl-language 1.2, 1.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from abl.diagnostics.reporter import did_you_mean
from abl.parser.joining import FLOWING, text_end
from abl.parser.scribe import Scribe
from abl.parser.slips import is_key, is_slip
from abl.parser.values import BOOLEANS, MAX_NESTING, cut_comment, inline_map, is_names, is_word, open_brackets, unquote
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.rich import Rich

ReadKind: TypeAlias = Callable[["Reader", Node, Prop, int, int, str, int], None]
"""reader, node, row, line, end of its nested lines, value text, offset of the value."""
Entry: TypeAlias = tuple[ReadKind, Prop, str, dict[str, Any] | None]
"""The reader of a property, its row, its field if a second one is a mistake, and what plain words mean as its value."""
Table: TypeAlias = dict[str, Entry]

READ: dict[Kind, ReadKind] = {}
"""Kind -> its reader; filled by the modules that define them."""
Neighbour: TypeAlias = Callable[["Reader", Any, int, int, str, str, int, int], None]
"""reader, node, line, end, key, value, offset of the key, offset of the value."""
ANY_KEY = "*"
NEIGHBOURS: dict[tuple[str, str], Neighbour] = {}
"""(node class, upper-cased key) -> what is done with a key that belongs to something beside it."""
BRANCH_HEAD = re.compile(r"(?:ELS?IF|IF|ELSE(?:[_-]?IF)?|DEFAULT|OTHERWISE)(?![\w-])", re.IGNORECASE)
"""How a branch begins that stands without its dash, or without the key of its list."""
LASTING = ("user.", "project.")
"""How paths of facts begin that outlive the session. Spec: abl-language 6.7."""
MAX_KNOWN = 12
"""Known properties that are named in a finding about an unknown one; the usual ones come first."""
USUAL = (
    "IF", "ELSE", "RESPOND", "GATHER", "SET", "CALL", "ON_INPUT", "ON_RESULT", "ON_SUCCESS", "ON_FAIL", "CHECK",
    "THEN", "prompt", "description", "type", "required", "side_effects", "confirm", "endpoint", "method",
)  # fmt: skip
"""What steps, branches, handlers, fields and tools most often hold, in the order in which it is written."""
CLOSED = {
    "ActionHandler": "UNKNOWN_ACTION_KEY",
    "Do": "UNKNOWN_ACTION_KEY",
    "Digression": "UNKNOWN_ACTION_KEY",
    "History": "INVALID_HISTORY",
    "HumanOutcome": "UNKNOWN_OUTCOME",
}
"""Node classes in which an unknown key is an error -> its code. Spec: abl-language 3.8, 3.13, 5.6."""

SCALARS = frozenset(
    {
        Kind.TEXT, Kind.NAME, Kind.CODE, Kind.CONDITION, Kind.EXPRESSION, Kind.TARGET, Kind.CHOICE, Kind.BOOL,
        Kind.FLAG, Kind.INTEGER, Kind.NUMBER, Kind.DURATION, Kind.LITERAL,
    }
)  # fmt: skip
"""Kinds whose value is one piece of text: nothing may be nested under them."""
ACTING = frozenset(
    {
        "await_attachment", "call", "check", "complete_when", "condition", "delegate", "exit_when", "gather", "goto",
        "handoff", "human_approval", "on_error", "on_exhausted", "on_fail", "on_failure", "on_input", "on_result",
        "on_success", "present", "respond", "success_when", "then", "transform", "transition", "when",
    }
)  # fmt: skip
"""Properties of a block that do something, or say when: of two different ones one would silently be lost."""
WHOLE_DOCUMENTS = frozenset({"Document", "Profile"})
"""Classes whose properties are sections, which are merged or reported elsewhere."""
ACTS = frozenset(
    {
        "AWAIT_ATTACHMENT", "CALL", "CHECK", "CLEAR", "COLLECT", "COMPLETE", "DELEGATE", "DO", "DO_AFTER", "ESCALATE",
        "GATHER", "GOTO", "HANDOFF", "HUMAN_APPROVAL", "IF", "ON_ERROR", "ON_FAIL", "ON_FAILURE", "ON_INPUT",
        "ON_RESULT", "ON_SUCCESS", "RESPOND", "RESUME", "RETRY", "SET", "THEN", "TRANSFORM", "TRANSITION", "WHEN",
    }
)  # fmt: skip
"""Words of the language that do something, or say when: in a block that does not know one it would be lost."""
CALLED = {
    "Branch": "a branch", "Outcome": "ON_SUCCESS, ON_FAILURE or ON_FAIL", "OnStart": "ON_START", "Hook": "a hook",
    "Step": "a step", "ErrorHandler": "ON_ERROR", "Completion": "COMPLETE", "ReturnHandler": "a return handler",
}  # fmt: skip
"""Class of a block -> what people call it."""
APPENDED = frozenset({"append", "merge"})


def reads(*kinds: Kind) -> Callable[[ReadKind], ReadKind]:
    """Register the decorated function as the reader of `kinds`."""

    def register(function: ReadKind) -> ReadKind:
        for kind in kinds:
            READ[kind] = function
        return function

    return register


def spellings(cls: type[Node]) -> list[str]:
    """Return all spellings of a node class's properties that are worth suggesting."""
    return [spelling for row in cls.PROPS if not row.legacy for spelling in row.spellings]


def listed_keys(cls: type[Node]) -> str:
    """Return the properties of a node class, cut when there are many: the usual ones, and how many there are more."""
    keys = [row.key for row in cls.PROPS if not row.legacy]
    first = [key for key in USUAL if key in keys]
    shown = [*first, *[key for key in keys if key not in first]][:MAX_KNOWN]
    more = f" and {len(keys) - len(shown)} more" if len(keys) > len(shown) else ""
    return ", ".join(shown) + more


def neighbour(*owners: str, keys: tuple[str, ...]) -> Callable[[Neighbour], Neighbour]:
    """Register the decorated function for `keys` written in nodes of the classes `owners`."""

    def register(function: Neighbour) -> Neighbour:
        for owner in owners:
            for key in keys:
                NEIGHBOURS[owner, key] = function
        return function

    return register


def is_acting(node: Node, row: Prop) -> bool:
    """Return whether of two different values of a property one would be an action or a condition that is lost."""
    return row.field in ACTING and type(node).__name__ not in WHOLE_DOCUMENTS


def is_lost(node: Node, word: str) -> bool:
    """Return whether a word that a block does not know is an action or a condition elsewhere; `word` is folded."""
    return word in ACTS and isinstance(node, Rich) and type(node).__name__ not in CLOSED


class _Tables(dict[type[Node], Table]):
    """The table of each node class, made when it is first asked for."""

    def __missing__(self, cls: type[Node]) -> Table:
        table: Table = {}
        for spelling, row in cls.BY_KEY.items():
            entry = (READ[row.kind], row, "" if row.repeat in APPENDED else row.field, _words(row))
            for form in (spelling, spelling.lower(), row.key):
                table.setdefault(form, entry)
        self[cls] = table
        return table


_PARTED = re.compile(r"[- ]|(?<=[a-z0-9])(?=[A-Z])")
TABLES = _Tables()
"""The entries of a node class by spelling, in the spellings that need no folding."""


def _words(row: Prop) -> dict[str, Any] | None:
    """Return the values of a property that are taken as they stand, None if it has none: no text is hashed for it."""
    if row.kind is Kind.CHOICE:
        return {word: word for word in row.choices}
    return BOOLEANS if row.kind in (Kind.BOOL, Kind.FLAG) else None


class Reader(Scribe):
    """A parse that fills nodes by their property tables."""

    __slots__ = ()

    # --- properties -------------------------------------------------------------------------------------

    def props(self, node: Node, k: int, stop: int) -> None:
        """Read lines `k` to `stop` as properties of `node`."""
        if k >= stop:
            return
        table = TABLES[type(node)]
        texts, ends, offsets, at = self.texts, self.ends, self.offsets, node.at
        while k < stop:
            text = texts[k]
            end = ends[k]
            if end > stop:
                end = stop
            key, colon, value = text.partition(":")
            if key in table and colon:
                read, row, once, words = table[key]
                if once in at:
                    self.repeated(node, row, k)
                if value:
                    value = value.lstrip()
                elif end == k + 1 and end < stop and texts[end][0] == "-":
                    end = self.same_column(k, end, stop)
                if words is not None and value in words and end == k + 1:
                    setattr(node, row.field, words[value])
                    at[row.field] = offsets[k] + len(text) - len(value)
                else:
                    read(self, node, row, k, end, value, offsets[k] + len(text) - len(value))
            else:
                self.odd_line(node, table, k, end, text, offsets[k])
            k = end

    def line(self, node: Node, k: int, end: int, text: str, offset: int) -> None:
        """Read one property whose text may begin in the middle of line `k` (after a dash)."""
        if self.depth >= MAX_NESTING:
            self.deeper(k)
            return
        self.depth += 1
        table = TABLES[type(node)]
        key, colon, rest = text.partition(":")
        entry = table.get(key)
        if entry is None or not colon:
            self.odd_line(node, table, k, end, text, offset)
        else:
            value = rest.lstrip()
            read, row, once, _ = entry
            if once in node.at:
                self.repeated(node, row, k)
            read(self, node, row, k, end, value, offset + len(text) - len(value))
        self.depth -= 1

    def same_column(self, k: int, end: int, stop: int) -> int:
        """Return the end of the dash items from line `end` on that stand in the column of line `k`."""
        while end < stop and self.indents[end] == self.indents[k] and self.texts[end][0] == "-":
            end = min(self.ends[end], stop)
        return end

    def find_row(self, node: Node, key: str) -> Entry | None:
        """Return the entry for `key` in any spelling."""
        table = TABLES[type(node)]
        entry = table.get(key)
        if entry is not None:
            return entry
        folded = key.strip().strip("\"'").strip()
        entry = table.get(folded) or table.get(folded.upper())
        if entry is None and _PARTED.search(folded):
            entry = table.get(_PARTED.sub("_", folded).upper())
        return entry

    def odd_line(self, node: Node, table: Table, k: int, end: int, text: str, offset: int) -> None:
        """Read a line whose key is in no table as it stands: other case, misspelt, unknown, or no property at all."""
        colon = text.find(":")
        if not text.strip("- ") or text[0] in ")]}":
            return
        if "branches" in node.BY_FIELD and BRANCH_HEAD.match(text):
            self.read_field(node, "branches", k - 1, end, "", offset)
            return
        if text[0] == "-" and node.REST == "":
            inner = text[1:].lstrip()
            if inner:
                shift = len(text) - len(inner)
                if self.find_row(node, inner.partition(":")[0]):
                    self.line(node, k, end, inner, offset + shift)
                    return
                if self.stray_item(node, k, end, inner, offset + shift):
                    return
        if colon <= 0:
            self.keyless(node, k, end, text, offset)
            return
        key = text[:colon].strip()
        entry = self.find_row(node, key)
        if entry is None and " " in key and self.find_row(node, key.split(None, 1)[0]):
            self.keyless(node, k, end, text, offset)
            return
        rest = text[colon + 1 :]
        value = rest.lstrip()
        at = offset + colon + 1 + len(rest) - len(value)
        if entry is not None:
            if entry[2] in node.at:
                self.repeated(node, entry[1], k)
            entry[0](self, node, entry[1], k, end, value, at)
            return
        self.unknown(node, k, end, key, value, offset, at)

    def stray_item(self, node: Node, k: int, end: int, inner: str, offset: int) -> bool:
        """Give a dash item that is no property to the list it must belong to: branches, triggers, variables, values."""
        row = node.BY_FIELD.get("branches")
        if row is not None and BRANCH_HEAD.match(inner):
            READ[Kind.BRANCHES](self, node, row, k - 1, end, "", offset)
            return True
        row = node.BY_FIELD.get("triggers")
        if row is not None and inner.partition(":")[0].strip().upper() in NODES[row.node].BY_KEY:
            READ[row.kind](self, node, row, k - 1, end, "", self.offsets[k])
            return True
        row = node.BY_FIELD.get("session")
        if row is not None and inner.partition(":")[0].replace(".", "_").isidentifier():
            row = node.BY_FIELD["persistent"] if inner.startswith(LASTING) else row
            READ[row.kind](self, node, row, k - 1, end, "", self.offsets[k])
            return True
        if not node.LISTED or end > k + 1:
            return False
        node.at.setdefault(node.LISTED, offset)
        getattr(node, node.LISTED).append(unquote(cut_comment(inner)))
        return True

    def unknown(self, node: Node, k: int, end: int, key: str, value: str, offset: int, value_offset: int) -> None:
        """Read a slip of the pen as the property that was meant, and keep any other key in `extras`."""
        word = key.strip("\"'")
        folded = word.upper()
        neighbour = NEIGHBOURS.get((node.__class__.__name__, folded))
        if neighbour is not None:
            neighbour(self, node, k, end, word, value, offset, value_offset)
            return
        meant = self.near(word, spellings(type(node))) if is_word(word) else None
        row = node.BY_KEY.get(meant.upper()) if meant else None
        closed = CLOSED.get(node.__class__.__name__)
        if meant and row is not None and row.field in node.at:
            meant = None
        if meant and row is not None and is_slip(word, meant):
            spelt = meant.lower() if word.islower() else meant
            fix = self.edit(offset, len(key), spelt, f"write `{spelt}`")
            code = closed or "MISSPELT_PROPERTY"
            self.report(code, offset, len(key), fix, name=word, expected=spelt, suggestion=did_you_mean(spelt))
            READ[row.kind](self, node, row, k, end, value, value_offset)
            return
        if (other := NEIGHBOURS.get((node.__class__.__name__, ANY_KEY))) is not None:
            other(self, node, k, end, word, value, offset, value_offset)
            return
        if is_lost(node, folded):
            self.report(
                "ACTION_LOST", offset, len(key), name=word, section=CALLED.get(type(node).__name__, "this block")
            )
            node.extras[word] = self.raw_value(k, end, value)
            return
        known = listed_keys(type(node))
        code, said = closed or "UNKNOWN_PROPERTY", {"name": word, "known": known}
        if meant and row is not None and row.guards:
            code, said = "UNREADABLE_GUARD", {"value": word, "property": row.key, "known": row.key}
        hint = did_you_mean(None if is_key(word) else meant)
        self.report(code, offset, len(key), None, section=node.__class__.__name__, suggestion=hint, **said)
        node.extras[word] = self.raw_value(k, end, value)

    def keyless(self, node: Node, k: int, end: int, text: str, offset: int) -> None:
        """Say what is wrong with a line without `key:`, and read it if the key can be told."""
        word = text.split(None, 1)[0] if text else text
        entry = self.find_row(node, word.rstrip("=")) if is_word(word) else None
        if entry is not None and (len(text) > len(word) or end > k + 1 or entry[1].kind is Kind.FLAG):
            row = entry[1]
            value = text[len(word) :].lstrip()
            if row.kind is not Kind.FLAG or value:
                fix = self.edit(offset + len(word), 0, ":", f"write `{word}:`")
                self.report("PROPERTY_MISSING_COLON", offset, len(word), fix, name=word, property=row.key)
            entry[0](self, node, row, k, end, value, offset + len(text) - len(value))
            return
        if self.main_word(node, k, text, offset):
            return
        self.report("EXPECTED_PROPERTY", offset, len(text), value=text)
        node.extras.setdefault("", "")
        node.extras[""] = (node.extras[""] + "\n" + text).strip()

    def main_word(self, node: Node, k: int, text: str, offset: int) -> bool:
        """Take a lone text as the node's main value if that is still missing."""
        main = node.MAIN
        if not main or main in node.at or main not in node.BY_FIELD or getattr(node, main):
            return False
        row = node.BY_FIELD[main]
        READ[row.kind](self, node, row, k, k + 1, text, offset)
        return True

    def repeated(self, node: Node, row: Prop, k: int) -> None:
        """Report a property that stands twice: the last one counts. Of two other actions one would never be done."""
        first = self.source.pos(node.at[row.field]).line
        fix = self.removal(k, first)
        written, has_value = self.texts[k].removeprefix("- "), bool(self.texts[k].partition(":")[2].strip())
        is_same = has_value and self.source.line(first).strip().removeprefix("- ") == written
        if is_acting(node, row) and not is_same:
            self.report_line("ACTION_LOST", k, None, name=row.key, property=row.key, first_line=str(first))
            return
        self.report_line("DUPLICATE_PROPERTY", k, fix, name=row.key, property=row.key, first_line=str(first))

    def under_scalar(self, node: Node, k: int, end: int, *, owner: str) -> list[int]:
        """Read lines nested under a value that takes none; return those that are no property of `node`.

        Properties of `node` that were indented too deep are read as such, with one finding for the run of them.
        """
        rest: list[int] = []
        reported = self.texts[k][0] == "-"
        j = k + 1
        while j < end:
            stop = min(self.ends[j], end)
            text = self.texts[j]
            if self.knows(node, text):
                if stop == j + 1 and text[-1] == ":":
                    stop = self._orphans(node, j, end)
                if not reported:
                    self.misplaced(j, end if stop == min(self.ends[j], end) else j + 1, self.columns[k], owner)
                reported = True
                self.line(node, j, stop, text, self.offsets[j])
            else:
                rest.append(j)
            j = stop
        return rest

    def _orphans(self, node: Node, j: int, end: int) -> int:
        """Return the end of the lines that stand in the column of line `j`, but must be its content."""
        stop = j + 1
        while stop < end and self.indents[stop] == self.indents[j] and not self.knows(node, self.texts[stop]):
            stop = min(self.ends[stop], end)
        return stop

    def knows(self, node: Node, text: str) -> bool:
        """Return whether a line is a property of `node`, or of something beside it."""
        key, colon, _ = text.partition(":")
        return bool(colon) and (
            self.find_row(node, key) is not None or (node.__class__.__name__, key.strip().upper()) in NEIGHBOURS
        )

    # --- nodes ------------------------------------------------------------------------------------------

    def fill(self, made: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
        """Read the content of a node: an inline map or main value, then the nested lines."""
        if self.depth >= MAX_NESTING:
            self.deeper(k)
            return
        self.depth += 1
        cut = cut_comment(value) if "#" in value else value
        if not cut and not made.REST:
            self.props(made, k + 1, end)
        elif not cut:
            self.children(made, k + 1, end)
        elif cut[0] == "{" and not cut.startswith("{{"):
            if open_brackets(cut) > 0:
                closing = end < len(self.texts) and self.texts[end][0] == "}"
                cut = " ".join([cut, *self.texts[k + 1 : end + closing]])
            self.inline_node(made, k, cut, off)
        elif made.MAIN in made.BY_FIELD:
            last = text_end(self, made, k, end, cut) if made.BY_FIELD[made.MAIN].kind in FLOWING else k + 1
            self.read_field(made, made.MAIN, k, last if k not in self.lines.blocks else end, value, off)
            self.children(made, last, end)
        elif made.REST and (cut[0] == "[" or is_names(cut)):
            self.read_field(made, made.REST, k, end, cut, off)
        else:
            self.report("EXPECTED_MAP", off, len(cut), value=cut, property=row.key)
            made.extras[""] = cut
            self.children(made, k + 1, end)
        self.depth -= 1

    def read_field(self, node: Node, field: str, k: int, end: int, value: str, off: int) -> None:
        """Read `value` into one field of `node`."""
        row = node.BY_FIELD[field]
        READ[row.kind](self, node, row, k, end, value, off)

    def children(self, made: Node, k: int, end: int) -> None:
        """Read nested lines as properties, or as entries where the node has a REST field."""
        if made.REST:
            row = made.BY_FIELD[made.REST]
            READ[row.kind](self, made, row, k - 1, end, "", self.offsets[k - 1])
        else:
            self.props(made, k, end)

    def inline_node(self, made: Node, k: int, value: str, off: int) -> None:
        """Read `{key: value, ...}` as properties of `made`."""
        pairs = inline_map(value)
        if pairs is None:
            self.report("EXPECTED_MAP", off, len(value), value=value)
            made.extras[""] = value
            return
        for key, text, at in pairs:
            if key.lower() == made.MAIN and not made.BY_KEY.get(key.upper()):
                setattr(made, made.MAIN, unquote(text))
                made.at[made.MAIN] = off + at
                continue
            self.line(made, k, k + 1, f"{key}: {text}", off + at - len(key) - 2)


def set_text(node: Node, row: Prop, value: Any, offset: int) -> None:
    """Store a value and where it stands."""
    setattr(node, row.field, value)
    node.at[row.field] = offset
