"""`abl lsp`: the language server, over standard input and output. It speaks the protocol, `abl.editor` has the answers.

Open texts come from the editor, all others of the workspace folders from disk.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from abl.editor import (
    File,
    Place,
    Workspace,
    code_actions,
    completion,
    definition,
    document_symbols,
    fix_all,
    hover,
    references,
    renamable,
    rename,
)
from abl.editor.positions import UTF16, offset_of, range_of, whole
from abl.folders import is_project_file
from abl.formatter import format_text
from abl.ir import COMPILER_VERSION
from abl.source import normalise
from abl.variables import VariablesFault
from cli import files, lsp_forms
from cli.check import root_of
from cli.variables import Given, folder_variables

PAUSE_S = 0.15
"""Quiet after the last key press before a project is checked again."""
TRIGGERS = [":", " ", "-", "{", ".", "|", "("]
log = logging.getLogger(__name__)
_WATCHED = "abl-files"
_MAX_FILES = 5_000
"""Files of the workspace folders that are read."""


class _AtPlace(Protocol):
    """A question about a place in a text."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class AblServer(LanguageServer):
    """One editor: its texts, and which of them are open."""

    def __init__(self) -> None:
        """Start without any text."""
        super().__init__("abl", COMPILER_VERSION)
        self.texts = Workspace(config_of)
        self.open: dict[str, types.VersionedTextDocumentIdentifier] = {}
        self.published: set[str] = set()
        self._check: asyncio.TimerHandle | None = None

    @property
    def encoding(self) -> str:
        """What the characters of a position are counted in."""
        agreed = self.server_capabilities.position_encoding
        return str(getattr(agreed, "value", agreed) or UTF16)

    # --- texts --------------------------------------------------------------------------------------------

    def load(self, folders: Iterable[str]) -> None:
        """Read the files of the workspace folders."""
        found = files.find(folders, is_project_file)
        paths = [(Path(folder) / one).as_posix() for folder, inside in found.folders.items() for one in inside]
        for path in paths[:_MAX_FILES]:
            self.reload(path)

    def reload(self, path: str) -> None:
        """Read one file from disk again, or forget it when it is gone; an open text is the editor's."""
        if path in self.open:
            return
        text = files.read(path) if Path(path).is_file() else None
        if isinstance(text, str):
            self.texts.update(path, text)
        else:
            self.texts.remove(path)

    def file(self, address: str) -> File:
        """Return the text of an address; an unknown one is an empty text."""
        path = path_of(address)
        return self.texts.file(path) or File(path, "")

    def address(self, path: str) -> str:
        """Return the address of a path as the editor spells it."""
        known = self.open.get(path)
        return known.uri if known is not None else (from_fs_path(path) or path)

    def offset(self, params: _AtPlace) -> tuple[str, int]:
        """Return path and offset of a place the editor asks about."""
        file = self.file(params.text_document.uri)
        place = params.position
        return file.path, offset_of(file.source, place.line, place.character, self.encoding)

    def location(self, place: Place) -> types.Location:
        """Return a place in the words of the protocol."""
        file = self.texts.file(place.path)
        assert file is not None
        found = range_of(file.source, place.offset, place.length, self.encoding)
        return types.Location(self.address(place.path), lsp_forms.lsp_range(found))

    # --- findings -----------------------------------------------------------------------------------------

    def check_soon(self) -> None:
        """Publish findings when the author pauses."""
        if self._check is not None:
            self._check.cancel()
        self._check = asyncio.get_running_loop().call_later(PAUSE_S, self.check_now)

    def check_now(self) -> None:
        """Publish the findings of all open texts and of those that had some."""
        self._check = None
        for path in [*self.open, *(self.published - set(self.open))]:
            self.publish(path)

    def publish(self, path: str) -> None:
        """Publish the findings of one text."""
        file = self.texts.file(path)
        found = self.texts.diagnostics(path) if file is not None and path in self.open else []
        shown = [lsp_forms.diagnostic(file.source, one, self.encoding) for one in found] if file is not None else []
        known = self.open.get(path)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.address(path), shown, known.version if known is not None else None)
        )
        if known is not None:
            self.published.add(path)
        else:
            self.published.discard(path)


