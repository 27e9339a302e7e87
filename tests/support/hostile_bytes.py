"""What is written on a connection by hand: requests that are none, or that never end."""

from __future__ import annotations

import gzip

JSON_HEAD = "content-type: application/json\r\n"
HEAD = "host: testserver\r\n"

BROKEN: dict[str, bytes] = {
    "no request": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64,
    "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "another version": b"GET /health HTTP/9.9\r\nhost: a\r\n\r\n",
    "a method with a space": b"GE T /health HTTP/1.1\r\nhost: a\r\n\r\n",
    "a path with a zero": b"GET /he\0alth HTTP/1.1\r\nhost: a\r\n\r\n",
    "a path with a space": b"GET /he alth HTTP/1.1\r\nhost: a\r\n\r\n",
    "a header without a colon": b"GET /health HTTP/1.1\r\nhost\r\n\r\n",
    "a header with a zero": b"GET /health HTTP/1.1\r\nhost: a\0b\r\n\r\n",
    "a name with a space": b"GET /health HTTP/1.1\r\nho st: a\r\n\r\n",
    "a name with bytes": b"GET /health HTTP/1.1\r\nh\xffst: a\r\n\r\n",
    "a length that is none": b"POST /api/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: ten\r\n\r\n",
    "a length below none": b"POST /api/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n",
    "a length beyond numbers": b"POST /api/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: " + b"9" * 40 + b"\r\n\r\n",
    "two lengths": b"POST /api/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} ",
    "a chunk that is no number": b"POST /api/auth/login HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
    "a chunk below none": b"POST /api/auth/login HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n",
    "a chunk beyond numbers": b"POST /api/auth/login HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
    + b"F" * 40 + b"\r\n",
    "a large head": b"GET /health HTTP/1.1\r\nhost: a\r\n" + b"x: " + b"a" * 200_000 + b"\r\n\r\n",
    "many headers": b"GET /health HTTP/1.1\r\nhost: a\r\n" + b"x: a\r\n" * 40_000 + b"\r\n",
    "a long path": b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nhost: a\r\n\r\n",
}  # fmt: skip
"""What no server may take for a request: it answers 4xx, or cuts the connection."""


def chunked(piece: bytes, count: int) -> bytes:
    """Return a body in chunks that has no last one."""
    return f"{len(piece):x}\r\n".encode().join([b"", *[piece + b"\r\n"] * count])


def packed_bomb() -> bytes:
    """Return a body that is small only while it is packed."""
    return gzip.compress(b'{"a":"' + b"a" * 50_000_000 + b'"}')
