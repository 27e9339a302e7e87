from __future__ import annotations

import pytest

from domain.errors import Unauthenticated
from gateway.auth.credentials import Credential, find_credential, find_public_key


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({}, None),
        ({"authorization": "Bearer abl_1"}, Credential("api_key", "abl_1")),
        ({"authorization": "bearer  abl_1"}, Credential("api_key", "abl_1")),
        ({"authorization": "Bearer eyJ"}, Credential("user", "eyJ")),
        ({"x-api-key": "abl_1"}, Credential("api_key", "abl_1")),
        ({"x-api-key": "pk_1"}, Credential("public_key", "pk_1")),
        ({"x-sdk-token": "t"}, Credential("sdk", "t")),
        ({"authorization": "Bearer abl_1", "x-api-key": "abl_2", "x-sdk-token": "t"}, Credential("api_key", "abl_1")),
        ({"x-api-key": "abl_2", "x-sdk-token": "t"}, Credential("api_key", "abl_2")),
        ({"x-public-key": "pk_1"}, None),
    ],
)
def test_one_credential_wins(headers: dict[str, str], found: Credential | None) -> None:
    assert find_credential(headers) == found


@pytest.mark.parametrize("headers", [{"authorization": "Basic x"}, {"authorization": ""}, {"x-api-key": "x"}])
def test_a_winner_of_no_known_form_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(Unauthenticated):
        find_credential({**headers, "x-sdk-token": "good"})


def test_the_bootstrap_has_a_header_of_its_own() -> None:
    assert find_public_key({"x-public-key": "pk_1"}) == Credential("public_key", "pk_1")
    assert find_public_key({"x-api-key": "pk_1"}) is None
