"""Files of the command line: found, read, and written without losing one."""

import pytest

from cli import files


def abl(name):
    return name.endswith(".abl")


def test_a_folder_means_its_files_but_not_those_of_tools_and_hidden_ones(tmp_path):
    for name in ("a.abl", "b.txt", ".c.abl", "sub/d.abl", "node_modules/e.abl", ".git/f.abl", "build/g.abl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    found = files.find([str(tmp_path), str(tmp_path / "b.txt"), "-", str(tmp_path / "none")], abl)
    assert found.folders == {str(tmp_path): ["a.abl", "sub/d.abl"]}
    assert found.files == [str(tmp_path / "b.txt"), "-"]
    assert [str(one) for one in found.unreadable] == [f"cannot read {tmp_path / 'none'}: no such file or directory"]


def test_what_is_neither_file_nor_folder_is_said_so():
    (one,) = files.find(["/dev/null"], abl).unreadable
    assert one.reason == "it is neither a file nor a folder"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [(b"a\0b", "it is a binary file, not text"), (b"a\nb\xff", "line 2 is not UTF-8 text (byte 0xff)")],
)
def test_what_is_no_text_says_why(raw, reason):
    assert files.decode(raw, "x").reason.startswith(reason)


def test_a_folder_that_is_not_there_cannot_be_written_to(tmp_path):
    path = str(tmp_path / "none" / "x.abl")
    assert str(files.write(path, "x")) == f"cannot write {path}: no such file or directory"


def test_a_new_file_has_the_usual_permissions_and_no_other_is_left(tmp_path):
    path = tmp_path / "x.abl"
    path.with_name("y.abl").touch()
    assert files.write(str(path), "é") is None
    assert path.read_bytes() == "é".encode()
    assert path.stat().st_mode == path.with_name("y.abl").stat().st_mode
    assert sorted(one.name for one in tmp_path.iterdir()) == ["x.abl", "y.abl"]


@pytest.mark.parametrize(
    ("original", "made"),
    [("a\n", "x\ny\n"), ("a\r\nb\r\n", "x\r\ny\r\n"), ("\ufeffa\n", "\ufeffx\ny\n"), ("a\r\nb\nc\n", "x\ny\n")],
)
def test_line_ends_and_mark_are_those_of_the_original(original, made):
    assert files.like(original, "x\ny\n") == made
