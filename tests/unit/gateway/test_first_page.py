"""The page at `/`: the agents of the project, and a widget where its key lets it speak. Decision: 0097."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from actors.agent_cards import AgentCard
from gateway.first_page import POLICY, first_page_routes
from gateway.settings import FirstPage
from tests.support.asgi import Client
from tests.support.gateway import PROJECT, PUBLIC_KEY, TENANT, FakeCards, Gateway, a_gateway, a_public_key

pytestmark = pytest.mark.anyio
OWN = "http://testserver"
PAGE = FirstPage(TENANT, PROJECT, "bank <b>", PUBLIC_KEY)


class Read(HTMLParser):
    """What stands in a page: elements with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def a_first_page(page: FirstPage | None = PAGE, **key: Any) -> Gateway:
    gateway = a_gateway(first_page=page)
    gateway.public_keys.keys[PUBLIC_KEY] = a_public_key(
        **{"allowed_origins": (OWN,), "allow_agent_override": True, **key}
    )
    return gateway


async def shown(gateway: Gateway, path: str = "/", status: int = 200) -> Read:
    answer = await gateway.nobody().get(path)
    assert answer.status == status
    assert answer.headers["content-security-policy"] == POLICY
    return Read(answer.body.decode())


async def test_it_names_the_agents_and_speaks_with_the_chosen_one() -> None:
    gateway = a_first_page()
    page = await shown(gateway)
    assert [one["href"] for one in page.of("a")] == ["/", "/?agent=bank%2FClerk", "/docs"]
    assert "bank <b>" in page.text
    assert "Counts" in page.text
    assert page.of("agent-widget") == [
        {"project-id": PROJECT, "api-key": PUBLIC_KEY, "heading": "Front_Desk", "open": None}
    ]
    chosen = await shown(gateway, "/?agent=bank%2FClerk")
    assert [one.get("aria-current") for one in chosen.of("a")[:2]] == [None, "true"]
    assert chosen.of("agent-widget")[0]["agent-id"] == "bank/Clerk"


async def test_what_it_is_told_is_text_and_never_a_part_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = '"><script>alert(1)</script>&'

    async def cards(_self: FakeCards, _tenant_id: str, _project_id: str) -> tuple[AgentCard, ...]:
        return (AgentCard(bad, bad, is_entry=True), AgentCard(bad + "2", bad))

    monkeypatch.setattr(FakeCards, "cards", cards)
    gateway = a_first_page(FirstPage(TENANT, PROJECT, bad, PUBLIC_KEY))
    for path, status in (
        ("/", 200),
        ("/?agent=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%262", 200),
        ("/?agent=%3Cscript%3E", 404),
    ):
        page = await shown(gateway, path, status)
        assert [one.get("src") for one in page.of("script")] == ["/sdk/agent-widget.js"] * (status == 200)
        assert page.of("style") == []
        assert not any(
            name.startswith("on") or name == "style" for _, attributes in page.elements for name in attributes
        )
    for host in (bad, "evil.example:1"):
        answer = await Client(gateway.app, {"host": host}).get("/")
        assert [one for one in Read(answer.body.decode()).of("script") if "src" not in one] == []


async def test_it_says_why_there_can_be_no_conversation() -> None:
    for gateway, told in (
        (a_first_page(FirstPage(TENANT, PROJECT, "bank")), "knows no page key"),
        (a_first_page(FirstPage(TENANT, PROJECT, "bank", "pk_revoked")), "knows no page key"),
        (
            a_first_page(allowed_origins=("http://localhost:1",)),
            "http://localhost:1. This page came from http://testserver",
        ),
    ):
        page = await shown(gateway)
        assert told in page.text
        assert "Front_Desk" in page.text
        assert page.of("agent-widget") == page.of("script") == []
    nobody = await shown(a_first_page(), "/?agent=Nobody", 404)
    assert "no agent Nobody" in nobody.text
    assert nobody.of("agent-widget") == []


async def test_a_key_that_may_not_name_agents_has_the_entry_agent_only() -> None:
    page = await shown(a_first_page(allow_agent_override=False))
    assert [one["href"] for one in page.of("a")] == ["/", "/docs"]
    assert "bank/Clerk" in page.text
    assert "may not name agents" in page.text
    assert len(page.of("agent-widget")) == 1


async def test_it_has_its_style_and_nothing_else_and_is_served_only_when_wanted() -> None:
    gateway = a_first_page()
    style = await gateway.nobody().get("/first-page.css")
    assert (style.status, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert not re.search(r"https?:|//|@import|url\(", style.body.decode())
    assert "unsafe" not in POLICY
    assert (await gateway.nobody().post("/")).status == 405
    for path in ("/", "/first-page.css"):
        assert (await a_gateway().nobody().get(path)).status == 404
    assert first_page_routes(None) == ()
