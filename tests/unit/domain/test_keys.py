from __future__ import annotations

import pytest

from domain.keys import is_origin


@pytest.mark.parametrize(
    "origin",
    ["*", "https://a.example", "https://*.a.example", "http://localhost:*", "http://127.0.0.1:8400", "http://[::1]:3000",
     "chrome-extension://abcdef", "HTTPS://A.EXAMPLE"],
)  # fmt: skip
def test_an_origin_is_a_scheme_and_a_host(origin: str) -> None:
    assert is_origin(origin)


@pytest.mark.parametrize(
    "text",
    ["", "a.example", "https://", "https://a/", "https://a?b", "https://*.*.a", "https://a.*", "https://user@a", "//a",
     "https://a:b", "https://a:123456", "https://a b", "https://a\n", "null", "https://" + "a" * 300],
)  # fmt: skip
def test_what_is_more_or_less_is_none(text: str) -> None:
    assert not is_origin(text)
