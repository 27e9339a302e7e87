"""Lowers ENTITIES, INTENTS, NLU, MULTI_INTENT, LOOKUP_TABLES. Spec: abl-language 3.16, 12.7."""

from __future__ import annotations

import re
from typing import Any

from abl.compiler.declared import gather_fields
from abl.compiler.lowering import Changes, lower, shape
from abl.compiler.plain import MAX_NESTING, Json, given, one, only, plain, text, texts
from abl.compiler.scope import Scope
from abl.syntax.node import Node
from abl.syntax.understanding import Entity, Intent, Intents, LookupTable, MultiIntent, Nlu

LEXICAL_FALLBACK = "when_unavailable"
BUILT_IN_INTENTS = frozenset({
    "greeting", "farewell", "escalation", "out_of_scope", "unclear", "back", "cancel", "change", "help", "yes", "no",
})  # fmt: skip
"""Intents that need no declaration. Spec: abl-language 5.7, 7.6."""

_SOURCES = {"mongodb": "collection", "http": "api"}
_SNAKE = re.compile(r"_([a-z0-9])")


def _synonyms(value: Any, _scope: Scope, _node: Node) -> Any:
    if not isinstance(value, dict):
        return plain(value)
    return {
        str(key): texts(words) if isinstance(words, list | tuple) else [text(words)] for key, words in value.items()
    }


def _source(value: Any, _scope: Scope, _node: Node) -> str:
    return _SOURCES.get(text(value), text(value))


_ENTITY = shape(Entity, Changes(names={"validation": "intrinsic_validation"}, use={"synonyms": _synonyms}))
_INTENT = shape(Intent)
_NLU_INTENT = shape(Intent, Changes(names={"examples_file": "examplesFile"}))
_MULTI = shape(
    MultiIntent,
    Changes(
        defaults={
            "enabled": True,
            "strategy": "primary_queue",
            "max_intents": 3,
            "confidence_threshold": 0.6,
            "queue_max_age_ms": 600_000,
        }
    ),
)
_TABLE = shape(
    LookupTable,
    Changes(
        skip=("name",),
        names={"timeout": "timeout_ms"},
        use={"source": _source},
        defaults={"source": "inline", "case_sensitive": False, "fuzzy_match": False, "fuzzy_threshold": 0.85},
    ),
)


def declared_entities(scope: Scope) -> dict[str, Entity]:
    """Return name -> entity of ENTITIES and NLU; reports two types for one name."""
    document = scope.document
    known: dict[str, Entity] = {}
    for node in only(Entity, document.entities):
        known.setdefault(text(node.name), node)
    nlu = one(Nlu, document.nlu)
    for node in only(Entity, nlu.entities) if nlu is not None else []:
        other = known.setdefault(text(node.name), node)
        if other is not node and text(other.type) != text(node.type) and other.type and node.type:
            detail = f"{text(other.type)} and {text(node.type)}"
            scope.report("ENTITY_CONFLICT", node, "type", name=text(node.name), detail=detail)
    return known


def lower_entities(scope: Scope, known: dict[str, Entity]) -> list[Json]:
    """Return the entities, and one for every gather field that lists its own options."""
    explicit = {id(node) for node in only(Entity, scope.document.entities)}
    found: list[Json] = []
    for node in known.values():
        ir = lower(node, scope, _ENTITY)
        ir.setdefault("type", "enum" if "values" in ir else "string")
        ir["source"] = "explicit" if id(node) in explicit else "nlu_lowered"
        if node.pattern:
            scope.pattern(text(node.pattern), node, "pattern")
        found.append(ir)
    seen = set(known)
    for field in gather_fields(scope.document):
        name = text(field.name)
        options = texts(given(field, "options"))
        if options and not field.entity_ref and name not in seen:
            seen.add(name)
            ir = {"name": name, "type": "enum", "values": options, "source": "gather_inline"}
            if field.synonyms:
                ir["synonyms"] = _synonyms(field.synonyms, scope, field)
            found.append(scope.record(ir, field))
    return found


def intents_of(scope: Scope) -> list[Intent]:
    """Return the declared intents, those of INTENTS before those of NLU."""
    nodes: list[Intent] = []
    section = one(Intents, scope.document.intents)
    if section is not None:
        nodes += only(Intent, section.items)
    nlu = one(Nlu, scope.document.nlu)
    if nlu is not None:
        nodes += only(Intent, nlu.intents)
    return nodes


def lexical_fallback(scope: Scope) -> str:
    """Return when words are compared instead of meaning."""
    section = one(Intents, scope.document.intents)
    return (text(section.lexical_fallback) if section is not None else "") or LEXICAL_FALLBACK


def lower_intent_handling(scope: Scope) -> Json:
    """Return multi_intent, intents and lexical_fallback, as far as they are written."""
    ir: Json = {}
    multi = one(MultiIntent, scope.document.multi_intent)
    if multi is not None:
        ir["multi_intent"] = lower(multi, scope, _MULTI)
    intents = intents_of(scope)
    if intents:
        ir["intents"] = [lower(node, scope, _INTENT) for node in intents]
        ir["lexical_fallback"] = lexical_fallback(scope)
    return ir


def report_undeclared_intents(scope: Scope) -> None:
    """Report intents that conditions name but INTENTS does not; silent when no intents are declared."""
    declared = [text(node.name) for node in intents_of(scope)]
    if not declared:
        return
    known = {*declared, *BUILT_IN_INTENTS}
    for name, (node, field) in scope.intents.items():
        if name not in known and name.lower() not in known:
            value = text(getattr(node, field, ""))
            start = max(value.find(name), 0)
            place = {"start": start, "length": len(name)} if name in value else {}
            scope.report("UNDECLARED_INTENT", node, field, name=name, known=(name, declared), **place)  # type: ignore[arg-type]


def lower_lookup_tables(scope: Scope) -> Json:
    """Return name -> table, its values also in the form in which they are compared."""
    tables: Json = {}
    for node in only(LookupTable, scope.document.lookup_tables):
        ir = lower(node, scope, _TABLE)
        values = texts(node.values)
        if values:
            ir["normalized_values"] = [
                value.strip() if node.case_sensitive is True else value.strip().lower() for value in values
            ]
        tables.setdefault(text(node.name), ir)
    return tables


def lower_nlu(scope: Scope) -> Json | None:
    """Return the NLU section with camelCase keys, None when it is not written."""
    node = one(Nlu, scope.document.nlu)
    if node is None:
        return None
    ir: Json = {}
    for name in Nlu.FIELDS:
        value = getattr(node, name, None)
        if name == "extras" or (not value and value is not False):
            continue
        if name == "intents":
            ir[name] = [lower(intent, scope, _NLU_INTENT) for intent in only(Intent, value)]
        elif name == "entities":
            ir[name] = [camel_keys(lower(entity, scope, _ENTITY)) for entity in only(Entity, value)]
        elif name in ("evaluation", "embeddings"):
            ir[camel(name)] = camel_keys(plain(value))
        else:
            ir[camel(name)] = plain(value)
    return scope.record(ir, node)


def camel(name: str) -> str:
    """Return a snake_case name in camelCase."""
    return _SNAKE.sub(lambda found: found[1].upper(), name)


def camel_keys(value: Any, depth: int = 0) -> Any:
    """Return JSON with the keys of its objects in camelCase."""
    if isinstance(value, dict) and depth < MAX_NESTING:
        return {camel(key): camel_keys(one_, depth + 1) for key, one_ in value.items()}
    return [camel_keys(one_, depth + 1) for one_ in value] if isinstance(value, list) else value
