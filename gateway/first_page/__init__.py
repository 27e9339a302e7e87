"""The page at `/`: the agents of the project that is served, and a conversation with one of them. Decision: 0097.

It is for whoever tries the product out, so it is served in development mode only, and it may do what its page key
allows and nothing more. It has no script of its own: to choose an agent is to follow a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from actors.agent_cards import AgentCard
from domain.errors import Unauthenticated
from gateway.auth.origins import is_allowed
from gateway.auth.public_keys import PublicKey
from gateway.services import Services, services_of
from gateway.settings import FirstPage

PATH: Final = "/"
STYLE_PATH: Final = "/first-page.css"
AGENT: Final = "agent"
"""The word of the query that names the agent of a conversation; without it that is the entry agent."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""What the page may load: its own style, the widget, and answers of this gateway."""
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
NO_KEY: Final = (
    "This server knows no page key of the project, or it was revoked: what it prints at its start says more."
)
NO_ORIGIN: Final = "The page key of the project is for pages of {}. This page came from {}."
NO_AGENTS: Final = "The project has no agents yet."
NO_SUCH_AGENT: Final = "There is no agent {} in the project."
OTHERS: Final = "The page key may not name agents, so only the first one answers here."


def first_page_routes(page: FirstPage | None) -> Sequence[Route]:
    """Return the routes of the page and its style; none where there is no page."""
    if page is None:
        return ()
    style = files(__package__).joinpath("first_page.css").read_text(encoding="utf-8")

    async def serve(request: Request) -> Response:
        shown, status = await _shown(page, request, services_of(request))
        return HTMLResponse(shown, status_code=status, headers=HEADERS)

    async def serve_style(_request: Request) -> Response:
        return Response(style, media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})

    return (
        Route(PATH, serve, methods=["GET"], include_in_schema=False),
        Route(STYLE_PATH, serve_style, methods=["GET"], include_in_schema=False),
    )


async def _shown(page: FirstPage, request: Request, services: Services) -> tuple[str, int]:
    """Return the page as a request finds it, and its status."""
    cards = sorted(
        await services.agent_cards.cards(page.tenant_id, page.project_id), key=lambda card: not card.is_entry
    )
    wanted = request.query_params.get(AGENT, "")
    chosen = next((card for card in cards if (card.name == wanted if wanted else card.is_entry)), None)
    key = await _key(page, services)
    if not cards:
        return _html(page, cards, chosen, key, NO_AGENTS), 200
    if chosen is None:
        return _html(page, cards, chosen, key, NO_SUCH_AGENT.format(wanted)), 404
    return _html(page, cards, chosen, key, _hindrance(key, f"{request.url.scheme}://{request.url.netloc}")), 200


async def _key(page: FirstPage, services: Services) -> PublicKey | None:
    if not page.public_key:
        return None
    try:
        return await services.public_keys.by_secret(page.public_key)
    except Unauthenticated:
        return None


def _hindrance(key: PublicKey | None, origin: str) -> str:
    """Return why there can be no conversation on a page of this origin; "" where there can be one."""
    if key is None:
        return NO_KEY
    if not is_allowed(origin, key.allowed_origins):
        return NO_ORIGIN.format(", ".join(key.allowed_origins) or "nowhere", origin)
    return ""


def _html(
    page: FirstPage, cards: Sequence[AgentCard], chosen: AgentCard | None, key: PublicKey | None, told: str
) -> str:
    """Return the page; `told` stands in the place of a conversation that cannot be."""
    may_choose = key is not None and key.allow_agent_override
    items = "\n".join(_item(card, is_chosen=card is chosen, is_link=may_choose or card.is_entry) for card in cards)
    notes = [told] if told else [] if may_choose or len(cards) < 2 else [OTHERS]
    said = "\n".join(f'<p role="note">{escape(note)}</p>' for note in notes)
    widget = "" if told or chosen is None else _widget(page, chosen)
    name = escape(page.name)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<link rel="stylesheet" href="{STYLE_PATH}">
<main>
<h1>{name}</h1>
<p>Choose an agent and talk to it.</p>
<ul>
{items}
</ul>
{said}
<p class="more">For programs: <a href="/docs">the API</a>, project <code>{escape(page.project_id)}</code></p>
</main>
{widget}
"""


def _item(card: AgentCard, *, is_chosen: bool, is_link: bool) -> str:
    name, description = escape(card.name), escape(card.description)
    href = PATH if card.is_entry else f"{PATH}?{urlencode({AGENT: card.name})}"
    current = ' aria-current="true"' if is_chosen else ""
    shown = f'<a href="{escape(href)}"{current}>{name}</a>' if is_link else f"<span>{name}</span>"
    return f"<li>{shown} <small>{description}</small></li>"


def _widget(page: FirstPage, chosen: AgentCard) -> str:
    agent = "" if chosen.is_entry else f' agent-id="{escape(chosen.name)}"'
    return (
        f'<agent-widget project-id="{escape(page.project_id)}" api-key="{escape(page.public_key)}"{agent}'
        f' heading="{escape(chosen.name)}" open></agent-widget>\n<script src="/sdk/agent-widget.js"></script>'
    )
