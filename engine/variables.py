"""Setting and clearing values: session variables, gathered fields, persistent paths. Spec: abl-language 6.2, 8."""

from __future__ import annotations

from collections.abc import Iterable

from domain.json_values import JsonObject, JsonValue
from domain.traces import TraceType
from engine import pii
from engine.effects import MemoryWrite, WriteMemory
from engine.run import Run
from engine.scope import Scope
from engine.sensitive import shown
from engine.state import with_path, without_path

READ_ONLY_ROOTS = frozenset(
    {"env", "secrets", "config", "caller", "context", "interaction", "metadata", "sentiment", "workflow", "input"}
)


def set_value(run: Run, name: str, value: JsonValue, source: str = "set", *, ttl: str = "") -> None:
    """Give a variable, a field or a persistent path its value; engine names and read-only roots are refused."""
    path = [part for part in name.split(".") if part]
    if path[:1] == ["session"] and len(path) > 1:
        path = path[1:]
    if not path or path[0].startswith("_") or path[0] in READ_ONLY_ROOTS:
        run.fault("RESERVED_VARIABLE_NAME", f"{name} cannot be set", origin="flow")
        return
    if path[0] in run.agent.memory_roots and len(path) > 1:
        _remember(run, path, value, source, ttl)
        return
    variables = run.thread.variables
    old = variables.get(path[0]) if len(path) == 1 else run.value(".".join(path))
    run.thread.variables = with_path(variables, path, value)
    run.changes += 1
    key = ".".join(path)
    run.state.turn.changed[path[0]] = run.thread.variables[path[0]]
    if len(path) == 1 and key in run.agent.fields:
        _mark(run, key, value, source)
        pii.register(run.state, run.agent.fields[key], value)
    elif source == "passed" and len(path) == 1 and value is not None:
        run.thread.gathered[key] = source
    scope = "gather" if key in run.agent.fields else "session"
    _record(run, key, old, value, scope, source)


def clear_value(run: Run, name: str, source: str = "set") -> None:
    """Unset a variable; a field is asked again."""
    path = name.split(".")
    old = run.value(name)
    run.thread.variables = without_path(run.thread.variables, path)
    run.thread.gathered.pop(name, None)
    run.thread.retries.pop(name, None)
    if old is not None:
        run.changes += 1
        run.state.turn.changed[path[0]] = run.thread.variables.get(path[0])
        _record(run, name, old, None, "gather" if name in run.agent.fields else "session", source)


def set_lines(run: Run, lines: Iterable[JsonObject], source: str = "set", scope: Scope | None = None) -> None:
    """Carry out `[{variable, expression}]` in order; each line sees what the ones before it set."""
    for line in lines:
        set_value(run, line["variable"], run.value(line["expression"], scope), source)


def set_map(run: Run, values: JsonObject, source: str = "set") -> None:
    """Carry out name -> expression."""
    for name, expression in values.items():
        set_value(run, name, run.value(expression) if isinstance(expression, str) else expression, source)


def _mark(run: Run, name: str, value: JsonValue, source: str) -> None:
    if value is None:
        run.thread.gathered.pop(name, None)
    else:
        run.thread.gathered[name] = source


def _remember(run: Run, path: list[str], value: JsonValue, source: str, ttl: str) -> None:
    """Write a persistent path: at once in this session, and as an effect for all others."""
    key = ".".join(path)
    declared = next((one for one in run.agent.ir["memory"]["persistent"] if one.get("path") == key), None)
    access = declared.get("access", "readwrite") if declared else run.thread.grants.get(key)
    if access == "read":
        run.fault("MEMORY_READ_ONLY", f"{key} is read-only here", origin="flow")
        return
    root = run.state.memory.get(path[0]) or {}
    old = run.value(key)
    run.state.memory[path[0]] = with_path(root, path[1:], value)
    if declared is not None:
        pii.register(run.state, declared, value)
    run.changes += 1
    scope = str((declared or {}).get("scope", path[0]))
    write = MemoryWrite(path=key, scope=scope, value=value, ttl=ttl)
    run.send(WriteMemory, blocking=False, about=key, writes=(write,))
    _record(run, key, old, value, "memory", source)


def _record(run: Run, key: str, old: JsonValue, new: JsonValue, scope: str, source: str) -> None:
    run.trace(
        TraceType.STATE_CHANGE,
        key=key,
        oldValue=shown(run.agent, key, old),
        newValue=shown(run.agent, key, new),
        scope=scope,
        source=source if source in ("set", "gather", "tool", "callback", "human", "api", "reset") else "gather",
        step=run.thread.step or None,
        kind="dsl_collect" if scope == "gather" else None,
    )
