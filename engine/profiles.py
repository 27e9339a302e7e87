"""Behaviour profiles: which hold this turn, and what they change. Spec: abl-language 3.18."""

from __future__ import annotations

from domain.json_values import JsonObject
from engine.run import Run


def select(run: Run) -> None:
    """Choose the profiles whose WHEN holds; they stand by ascending priority, so the last one wins."""
    known = run.agent.ir["behavior_profiles"]
    if not known:
        return
    chosen = [one["name"] for one in known if run.test(one.get("when", ""))]
    if chosen != run.thread.profiles:
        run.decide("routing", "profiles", outcome=", ".join(chosen), kind="behavior_profile")
    run.thread.profiles = chosen


def active(run: Run) -> list[JsonObject]:
    """Return the profiles that hold, the strongest last."""
    if not run.thread.profiles:
        return []
    return [one for one in run.agent.ir["behavior_profiles"] if one["name"] in run.thread.profiles]


def limited(run: Run, text: str) -> str:
    """Return a text cut to the length the profiles allow, at the end of a sentence or word."""
    for profile in active(run):
        most = (profile.get("response_rules") or {}).get("max_response_length")
        if most and len(text) > most:
            text = _cut(text, int(most))
    return text


def limited_actions(run: Run, actions: JsonObject) -> JsonObject:
    """Return actions with no more elements than the profiles allow."""
    for profile in active(run):
        most = (profile.get("response_rules") or {}).get("max_buttons")
        if most is not None and len(actions.get("elements", ())) > most:
            actions = {**actions, "elements": actions["elements"][: int(most)]} if most else {}
    return actions


def hidden_tools(run: Run) -> set[str]:
    """Return the tools a model does not see now."""
    return {name for profile in active(run) for name in profile.get("tools_hide", ())}


def added_tools(run: Run) -> list[JsonObject]:
    """Return the tools that exist only under the profiles that hold."""
    return [tool for profile in active(run) for tool in profile.get("tools_add", ())]


def changed_field(run: Run, field: JsonObject) -> JsonObject:
    """Return a gather field as the profiles change it; `skip` makes it optional and never asked."""
    for profile in active(run):
        override = (profile.get("gather_overrides") or {}).get("field_overrides", {}).get(field["name"])
        if not override:
            continue
        field = {**field, **{key: value for key, value in override.items() if key not in ("skip", "validation")}}
        if check := override.get("validation"):
            changed = {"type": "pattern", "rule": check} if isinstance(check, str) else check  # a text: older programs
            field["validation"] = {**(field.get("validation") or {}), **changed}
        if override.get("skip"):
            field = {**field, "required": False, "prompt_mode": "extract_only"}
        if override.get("required") is False:
            field["activation"] = "optional"
    return field


def flow_of(run: Run) -> JsonObject:
    """Return the flow: that of the strongest profile that replaces it, else the agent's."""
    for profile in reversed(active(run)) if run.thread.profiles else ():
        if "flow_replace" in profile:
            replaced: JsonObject = profile["flow_replace"]
            return replaced
    return run.agent.flow or {"steps": [], "definitions": {}, "entry_point": "", "global_digressions": []}


def step_of(run: Run, name: str) -> JsonObject | None:
    """Return a step as the profiles change it, None for an unknown name."""
    if not run.thread.profiles:
        return run.agent.steps.get(name)
    step: JsonObject | None = flow_of(run)["definitions"].get(name)
    if step is None:
        return None
    for profile in active(run):
        override = (profile.get("flow_modifications") or {}).get("overrides", {}).get(name)
        if override:
            step = {**step, **{key: value for key, value in override.items() if key != "transition"}}
            if "transition" in override:
                step["then"] = override["transition"]
    return step


def gather_rule(run: Run, name: str) -> str:
    """Return a rule of GATHER that the profiles set: `confirmation` or `validation_style`; the strongest one counts."""
    found = ""
    for profile in active(run):
        found = str((profile.get("gather_overrides") or {}).get(name) or found)
    return found


def is_skipped(run: Run, name: str) -> bool:
    """Return whether a profile passes a step over."""
    return any(name in (one.get("flow_modifications") or {}).get("skip", ()) for one in active(run))


def inserted(run: Run, name: str, place: str) -> str:
    """Return the step that a profile puts `before` or `after` the step `name`, empty when none does."""
    found = ""
    for profile in active(run):
        for one in (profile.get("flow_modifications") or {}).get("insertions", ()):
            if one.get(place) == name:
                found = one.get("step", "")
    return found


def _cut(text: str, most: int) -> str:
    head = text[:most]
    for sign in (". ", "! ", "? "):
        if (at := head.rfind(sign)) > most // 2:
            return head[: at + 1]
    return head[: max(head.rfind(" "), most - 20)].rstrip()
