"""FLOW: entry point, sequences, steps, step gathers, digressions. Spec: abl-language 5."""

from __future__ import annotations

import re

from abl.parser.bounds import ITEM_BYTES, elements
from abl.parser.entries import inline_entries, read_rest_lines
from abl.parser.lists import joined
from abl.parser.ordering import nests_actions, read_nested_check
from abl.parser.reader import READ, TABLES, Reader, reads
from abl.parser.values import cut_comment, unquote
from abl.syntax.flow import Flow, Step
from abl.syntax.gather import StepGather
from abl.syntax.node import Kind, Node, Prop

_SEQUENCE = re.compile(r"\"?[A-Za-z_][\w-]*\"?(?:\s*+(?:->|\u2192)\s*+\"?[A-Za-z_][\w-]*\"?)+\s*+(?:->|\u2192)?\s*+\Z")
_ARROW = re.compile(r"(?:->|\u2192)")
_HEADER = re.compile(r"(?:(?:step|STEP)\s+)?(?:\"([^\"]+)\"|([A-Za-z_][\w-]*))\s*:\s*(?:#.*)?\Z")
_STEPS_ITEM = re.compile(r"-?\s*\d+\.\s")
_BRANCH = re.compile(r"(?:-\s*)?(?:ELS?IF|IF|ELSE(?:[_-]?IF)?|DEFAULT|OTHERWISE)(?![\w-])")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")


