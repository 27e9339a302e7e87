"""Lowers one agent document to an AgentIR. Spec: abl-language 12.2."""

from __future__ import annotations

from dataclasses import dataclass, field

from abl.compiler.catalogue import Catalogue
from abl.compiler.config import Config, references
from abl.compiler.content import default_text, lower_formats, lower_voice
from abl.compiler.coordination import lower_completion, lower_coordination
from abl.compiler.destinations import lower_destinations
from abl.compiler.errors import lower_error_handling
from abl.compiler.flow import lower_flow
from abl.compiler.gather import lower_attachments, lower_gather
from abl.compiler.graph import add_agent_edges
from abl.compiler.guardrails import lower_guardrails
from abl.compiler.handlers import lower_action_handlers, lower_hooks, lower_on_start
from abl.compiler.identity import (
    execution_hints,
    lower_conversation,
    lower_execution,
    lower_identity,
    lower_metadata,
)  # fmt: skip
from abl.compiler.memory import lower_memory
from abl.compiler.messages import lower_messages
from abl.compiler.options import CompileOptions
from abl.compiler.places import Places, Unit
from abl.compiler.plain import Json, only, plain, text
from abl.compiler.profiles import Profiles, lower_profiles
from abl.compiler.routing import available_agents, lower_routing
from abl.compiler.rules import lower_constraints, report_labels
from abl.compiler.scope import Scope
from abl.compiler.system_tools import system_tools
from abl.compiler.tools import lower_tool, resolve_tools
from abl.compiler.understanding import (
    declared_entities,
    lower_entities,
    lower_intent_handling,
    lower_lookup_tables,
    lower_nlu,
    report_undeclared_intents,
)  # fmt: skip
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import did_you_mean
from abl.diagnostics.suggest import closest
from abl.ir import IR_VERSION, canonical_bytes, short_hash
from abl.syntax.document import Document
from abl.syntax.rich import Template
from abl.syntax.understanding import Entity


@dataclass(slots=True)
class Project:
    """What all agents of a compile share.

    Attributes:
        snapshot: Tool name -> the outside definition that was used.
    """

    options: CompileOptions
    catalogue: Catalogue
    profiles: Profiles
    config: Config
    places: Places
    findings: list[Diagnostic]
    snapshot: dict[str, Json] = field(default_factory=dict)


def lower_agent(unit: Unit, document: Document, project: Project) -> Json:
    """Return the AgentIR of a document; `document` is the modern form of the unit's."""
    scope = Scope(unit, document, project.options, project.places, project.findings)
    messages = lower_messages(scope)
    scope.error_default = messages["error_default"]
    ir: Json = {
        "ir_version": IR_VERSION,
        "metadata": lower_metadata(document, project.options.compiled_at, _source_hash(unit)),
        "execution": lower_execution(document, scope),
        "identity": lower_identity(document, scope),
        "tools": _tools(scope, project),
    }
    entities = declared_entities(scope)
    flow = lower_flow(scope, entities)
    ir["gather"] = lower_gather(scope, entities, has_flow=flow is not None)
    ir["attachments"] = lower_attachments(scope)
    ir["destinations"] = lower_destinations(scope)
    ir["memory"] = lower_memory(scope)
    ir["constraints"] = _constraints(scope)
    ir["coordination"] = lower_coordination(scope)
    ir["completion"] = lower_completion(scope)
    ir["error_handling"] = lower_error_handling(scope)
    if flow is not None:
        ir["flow"] = flow
    if (on_start := lower_on_start(scope)) is not None:
        ir["on_start"] = on_start
    ir["hooks"] = lower_hooks(scope)
    ir["messages"] = messages
    ir["action_handlers"] = lower_action_handlers(scope)
    _add_understanding(scope, ir, entities)
    _add_templates(scope, ir)
    _add_routing(scope, ir)
    ir["behavior_profiles"] = lower_profiles(scope, project.profiles, entities)
    ir["conversation_behavior"] = lower_conversation(document)
    for name in ("project_runtime_config", "omnichannel"):
        if (given := getattr(project.options, name)) is not None:
            ir[name] = plain(given)
    ir["execution"]["hints"] = execution_hints(document, ir)
    if flow is not None:
        add_agent_edges(ir)
    report_undeclared_intents(scope)
    scope.unused_templates()
    project.places.record(ir, document, unit)
    _apply_config(scope, ir, project.config)
    return ir


