"""The one HTTP client: what it refuses, follows, limits and translates."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from providers import http
from providers.addresses import AddressPolicy
from providers.failures import CallFailed, FailureKind
from providers.http import HttpCall, HttpClient, Timeouts, redirected, retry_after_s
from tests.support.address_forms import LOOPBACK_SPELLINGS
from tests.support.stub_endpoint import Answer, StubEndpoint

pytestmark = pytest.mark.anyio
QUICK = Timeouts(total_s=0.3, connect_s=0.3, idle_s=0.3)
LOOPBACK = ("127.0.0.0/8", "::1")


@pytest.fixture
async def client() -> AsyncIterator[HttpClient]:
    made = HttpClient(AddressPolicy(LOOPBACK))
    yield made
    await made.close()


@pytest.fixture
async def guarded() -> AsyncIterator[HttpClient]:
    made = HttpClient(AddressPolicy())
    yield made
    await made.close()


async def kind_of(client: HttpClient, call: HttpCall) -> FailureKind:
    with pytest.raises(CallFailed) as caught:
        await client.send(call)
    return caught.value.kind


async def events_of(client: HttpClient, url: str) -> list[bytes]:
    async with aclosing(client.events(get(url))) as pieces:
        return [event async for events in pieces for event in events]


def get(url: str, **more: Any) -> HttpCall:
    return HttpCall("GET", url, **more)


async def test_gives_status_headers_and_body(client: HttpClient) -> None:
    async with StubEndpoint(Answer(404, b"gone", {"X-Part": "1"})) as stub:
        answer = await client.send(HttpCall("POST", f"{stub.url}/a?b=c", {"X-Key": "k"}, b"body"))
        asked = stub.asked[0]
    assert (answer.status, answer.headers["x-part"], answer.body) == (404, "1", b"gone")
    assert (asked.method, asked.target, asked.headers["x-key"], asked.body) == ("POST", "/a?b=c", "k", b"body")


@pytest.mark.parametrize("spelling", LOOPBACK_SPELLINGS)
async def test_loopback_is_refused_in_every_spelling(guarded: HttpClient, spelling: str) -> None:
    host = f"[{spelling.strip('[]')}]" if ":" in spelling else spelling
    async with StubEndpoint() as stub:
        assert await kind_of(guarded, get(f"http://{host}:{stub.port}/")) in {FailureKind.REFUSED, FailureKind.INVALID}
        assert stub.asked == []


@pytest.mark.parametrize("spelling", [spelling for spelling in LOOPBACK_SPELLINGS if ":" not in spelling])
async def test_odd_spellings_do_not_reach_loopback_even_when_it_is_allowed_elsewhere(spelling: str) -> None:
    async with StubEndpoint() as stub:
        client = HttpClient(AddressPolicy((f"127.0.0.1:{stub.port + 1}",)))
        assert await kind_of(client, get(f"http://{spelling}:{stub.port}/")) in {
            FailureKind.REFUSED,
            FailureKind.INVALID,
        }
        await client.close()
        assert stub.asked == []


async def test_an_address_is_refused_every_time_it_is_called(guarded: HttpClient) -> None:
    for _ in range(3):
        assert await kind_of(guarded, get("http://127.0.0.1:9/path")) is FailureKind.REFUSED


async def test_the_reading_of_an_address_with_a_query_is_not_kept(client: HttpClient) -> None:
    async with StubEndpoint() as stub:
        for target in ("/plain", "/plain", "/search?name=a", "/search?name=b"):
            await client.send(get(stub.url + target))
    assert [asked.target for asked in stub.asked] == ["/plain", "/plain", "/search?name=a", "/search?name=b"]
    assert client._read_often.cache_info().currsize == 1


async def test_a_connection_is_used_again_once_its_answer_is_read(client: HttpClient) -> None:
    async with StubEndpoint() as stub:
        for _ in range(3):
            await client.send(get(stub.url))
        assert len(stub._tasks) == 1


async def test_a_body_that_stops_coming_ends_with_the_whole_time_of_the_call(client: HttpClient) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        await reader.read()
        writer.close()

    async with await asyncio.start_server(half, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        assert await kind_of(client, get(url, timeouts=QUICK)) is FailureKind.TIMEOUT


async def test_the_address_that_was_judged_is_the_one_connected_to() -> None:
    lookups: list[str] = []

    async def lookup(host: str, port: int) -> Sequence[str]:
        lookups.append(host)
        return ("127.0.0.1",) if len(lookups) == 1 else ("169.254.169.254",)

    async with StubEndpoint() as stub:
        client = HttpClient(AddressPolicy(LOOPBACK), lookup=lookup)
        answer = await client.send(get(f"http://rebinding.example:{stub.port}/"))
        await client.close()
        assert stub.asked[0].headers["host"] == f"rebinding.example:{stub.port}"
    assert (answer.status, lookups) == (200, ["rebinding.example"])


async def test_a_name_that_means_a_private_address_is_refused() -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return ("127.0.0.1",)

    client = HttpClient(AddressPolicy(), lookup=lookup)
    assert await kind_of(client, get("http://innocent.example/")) is FailureKind.REFUSED
    await client.close()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://example.com/", "gopher://example.com/", "//example.com", "example.com", "", "http://",
        "http:///x", "http://user@example.com/", "http://user:pass@example.com/", "http://a@127.0.0.1/", "http://example.com:99999/",
        "http://[::1", "javascript:alert(1)", "http://example.com:x/", "http://" + "a" * 9_000,
    ],
)  # fmt: skip
async def test_an_address_of_another_form_is_refused(client: HttpClient, url: str) -> None:
    assert await kind_of(client, get(url)) is FailureKind.INVALID


async def test_redirects_are_not_followed_unless_asked(client: HttpClient) -> None:
    async with StubEndpoint(Answer(302, headers={"Location": "/b"})) as stub:
        assert (await client.send(get(stub.url))).status == 302


async def test_a_redirect_is_followed_and_counted(client: HttpClient) -> None:
    async with StubEndpoint(Answer(302, headers={"Location": "/b"}), Answer(body=b"there")) as stub:
        assert (await client.send(get(stub.url, redirects=1))).body == b"there"
        assert [asked.target for asked in stub.asked] == ["/", "/b"]
    async with StubEndpoint(Answer(302, headers={"Location": "/again"})) as stub:
        assert await kind_of(client, get(stub.url, redirects=3)) is FailureKind.REDIRECT
        assert len(stub.asked) == 4


@pytest.mark.parametrize(
    "target", ["http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/", "http://0xa9fea9fe/", "//10.0.0.1/"]
)
async def test_a_redirect_to_a_forbidden_address_is_refused(client: HttpClient, target: str) -> None:
    async with StubEndpoint(Answer(302, headers={"Location": target})) as stub:
        assert await kind_of(client, get(stub.url, redirects=5)) is FailureKind.REFUSED


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.com/", "http://u:p@127.0.0.1/"])
async def test_a_redirect_to_another_form_is_refused(client: HttpClient, target: str) -> None:
    async with StubEndpoint(Answer(307, headers={"Location": target})) as stub:
        assert await kind_of(client, get(stub.url, redirects=5)) is FailureKind.INVALID


async def test_secrets_do_not_follow_to_another_origin(client: HttpClient) -> None:
    async with StubEndpoint() as other, StubEndpoint(Answer(307, headers={"Location": f"{other.url}/x"})) as stub:
        headers = {"Authorization": "Bearer t", "X-Key": "k", "X-Plain": "p"}
        await client.send(get(stub.url, headers=headers, redirects=1, secret_headers=frozenset({"x-key"})))
        assert other.asked[0].headers["x-plain"] == "p"
        assert {"authorization", "x-key"}.isdisjoint(other.asked[0].headers)
        assert stub.asked[0].headers["x-key"] == "k"


@pytest.mark.parametrize(
    ("status", "method", "becomes"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "PUT", "GET"),
        (307, "POST", "POST"),
        (308, "PUT", "PUT"),
        (303, "HEAD", "HEAD"),
    ],
)
def test_method_and_body_follow_the_status(status: int, method: str, becomes: str) -> None:
    call = HttpCall(method, "http://a.example/", {"Content-Type": "text/plain", "X": "1"}, b"body")
    after = redirected(call, status, same_origin=True)
    assert after.method == becomes
    assert (after.body is None) == ("Content-Type" not in after.headers)


async def test_an_answer_that_is_too_long_is_refused(client: HttpClient) -> None:
    async with StubEndpoint(Answer(body=b"x" * 2_000)) as stub:
        assert await kind_of(client, get(stub.url, max_response_bytes=1_000)) is FailureKind.TOO_LARGE


async def test_an_answer_that_only_unpacks_too_long_is_refused(client: HttpClient) -> None:
    packed = gzip.compress(b"\0" * (8 << 20))
    async with StubEndpoint(Answer(body=packed, headers={"Content-Encoding": "gzip"})) as stub:
        assert await kind_of(client, get(stub.url, max_response_bytes=100_000)) is FailureKind.TOO_LARGE


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(hang=True), FailureKind.TIMEOUT),
        (Answer(raw=b""), FailureKind.CUT),
        (Answer(raw=b"\0\1 no HTTP\r\n\r\n"), FailureKind.GARBAGE),
        (Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), FailureKind.CUT),
        (Answer(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), FailureKind.CUT),
    ],
)
async def test_every_fault_of_the_wire_has_its_kind(client: HttpClient, answer: Answer, kind: FailureKind) -> None:
    async with StubEndpoint(answer) as stub:
        assert await kind_of(client, get(stub.url, timeouts=QUICK)) in {kind, FailureKind.GARBAGE}


async def test_nobody_listening_has_not_been_sent(client: HttpClient) -> None:
    with pytest.raises(CallFailed) as caught:
        await client.send(get("http://127.0.0.1:1/"))
    assert (caught.value.kind, caught.value.sent) == (FailureKind.CONNECT, False)


async def test_a_timeout_says_that_the_request_may_have_arrived(client: HttpClient) -> None:
    async with StubEndpoint(Answer(hang=True)) as stub:
        with pytest.raises(CallFailed) as caught:
            await client.send(get(stub.url, timeouts=QUICK))
    assert caught.value.sent


async def test_a_header_with_a_line_break_is_not_sent(client: HttpClient) -> None:
    async with StubEndpoint() as stub:
        assert await kind_of(client, get(stub.url, headers={"X": "a\r\nY: b"})) is FailureKind.INVALID
        assert stub.asked == []


async def test_events_come_as_they_are_sent(client: HttpClient) -> None:
    body = b"data: one\n\ndata: two\n\n"
    async with StubEndpoint(Answer(body=body, headers={"Content-Type": "text/event-stream"})) as stub:
        assert await events_of(client, stub.url) == [b"one", b"two"]


async def test_events_of_an_error_are_its_status_and_the_beginning_of_its_body(client: HttpClient) -> None:
    async with StubEndpoint(Answer(429, b"x" * 100_000, {"Retry-After": "7"})) as stub:
        with pytest.raises(CallFailed) as caught:
            await events_of(client, stub.url)
    failure = caught.value
    assert (failure.kind, failure.status, failure.retry_after_s) == (FailureKind.STATUS, 429, 7.0)
    assert len(failure.body) == http.MAX_ERROR_BODY_BYTES


async def test_an_endless_stream_is_stopped(client: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_STREAM_BYTES", 1_000)
    async with StubEndpoint(Answer(body=b"data: x\n\n" * 10_000)) as stub:
        with pytest.raises(CallFailed) as caught:
            await events_of(client, stub.url)
    assert caught.value.kind is FailureKind.TOO_LARGE


async def test_more_calls_than_connections_wait_their_turn() -> None:
    async with StubEndpoint() as stub:
        client = HttpClient(AddressPolicy(LOOPBACK), max_connections=2)
        answers = await asyncio.gather(*(client.send(get(stub.url)) for _ in range(20)))
        await client.close()
    assert [one.status for one in answers] == [200] * 20


async def test_no_cookies_are_kept_between_calls(client: HttpClient) -> None:
    async with StubEndpoint(Answer(headers={"Set-Cookie": "a=b"})) as stub:
        await client.send(get(stub.url))
        await client.send(get(stub.url))
        assert "cookie" not in stub.asked[1].headers


@pytest.mark.parametrize(
    ("text", "seconds"), [("7", 7.0), ("0.5", 0.5), ("soon", None), ("-1", None), ("", None), ("٣", None)]
)
def test_retry_after_is_read_as_seconds(text: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": text}) == seconds


async def test_a_redirect_to_what_is_no_address_is_a_failure_of_the_call(client: HttpClient) -> None:
    for target in ("http://[::1", "http://\u00ef\u00bc\u0091.1/", "http://a:b:c/"):
        async with StubEndpoint(Answer(302, b"", {"Location": target})) as stub:
            assert await kind_of(client, get(stub.url, redirects=1)) in {FailureKind.REDIRECT, FailureKind.INVALID}
