"""The text form: text -> document and findings. Never raises, whatever the input. Spec: abl-language 1 to 5."""

from abl.parser.document import parse_text

__all__ = ["parse_text"]
