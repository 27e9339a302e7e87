"""What an editor needs of the language: a workspace of texts, and questions about places in them.

Pure: no files, no protocol. `cli.lsp` speaks the protocol and calls this.
"""

from __future__ import annotations

from abl.editor.actions import Action, code_actions, fix_all
from abl.editor.completion import completion
from abl.editor.document_symbols import Heading, document_symbols
from abl.editor.hover import Hover, hover
from abl.editor.navigation import Place, Rename, definition, references, renamable, rename
from abl.editor.readings import File
from abl.editor.suggestion import Sort, Suggestion
from abl.editor.workspace import Workspace

__all__ = [
    "Action",
    "File",
    "Heading",
    "Hover",
    "Place",
    "Rename",
    "Sort",
    "Suggestion",
    "Workspace",
    "code_actions",
    "completion",
    "definition",
    "document_symbols",
    "fix_all",
    "hover",
    "references",
    "renamable",
    "rename",
]
