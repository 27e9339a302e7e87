"""Fills in the platform texts: defaults, those of the project, those of the document. Spec: abl-language 3.14."""

from __future__ import annotations

from abl.compiler.content import plain_or_template
from abl.compiler.default_messages import default_messages
from abl.compiler.plain import mapping
from abl.compiler.scope import Scope


def lower_messages(scope: Scope) -> dict[str, str]:
    """Return all known keys with their texts, and the keys the document adds; keys are lowercase."""
    messages = default_messages()
    for key, value in mapping(dict(scope.options.messages)).items():
        messages[key.lower()] = value
    document = scope.document
    for key, value in mapping(document.messages).items():
        messages[key.lower()] = plain_or_template(value, document, f"messages.{key}", scope)
    return messages
