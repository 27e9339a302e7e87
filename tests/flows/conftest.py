"""A database and a folder for each module: its stories share them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.support.servers import make_folder
from tests.support.stories import kept_database


@pytest.fixture(scope="module")
def data_dir(pytestconfig: pytest.Config) -> Iterator[str]:
    folder = make_folder()
    with kept_database(folder, pytestconfig) as kept:
        yield kept
    shutil.rmtree(folder)
