from __future__ import annotations

import pytest

from domain.files import FILENAME_MAX_CHARS, HEAD_BYTES, SVG, TXT, cleaned_filename, is_text, kind_of


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a\\photo.png", "photo.png"),
        ("a\r\nb\x00.txt", "ab.txt"),
        ("gpj.\u202eexe.txt", "gpj.exe.txt"),
        ("", "file"),
        ("..", "file"),
        ("  ", "file"),
        ("größe.txt", "größe.txt"),
    ],
)
def test_a_name_has_no_path_and_nothing_that_hides(sent: str, kept: str) -> None:
    assert cleaned_filename(sent) == kept


def test_a_long_name_keeps_its_extension() -> None:
    assert len(cleaned_filename("a" * 300 + ".txt")) == FILENAME_MAX_CHARS
    assert cleaned_filename("a" * 300 + ".txt").endswith(".txt")
    assert len(cleaned_filename("a." + "b" * 300)) == FILENAME_MAX_CHARS


@pytest.mark.parametrize(
    "text",
    [
        b"<svg>",
        b"<svg/>",
        b"\xef\xbb\xbf<svg xmlns='x'>",
        b"<?xml version='1.0'?>\n<!-- drawn -->\n<!DOCTYPE svg>\n<svg width='1'>",
        b"<s:svg xmlns:s='x'>",
    ],
)
def test_a_drawing_is_known_by_its_first_element(text: bytes) -> None:
    assert kind_of("a.svg", text) == SVG
    assert kind_of("a.txt", text) is None  # its extension tells of another category


@pytest.mark.parametrize("text", [b"<html><svg>", b"<!-- <svg> -->", b"<?xml <svg", b"<", b"< svg>"])
def test_what_only_holds_one_is_none(text: bytes) -> None:
    assert kind_of("a.svg", text) is None


def test_a_text_may_be_cut_in_the_middle_of_a_character() -> None:
    head = ("x" * (HEAD_BYTES - 1) + "ü").encode()[:HEAD_BYTES]
    assert is_text(head)
    assert kind_of("a.txt", head) == TXT
    assert not is_text(b"ab\xc3")
    assert not is_text(b"\x00")
    assert not is_text(b"")
