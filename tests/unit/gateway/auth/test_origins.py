from __future__ import annotations

import pytest

from gateway.auth.origins import is_allowed


@pytest.mark.parametrize(
    ("origin", "allowed", "result"),
    [
        ("https://shop.example.com", ("https://shop.example.com",), True),
        ("https://SHOP.example.com", ("https://shop.example.com",), True),
        ("https://shop.example.com:443", ("https://shop.example.com",), True),
        ("http://shop.example.com", ("https://shop.example.com",), False),
        ("https://shop.example.com.evil.com", ("https://shop.example.com",), False),
        ("https://shop.example.com:8443", ("https://shop.example.com",), False),
        ("https://a.example.com", ("https://*.example.com",), True),
        ("https://a.b.example.com", ("https://*.example.com",), True),
        ("https://example.com", ("https://*.example.com",), False),
        ("https://evilexample.com", ("https://*.example.com",), False),
        ("http://localhost:5173", ("http://localhost:*",), True),
        ("https://localhost:5173", ("http://localhost:*",), False),
        ("null", ("https://shop.example.com",), False),
        ("null", ("*",), True),
        ("https://anything.example", ("*",), True),
        ("https://gateway.example", (), True),
        ("https://other.example", (), False),
        ("http://user@gateway.example@evil.com", (), False),
    ],
)
def test_origins(origin: str, allowed: tuple[str, ...], result: bool) -> None:
    assert is_allowed(origin, allowed, "gateway.example") is result


def test_the_own_origin_has_the_own_port() -> None:
    assert is_allowed("http://localhost:8000", (), "localhost:8000")
    assert not is_allowed("http://localhost:8001", (), "localhost:8000")
