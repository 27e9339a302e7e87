"""The older, numbered grammar (G1): read, written, and lowered to the modern one. Spec: abl-language 10."""

from abl.legacy.modernise import modernise
from abl.legacy.parse import parse_legacy
from abl.legacy.printer import print_legacy

__all__ = ["modernise", "parse_legacy", "print_legacy"]
