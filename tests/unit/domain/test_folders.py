"""Which texts of a folder are put into its project. Decision 0036."""

from __future__ import annotations

from domain.folders import FolderPlan, FolderText, plan_of
from domain.transfer import source_hash
from tests.support.cells import over

NOTHING = {"written": (), "replaced": (), "held": (), "missing": (), "gone": (), "kept": ()}


def hashes(**texts: str) -> dict[str, str]:
    return {name: source_hash(text) for name, text in texts.items()}


@over(
    ("folder", "last", "draft", "wanted"),
    [
        ("one", None, None, {"written": ("A",)}),
        ("one", None, "one", {"written": ("A",)}),
        ("one", None, "saved", {"written": ("A",), "replaced": ("A",)}),
        ("one", "one", "one", {}),
        ("one", "one", "saved", {"held": ("A",)}),
        ("one", "one", None, {"missing": ("A",)}),
        ("two", "one", "one", {"written": ("A",)}),
        ("two", "one", "two", {"written": ("A",)}),
        ("two", "one", "saved", {"written": ("A",), "replaced": ("A",)}),
        ("two", "one", None, {"written": ("A",)}),
        (None, "one", "one", {"gone": ("A",)}),
        (None, "one", "saved", {"kept": ("A",)}),
        (None, "one", None, {}),
        (None, None, "saved", {}),
    ],
)
def test_only_what_changed_in_the_folder_is_put(
    folder: str | None, last: str | None, draft: str | None, wanted: dict[str, tuple[str, ...]]
) -> None:
    texts = {"A": FolderText("agent", "a.abl", folder)} if folder is not None else {}
    found = plan_of(texts, hashes(A=last) if last else {}, hashes(A=draft) if draft else {})
    assert found == FolderPlan(**{**NOTHING, **wanted})
