"""Addresses to which no hook of a tenant may lead, in every way that somebody has found to write them."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from itertools import cycle

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


METADATA_IPV4 = "169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192".split()
LINK_LOCAL_IPV4 = "169.254.0.1 169.254.1.0 169.254.255.255".split()
NOBODYS_IPV4 = "0.0.0.0 0.1.2.3 192.0.2.1 198.18.0.1 203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255".split()
METADATA_NAMES = """
metadata metadata. METADATA metadata.google.internal METADATA.Google.Internal metadata.google.internal. metadata.goog
ｍｅｔａｄａｔａ.google.internal metadata。google。internal metadata.tencentyun.com instance-data instance-data.ec2.internal
""".split()
NOBODYS_IPV6 = """
fe80::1 FE80::1 fe80:0:0:0:0:0:0:1 fe80::1%eth0 fe80::1%25eth0 fe80::1%1 fe80::a9fe:a9fe febf:ffff::1 fd00:ec2::254
FD00:EC2::254 fd00:0ec2:0:0:0:0:0:0254 fd00:ec2::23 fd20:ce::254 fd00:ec2::254%eth0 :: 0:0:0:0:0:0:0:0 ff02::1 ff0e::1
2001:db8::1 2001::1 3fff::1 5f00::1 100::1 4000::1 64:ff9b:1::a9fe:a9fe 2001:0:a9fe:a9fe::1 2606:4700::5efe:169.254.169.254
""".split()
MODEL_FORMS = ("http://{}/v1", "https://{}:8443/v1?to=https://example.com")
NO_MODEL_ADDRESS = """
ftp://example.com gopher://example.com file:///etc/passwd file://localhost/etc/passwd ws://example.com data:text/plain,a
javascript:alert(1) jar:http://example.com!/ ldap://example.com dict://example.com:11211/ unix:///tmp/a netdoc:///etc/passwd
//example.com /v1 v1 example.com http:example.com http:/ http:// http:///v1 http://?a http://#a http://@ http://: http://:80/
://example.com 127.0.0.1:8080 blob:http://example.com http://user@example.com/ http://:@example.com/ http://@example.com/
http://:word@example.com/ http://example.com@169.254.169.254/ http://169.254.169.254@example.com/ http://example.com:99999/
http://example.com:-1/ http://example.com:a/ http://example.com:0/ http://example.com/#v1 http://1.1.1.1\\@169.254.169.254/
http://169.254.169%2e254/ http://%31%36%39.254.169.254/ http://metadata%2egoogle%2einternal/ http://[fe80::1 http://fe80::1/
http://[169.254.169.254]/ http://[::1]x/ http://a^b/ http://a|b/ http://{{env.HOST}}/ http://a"b/ http://<a>/ http://%00/
""".split()
NO_MODEL_TEXT = (
    "", " ", " http://example.com", "http://exam ple.com/", "http://example.com/\r\nX: y", "http://exa\nmple.com/",
    "http://example.com/\ta", "http://example.com/\0", "http://example.com\x7f/", "http://example.com\u202e/",
    "http://169\u00ad.254.169.254/", "http://\u200b169.254.169.254/", "http://\u2028/", "http://example.com/" + "a" * 3_000,
)  # fmt: skip


def spellings(text: str) -> Iterator[str]:
    """Yield an address of IPv4 in the ways that some library has read as one."""
    address = IPv4Address(text)
    number, parts = int(address), address.packed
    tails = (parts[3], number & 0xFFFF, number & 0xFFFFFF, number)
    for form in ("{:d}", "0{:o}", "0x{:x}", "0X{:X}", "000{:o}", "0x00{:x}"):
        for kept, tail in zip((3, 2, 1, 0), tails, strict=True):
            yield ".".join(form.format(part) for part in (*parts[:kept], tail))
    yield f"0x{parts[0]:x}.{parts[1]}.0{parts[2]:o}.{parts[3]}"
    yield f"{text}."
    for digits, stop in (
        ("０１２３４５６７８９", "．"),
        ("⓪①②③④⑤⑥⑦⑧⑨", "."),
        ("𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "."),
        ("0123456789", "。"),
    ):
        yield "".join(stop if sign == "." else digits[int(sign)] for sign in text)
    high, low = number >> 16, number & 0xFFFF
    for inside in (f"::ffff:{text}", f"::FFFF:{high:x}:{low:x}", f"0:0:0:0:0:ffff:{high:04x}:{low:04X}", f"::{text}"):
        yield f"[{inside}]"
    yield f"[64:ff9b::{text}]"
    yield f"[64:ff9b::{high:x}:{low:x}]"
    yield f"[2002:{high:x}:{low:x}::]"
    yield f"[::ffff:{text}%25eth0]"
    yield f"[fe80::5efe:{text}]"


def no_models_there() -> list[str]:
    """Return addresses at which no model of a tenant can be, and texts that are none."""
    hosts = [one for text in (*METADATA_IPV4, *LINK_LOCAL_IPV4, *NOBODYS_IPV4) for one in spellings(text)]
    hosts += [*(f"[{one}]" for one in NOBODYS_IPV6), *METADATA_NAMES]
    spelt = [form.format(host) for host, form in zip(dict.fromkeys(hosts), cycle(MODEL_FORMS), strict=False)]
    return [*spelt, *NO_MODEL_ADDRESS, *NO_MODEL_TEXT]


def inward_hosts() -> list[str]:
    """Return hosts at which nothing may be called where the operator allows nothing, as they stand in an address."""
    named = [*LOOPBACK_SPELLINGS, *LOOPBACK_NAMES, *REFUSED, *NOBODYS_IPV6, *METADATA_NAMES]
    hosts = [f"[{host}]" if ":" in host and "[" not in host else host for host in named]
    inner = [one for text in ("127.0.0.1", "10.0.0.1", *METADATA_IPV4, *NOBODYS_IPV4[:2]) for one in spellings(text)]
    return [*dict.fromkeys((*hosts, *inner))]


def inward_addresses(port: int) -> list[str]:
    """Return addresses of this port at which nothing may be called where the operator allows nothing."""
    disguised = [
        f"http://example.com@127.0.0.1:{port}/", f"http://user:word@127.0.0.1:{port}/", f"http://1.1.1.1\\@127.0.0.1:{port}/",
        f"http://127.0.0.1:{port}\\.example.com/", f"http://127.0.0.1%2f:{port}/", f"http://127.0.0%2e1:{port}/",
        f"http://127.0.0.1\t:{port}/", f" http://127.0.0.1:{port}/", f"http:127.0.0.1:{port}/", f"http:///127.0.0.1:{port}/",
        f"//127.0.0.1:{port}/", f"127.0.0.1:{port}/", f"file://127.0.0.1:{port}/", f"gopher://127.0.0.1:{port}/_GET",
        f"ftp://127.0.0.1:{port}/", f"ws://127.0.0.1:{port}/", f"unix://127.0.0.1:{port}/", f"http://a.127.0.0.1.nip.example:{port}/",
    ]  # fmt: skip
    return [*(f"http://{host}:{port}/" for host in inward_hosts()), *disguised]
