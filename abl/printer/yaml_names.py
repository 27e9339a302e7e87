"""How properties are spelt in the YAML form; read and written by this one table. Spec: abl-language 9."""

from __future__ import annotations

from functools import cache

from abl.syntax.document import Document
from abl.syntax.node import NODES, Kind, Node, Prop, fold

_SPELT: dict[tuple[str, str], str] = {
    ("GatherField", "message"): "description",
    ("GatherField", "validation"): "validate",
    ("Document", "use_behavior_profiles"): "use_behavior_profiles",
    ("Document", "behavior_profiles"): "behavior_profiles",
    ("FailAction", "type"): "action",
}
_ANYWHERE = {"voice_config": "voice", "rich_content": "formats"}
_ALSO: dict[str, dict[str, str]] = {
    "Template": {"content": "text"},
    "GatherField": {"prompt_text": "prompt", "field": "name"},
    "Branch": {"if": "condition", "else": "otherwise"},
    "FailAction": {"agent": "target", "step": "goto"},
    "ErrorHandler": {"response": "respond"},
    "Store": {"path": "target"},
    "Call": {"params": "with_", "arguments": "with_"},
}
"""Node class -> further spellings of its fields."""


def yaml_name(cls: type[Node], field: str) -> str:
    """Return the canonical spelling of a field in the YAML form."""
    row = cls.BY_FIELD[field]
    special = _SPELT.get((cls.__name__, field)) or _ANYWHERE.get(field)
    if special:
        return special
    if row.yaml:
        return row.yaml
    if cls is Document or row.group or row.kind is Kind.FLAT:
        return row.key.lower()
    return row.plain_name


def yaml_rows(cls: type[Node]) -> dict[str, Prop]:
    """Return folded spelling -> row: canonical names first, then fields, then all spellings of the text form."""
    return _rows(cls.__name__)


@cache
def _rows(name: str) -> dict[str, Prop]:
    cls = NODES[name]
    rows: dict[str, Prop] = {}
    for row in cls.PROPS:
        rows[fold(yaml_name(cls, row.field))] = row
    for row in cls.PROPS:
        rows.setdefault(fold(row.plain_name), row)
        if row.yaml:
            rows.setdefault(fold(row.yaml), row)
    for spelling, row in cls.BY_KEY.items():
        rows.setdefault(spelling, row)
    for spelling, field in _ALSO.get(name, {}).items():
        if field in cls.BY_FIELD:
            rows.setdefault(fold(spelling), cls.BY_FIELD[field])
    return rows
