"""A file is one idea."""

from __future__ import annotations

from tests.support.repository import ROOT, repository_files

LONGEST = 400
GENERATED = "abl_client/forms/"
"""One file for each group of routes, written by `tools/generate_client.py`."""


def test_no_file_outgrows_its_idea() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_bytes().splitlines())
        for suffix in (".py", ".ts", ".tsx")
        for path in repository_files(suffix)
    }
    too_long = {path: lines for path, lines in lengths.items() if lines > LONGEST and not path.startswith(GENERATED)}
    assert lengths
    assert not too_long, "split by idea, not by line number"
