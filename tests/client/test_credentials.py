"""The generated client shows each operation the credential that it asks for, and no other. Spec: platform-api 2.1."""

from __future__ import annotations

import asyncio
import inspect
import io
from typing import Any
from urllib.request import Request

import pytest

from abl_client import Client, CredentialMissing, transport
from gateway.app import document
from tests.flows_gateway.test_contract import CLERK
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers

SECRETS = {
    "key": "abl_k", "token": "of-a-user", "sdk_token": "of-a-page", "public_key": "pk_p", "sandbox_token": "of-code",
}  # fmt: skip
OF_SCHEME = {
    "apiKey": ("X-api-key", "abl_k"),
    "bearer": ("Authorization", "Bearer of-a-user"),
    "sdkToken": ("X-sdk-token", "of-a-page"),
    "publicKey": ("X-public-key", "pk_p"),
    "publicApiKey": ("X-api-key", "pk_p"),
    "sandboxToken": ("Authorization", "Bearer of-code"),
}
HEADERS = {header for header, _ in OF_SCHEME.values()}
AT_LEAST = 140


def operations(client: Client) -> list[Any]:
    """Return the methods of all parts of the API."""
    parts = [part for part in vars(client).values() if type(part).__name__.endswith("Api")]
    return [method for part in parts for name, method in inspect.getmembers(part, inspect.ismethod) if name[0] != "_"]


def called(method: Any) -> None:
    """Call a method with something for each argument that it must have."""
    needed = [one for one in inspect.signature(method).parameters.values() if one.default is inspect.Parameter.empty]
    places = [{} if one.name == "body" else "x" for one in needed if one.kind is one.POSITIONAL_OR_KEYWORD]
    method(*places, **{one.name: "x" for one in needed if one.kind is one.KEYWORD_ONLY})


def schemes_of(paths: dict[str, Any], asked: Request) -> set[str]:
    """Return the credentials that the operation of a request takes."""
    words = asked.selector.partition("?")[0].split("/")
    for path, ways in paths.items():
        parts = path.split("/")
        if len(parts) == len(words) and all(
            part[:1] == "{" or part == word for part, word in zip(parts, words, strict=True)
        ):
            operation = ways.get(str(asked.get_method()).lower())
            if operation is not None and not any(
                part[:1] == "{" and word != "x" for part, word in zip(parts, words, strict=True)
            ):
                return {scheme for one in operation["security"] for scheme in one}
    raise AssertionError(f"no operation for {asked.get_method()} {asked.selector}")


def test_every_operation_is_shown_one_credential_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Request] = []

    def taken(request: Request, *, timeout: float) -> io.BytesIO:
        assert timeout
        sent.append(request)
        return io.BytesIO(b"{}")

    monkeypatch.setattr(transport, "urlopen", taken)
    paths, wrong, walked = document("1")["paths"], [], 0
    for method in operations(Client("http://127.0.0.1:1", **SECRETS)):
        sent.clear()
        called(method)
        (asked,) = sent
        walked += 1
        shown = {(name, value) for name, value in asked.headers.items() if name in HEADERS}
        schemes = schemes_of(paths, asked)
        if len(shown) != bool(schemes) or not shown <= {OF_SCHEME[one] for one in schemes}:
            wrong.append((asked.get_method(), asked.selector, shown, schemes))
    assert wrong == []
    assert walked >= AT_LEAST


def test_a_credential_that_is_not_there_is_named() -> None:
    client = Client("http://127.0.0.1:1", "abl_k")
    for method, missing in (
        (client.sdk.refresh, "sdk_token"),
        (client.auth.get_me, "token"),
        (lambda: client.sdk.init({}), "public_key"),
        (lambda: client.memory.use_memory({"action": "get", "memoryStoreName": "a"}), "sandbox_token"),
    ):
        with pytest.raises(CredentialMissing, match=f"asks for {missing};"):
            method()


def walk(gateway: LiveGateway) -> str:
    url = f"http://127.0.0.1:{gateway.port}"
    begun = Client(url, public_key=gateway.public_key).sdk.init({"projectId": gateway.project_id})
    page = Client(url, sdk_token=begun["token"])
    fresh = Client(url, sdk_token=page.sdk.refresh()["token"])
    assert fresh.sdk.make_ticket()["ticket"]
    return fresh.chat.chat_with_agent({"projectId": gateway.project_id, "message": "hello"})["response"]


@pytest.mark.anyio
async def test_a_page_begins_renews_itself_and_speaks_with_it(servers: Servers) -> None:
    async with a_live_gateway(servers, "client-page", {"c.abl": CLERK}) as gateway:
        assert await asyncio.to_thread(walk, gateway) == "heard 1: hello"
