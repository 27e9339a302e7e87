"""One folder of servers for each module: starting them is the slow part."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("data"))
