"""The language server as an editor sees it: a real client over pipes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.language_client import LanguageClient

DESK = """AGENT: Desk
GOAL: "Help people 🚚 find parcels"
TOOLS:
  find(code: string) -> {status: string, hub: string}
    description: "Looks it up"
HANDOFF:
  - TO: Claims
    WHEN: damaged == true
FLOW:
  ask:
    REASONING: false
    GATHER: code
    CALL: find(code) AS parcel
    RESPOND: "🚚 {{parcel.hub}} is where {{code}} is"
    THEN: done
  done:
    REASONING: false
    THEN: COMPLETE
"""
CLAIMS = """AGENT: Claims
GOAL: "Settle damage"
TOOLS:
  find(code: string) -> {status: string, hub: string}
    description: "Looks it up"
"""
SNIPPETS = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}}


class Editor:
    """A client with one project on disk."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.texts: dict[str, str] = {}

    def uri(self, name: str) -> str:
        return (self.folder / "agents" / name).as_uri()

    def open(self, name: str, text: str) -> dict[str, Any]:
        self.texts[name] = text
        document = {"uri": self.uri(name), "languageId": "abl", "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": document})
        return self.client.note("textDocument/publishDiagnostics", uri=self.uri(name), version=1)

    def place(self, name: str, needle: str, shift: int = 0) -> dict[str, Any]:
        """Return the position of `needle` in a text, counted in UTF-16."""
        before = self.texts[name][: self.texts[name].index(needle) + shift]
        line = before.rpartition("\n")[2]
        character = len(line.encode("utf-16-le")) // 2
        return {
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": before.count("\n"), "character": character},
        }

    def shown(self, text: str, found: dict[str, Any]) -> str:
        """Return the text of a range on one line."""
        line = text.split("\n")[found["start"]["line"]].encode("utf-16-le")
        assert found["start"]["line"] == found["end"]["line"]
        return line[found["start"]["character"] * 2 : found["end"]["character"] * 2].decode("utf-16-le")


@pytest.fixture(scope="module")
def client() -> Iterator[LanguageClient]:
    with LanguageClient("-m", "cli.lsp") as client:
        client.start(**SNIPPETS)
        yield client
        assert client.stop() == 0


@pytest.fixture
def editor(client: LanguageClient, tmp_path: Path) -> Iterator[Editor]:
    """A project of two agents in a folder that is opened for one test."""
    agents = tmp_path / "agents"
    agents.mkdir()
    (agents / "desk.agent.abl").write_text(DESK, encoding="utf-8")
    (agents / "claims.agent.abl").write_text(CLAIMS, encoding="utf-8")
    folder = {"uri": tmp_path.as_uri(), "name": tmp_path.name}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    editor = Editor(client, tmp_path)
    yield editor
    for name in editor.texts:
        client.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri(name)}})
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})


def test_the_server_says_what_it_can_and_leaves_in_peace(tmp_path: Path) -> None:
    with LanguageClient("-m", "cli.lsp") as client:
        can = client.start(tmp_path, textDocument={"rename": {"prepareSupport": True}})
        for provider in ("hover", "definition", "references", "documentFormatting", "documentSymbol"):
            assert can[f"{provider}Provider"]
        assert can["renameProvider"] == {"prepareProvider": True}
        assert can["textDocumentSync"]["change"] == 2
        assert client.stop() == 0


def test_the_command_abl_lsp_is_the_same_server(tmp_path: Path) -> None:
    with LanguageClient("-m", "cli.main", "lsp") as client:
        assert client.start(tmp_path)["hoverProvider"]
        assert client.stop() == 0


def test_findings_are_published_while_a_text_changes(editor: Editor) -> None:
    found = editor.open("desk.agent.abl", DESK)["diagnostics"]
    assert [one for one in found if one["severity"] == 1] == []
    place = editor.place("desk.agent.abl", "THEN: done", len("THEN: "))["position"]
    end = {"line": place["line"], "character": place["character"] + len("done")}
    change = {"range": {"start": place, "end": end}, "text": "nowhere"}
    identifier = {"uri": editor.uri("desk.agent.abl"), "version": 2}
    editor.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
    found = editor.client.note("textDocument/publishDiagnostics", uri=identifier["uri"], version=2)["diagnostics"]
    wrong = [one for one in found if one["severity"] == 1]
    assert wrong, found
    changed = DESK.replace("THEN: done", "THEN: nowhere", 1)
    assert [editor.shown(changed, one["range"]) for one in wrong] == ["nowhere"]


def test_what_another_file_says_is_checked_too(editor: Editor) -> None:
    text = DESK.replace("TO: Claims", "TO: Climas")
    found = editor.open("desk.agent.abl", text)["diagnostics"]
    assert "Climas" in " ".join(editor.shown(text, one["range"]) for one in found)


