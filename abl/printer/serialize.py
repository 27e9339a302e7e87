"""The public function of the printer. Spec: abl-language 2.4, 11.2."""

from __future__ import annotations

# The writers of all kinds are in the table as soon as their modules are imported.
from abl.printer import actions, flow, free, kinds, rich, rules, tools
from abl.printer.document import document_text
from abl.printer.yaml_form import to_yaml
from abl.syntax.document import Document

__all__ = ["actions", "flow", "free", "kinds", "rich", "rules", "serialize", "tools"]

FORMATS = ("abl", "yaml")


def serialize(document: Document, format: str = "abl") -> str:  # noqa: A002 - the word of the API
    """Return the canonical text of a document, in the text form (`abl`) or the YAML form (`yaml`).

    In the text form, documents of the numbered grammar are written in that grammar (spec 10, 11.2).

    Raises:
        TypeError: `document` is no Document, for instance the result of `parse` instead of its document.
        ValueError: `format` is neither `abl` nor `yaml`.

    >>> serialize(Document(name="Parcel_Desk", goal="Help people find their parcels"))
    'AGENT: Parcel_Desk\\nGOAL: "Help people find their parcels"\\n'
    """
    given: object = document
    if not isinstance(given, Document):
        raise TypeError(f"serialize takes a Document, not {type(given).__name__}")
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}; the argument format takes {', '.join(FORMATS)}")
    if format == "yaml":
        if document.format == "legacy":
            from abl.legacy.modernise import modernise  # noqa: PLC0415 - loaded for the numbered grammar only

            document = modernise(document)
        return to_yaml(document)
    if document.format == "legacy":
        from abl.legacy.printer import print_legacy  # noqa: PLC0415 - loaded for the numbered grammar only

        return print_legacy(document)
    return document_text(document)