def config_of(paths: Sequence[str]) -> Mapping[str, str]:
    """Return the config variables of the project of these files; none, told in the log, where they cannot be read."""
    try:
        file = folder_variables(Path(root_of(list(paths))))
        return {**file.config, **Given.of(os.environ).config}
    except VariablesFault as error:
        log.warning("%s", error)
        return {}


def path_of(address: str) -> str:
    """Return the path of a file's address; any other address stands for itself."""
    return to_fs_path(address) or address if address.startswith("file:") else address


def make_server() -> AblServer:
    """Return a server that answers everything below."""
    server = AblServer()
    for name, handler, options in _FEATURES:
        server.feature(name, options)(handler)
    return server


# --- life ---------------------------------------------------------------------------------------------------


def _initialize(server: AblServer, params: types.InitializeParams) -> None:
    folders = [one.uri for one in params.workspace_folders or []] or [one for one in (params.root_uri,) if one]
    server.load(path_of(one) for one in folders)


def _initialized(server: AblServer, _params: types.InitializedParams) -> None:
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is None or not watching.dynamic_registration:
        return
    watchers = [types.FileSystemWatcher(glob_pattern=f"**/*{end}") for end in (".abl", ".yaml", ".yml")]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    wanted = types.Registration(_WATCHED, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    server.client_register_capability(types.RegistrationParams([wanted]))


def _watched(server: AblServer, params: types.DidChangeWatchedFilesParams) -> None:
    for change in params.changes:
        path = path_of(change.uri)
        if is_project_file(path):
            server.reload(path)
    server.check_soon()


def _folders_changed(server: AblServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    server.load(path_of(one.uri) for one in params.event.added)
    for one in params.event.removed:
        inside = path_of(one.uri).rstrip("/") + "/"
        for path in server.texts.paths:
            if path.startswith(inside) and path not in server.open:
                server.texts.remove(path)
    server.check_soon()


# --- texts --------------------------------------------------------------------------------------------------


def _opened(server: AblServer, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    path = path_of(document.uri)
    server.open[path] = types.VersionedTextDocumentIdentifier(document.version, document.uri)
    server.texts.update(path, document.text)
    server.check_now()


def _changed(server: AblServer, params: types.DidChangeTextDocumentParams) -> None:
    path = path_of(params.text_document.uri)
    server.open[path] = params.text_document
    for change in params.content_changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            source = server.file(params.text_document.uri).source
            begin = offset_of(source, change.range.start.line, change.range.start.character, server.encoding)
            stop = offset_of(source, change.range.end.line, change.range.end.character, server.encoding)
            old = source.text
            server.texts.update(path, old[:begin] + normalise(change.text) + old[max(stop, begin) :])
        else:
            server.texts.update(path, change.text)
    server.check_soon()


def _closed(server: AblServer, params: types.DidCloseTextDocumentParams) -> None:
    path = path_of(params.text_document.uri)
    server.open.pop(path, None)
    server.reload(path)
    server.check_now()


# --- questions ----------------------------------------------------------------------------------------------


def _completion(server: AblServer, params: types.CompletionParams) -> types.CompletionList:
    path, offset = server.offset(params)
    file = server.file(params.text_document.uri)
    text = server.client_capabilities.text_document
    item = text.completion.completion_item if text is not None and text.completion is not None else None
    stops = bool(item is not None and item.snippet_support)
    found = completion(server.texts, path, offset)
    items = [
        lsp_forms.completion_item(file.source, one, order, server.encoding, stops=stops)
        for order, one in enumerate(found)
    ]
    return types.CompletionList(is_incomplete=False, items=items)


def _hover(server: AblServer, params: types.HoverParams) -> types.Hover | None:
    path, offset = server.offset(params)
    found = hover(server.texts, path, offset)
    if found is None:
        return None
    source = server.file(params.text_document.uri).source
    place = range_of(source, found.offset, found.length, server.encoding)
    return types.Hover(lsp_forms.markdown(found.text), lsp_forms.lsp_range(place))


def _definition(server: AblServer, params: types.DefinitionParams) -> list[types.Location]:
    return [server.location(one) for one in definition(server.texts, *server.offset(params))]


def _references(server: AblServer, params: types.ReferenceParams) -> list[types.Location]:
    found = references(server.texts, *server.offset(params), declarations=params.context.include_declaration)
    return [server.location(one) for one in found]


def _prepare_rename(server: AblServer, params: types.PrepareRenameParams) -> types.Range:
    place, reason = renamable(server.texts, *server.offset(params))
    if place is None:
        raise JsonRpcInvalidParams(reason)
    return server.location(place).range


def _rename(server: AblServer, params: types.RenameParams) -> types.WorkspaceEdit:
    made = rename(server.texts, *server.offset(params), params.new_name)
    if made.reason:
        raise JsonRpcInvalidParams(made.reason)
    changes = {}
    for path, wanted in made.edits.items():
        file = server.texts.file(path)
        if file is not None:
            changes[server.address(path)] = lsp_forms.edits(file.source, wanted, server.encoding)
    return types.WorkspaceEdit(changes=changes)


def _formatting(server: AblServer, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    file = server.file(params.text_document.uri)
    made = format_text(file.text)
    if made == file.text:
        return []
    return [types.TextEdit(lsp_forms.lsp_range(whole(file.source, server.encoding)), made)]


def _symbols(server: AblServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    file = server.file(params.text_document.uri)
    return [lsp_forms.document_symbol(file.source, one, server.encoding) for one in document_symbols(file)]


def _actions(server: AblServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    file = server.file(params.text_document.uri)
    source, address = file.source, params.text_document.uri
    begin, end = (
        offset_of(source, one.line, one.character, server.encoding) for one in (params.range.start, params.range.end)
    )
    wanted = params.context.only
    made = []
    if _is_wanted(types.CodeActionKind.QuickFix, wanted):
        made = [
            (types.CodeActionKind.QuickFix, one) for one in code_actions(server.texts, file.path, begin, end - begin)
        ]
    every = fix_all(server.texts, file.path)
    if every is not None and wanted and _is_wanted(types.CodeActionKind.SourceFixAll, wanted):
        made.append((types.CodeActionKind.SourceFixAll, every))
    return [
        types.CodeAction(
            title=one.title,
            kind=kind,
            diagnostics=[lsp_forms.diagnostic(source, fault, server.encoding) for fault in one.mends],
            is_preferred=kind == types.CodeActionKind.QuickFix,
            edit=types.WorkspaceEdit(changes={address: lsp_forms.edits(source, one.edits, server.encoding)}),
        )
        for kind, one in made
    ]


def _is_wanted(kind: types.CodeActionKind, only: Iterable[types.CodeActionKind | str] | None) -> bool:
    """Return whether an editor that asks for `only` these kinds (None: any) wants `kind`."""
    words = None if only is None else [str(getattr(one, "value", one)) for one in only]
    return words is None or any(kind.value == word or kind.value.startswith(f"{word}.") for word in words)


_FEATURES = (
    (types.INITIALIZE, _initialize, None),
    (types.INITIALIZED, _initialized, None),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _watched, None),
    (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, _folders_changed, None),
    (types.TEXT_DOCUMENT_DID_OPEN, _opened, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, _changed, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, _closed, None),
    (types.TEXT_DOCUMENT_COMPLETION, _completion, types.CompletionOptions(trigger_characters=TRIGGERS)),
    (types.TEXT_DOCUMENT_HOVER, _hover, None),
    (types.TEXT_DOCUMENT_DEFINITION, _definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, _references, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True)),
    (types.TEXT_DOCUMENT_FORMATTING, _formatting, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols, None),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        _actions,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]),
    ),
)


def main() -> None:
    """Serve one editor until it says goodbye."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:  # the server closes what it writes to
        make_server().start_io(sys.stdin.buffer, output)


if __name__ == "__main__":
    main()
