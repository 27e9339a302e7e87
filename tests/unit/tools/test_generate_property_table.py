"""Every property of the language is exercised by the corpus, and the table of the docs says by which text."""

from __future__ import annotations

import pytest

from abl.syntax.document import SECTIONS
from tests.support.cells import over
from tools.generate_property_table import TABLE, Uses, main, table, unmapped, uses


@pytest.fixture(scope="module")
def found() -> Uses:
    return uses()


def test_no_property_is_unmapped(found: Uses) -> None:
    assert unmapped(found) == []


def test_the_table_of_the_docs_is_up_to_date(found: Uses) -> None:
    assert TABLE.read_text(encoding="utf-8") == table(found), "run tools/generate_property_table.py"


def test_a_property_that_no_text_has_is_named(found: Uses) -> None:
    rest = {key: names for key, names in found.items() if key != ("Tool", "store_result")}
    assert unmapped(rest) == ["Tool.store_result"]


@over("section", [word for word, row in SECTIONS.items() if not row.legacy])
def test_every_section_has_a_line(section: str) -> None:
    assert f"`{section}`" in TABLE.read_text(encoding="utf-8")


def test_check_accepts_the_table_as_it_is() -> None:
    main(["--check"])
