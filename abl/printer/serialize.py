"""The public function of the printer. Spec: abl-language 2.4, 11.2."""

from __future__ import annotations

# The writers of all kinds are in the table as soon as their modules are imported.
from abl.printer import actions, flow, free, kinds, rich, rules, tools
from abl.printer.document import document_text
from abl.printer.yaml_form import to_yaml
from abl.syntax.document import Document

__all__ = ["actions", "flow", "free", "kinds", "rich", "rules", "serialize", "tools"]


def serialize(document: Document, format: str = "abl") -> str:  # noqa: A002 - the word of the API
    """Return the canonical text of a document, in the text form (`abl`) or the YAML form (`yaml`)."""
    return to_yaml(document) if format == "yaml" else document_text(document)
