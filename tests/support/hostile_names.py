"""Names, numbers and moments that nothing has, as they are written into paths, queries and headers."""

from __future__ import annotations

from urllib.parse import quote

NAMES: dict[str, str] = {
    "up": "..%2f..%2f..%2fetc%2fpasswd",
    "up, written twice": "%252e%252e%252fetc",
    "up with other strokes": "..%5c..%5cwindows",
    "dots": "%2e%2e",
    "a dot": "%2e",
    "an overlong stroke": "%c0%af",
    "a stroke of full width": quote("．．／etc"),
    "a zero": "a%00b",
    "a zero at the end": "agent%00.abl",
    "no UTF-8": "%ff%fe",
    "half of a sign": "%e2%82",
    "a surrogate": "%ed%a0%80",
    "two lines": "a%0d%0aSet-Cookie:%20a=b",
    "a line": "a%0ab",
    "SQL": quote("' OR 1=1;--", safe=""),
    "SQL that drops": quote("'); DROP TABLE users;--", safe=""),
    "SQL that sleeps": quote("1; SELECT pg_sleep(10)", safe=""),
    "a pattern of LIKE": "%25%25",
    "a placeholder": quote("$1 :tenant_id %s {0}", safe=""),
    "a template": quote("{{7*7}}${7*7}<%=7*7%>#{7*7}", safe=""),
    "a command": quote("$(id)`id`|id;id", safe=""),
    "a script": quote("<script>alert(1)</script>", safe=""),
    "a lookup": quote("${jndi:ldap://127.0.0.1/a}", safe=""),
    "long": "a" * 300,
    "very long": "a" * 20_000,
    "long in bytes": quote("\N{PILE OF POO}" * 200),
    "marks without a letter": quote("\u0300" * 100),
    "from right to left": quote("\u202egnp.exe"),
    "nothing to see": quote("\u200b\u2060\ufeff"),
    "a space": "%20",
    "a tab": "%09",
    "a delete": "%7f",
    "minus one": "-1",
    "a large number": "9" * 40,
    "a larger number": "9" * 5_000,
    "beyond 32 bits": "2147483648",
    "beyond 64 bits": "9223372036854775808",
    "a fraction": "1.5",
    "an exponent": "1e400",
    "not a number": "NaN",
    "infinity": "Infinity",
    "digits elsewhere": quote("٣"),
    "null": "null",
    "undefined": "undefined",
    "a prototype": "__proto__",
    "a list": "[]",
    "an object": quote('{"$ne":null}', safe=""),
    "everything": "*",
    "a pattern that explodes": quote("(a+)+$" + "a" * 60, safe=""),
}
"""Parts of a path, as they are sent."""

NUMBERS = (
    "-1",
    "9" * 40,
    "9" * 5_000,
    "1.5",
    "1e9",
    "0x10",
    "NaN",
    "%20",
    "",
    "1,2",
    "%00",
    "%d9%a3",
    "[]",
    "true",
)
"""What is no count of rows, and no place in them."""

MOMENTS = (
    "0000-00-00", "2026-13-01", "2026-02-30T00:00:00Z", "9999-99-99", "%00", "yesterday", "1e400", "9" * 5_000, "-1",
    "2026-01-01T25:00:00Z", "2026-01-01T00:00:00%2b99:99", "10000-01-01", "2026-W99-1", "%ff", "T", "2026-01-01Z00",
)  # fmt: skip
"""What is no moment."""
