"""Built-in sentences in the language of the session. Spec: abl-language 3.14."""

from __future__ import annotations

from collections.abc import Mapping

from abl.languages import DEFAULT_TAG, Pack, load_pack

OLDER_DEFAULTS = {"escalation_format": "I am bringing in a colleague. Reason: {{reason}}"}
"""Defaults of earlier compilers that stand in agents compiled by them; nobody chose these either."""


def wording(messages: Mapping[str, str], key: str, words: Pack) -> str:
    """Return what an agent says under a key of MESSAGES, empty for a key nobody has worded.

    The compiler writes the English defaults into every agent, and older agents lack the newer keys: a text that is
    missing or still the default is not the author's, and is said in the session's language.
    """
    written = messages.get(key, "")
    if written and written not in (load_pack(DEFAULT_TAG).sentences.get(key), OLDER_DEFAULTS.get(key)):
        return written
    return words.sentences.get(key, written)
