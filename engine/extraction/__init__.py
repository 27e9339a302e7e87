"""Reading typed values out of what a user said, without a model. Spec: abl-language 3.3, 12.7, 14.4."""

from __future__ import annotations

from engine.extraction.fields import read_field

__all__ = ["read_field"]
