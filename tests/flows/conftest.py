"""The servers of each module: starting them is the slow part, so its stories share them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.support.servers import make_folder
from tests.support.stories import kept_servers


@pytest.fixture(scope="module")
def data_dir() -> Iterator[str]:
    folder = make_folder()
    with kept_servers(folder) as kept:
        yield kept
    shutil.rmtree(folder)
