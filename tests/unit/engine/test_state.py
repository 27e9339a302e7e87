from __future__ import annotations

from engine.state import with_path, without_path


def test_setting_a_path_copies_the_maps_on_the_way() -> None:
    root = {"a": {"b": 1}, "c": {}}
    made = with_path(root, ["a", "b"], 2)
    assert root == {"a": {"b": 1}, "c": {}}
    assert made == {"a": {"b": 2}, "c": {}}
    assert made["c"] is root["c"]


def test_clearing_a_path_leaves_the_rest() -> None:
    root = {"a": {"b": 1, "c": 2}}
    assert without_path(root, ["a", "b"]) == {"a": {"c": 2}}
    assert without_path(root, ["x", "y"]) is root
    assert root == {"a": {"b": 1, "c": 2}}
