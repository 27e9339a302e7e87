"""Documents as canonical text; `parse(serialize(document)).document == document`. Spec: abl-language 11.2."""

from abl.printer.serialize import serialize

__all__ = ["serialize"]
