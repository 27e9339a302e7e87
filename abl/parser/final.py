"""What can only be said of a whole document: required sections, missing REASONING, older generations."""

from __future__ import annotations

from collections.abc import Iterator

from abl.parser.detect import has_mode
from abl.parser.handoff_heads import split_heads
from abl.parser.ordering import order_actions
from abl.parser.reader import Reader
from abl.parser.required import check_entries
from abl.parser.signature import read_signature
from abl.parser.tools import bound_fields
from abl.parser.written_order import place_around_calls, place_clears
from abl.syntax.document import Document
from abl.syntax.execution import Execution
from abl.syntax.flow import Digression, Flow, Step
from abl.syntax.goal import may_lack_goal
from abl.syntax.node import given
from abl.syntax.profile import Profile
from abl.syntax.tools import BINDING_FIELDS, Tool


def check_document(r: Reader, document: Document) -> None:
    """Report what is missing or out of date in a document that has been read."""
    place_clears(r)
    flows = [document.flow] if document.flow is not None else []
    for flow in (*flows, *_flows_of_profiles(document)):
        place_around_calls(flow)
    for flow in _flows_of_profiles(document):
        _order(flow)
    if document.kind == "tools":
        _tool_library(r, document)
        return
    if document.kind == "profile":
        _profile(r, document)
        return
    _identity(document)
    split_heads(document)
    check_entries(r, document)
    _mode(r, document)
    _goal(r, document)
    _model(r, document)
    _bindings(r, document)
    if document.flow is not None:
        _steps(r, document, document.flow)
    for profile in given(document, "behavior_profiles") or ():
        _profile_required(r, profile)


def _tool_library(r: Reader, document: Document) -> None:
    if not document.tools and not any(one.severity == "error" for one in r.findings):
        r.report("EMPTY_SECTION", 0, 1, section="TOOLS", name="TOOLS")


def _identity(document: Document) -> None:
    """Let an IDENTITY block stand for what is not written otherwise."""
    identity = document.identity
    if identity is None:
        return
    if not document.goal:
        document.goal = identity.goal or identity.role
    if not document.persona:
        document.persona = identity.persona
    if not document.limitations:
        document.limitations = list(identity.limitations)


def _mode(r: Reader, document: Document) -> None:
    if document.mode or "mode" in document.at:
        offset = document.at["mode"]
        start = r.source.text.rfind("\n", 0, offset) + 1
        stop = r.source.text.find("\n", start)
        stop = len(r.source.text) if stop < 0 else stop + 1
        fix = r.edit(start, stop - start, "", "remove the line")
        r.report("MODE_DEPRECATED", offset, len(document.mode), fix, value=document.mode)


def _goal(r: Reader, document: Document) -> None:
    if document.goal.strip():
        return
    place = document.pos
    offset = document.at.get("goal", place.offset if place else 0)
    length = len(document.name)
    if "goal" not in document.at and place is not None:
        offset = place.offset
        length = len("AGENT: ") + len(document.name)
    stop = r.source.text.find("\n", offset)
    stop = len(r.source.text) if stop < 0 else stop
    fix = r.edit(stop, 0, '\nGOAL: "What this agent has to reach"', "add `GOAL:`")
    r.report("GOAL_MISSING" if may_lack_goal(document) else "GOAL_REQUIRED", offset, length, fix, agent=document.name)


def _model(r: Reader, document: Document) -> None:
    if not document.model:
        return
    offset = document.at.get("model", 0)
    r.report("MODEL_SECTION", offset, len(document.model), value=document.model, name="MODEL")
    if document.execution is None:
        document.execution = Execution()
    document.execution.model = document.execution.model or document.model
    document.model = ""


def _bindings(r: Reader, document: Document) -> None:
    """Report bindings and imports inside an agent: they belong to the project's catalogue (E720)."""
    for tool in given(document, "tools") or ():
        bound = bound_fields(tool)
        if bound:
            first = bound[0]
            r.report("E720", tool.at[first], 1, tool=tool.name, property=first, name=first)
            if r.strict:
                _unbind(tool)
    for one in document.tool_imports or []:
        if one.pos is not None:
            r.report("E720", one.pos.offset, 1, tool=", ".join(one.names or [one.slug]), property="FROM", name="FROM")


def _unbind(tool: Tool) -> None:
    for name in BINDING_FIELDS:
        default = Tool.DEFAULTS[name]
        setattr(tool, name, type(default)(default) if isinstance(default, list | dict) else default)


def _profile(r: Reader, document: Document) -> None:
    for profile in document.behavior_profiles:
        _profile_required(r, profile)


EVEN_PAIRS = 4
"""Quote signs of `"a" == "b"`, which is a comparison and not a quoted condition."""