def _source_hash(unit: Unit) -> str:
    """Return the hash of the text, of the document itself when there is no text."""
    if unit.source is not None:
        return short_hash(unit.source.text)
    return short_hash(canonical_bytes(plain(unit.document)).decode())


def _tools(scope: Scope, project: Project) -> list[Json]:
    lowered: list[Json] = []
    for resolved in resolve_tools(scope, project.catalogue):
        ir = lower_tool(resolved, scope)
        lowered.append(ir)
        if resolved.definition is not None:
            project.snapshot.setdefault(text(ir["name"]), ir)
    return lowered


def _constraints(scope: Scope) -> Json:
    nodes = scope.document.constraints
    rules, instructions = lower_constraints(nodes, scope)
    report_labels(nodes, scope)
    ir: Json = {"constraints": rules, "guardrails": lower_guardrails(scope)}
    if instructions:
        ir["instructions"] = instructions
    return ir


def _add_understanding(scope: Scope, ir: Json, entities: dict[str, Entity]) -> None:
    if (nlu := lower_nlu(scope)) is not None:
        ir["nlu"] = nlu
    ir["entities"] = lower_entities(scope, entities)
    if handling := lower_intent_handling(scope):
        ir["intent_handling"] = handling
    ir["lookup_tables"] = lower_lookup_tables(scope)


def _add_templates(scope: Scope, ir: Json) -> None:
    ir["templates"] = {}
    formats: Json = {}
    for template in only(Template, scope.document.templates):
        name = text(template.name)
        if name in ir["templates"]:
            continue
        ir["templates"][name] = default_text(template)
        more = {key: value for key, value in lower_formats(template.formats, scope).items() if key != "default"}
        if voice := lower_voice(template.voice):
            more["voice_config"] = voice
        if more:
            formats[name] = more
    if formats:
        ir["template_formats"] = formats


def _add_routing(scope: Scope, ir: Json) -> None:
    coordination = ir["coordination"]
    ir["tools"] += system_tools(
        [one["to"] for one in coordination["handoffs"]],
        [one["agent"] for one in coordination["delegates"]],
        completes=bool(ir["completion"]["conditions"] or ir["gather"]["fields"]),
        escalates=bool(coordination["escalation"].get("triggers")),
    )
    if (routing := lower_routing(scope, ir)) is not None:
        ir["routing"] = routing
    ir["available_agents"] = available_agents(coordination)


def _apply_config(scope: Scope, ir: Json, config: Config) -> None:
    """Replace config references where the text has any, and write the hash of what was used."""
    source = scope.unit.source
    used: dict[str, str] = {}
    if source is None or "config." in source.text or _reaches_out(ir):
        used, missing = config.apply(ir)
        if missing and not (scope.options.single_agent and scope.options.config_variables is None):
            _report_missing(scope, missing, config)
    ir["metadata"]["config_hash"] = short_hash(canonical_bytes(used).decode())


def _report_missing(scope: Scope, missing: dict[str, Json], config: Config) -> None:
    written = references(scope.unit.source.text) if scope.unit.source is not None else {}
    for name, owner in missing.items():
        place = scope.places.find(owner)
        node = place.node if place is not None and place.unit is scope.unit else scope.document
        offset, length = written.get(name, (None, 0))
        scope.report_at(
            "UNDEFINED_CONFIG_VARIABLE",
            node,
            offset,
            length,
            name=name,
            suggestion=did_you_mean(closest(name, config.values)),
            detail=config.refused.get(name, ""),
        )


def _reaches_out(ir: Json) -> bool:
    """Whether texts of other documents or of the options are in the agent."""
    return bool(ir["behavior_profiles"]) or any("tool_type" in tool for tool in ir["tools"]) or "omnichannel" in ir
