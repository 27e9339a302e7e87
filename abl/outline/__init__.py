"""What every line of a text is, told by its indentation and the schema alone, without a clean parse.

The formatter and the editor stand on this: it holds for texts that are being typed. Spec: abl-language 1.2, 3.0.
"""

from __future__ import annotations

from abl.outline.bodies import Body, Form, body_of
from abl.outline.entries import Entry, Role
from abl.outline.tree import Outline, outline

__all__ = ["Body", "Entry", "Form", "Outline", "Role", "body_of", "outline"]