def _added_tools(profile: Profile) -> None:
    """Read the tools that a profile adds as signatures: `send_sms(to: string) -> object`."""
    inner = profile.tools.add if profile.tools is not None else ()
    for tool in (*inner, *(given(profile, "tools_add") or ())):
        if "(" not in tool.name:
            continue
        is_cut = tool.name.count("(") > tool.name.count(")")  # at a colon, where YAML or a name ends
        made = read_signature(f"{tool.name}: {tool.description}" if is_cut else tool.name).tool
        if made is None:
            continue
        tool.name, tool.description = made.name, "" if is_cut else tool.description
        tool.parameters = tool.parameters or list(made.parameters or ())
        tool.returns = tool.returns or made.returns


def _profile_required(r: Reader, profile: Profile) -> None:
    _added_tools(profile)
    if profile.pos is None:
        return
    length = len("BEHAVIOR_PROFILE")
    when = profile.when
    if len(when) > 1 and when[0] == '"' == when[-1] and when.count('"') != EVEN_PAIRS:
        profile.when = when[1:-1].strip()
        profile.at["when"] += 1
    if "priority" not in profile.at:
        r.report("PROFILE_MISSING_PRIORITY", profile.pos.offset, length, name=profile.name)
    if "when" not in profile.at:
        r.report("PROFILE_MISSING_WHEN", profile.pos.offset, length, name=profile.name)


def _flows_of_profiles(document: Document) -> Iterator[Flow]:
    """Yield the flows that the profiles of a document put in place of the agent's."""
    for profile in given(document, "behavior_profiles") or ():
        if profile.flow_replace is not None:
            yield profile.flow_replace
        if profile.flow is not None and profile.flow.replace is not None:
            yield profile.flow.replace


def _order(flow: Flow) -> None:
    """Let the steps of a flow act in the order in which they are written."""
    for step in flow.steps or ():
        if step.pos is not None and (given(step, "do") or given(step, "do_after")):
            order_actions(step)


def _steps(r: Reader, document: Document, flow: Flow) -> None:
    has_goal = bool(document.goal.strip())
    _order(flow)
    for step in flow.steps or []:
        if step.pos is not None:
            _reasoning(r, document, step, has_goal=has_goal)
            if "on_input" in step.at or "on_result" in step.at:
                _branches(r, step)
            if "digressions" in step.at:
                _digressions(r, step.digressions)
    _digressions(r, given(flow, "global_digressions") or [])


def _reasoning(r: Reader, document: Document, step: Step, *, has_goal: bool) -> None:
    assert step.pos is not None
    place, length = step.pos.offset, len(step.name)
    if step.reasoning is None:
        if "reasoning" not in step.at and not _is_older(r):
            start = r.source.text.find("\n", place)
            indent = " " * (step.pos.column + 1)
            fix = r.edit(start, 0, f"\n{indent}REASONING: false", "declare `REASONING: false`") if start >= 0 else None
            r.report("REASONING_MISSING", place, length, fix, step=step.name, name=step.name)
    elif step.reasoning:
        if not has_goal and not step.goal:
            r.report("REASONING_WITHOUT_GOAL", place, length, step=step.name, name=step.name)
    elif step.goal or step.available_tools:
        field = "goal" if step.goal else "available_tools"
        r.report("GOAL_IN_DETERMINISTIC_STEP", step.at.get(field, place), 1, step=step.name, property=field.upper())


def _is_older(r: Reader) -> bool:
    """Return whether the text is of the generation that had MODE; looked for once, where a step needs to know."""
    if r.with_mode is None:
        r.with_mode = has_mode(r.source.text)
    return r.with_mode


def _branches(r: Reader, step: Step) -> None:
    for key, branches in (("ON_INPUT", step.on_input), ("ON_RESULT", step.on_result)):
        for branch in branches:
            if branch.pos and not (branch.then or branch.handoff or branch.delegate):
                r.report("BRANCH_WITHOUT_THEN", branch.pos.offset, 2, step=step.name, property=key)


def _digressions(r: Reader, digressions: list[Digression]) -> None:
    for one in digressions:
        if one.pos is None:
            continue
        if not one.intent:
            r.report("DIGRESSION_WITHOUT_INTENT", one.pos.offset, 1)
        elif " " in one.intent and not one.keywords:
            r.report("DIGRESSION_INTENT_TEXT", one.at.get("intent", 0), len(one.intent), value=one.intent)
        for delegate in (one.delegate, *[item.delegate for item in one.do]):
            stays_away = delegate is not None and (
                delegate.return_ is False if delegate is one.delegate else not delegate.return_
            )
            if delegate is not None and stays_away and delegate.pos is not None:
                r.report("DIGRESSION_DELEGATE_RETURN", delegate.pos.offset, len("DELEGATE"), name=one.intent)
        direct = [name for name in ("respond", "goto", "delegate", "call", "resume", "clear") if name in one.at]
        if one.do and direct:
            r.report("DIGRESSION_MIXED_FORMS", one.pos.offset, 1, name=one.intent, property=direct[0].upper())
        for index, item in enumerate(one.do[:-1]):
            if item.resume or item.goto:
                after = one.do[index + 1]
                if after.pos:
                    r.report("DIGRESSION_AFTER_TERMINAL", after.pos.offset, 1, name=one.intent)
                break
