"""MEMORY: loading persistent values, recall at events, remember rules. Spec: abl-language 3.5, 8."""

from __future__ import annotations

from domain.json_values import JsonObject
from engine import pii, variables
from engine.effects import ReadMemory
from engine.program import MEMORY_ROOTS
from engine.run import Run
from engine.state import Task, with_path

MAX_RECALLED = 20


def load(run: Run, task: Task) -> None:
    """Give session variables their first values, and read the persistent paths the agent may use."""
    del task
    thread, ir = run.thread, run.agent.ir
    run.state.unread = [agent for agent in run.state.unread if agent != thread.agent]
    for one in ir["memory"]["session"]:
        if "initial_value" in one and one["name"] not in thread.variables:
            thread.variables[one["name"]] = one["initial_value"]
    scopes = {
        one["path"]: one.get("scope", "user")
        for one in ir["memory"]["persistent"]
        if one.get("access") != "write" and "." in one["path"]
    }
    scopes.update({path: path.split(".")[0] for path in thread.grants if path not in scopes})
    for rule in ir["memory"]["recall"]:
        for path in rule.get("paths", ()):
            if path.split(".")[0] in MEMORY_ROOTS:
                scopes.setdefault(path, path.split(".")[0])
    known = {path for path in scopes if _stored(run, path) is not None}
    wanted = {path: scope for path, scope in sorted(scopes.items()) if path not in known}
    if wanted:
        effect = run.send(ReadMemory, scopes=wanted)
        run.push("memory.loaded", effect=effect)


def loaded(run: Run, task: Task) -> None:
    """Take what was stored; DEFAULT_VALUE stands in for what is absent."""
    outcome = run.take(task.data["effect"])
    values: JsonObject = dict(outcome.value or {}) if outcome.ok else {}
    if not outcome.ok:
        run.fault("memory", outcome.message, origin="runtime")
    for one in run.agent.ir["memory"]["persistent"]:
        pii.register(run.state, one, values.get(one["path"]))
        if one["path"] not in values and "default_value" in one and _stored(run, one["path"]) is None:
            values[one["path"]] = one["default_value"]
    for path, value in values.items():
        root, *rest = path.split(".")
        if rest and value is not None:
            run.state.memory[root] = with_path(run.state.memory.get(root) or {}, rest, value)


def read_anew(run: Run) -> list[tuple[str, JsonObject]]:
    """Return the work of reading what an agent knew of somebody else; none where the session is who it was."""
    return [("memory.load", {}), ("barrier", {})] if run.thread.agent in run.state.unread else []


def _stored(run: Run, path: str) -> object:
    value: object = run.state.memory
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def recall(run: Run, event: str) -> None:
    """Run the recall rules of an event: values and instructions that are added to the prompt."""
    kind, _, rest = event.partition(":")
    for rule in run.agent.ir["memory"]["recall"]:
        if rule["event"] not in (event, f"{kind}:*:{rest.partition(':')[2]}"):
            continue
        if not run.test(rule.get("when", "")):
            continue
        for text in _texts(run, rule):
            if text not in run.thread.recalled:
                run.thread.recalled.append(text)
                del run.thread.recalled[:-MAX_RECALLED]
        run.decide("resume", "recall", outcome=rule.get("action"), matched=True, kind=event)


def _texts(run: Run, rule: JsonObject) -> list[str]:
    match rule.get("action"):
        case "inject_context":
            return [f"{path}: {value}" for path in rule.get("paths", ()) if (value := run.value(path)) is not None]
        case "load_memory":
            domain = str(rule.get("domain", "user"))
            found = run.value(domain)
            return [f"{domain}: {found}"] if found else []
        case _:
            return [run.render(rule["instruction"])] if rule.get("instruction") else []


def remember(run: Run) -> None:
    """Store what the remember rules say whose condition has become true since they were last looked at."""
    rules = run.agent.ir["memory"]["remember"]
    if not rules:
        return
    held = [at for at, rule in enumerate(rules) if run.test(rule.get("when", ""))]
    fresh = [at for at in held if at not in run.thread.held]
    run.thread.held = held
    for at in fresh:
        store(run, rules[at].get("store") or {}, str(rules[at].get("ttl", "")))


def store(run: Run, rule: JsonObject, ttl: str = "") -> None:
    """Carry out `{value, target, fields}` of STORE."""
    target = str(rule.get("target", ""))
    if not target:
        return
    if rule.get("fields"):
        value: object = {name.split(".")[-1]: run.value(name) for name in rule["fields"]}
    else:
        value = run.value(str(rule.get("value", "")))
    variables.set_value(run, target, value, "set", ttl=ttl)


OPS = {"memory.load": load, "memory.loaded": loaded}
