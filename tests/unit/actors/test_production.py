from __future__ import annotations

import msgspec
import pytest

from actors.production import SHARED_SECRETS, check_production
from actors.settings import Settings
from domain.errors import InvalidInput

CLUSTER = Settings(mode="production", ray_address="head:6379", database_url="postgresql://db/abl")
SECRETS = dict.fromkeys(SHARED_SECRETS, "x" * 44)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(mode="production"),
        msgspec.structs.replace(CLUSTER, mode="development"),
        msgspec.structs.replace(CLUSTER, **SECRETS),
    ],
    ids=["development", "one node", "a cluster in development", "a cluster with secrets"],
)
def test_what_may_start(settings: Settings) -> None:
    check_production(settings)


@pytest.mark.parametrize("missing", sorted(SHARED_SECRETS))
def test_a_cluster_in_production_does_not_start_with_a_generated_secret(missing: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_production(msgspec.structs.replace(CLUSTER, **{**SECRETS, missing: ""}))
    assert f"Set {SHARED_SECRETS[missing]}, the same on every node" in caught.value.message


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(InvalidInput, match="ABL_MASTER_KEYS, ABL_TOKEN_SECRETS, ABL_SANDBOX_SECRET and ABL_LINK_TOKEN"):
        check_production(CLUSTER)
