"""What each agent of a compiled project can reach: tools, hosts, agents, memory, secrets, people.

Read off the IR alone: every tool, target, path and name that is written there, wherever it is written. What code in a
sandbox, a workflow, a connector or a remote agent does further on is not seen. Spec: abl-language 7, 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abl.checks.blocks import Block, blocks_of
from abl.checks.reading import dig, mapping, rows, text, texts
from abl.compiler import Compilation
from abl.compiler.codes import BRACES, CODE_KEYS, key_below, key_of

Json = dict[str, Any]

_HOST = re.compile(
    r"\s*[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?((?:\{\{(?:(?!\}\}|\{\{).)*\}\}|\[[^\[\]]*+\]|[^/?#:])+)"
)
_FILLED_IN = re.compile(r"\s*(\{\{.*?\}\})")
_LASTING = re.compile(r"(?<![\w.])((?:user|project|execution_tree)(?:\.[A-Za-z_]\w*)+)")
_COMPUTED = frozenset({"user.intent", "user.sentiment"})
"""Names below `user.` that the engine fills and nothing keeps. Spec: abl-language 6.7."""
_STRING = re.compile(r"\"[^\"\\]*\"|'[^'\\]*'")
_NAMED = re.compile(r"(?<![\w.])(secrets|env|config)\.([A-Za-z_]\w*)")

_ADDRESS_KEYS = frozenset({"endpoint", "url", "token_url", "base_url"})
_ENDING_KEYS = (
    "then", "goto", "transition", "type", "on_exhausted", "on_approve", "on_reject", "on_timeout", "on_failure",
    "then_step", "then_action",
)  # fmt: skip
"""Keys whose value may be ESCALATE."""
_SERVICES = (
    ("mcp_binding", "mcp", "server"),
    ("connector_binding", "connector", "connector"),
    ("workflow_binding", "workflow", "workflowId"),
    ("searchai_binding", "search", "indexId"),
    ("sandbox_binding", "sandbox", "runtime"),
)
"""Binding -> kind of service and the key that names it."""
_NAMES = ("action_id", "condition", "type", "name", "intent", "to", "agent")
"""Keys by which a reader knows a block again, the most telling first."""
_MAX_DEPTH = 64


def effects(compilation: Compilation | Mapping[str, Any]) -> Json:
    """Return what the agents of a compilation (or of its output) can reach, as plain JSON.

    `agents.direct` are the targets an agent names itself, `agents.all` those it can lead to through others, and
    `hosts_through_agents` the hosts that only those reach.

    >>> from abl import compile_abl_to_ir
    >>> desk = "AGENT: Desk\\nGOAL: Help\\nHANDOFF:\\n  - TO: Cards\\n    WHEN: true\\n"
    >>> people = "ESCALATE:\\n  triggers:\\n    - WHEN: sentiment.is_angry\\n"
    >>> found = effects(compile_abl_to_ir(desk + people))["agents"]["Desk"]
    >>> found["agents"]["direct"], found["human"]
    ([{'name': 'Cards', 'by': 'handoff'}], ['sentiment.is_angry'])
    """
    output = compilation.output if isinstance(compilation, Compilation) else compilation
    agents = {str(name): ir for name, ir in mapping(output.get("agents")).items() if isinstance(ir, dict)}
    found = {name: _agent(ir) for name, ir in agents.items()}
    for one in found.values():
        names = _closure([target["name"] for target in one["agents"]["direct"]], found)
        one["agents"]["all"] = names
        hosts = {host for name in names if name in found for host in found[name]["hosts"]}
        one["hosts_through_agents"] = sorted(hosts - set(one["hosts"]))
    return {"entry_agent": output.get("entry_agent"), "agents": found}


def render_effects(found: Mapping[str, Any]) -> str:
    """Return the effects as plain text: one paragraph for each agent, one line for each kind of thing."""
    entry = found.get("entry_agent")
    parts = []
    for name, one in found["agents"].items():
        lines = [f"{name} ({one['type']}{', entry' if name == entry else ''})"]
        lines += [f"  {label:<8} {value}" for label, value in _lines(one) if value]
        parts.append("\n".join(lines if len(lines) > 1 else [*lines, "  reaches nothing but the conversation"]))
    return "\n\n".join(parts)


def _lines(one: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for tool in one["tools"]:
        marks = [mark for mark, given in (("changes things", tool["changes"]), ("asks first", tool["asks"])) if given]
        target = f" -> {tool['target']}" if tool["target"] else ""
        yield "tool", f"{tool['name']}: {tool['kind']}{target}{' (' + ', '.join(marks) + ')' if marks else ''}"
    yield "hosts", ", ".join(one["hosts"])
    yield "services", ", ".join(one["services"])
    direct = [target["name"] for target in one["agents"]["direct"]]
    yield "agents", ", ".join(f"{target['name']} ({target['by']})" for target in one["agents"]["direct"])
    beyond = [name for name in one["agents"]["all"] if name not in direct]
    yield "through", ", ".join([*beyond, *one["hosts_through_agents"]])
    yield "reads", ", ".join(one["memory"]["reads"])
    yield "writes", ", ".join(one["memory"]["writes"])
    grants = one["memory"]["grants"]
    yield "grants", ", ".join(f"{grant['path']} ({grant['access']}) to {grant['agent']}" for grant in grants)
    for label in ("secrets", "env", "config"):
        yield label, ", ".join(one[label])
    yield "human", ", ".join(one["human"])


def _agent(ir: Json) -> Json:
    blocks = blocks_of(ir)
    tools = [_tool(tool) for tool in rows(ir.get("tools")) if tool.get("system") is not True]
    names: dict[str, set[str]] = {"secrets": set(), "env": set(), "config": set()}
    hosts: set[str] = set()
    for key, value in _texts(ir):
        if key in _ADDRESS_KEYS and (host := host_in(value)):
            hosts.add(host)
        for code in _codes_in(key, value):
            for kind, name in _NAMED.findall(code):
                names[kind].add(name)
    return {
        "type": text(dig(ir, "metadata", "type")) or "agent",
        "tools": tools,
        "hosts": sorted(hosts),
        "services": _unique(
            f"{kind}:{service}"
            for tool in rows(ir.get("tools"))
            for binding, kind, key in _SERVICES
            if (service := text(dig(tool, binding, key)))
        ),
        "agents": {"direct": _targets(blocks)},
        "memory": _memory(ir, blocks),
        **{kind: sorted(found) for kind, found in names.items()},
        "human": _unique(path for block in blocks for path in _people(block)),
    }


def _codes_in(key: str, value: str) -> list[str]:
    """Return the parts of a text in which names are names: all of a condition, else what is braced."""
    braced = BRACES.findall(value) if "{{" in value else []
    return [*braced, _STRING.sub(" ", BRACES.sub(" ", value))] if key in CODE_KEYS else braced


def _tool(tool: Json) -> Json:
    """Return what one tool is and where it leads."""
    binding = next((mapping(value) for key, value in tool.items() if key.endswith("_binding")), {})
    target = host_in(text(binding.get("endpoint")))
    if not target:
        keys = [key for _, kind, key in _SERVICES if key in binding and kind != "sandbox"]
        target = text(binding.get(keys[0])) if keys else ""
    return {
        "name": text(tool.get("name")),
        "kind": text(tool.get("tool_type")) or "unbound",
        "target": target,
        "changes": dig(tool, "hints", "side_effects") is True,
        "asks": text(dig(tool, "confirmation", "require")) in ("always", "when_side_effects"),
    }


def host_in(address: str) -> str:
    """Return the host of an address; one that is filled in later is given as written.

    >>> host_in("https://API.parcels.example:8443/v2"), host_in("{{config.API}}/v2"), host_in("/v2")
    ('api.parcels.example', '{{config.API}}', '')
    """
    found = _HOST.match(address)
    if found is not None:
        return found[1] if "{" in found[1] else found[1].lower().strip("[]")
    found = _FILLED_IN.match(address)
    return found[1] if found is not None else ""


def _targets(blocks: list[Block]) -> list[Json]:
    """Return the agents that are named as targets, with how control gets there."""
    found: dict[tuple[str, str], None] = {}
    for block in blocks:
        subject = block.subject
        if block.role == "handoffs":
            found[text(subject.get("to")), "handoff"] = None
        elif block.role == "delegates" or (block.role == "delegate" and "agent" in subject):
            found[text(subject.get("agent")), "delegate"] = None
        for key in ("handoff", "handoff_target", "default_agent", "on_failure_target", "on_timeout_target"):
            found[text(subject.get(key)), "handoff"] = None
        if subject.get("type") == "handoff":
            found[text(subject.get("target")), "handoff"] = None
    return [{"name": name, "by": by} for name, by in found if name]


def _memory(ir: Json, blocks: list[Block]) -> Json:
    """Return which lasting facts are read, written and lent to other agents."""
    reads: list[str] = []
    writes: list[str] = []
    for path in rows(dig(ir, "memory", "persistent")):
        access = text(path.get("access"))
        reads += [text(path.get("path"))] if access != "write" else []
        writes += [text(path.get("path"))] if access != "read" else []
    session = {text(one.get("name")) for one in rows(dig(ir, "memory", "session"))}
    for block in blocks:
        if block.role == "store" and (target := text(block.subject.get("target"))) not in session:
            writes.append(target)
        elif block.role == "recall":
            reads += [text(path) for path in block.subject.get("paths") or ()] + [text(block.subject.get("domain"))]
    for key, value in _texts(ir):
        for code in _codes_in(key, value):
            reads += [path for path in _LASTING.findall(code) if path not in _COMPUTED]
    writes += [path for block in blocks for path in _set_paths(block) if _LASTING.fullmatch(path)]
    grants = [
        {"agent": text(handoff.get("to")), "path": text(grant.get("path")), "access": text(grant.get("access"))}
        for handoff in rows(dig(ir, "coordination", "handoffs"))
        for grant in rows(dig(handoff, "context", "memory_grants"))
    ]
    return {"reads": _unique(reads), "writes": _unique(writes), "grants": grants}


def _set_paths(block: Block) -> Iterator[str]:
    """Yield what a block assigns, clears or receives."""
    subject = block.subject
    yield text(subject.get("variable")) if block.role == "set" else ""
    if isinstance(subject.get("set"), dict) and block.role != "context":
        yield from map(str, subject["set"])
    yield from (name for key in ("clear", "clear_last") for name in texts(subject.get(key)))
    yield text(subject.get("as")) or text(subject.get("call_as"))
    for key in ("returns", "map"):
        yield from (text(name) for name in mapping(subject.get(key)).values())


def _people(block: Block) -> Iterator[str]:
    """Yield why or where a human is called: the reason or the condition of a trigger, else the step."""
    subject = block.subject
    if block.role == "triggers":
        yield text(subject.get("reason")) or text(subject.get("when")) or block.path
    elif block.role == "human_approval":
        yield f"{_where(block)}: approval"
    elif subject.get("escalate") is True:
        yield _where(block)
    for key in _ENDING_KEYS:
        if text(subject.get(key)).upper() == "ESCALATE":
            yield _where(block)


def _where(block: Block) -> str:
    """Return where something stands in the words of the text: a step, a rule, a handler."""
    if block.step:
        return f"step {block.step}"
    around: Block | None = block
    while around is not None and around.parent is not None:
        subject = around.subject
        named = next((text(subject.get(key)) for key in _NAMES if text(subject.get(key))), "")
        if named and named.lower() != "escalate":
            return named
        around = around.parent
    return block.section.replace("_", " ")


def _closure(names: Iterable[str], found: Mapping[str, Json]) -> list[str]:
    """Return the agents that can be reached from some, those included, nearest first."""
    known: dict[str, None] = {}
    pending = list(names)
    for name in pending:
        if name not in known:
            known[name] = None
            targets = found[name]["agents"]["direct"] if name in found else ()
            pending.extend(target["name"] for target in targets)
    return list(known)


def _texts(ir: Json) -> Iterator[tuple[str, str]]:
    """Yield every text of an agent with the nearest key that says what it is."""
    pending: list[tuple[str, Any, int]] = [("", ir, 0)]
    while pending:
        key, value, depth = pending.pop()
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict) and depth < _MAX_DEPTH:
            above = key_of(key, value)
            pending.extend((key_below(above, str(name)), one, depth + 1) for name, one in value.items())
        elif isinstance(value, list) and depth < _MAX_DEPTH:
            pending.extend((key, one, depth + 1) for one in value)


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))
