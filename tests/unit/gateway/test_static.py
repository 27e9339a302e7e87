"""What pages load from `/sdk`: both addresses of each file, and the headers by which any page may check and keep it."""

from __future__ import annotations

import base64
import gzip
import hashlib
from typing import Any

import pytest

from gateway.static import CURRENT_S, MANIFEST, MEDIA_TYPES, accepts_gzip, is_known, manifest
from tests.support.gateway import Gateway, a_gateway
from tests.support.repository import ROOT

pytestmark = pytest.mark.anyio
NAMES = sorted(manifest().files)
SCRIPT = "agent-widget.js"
PAGE = "https://shop.example"


async def get(gateway: Gateway, path: str, **headers: str) -> Any:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return await gateway.nobody().get(path, headers=sent)


@pytest.mark.parametrize("name", NAMES)
async def test_a_file_has_an_address_that_is_current_and_one_that_never_changes(gateway: Gateway, name: str) -> None:
    kept = (ROOT / "gateway" / "assets" / "sdk" / name).read_bytes()
    for path, max_age in (
        (f"/sdk/{name}", f"public, max-age={CURRENT_S}"),
        (f"/sdk/{manifest().version}/{name}", "public, max-age=31536000, immutable"),
    ):
        answer = await get(gateway, path)
        assert (answer.status, answer.body) == (200, kept)
        assert answer.headers["cache-control"] == max_age
        assert answer.headers["content-type"] == MEDIA_TYPES[name[name.rindex(".") :]]
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("origins", [(), (PAGE,)])
async def test_a_page_of_any_origin_may_check_it_and_hears_so_once(origins: tuple[str, ...]) -> None:
    gateway = a_gateway(cors_origins=origins)
    for path in (f"/sdk/{SCRIPT}", f"/sdk/{manifest().version}/{SCRIPT}"):
        answer = await get(gateway, path, origin=PAGE)
        assert answer.headers["access-control-allow-origin"] == "*"
        assert gateway.app.state.cors.headers(path, {"origin": PAGE}) == [], "two of them are none to a browser"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        digest = base64.b64encode(hashlib.sha384(answer.body).digest()).decode()
        assert manifest().files[SCRIPT].integrity == f"sha384-{digest}"


async def test_it_is_sent_compressed_to_who_takes_that_and_not_at_all_to_who_has_it(gateway: Gateway) -> None:
    path = f"/sdk/{SCRIPT}"
    whole, small = await get(gateway, path), await get(gateway, path, accept_encoding="br, gzip")
    assert "content-encoding" not in whole.headers
    assert small.headers["content-encoding"] == "gzip"
    assert gzip.decompress(small.body) == whole.body
    assert len(small.body) < len(whole.body) / 2
    assert small.headers["etag"] != whole.headers["etag"]
    for answer, encoding in ((whole, "identity"), (small, "gzip")):
        assert answer.headers["vary"] == "Accept-Encoding"
        again = await get(gateway, path, accept_encoding=encoding, if_none_match=answer.headers["etag"])
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]
    other = await get(gateway, path, if_none_match=small.headers["etag"])
    assert other.status == 200


async def test_a_page_learns_version_and_digests_from_the_gateway(gateway: Gateway) -> None:
    answer = await get(gateway, f"/sdk/{MANIFEST}", origin=PAGE)
    assert answer.headers["cache-control"] == f"public, max-age={CURRENT_S}"
    assert answer.headers["access-control-allow-origin"] == "*"
    told = answer.json()
    for name in NAMES:
        script = await get(gateway, f"/sdk/{told['version']}/{name}")
        digest = base64.b64encode(hashlib.sha384(script.body).digest()).decode()
        assert told["files"][name] == {"bytes": len(script.body), "integrity": f"sha384-{digest}"}
    assert (await get(gateway, f"/sdk/{told['version']}/{MANIFEST}")).status == 404, "it says what is current"
    again = await get(gateway, f"/sdk/{MANIFEST}", if_none_match=answer.headers["etag"])
    assert again.status == 304


async def test_it_is_served_without_docs_too_and_nothing_else_is() -> None:
    gateway = a_gateway(show_docs=False)
    assert (await get(gateway, f"/sdk/{SCRIPT}")).status == 200
    for path in ("/sdk/", f"/sdk/0.0.0/{SCRIPT}", "/sdk/../app.py", f"/sdk/{SCRIPT}/"):
        assert (await get(gateway, path)).status == 404
    assert (await gateway.nobody().post(f"/sdk/{SCRIPT}")).status == 405


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("gzip", True), ("br, gzip", True), ("gzip;q=0", False), ("gzip; q=0.0, br", False), ("gzip;q=0.1", True),
        ("*", True), ("*;q=0.5", True), ("*;q=0", False), ("gzip;q=0, *", False), ("br", False), ("", False),
    ],
)  # fmt: skip
def test_who_takes_gzip(accepted: str, expected: bool) -> None:
    assert accepts_gzip(accepted) is expected


def test_who_has_a_file() -> None:
    assert is_known('"a"', 'W/"a", "b"')
    assert is_known('"a"', "*")
    assert not is_known('"a"', '"aa"')
    assert not is_known('"a"', "")
