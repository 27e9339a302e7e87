"""Which texts of a folder are put into the project that is served from it. Decision 0036."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from domain.transfer import source_hash


class FolderText(Struct, frozen=True):
    """A document of a folder."""

    kind: str
    path: str
    text: str


class FolderPlan(Struct, frozen=True, kw_only=True):
    """What becomes of the documents, by name.

    Attributes:
        written: The folder's text is put: it has changed since it was put last, or never was.
        replaced: Those of them whose draft had been changed since then by somebody else.
        held: The folder's text has not changed and the draft has: it stays.
        missing: The folder's text has not changed and the document was removed or renamed: it stays so.
        gone: The folder has them no more and their drafts are what was put: they go.
        kept: The folder has them no more and their drafts were changed: they stay.
    """

    written: tuple[str, ...]
    replaced: tuple[str, ...]
    held: tuple[str, ...]
    missing: tuple[str, ...]
    gone: tuple[str, ...]
    kept: tuple[str, ...]


def plan_of(folder: Mapping[str, FolderText], last: Mapping[str, str], drafts: Mapping[str, str]) -> FolderPlan:
    """Return what is to be done: `last` and `drafts` are document -> hash, of what was put last and of what stands.

    >>> plan_of({"A": FolderText("agent", "a.abl", "")}, {}, {}).written
    ('A',)
    """
    hashes = {name: source_hash(one.text) for name, one in folder.items()}
    written = tuple(name for name, found in hashes.items() if last.get(name) != found)
    left = [name for name in hashes if name not in written]
    dropped = [name for name in last if name not in folder and name in drafts]
    return FolderPlan(
        written=written,
        replaced=tuple(name for name in written if drafts.get(name) not in (None, hashes[name], last.get(name))),
        held=tuple(name for name in left if name in drafts and drafts[name] != hashes[name]),
        missing=tuple(name for name in left if name not in drafts),
        gone=tuple(name for name in dropped if drafts[name] == last[name]),
        kept=tuple(name for name in dropped if drafts[name] != last[name]),
    )
