"""The languages of a project go through export and import as its other documents do. Spec: platform-api 9."""

from __future__ import annotations

from actors.compiling import compiled, files_of
from actors.project_graph import graph_of, warnings_of
from domain.transfer import Entity, Exported, Place, checked_files, document_of, manifest_of, path_of, place_of, stem_of
from engine import Program

PLACE = Place(Entity.LANGUAGE, "de")
DESK = 'AGENT: Desk\nLANGUAGE: de\nGOAL: "Help"\n'


def test_a_language_has_a_place_and_a_name() -> None:
    assert place_of("languages/de.yaml") == PLACE
    assert path_of(PLACE) == document_of(PLACE) == "languages/de.yaml"
    assert stem_of("languages/de.yaml") == "de"


def test_an_import_takes_it_and_says_what_is_wrong_in_it() -> None:
    files = checked_files({"agents/Desk.abl": DESK, "languages/de.yaml": "yess: jo\n"})
    assert PLACE in files.texts
    (told,) = warnings_of({PLACE: files.texts[PLACE]})
    assert told.startswith("languages/de.yaml:1: yess: is no key of a language")
    assert warnings_of({PLACE: "yes: jo mei\n"}) == []


def test_a_manifest_lists_it() -> None:
    one = Exported(PLACE, "yes: jo mei\n", "hash")
    listed = manifest_of("p", None, [one], exported_at="", exported_by="")
    assert listed["languages"] == {"de": {"sourceHash": "hash", "path": "languages/de.yaml"}}
    assert manifest_of("p", None, [], exported_at="", exported_by="")["languages"] == {}


def test_stored_documents_make_the_program_with_it() -> None:
    class Stored:
        def __init__(self, name: str, dsl: str, path: str = "") -> None:
            self.name, self.dsl, self.path = name, dsl, path

    files = files_of([Stored("Desk", DESK), Stored("languages/de.yaml", "yes: jo mei\n")])
    assert list(files) == ["Desk.abl", "languages/de.yaml"]
    assert "jo mei" in Program(compiled(files).output).packs["de"].yes
    assert graph_of(files).errors == []
