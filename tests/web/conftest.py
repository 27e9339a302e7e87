"""Node, the packages of `web/` and a browser: what the set-up could install, or a skip with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.servers import coordination, database, servers, tenant_id
from tools.node import WEB, find_node, is_current

__all__ = ["coordination", "database", "servers", "tenant_id"]


@pytest.fixture(scope="session")
def node() -> Path:
    """Return the Node that runs the packages of `web/`."""
    found = find_node()
    if found is None or not is_current(WEB):
        pytest.skip("`make setup` could not install Node or the packages of web/ here (it said why)")
    return found.node
