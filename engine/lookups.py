"""LOOKUP_TABLES whose values an interface gives: asked for once, when their agent starts. Spec: abl-language 3.16.

A table that cannot be read leaves its fields without values to compare with: any text is taken, and the trace says why.
"""

from __future__ import annotations

from domain.json_values import JsonObject, JsonValue
from engine.effects import CallTool
from engine.limits import MAX_LOOKUP_CHARS, MAX_LOOKUP_VALUES, TOOL_TIMEOUT_MS
from engine.program import AgentProgram
from engine.run import Run
from engine.state import Task

SOURCE = "api"


def tables_of(agent: AgentProgram) -> dict[str, JsonObject]:
    """Return the tables that are read from an interface and that a field of the agent uses."""
    tables: dict[str, JsonObject] = agent.ir.get("lookup_tables") or {}
    if not tables:
        return {}
    used = {(one.get("semantics") or {}).get("lookup") for one in agent.fields.values()}
    return {name: one for name, one in tables.items() if name in used and one.get("source") == SOURCE}


def load(run: Run, task: Task) -> None:
    """Ask for the values of all tables at once."""
    del task
    asked = []
    for name, table in tables_of(run.agent).items():
        timeout_ms = int(table.get("timeout_ms") or TOOL_TIMEOUT_MS)
        binding = {"endpoint": table.get("endpoint", ""), "method": "GET", "timeout_ms": timeout_ms}
        effect = run.send(
            CallTool,
            call_id=f"lookup-{name}",
            tool=name,
            arguments={},
            kind="http",
            binding={**binding, **({"headers": table["headers"]} if table.get("headers") else {})},
            safe=True,
            timeout_ms=timeout_ms,
        )
        asked.append(("lookup.loaded", {"effect": effect, "table": name}))
    run.push_all(asked)


def loaded(run: Run, task: Task) -> None:
    """Keep the values of one table."""
    name = task.data["table"]
    outcome = run.take(task.data["effect"])
    table = tables_of(run.agent).get(name) or {}
    values = values_of(outcome.value, str(table.get("field") or "")) if outcome.ok and not outcome.code else []
    if values:
        run.thread.lookups[name] = values
        run.decide("extraction", name, outcome=f"{len(values)} values", matched=True, kind="lookup_table")
    else:
        why = outcome.message or outcome.code or "it holds no values"
        run.fault("lookup_error", f"The table {name} cannot be read: {why}", origin="tool")


def values_of(found: JsonValue, field: str) -> list[str]:
    """Return the texts of a list: its elements, or what they hold under `field`; the list may stand one level deeper.

    >>> values_of({"cities": [{"name": "Bern"}, {"name": "Basel"}]}, "name")
    ['Bern', 'Basel']
    """
    if isinstance(found, dict):
        under = found.get(field) if field else None
        found = (
            under if isinstance(under, list) else next((one for one in found.values() if isinstance(one, list)), None)
        )
    if not isinstance(found, list):
        return []
    items = (one.get(field) if isinstance(one, dict) else one for one in found[:MAX_LOOKUP_VALUES])
    texts = (str(one).strip()[:MAX_LOOKUP_CHARS] for one in items if isinstance(one, str | int | float))
    return list(dict.fromkeys(text for text in texts if text))


OPS = {"lookup.load": load, "lookup.loaded": loaded}
