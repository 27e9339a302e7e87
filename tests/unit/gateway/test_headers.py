from __future__ import annotations

from gateway.headers import headers_of


def test_headers_are_read_once_and_of_two_the_first_counts() -> None:
    scope = {"headers": [(b"x-api-key", b"abl_one"), (b"x-api-key", b"abl_two"), (b"x-name", "Zoë".encode("latin-1"))]}
    headers = headers_of(scope)
    assert headers == {"x-api-key": "abl_one", "x-name": "Zoë"}
    scope["headers"] = []
    assert headers_of(scope) is headers
