"""Bodies that no route may take: broken, ambiguous, too deep, in another encoding, or of another type."""

from __future__ import annotations

import gzip
import zlib

DEEP = 100_000

NO_JSON: dict[str, bytes] = {
    "an open object": b"{",
    "an open key": b'{"a',
    "a key without a value": b'{"a":',
    "a comma too many": b'{"a":1,}',
    "a comma too many in a list": b"[1,]",
    "two values": b"{}{}",
    "a value and more": b"{} x",
    "single quotes": b"{'a':1}",
    "a bare key": b"{a:1}",
    "a comment": b'{"a":1}//',
    "a block comment": b'/**/{"a":1}',
    "not a number": b'{"a":NaN}',
    "infinity": b'{"a":Infinity}',
    "minus infinity": b'{"a":-Infinity}',
    "a plus": b'{"a":+1}',
    "a leading zero": b'{"a":01}',
    "hexadecimal": b'{"a":0x10}',
    "an open fraction": b'{"a":1.}',
    "an open exponent": b'{"a":1e}',
    "a capital word": b'{"a":True}',
    "undefined": b'{"a":undefined}',
    "a line in a text": b'{"a":"b\nc"}',
    "a zero in a text": b'{"a":"b\0c"}',
    "an unknown escape": b'{"a":"\\x41"}',
    "an open escape": b'{"a":"\\u00"}',
    "half of a pair": b'{"a":"\\ud800"}',
    "the other half": b'{"a":"\\udc00\\ud800"}',
    "a mark in front": b'\xef\xbb\xbf{"a":1}',
    "a prefix against scripts": b')]}\'\n{"a":1}',
    "XML": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    "a form": b"a=1&b=2",
    "spaces": b"   ",
    "a null byte": b"\0",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "UTF-16 without a mark": '{"a":1}'.encode("utf-16-le"),
    "UTF-32": '{"a":1}'.encode("utf-32"),
    "UTF-7": b'{"a":"+AGE-"+/v8}',
    "Latin-1": '{"a":"é"}'.encode("latin-1"),
    "a byte that continues nothing": b'{"a":"\x80"}',
    "an overlong slash": b'{"a":"\xc0\xaf"}',
    "an overlong slash of three": b'{"a":"\xe0\x80\xaf"}',
    "an overlong zero": b'{"a":"\xc0\x80"}',
    "a surrogate": b'{"a":"\xed\xa0\x80"}',
    "beyond Unicode": b'{"a":"\xf5\x80\x80\x80"}',
    "half of a sign": b'{"a":"\xe2\x82"}',
    "bytes that are nowhere": b'{"a":"\xfe\xff"}',
    "many lists": b"[" * DEEP,
    "many objects": b'{"a":' * DEEP,
    "many closed lists": b"[" * DEEP + b"]" * DEEP,
    "many closed objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "lists and objects": b'[{"a":' * (DEEP // 2),
    "a packed body": gzip.compress(b'{"a":1}'),
    "a packed bomb": gzip.compress(b" " * 10_000_000),
    "a deflated bomb": zlib.compress(b" " * 10_000_000),
}
"""What is not JSON for a strict reader."""

TWICE: dict[str, bytes] = {
    "a key twice": b'{"a":1,"a":2}',
    "a key twice, once escaped": b'{"a":1,"\\u0061":2}',
    "a key twice, deep": b'{"a":[{"b":{"c":1,"c":2}}]}',
    "a key very often": b"{" + b",".join([b'"a":1'] * 10_000) + b"}",
    "the empty key twice": b'{"":1,"":2}',
    "a project twice": b'{"projectId":"a","projectId":"b"}',
}
"""JSON that readers do not agree on."""

OTHER_VALUES: dict[str, bytes] = {
    "null": b"null",
    "a truth": b"true",
    "a number": b"0",
    "a large number": b"9" * 5_000,
    "a larger number": b"1e400",
    "a text": b'"a"',
    "a list": b"[]",
    "a list of pairs": b'[["a",1]]',
}
"""JSON that is no object."""

OTHER_TYPES: dict[str, str] = {
    "a plain text": "text/plain",
    "a form": "application/x-www-form-urlencoded",
    "a form of parts": "multipart/form-data; boundary=x",
    "XML": "application/xml",
    "a word that begins like it": "application/jsonp",
    "a word that ends like it": "text/json",
    "two types": "text/plain, application/json",
    "a type in a parameter": "text/plain; x=application/json",
    "bytes": "application/octet-stream",
    "gzip": "application/gzip",
    "nothing": "",
    "a zero": "application/json\0",
}
"""Content types that no route of JSON reads."""
