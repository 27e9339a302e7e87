"""What is served of `web/` is what its sources build, and types are what the frames say."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta, Struct

from tools import generate_web, generate_web_types
from tools.node import find_node, is_current


def test_one_byte_more_or_a_file_too_many_is_seen(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "same.js").write_bytes(b"same")
        (folder / "near.js").write_bytes(b"near")
    assert generate_web.differences(one, other) == []
    (other / "near.js").write_bytes(b"neat")
    (one / "more.js").write_bytes(b"")
    assert generate_web.differences(one, other) == ["more.js", "near.js"]


def test_the_check_fails_on_one_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_node() is None or not is_current(generate_web.WEB):
        pytest.skip(generate_web.NO_NODE)
    for path in generate_web.ASSETS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(generate_web, "ASSETS", tmp_path)
    generate_web.main(["--check"])
    with (tmp_path / "web-sdk.js").open("ab") as file:
        file.write(b"\n")
    with pytest.raises(SystemExit, match=r"web-sdk\.js.*make web"):
        generate_web.main(["--check"])


def test_where_there_is_no_node_the_check_says_that_it_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_web, "find_node", lambda: None)
    generate_web.main(["--check"])
    assert "skipped" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="skipped"):
        generate_web.main([])


def test_the_manifest_tells_bytes_and_digest_of_each_file() -> None:
    manifest = json.loads((generate_web.ASSETS / generate_web.MANIFEST).read_text(encoding="utf-8"))
    names = {path.name for path in generate_web.ASSETS.iterdir()} - {generate_web.MANIFEST}
    assert set(manifest["files"]) == names
    for name, described in manifest["files"].items():
        content = (generate_web.ASSETS / name).read_bytes()
        digest = base64.b64encode(hashlib.sha384(content).digest()).decode()
        assert described == {"bytes": len(content), "integrity": f"sha384-{digest}"}


class Inner(Struct):
    """Something within."""

    why: str


class Told(Struct, rename="camel", tag="told", omit_defaults=True):
    """A frame of a server."""

    some_text: Annotated[str, Meta(max_length=3)]
    numbers: list[float | int]
    inner: Inner | None = None


def test_a_frame_is_written_with_its_wire_names_and_what_may_be_missing() -> None:
    shared: dict[str, str] = {}
    text = generate_web_types._interface("ToldFrame", Told, shared, "told", is_sent=False)
    assert text == (
        "/** A frame of a server. */\nexport interface ToldFrame {\n"
        '  type: "told";\n  someText: string;\n  numbers: Array<number>;\n  inner?: Inner | null;\n}\n'
    )
    assert list(shared) == ["Inner"]


def test_a_type_that_has_no_form_is_refused() -> None:
    class Odd(Struct):
        value: bytes

    with pytest.raises(generate_web_types.NoForm):
        generate_web_types._interface("Odd", Odd, {}, is_sent=False)