def test_a_closed_text_has_no_findings_any_more(editor: Editor) -> None:
    assert editor.open("desk.agent.abl", "AGENT: Desk\nGAOL: x\n")["diagnostics"]
    uri = editor.uri("desk.agent.abl")
    editor.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    # The server may have looked at the open text once more before it heard; the last that it tells are none.
    assert editor.client.note("textDocument/publishDiagnostics", uri=uri, diagnostics=[])["diagnostics"] == []


def test_a_fix_is_offered_and_mends_the_text(editor: Editor) -> None:
    text = "AGENT: Desk\nGAOL: x\n"
    found = editor.open("desk.agent.abl", text)["diagnostics"][0]
    params = {
        "textDocument": {"uri": editor.uri("desk.agent.abl")},
        "range": found["range"],
        "context": {"diagnostics": [found]},
    }
    actions = editor.client.ask("textDocument/codeAction", params)
    edit = actions[0]["edit"]["changes"][editor.uri("desk.agent.abl")][0]
    assert actions[0]["kind"] == "quickfix"
    assert (editor.shown(text, edit["range"]), edit["newText"]) == ("GAOL", "GOAL")
    params["context"] = {"diagnostics": [], "only": ["source.fixAll"]}
    assert [one["kind"] for one in editor.client.ask("textDocument/codeAction", params)] == ["source.fixAll"]


def test_completion_knows_steps_and_sections_in_a_broken_text(editor: Editor) -> None:
    text = DESK + '  more:\n    RESPOND: "unclosed\n    THEN: \n'
    editor.open("desk.agent.abl", text)
    place = editor.place("desk.agent.abl", "    THEN: \n", len("    THEN: "))
    labels = [one["label"] for one in editor.client.ask("textDocument/completion", place)["items"]]
    assert labels == ["ask", "done", "more", "COMPLETE", "ESCALATE"]
    place = editor.place("desk.agent.abl", "FLOW:")
    items = editor.client.ask("textDocument/completion", place)["items"]
    goal = next(one for one in items if one["label"] == "PERSONA")
    assert goal["insertTextFormat"] == 2
    assert "$1" in goal["textEdit"]["newText"]
    assert "How the agent speaks." in goal["documentation"]["value"]


def test_completion_without_tab_stops_inserts_plain_text(tmp_path: Path) -> None:
    with LanguageClient("-m", "cli.lsp") as client:
        client.start(tmp_path)
        (tmp_path / "agents").mkdir()
        editor = Editor(client, tmp_path)
        editor.open("desk.agent.abl", "AGENT: Desk\nPER")
        items = client.ask("textDocument/completion", editor.place("desk.agent.abl", "PER", 3))["items"]
        assert [(one["insertTextFormat"], one["textEdit"]["newText"]) for one in items[:1]] == [(1, 'PERSONA: ""')]


def test_hover_tells_of_tools_properties_and_functions(editor: Editor) -> None:
    text = DESK + 'COMPLETE:\n  - WHEN: UPPER(code) == "X"\n'
    editor.open("desk.agent.abl", text)
    ask = editor.client.ask
    found = ask("textDocument/hover", editor.place("desk.agent.abl", "find(code) AS"))
    assert "find(code: string) -> {status: string, hub: string}" in found["contents"]["value"]
    assert "Looks it up" in found["contents"]["value"]
    assert editor.shown(text, found["range"]) == "find"
    found = ask("textDocument/hover", editor.place("desk.agent.abl", "REASONING"))
    assert "the model drives" in found["contents"]["value"]
    found = ask("textDocument/hover", editor.place("desk.agent.abl", "UPPER("))
    assert "capital letters" in found["contents"]["value"]
    assert ask("textDocument/hover", editor.place("desk.agent.abl", "people")) is None


def test_definition_and_references_cross_files(editor: Editor) -> None:
    editor.open("desk.agent.abl", DESK)
    found = editor.client.ask("textDocument/definition", editor.place("desk.agent.abl", "Claims"))
    assert [one["uri"] for one in found] == [editor.uri("claims.agent.abl")]
    assert editor.shown(CLAIMS, found[0]["range"]) == "Claims"
    params = editor.place("desk.agent.abl", "find(code) AS") | {"context": {"includeDeclaration": True}}
    found = editor.client.ask("textDocument/references", params)
    assert sorted(one["uri"].rpartition("/")[2] for one in found) == [
        "claims.agent.abl",
        "desk.agent.abl",
        "desk.agent.abl",
    ]
    params["context"]["includeDeclaration"] = False
    assert len(editor.client.ask("textDocument/references", params)) == 1


def test_rename_changes_every_file_exactly(editor: Editor) -> None:
    editor.open("desk.agent.abl", DESK)
    place = editor.place("desk.agent.abl", "Claims")
    assert editor.shown(DESK, editor.client.ask("textDocument/prepareRename", place)) == "Claims"
    changes = editor.client.ask("textDocument/rename", place | {"newName": "Damage_Desk"})["changes"]
    texts = {editor.uri("desk.agent.abl"): DESK, editor.uri("claims.agent.abl"): CLAIMS}
    assert set(changes) == set(texts)
    for uri, edits in changes.items():
        assert [editor.shown(texts[uri], one["range"]) for one in edits] == ["Claims"]
        assert {one["newText"] for one in edits} == {"Damage_Desk"}


