"""Addresses to which no hook of a tenant may lead, in every way that somebody has found to write them."""

from __future__ import annotations

from tests.support.address_forms import LOOPBACK_NAMES, LOOPBACK_SPELLINGS, REFUSED

FORMS = ("https://{}/", "https://{}:8443/hook?to=https://example.com", "HTTPS://{}#@example.com")
NOT_HTTPS = """
http://example.com ftp://example.com gopher://example.com file:///etc/passwd file://localhost/etc/passwd ws://example.com
data:text/plain,a javascript:alert(1) jar:https://example.com!/ ldap://example.com dict://example.com:11211/
tftp://example.com unix:///tmp/a netdoc:///etc/passwd //example.com /hook hook example.com https:example.com https:/ https://
https:///hook https://?a https://#a https://@ https://: https://:443/ ://example.com 127.0.0.1:8080 blob:https://example.com
view-source:https://example.com
""".split()
DISGUISED = (
    "https://user@example.com/", "https://user:word@example.com/", "https://127.0.0.1@example.com/",
    "https://example.com@127.0.0.1/", "https://example.com%40@127.0.0.1/", "https://1.1.1.1\\@127.0.0.1/",
    "https://:@example.com/", "https://example.com:99999/", "https://example.com:-1/", "https://example.com:a/",
    "https://example.com/\r\nX: y", "https://example.com/\ta", "https://exa\nmple.com/", "https://example.com/\0",
    "https://example.com\x7f/", "https://example.com\u202e/", "https://\u2028/", "\u00a0https://example.com",
    "https://example.com/" + "a" * 10_000, "https://" + "a." * 5_000 + "com/", "https://[fe80::1%25eth0]/",
    "https://[::ffff:127.0.0.1%25x]/", "https://127.0.0.1\u3002/", "https://[0:0:0:0:0:ffff:7f00:1]/",
)  # fmt: skip


def refused_addresses() -> list[str]:
    """Return them all."""
    hosts = dict.fromkeys((*LOOPBACK_SPELLINGS, *LOOPBACK_NAMES, *REFUSED))
    spelt = [form.format(f"[{host}]" if ":" in host and "[" not in host else host) for host in hosts for form in FORMS]
    return [*spelt, *NOT_HTTPS, *DISGUISED]
