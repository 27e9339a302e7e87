from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from domain.errors import Forbidden
from gateway.auth.origins import Whence, is_allowed, whence
from gateway.auth.public_keys import check_origin
from tests.support.gateway import a_public_key


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
        ("https://gateway.example", (), False),
        ("https://other.example", (), False),
        ("http://user@gateway.example@evil.com", (), False),
    ],
)
def test_origins(origin: str, allowed: tuple[str, ...], result: bool) -> None:
    assert is_allowed(origin, allowed) is result


@pytest.mark.parametrize(
    ("headers", "page"),
    [
        ({}, Whence()),
        ({"origin": "https://a.example", "host": "b"}, Whence("https://a.example")),
        ({"host": "b:1"}, Whence()),
        ({"host": "b:1", "sec-fetch-site": "cross-site"}, Whence()),
        ({"sec-fetch-site": "same-origin"}, Whence()),
        ({"host": "b:1", "sec-fetch-site": "same-origin"}, Whence(None, ("http://b:1", "https://b:1"))),
    ],
)
def test_a_browser_that_says_no_origin_may_say_that_it_is_the_gateways_own(
    headers: dict[str, str], page: Whence
) -> None:
    assert whence(headers) == page


@pytest.mark.parametrize(
    ("page", "key", "sentence"),
    [
        (Whence(), {}, "Origin required"),
        (Whence(), {"require_origin": False}, None),
        (Whence("https://other.example"), {"require_origin": False}, "Origin not allowed"),
        (Whence("https://own.example"), {"allowed_origins": ()}, "Origin not allowed"),
        (Whence(None, ("https://own.example",)), {"allowed_origins": ("https://own.example",)}, None),
        (Whence(None, ("https://own.example",)), {"allowed_origins": ()}, "Origin required"),
        (Whence(None, ("https://own.example",)), {}, "Origin required"),
    ],
)
def test_a_page_without_an_origin_is_refused_unless_the_key_says_otherwise(
    page: Whence, key: dict[str, Any], sentence: str | None
) -> None:
    with pytest.raises(Forbidden, match=sentence) if sentence is not None else nullcontext():
        check_origin(a_public_key(**key), page)