def test_rename_behind_a_truck_is_counted_in_utf_16(editor: Editor) -> None:
    editor.open("desk.agent.abl", DESK)
    place = editor.place("desk.agent.abl", "{{code}}", 2)
    edits = editor.client.ask("textDocument/rename", place | {"newName": "tracking"})["changes"][
        editor.uri("desk.agent.abl")
    ]
    assert [editor.shown(DESK, one["range"]) for one in edits] == ["code"] * 3
    assert {one["range"]["start"]["line"] for one in edits} == {11, 12, 13}


def test_a_name_that_cannot_be_is_refused_with_a_reason(editor: Editor) -> None:
    editor.open("desk.agent.abl", DESK)
    answer = editor.client.answer(
        "textDocument/rename", editor.place("desk.agent.abl", "Claims") | {"newName": "two words"}
    )
    assert "is not a name" in answer["error"]["message"]
    answer = editor.client.answer("textDocument/prepareRename", editor.place("desk.agent.abl", "people"))
    assert "no name here" in answer["error"]["message"]


def test_formatting_lays_out_the_whole_text(editor: Editor) -> None:
    text = "Agent: Desk\r\nGOAL:   x\r\nLIMITATIONS:\r\n- never guess\r\n"
    editor.open("desk.agent.abl", text)
    options = {"textDocument": {"uri": editor.uri("desk.agent.abl")}, "options": {"tabSize": 2, "insertSpaces": True}}
    edits = editor.client.ask("textDocument/formatting", options)
    assert [one["newText"] for one in edits] == ["AGENT: Desk\nGOAL: x\nLIMITATIONS:\n  - never guess\n"]
    assert edits[0]["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}
    editor.client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": editor.uri("desk.agent.abl"), "version": 2},
         "contentChanges": [{"text": edits[0]["newText"]}]},
    )  # fmt: skip
    assert editor.client.ask("textDocument/formatting", options) == []


def test_the_outline_holds_sections_tools_and_steps(editor: Editor) -> None:
    editor.open("desk.agent.abl", DESK)
    params = {"textDocument": {"uri": editor.uri("desk.agent.abl")}}
    found = editor.client.ask("textDocument/documentSymbol", params)
    shown = {one["name"]: [child["name"] for child in one["children"]] for one in found}
    assert shown["TOOLS"] == ["find"]
    assert shown["FLOW"] == ["ask", "done"]
    assert shown["HANDOFF"] == ["Claims"]


def test_a_file_that_changes_on_disk_is_read_again(tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    agents.mkdir()
    (agents / "claims.agent.abl").write_text(CLAIMS, encoding="utf-8")
    with LanguageClient("-m", "cli.lsp") as client:
        client.start(tmp_path, workspace={"didChangeWatchedFiles": {"dynamicRegistration": True}})
        assert client.note("client/registerCapability")["registrations"][0]["method"].endswith("WatchedFiles")
        editor = Editor(client, tmp_path)
        editor.open("desk.agent.abl", DESK)
        (agents / "claims.agent.abl").write_text(CLAIMS.replace("AGENT: Claims", "AGENT: Other"), encoding="utf-8")
        change = {"changes": [{"uri": editor.uri("claims.agent.abl"), "type": 2}]}
        client.notify("workspace/didChangeWatchedFiles", change)
        found = client.note("textDocument/publishDiagnostics", uri=editor.uri("desk.agent.abl"))["diagnostics"]
        assert "Claims" in " ".join(editor.shown(DESK, one["range"]) for one in found)
        (agents / "claims.agent.abl").unlink()
        client.notify("workspace/didChangeWatchedFiles", change)
        assert client.ask("textDocument/definition", editor.place("desk.agent.abl", "Claims")) == []


GARBAGE = (
    "", "\ufeffAGENT: x", "}}{{ |\n\t- : -", "agent: yaml\ntools: [", "AGENT: A\nFLOW:\n  a:\n   b:\n\t\tc", "\0\u2028🚚",
)  # fmt: skip


def test_no_text_breaks_the_server(editor: Editor) -> None:
    for number, text in enumerate(GARBAGE):
        name = f"broken{number}.abl"
        editor.open(name, text)
        document = {"textDocument": {"uri": editor.uri(name)}}
        for line in range(text.count("\n") + 2):
            for character in (0, 3, 99):
                place = document | {"position": {"line": line, "character": character}}
                for method in ("completion", "hover", "definition"):
                    editor.client.ask(f"textDocument/{method}", place)
                editor.client.ask("textDocument/references", place | {"context": {"includeDeclaration": True}})
        editor.client.ask("textDocument/documentSymbol", document)
        editor.client.ask("textDocument/formatting", document | {"options": {"tabSize": 2, "insertSpaces": True}})