@reads(Kind.FLOW)
def read_flow(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a flow body."""
    flow = getattr(node, row.field) or r.new(Flow, k)
    node.at[row.field] = off
    setattr(node, row.field, flow)
    if flow.steps is None:
        flow.steps = []
    if value and "->" in value:
        _sequence(r, flow, k, value)
    j = k + 1
    if j < end and _STEPS_ITEM.match(r.texts[j]):
        _numbered(r, flow, j, end)
        return
    while j < end:
        j = _flow_line(r, flow, j, end)
    _duplicates(r, flow)


def _numbered(r: Reader, flow: Flow, j: int, end: int) -> None:
    from abl.legacy.steps import read_numbered_steps  # noqa: PLC0415 - the two grammars read each other's sections

    made, faults = read_numbered_steps(
        [(r.indents[i], r.texts[i], r.offsets[i]) for i in range(j, end)],
        block_text=lambda index: r.lines.block_text(j + index) if j + index in r.lines.blocks else "",
        locate=r.source.pos,
    )
    r.report_faults(list(faults))
    flow.steps, flow.entry_point, flow.sequences = made.steps, made.entry_point, made.sequences
    flow.order = made.order


def _flow_line(r: Reader, flow: Flow, j: int, end: int) -> int:
    """Read one line at step level with what is nested under it; return the line after."""
    text = r.texts[j]
    stop = r.ends[j] if r.ends[j] < end else end
    steps = flow.steps
    assert steps is not None
    name = _step_name(text)
    if name:
        step_row = TABLES[Step].get(name.upper()) if steps else None
        if step_row is None or (stop > j + 1 and name != name.upper()):
            return _step(r, flow, name, j, end)
    if "->" in text or "\u2192" in text:
        plain = cut_comment(text[1:].lstrip() if text[0] == "-" else text)
        if _SEQUENCE.match(plain):
            _sequence(r, flow, j, plain)
            return stop
    key = text.partition(":")[0].strip()
    if key.lower() in ("entry_point", "entry", "start") and ":" in text:
        r.line(flow, j, stop, "entry_point:" + text.partition(":")[2], r.offsets[j] + len(key) - 11)
        return stop
    if key.lower() == "steps" and ":" in text:
        return _steps_key(r, flow, j, stop, end, text)
    if key.lower() == "global_digressions":
        r.line(flow, j, r.same_column(j, stop, end), text, r.offsets[j])
        return r.same_column(j, stop, end)
    if key.lower() in ("sequence", "order") and ("->" in text or "[" in text):
        _sequence(r, flow, j, text.partition(":")[2].strip())
        return stop
    return _odd_line(r, flow, j, stop, end, text, key)


def _step_name(text: str) -> str:
    """Return the name in the header of a step, empty if a line is none."""
    name = text[:-1]
    if text[-1] == ":" and name.isidentifier() and name.isascii():
        return "" if _is_flow_key(name) else name
    header = _HEADER.match(text)
    return (header[1] or header[2]) if header and not _is_flow_key(text.partition(":")[0].strip()) else ""


def _is_flow_key(key: str) -> bool:
    return key in ("steps", "STEPS") or key.lower() in ("global_digressions", "entry_point")


def _steps_key(r: Reader, flow: Flow, j: int, stop: int, end: int, text: str) -> int:
    value = cut_comment(text.partition(":")[2].strip())
    stop = r.same_column(j, stop, end) if not value else stop
    if value and "->" in value:
        _sequence(r, flow, j, value)
        return stop
    if not value and stop > j + 1 and r.texts[j + 1][0] != "-":
        inner = j + 1
        while inner < stop:
            inner = _flow_line(r, flow, inner, stop)
        return stop
    if stop > j + 1 and _STEPS_ITEM.match(r.texts[j + 1]):
        _numbered(r, flow, j + 1, stop)
        return stop
    if stop > j + 1 and any(r.indents[i] > r.indents[j + 1] for i in range(j + 1, stop)):
        for i in _top_items(r, j + 1, stop):
            bare = r.texts[i][1:].lstrip()
            name = bare.partition(":")[2].strip() if bare.lower().startswith("name:") else bare.rstrip(":")
            _step(r, flow, unquote(name), i, stop)
        return stop
    r.line(flow, j, stop, "steps:" + text.partition(":")[2], r.offsets[j])
    return stop


def _top_items(r: Reader, j: int, stop: int) -> list[int]:
    found = []
    while j < stop:
        found.append(j)
        j = min(r.ends[j], stop)
    return found


def _sequence(r: Reader, flow: Flow, j: int, text: str) -> None:
    r.spend(ITEM_BYTES * elements(text), j)
    parts = [part.strip().strip("[]").strip() for part in _ARROW.split(text)]
    names = [unquote(part) for part in parts if part]
    if len(names) == 1 and "," in names[0]:
        names = [unquote(part.strip()) for part in names[0].split(",") if part.strip()]
    if flow.sequences is None:
        flow.sequences = []
    flow.sequences.append(names)


def _step(r: Reader, flow: Flow, name: str, j: int, end: int) -> int:
    """Read the step whose header is line `j`; return the line after it."""
    step = r.new(Step, j)
    step.name = name
    step.at["name"] = r.offsets[j] + r.texts[j].find(name)
    if not (name.isidentifier() and name.isascii()) and not _IDENTIFIER.match(name):
        plain = re.sub(r"\W+", "_", name)
        fix = r.edit(step.at["name"], len(name), plain, f"write `{plain}`")
        r.report("INVALID_STEP_NAME", step.at["name"], len(name), fix, name=name, step=name)
    assert flow.steps is not None
    flow.steps.append(step)
    stop = r.ends[j] if r.ends[j] < end else end
    step_props(r, step, j + 1, stop)
    return stop


def step_props(r: Reader, step: Step, k: int, stop: int) -> None:
    """Read the properties of a step, with lists that stand in the column of their key."""
    table = TABLES[Step]
    texts, ends, offsets, at = r.texts, r.ends, r.offsets, step.at
    while k < stop:
        text = texts[k]
        end = ends[k]
        if end > stop:
            end = stop
        key, colon, value = text.partition(":")
        if value:
            value = value.lstrip()
        elif colon and end == k + 1 and end < stop and texts[end][0] == "-":
            end = r.same_column(k, end, stop)
        if key == "CHECK" and colon and ("check" in at or nests_actions(r, k, end)):
            step.do.append(read_nested_check(r, k, end))
            k = end
            continue
        if key == "SET" and value and r.texts[min(k + 1, stop - 1)].partition(":")[0] == "CHECK" and end > k + 1:
            end = k + 1  # a CHECK that is indented below the assignment it follows
        if key in table and colon:
            read, row, once, words = table[key]
            if once in at:
                r.repeated(step, row, k)
            if words is not None and value in words and end == k + 1:
                setattr(step, row.field, words[value])
                at[row.field] = offsets[k] + len(text) - len(value)
            else:
                read(r, step, row, k, end, value, offsets[k] + len(text) - len(value))
        elif _BRANCH.match(text):
            _loose_branch(r, step, k, end)
        else:
            r.line(step, k, end, text, offsets[k])
        k = end


def _loose_branch(r: Reader, step: Step, k: int, end: int) -> None:
    """Read a branch that stands right in its step: what follows a call, or else what answers the user."""
    field = "on_result" if step.on_result or (step.call is not None and not step.on_input) else "on_input"
    row = Step.BY_FIELD[field]
    if not getattr(step, field):
        column = r.columns[k]
        fix = r.edit(r.line_start(k), 0, f"{' ' * column}{row.key}:\n", f"write `{row.key}:` above")
        r.report_line("BRANCHES_WITHOUT_KEY", k, fix if r.texts[k][0] == "-" else None, property=row.key)
    READ[Kind.BRANCHES](r, step, row, k - 1, end, "", r.offsets[k])


def _odd_line(r: Reader, flow: Flow, j: int, stop: int, end: int, text: str, key: str) -> int:
    """Read a line that is neither header nor flow property: a dedented property, a header without colon ..."""
    steps = flow.steps
    assert steps is not None
    meant = r.near(key, ("entry_point", "global_digressions")) if not steps and ":" in text else None
    if meant is not None:
        r.line(flow, j, stop, text, r.offsets[j])
        return stop
    row = TABLES[Step].get(key.upper())
    if row is not None and ":" in text:
        stop = r.same_column(j, stop, end)
        if not steps:
            r.report_line("PROPERTY_BEFORE_STEP", j, name=key, property=key)
            return stop
        last = steps[-1]
        column = (last.pos.column - 1 if last.pos else 0) + 2
        if last.pos is None or r.columns[j] <= last.pos.column - 1:
            r.report_line(
                "MISPLACED_INDENT", j, r.indent_fix(j, stop, column), name=key, property="FLOW", step=last.name
            )
        step_props(r, last, j, stop)
        return stop
    if steps and text[0] == "-" and (_open_list(steps[-1]) or not stop > j + 1):
        return _loose_items(r, steps[-1], j, end)
    if stop > j + 1 and re.fullmatch(r"(?:-\s*)?[\w -]+:?", text):
        name = text.strip("-: ")
        if ":" not in text:
            fix = r.edit(r.offsets[j] + len(text), 0, ":", f"write `{text}:`")
            r.report_line("PROPERTY_MISSING_COLON", j, fix, name=text, property=text)
        return _step(r, flow, name, j, end)
    if steps and key.isupper():
        step_props(r, steps[-1], j, stop)
        return stop
    r.report_line("PROPERTY_BEFORE_STEP" if not steps else "EXPECTED_PROPERTY", j, name=text, property=text, value=text)
    return stop


def _loose_items(r: Reader, step: Step, j: int, end: int) -> int:
    """Read dash items that are not indented below the step they belong to; return the line after them."""
    stop = r.same_column(j, j, end)
    field = _open_list(step)
    if field:
        r.read_field(step, field, j - 1, stop, "", r.offsets[j])
    else:
        step_props(r, step, j, stop)
    return stop


def _open_list(step: Step) -> str:
    """Return the last list property of a step, if it is still empty: unindented dash items are its content."""
    field = max(step.at, key=step.at.__getitem__)
    row = step.BY_FIELD.get(field)
    return field if row is not None and isinstance(getattr(step, field), list) and not getattr(step, field) else ""


def _duplicates(r: Reader, flow: Flow) -> None:
    seen: dict[str, Step] = {}
    for step in flow.steps or []:
        first = seen.setdefault(step.name, step)
        if first is not step and step.pos and first.pos:
            r.report(
                "DUPLICATE_STEP_NAME", step.pos.offset, len(step.name), name=step.name, step=step.name,
                first_line=str(first.pos.line),
            )  # fmt: skip


def _under_inline_gather(r: Reader, node: Node, made: StepGather, k: int, end: int) -> None:
    """Read the lines nested under `GATHER: a, b`: its own properties, or those of the step indented too deep."""
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        if r.knows(node, text) and not r.knows(made, text):
            r.misplaced(j, stop, r.columns[k], "GATHER")
            r.line(node, j, stop, text, r.offsets[j])
        else:
            read_rest_lines(r, made, j, stop)
        j = stop


@reads(Kind.STEP_GATHER)
def read_step_gather(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `GATHER: a, b`, dash items, or named fields with properties."""
    made = getattr(node, row.field) or r.new(StepGather, k)
    node.at[row.field] = off
    setattr(node, row.field, made)
    fields = StepGather.BY_FIELD["fields"]
    text = cut_comment(value)
    if text:
        text = (joined(r, k, end, text) if end > k + 1 else None) or text
        inline_entries(r, made, fields, k, text, off)
        if end > k + 1 and text == cut_comment(value):
            _under_inline_gather(r, node, made, k, end)
        return
    if r.deeper(k):
        read_rest_lines(r, made, k + 1, end)
        r.leave()
