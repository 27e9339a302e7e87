"""Platform texts: what the user reads when the document says nothing else. Spec: abl-language 3.14."""

from __future__ import annotations

from abl.languages import DEFAULT_TAG, load_pack


def default_messages() -> dict[str, str]:
    """Return key -> default wording. Other keys may be added by a document and are reached by `message_key`.

    The runtime says a sentence that still has its default in the language of the session.
    """
    return dict(load_pack(DEFAULT_TAG).sentences)
