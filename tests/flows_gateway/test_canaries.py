"""Two hundred secrets through every feature that takes secrets, and none of them anywhere that it should not be.

Looked for plainly, in base64, in hexadecimal, as in addresses, and from behind: in logs, traces, exports, answers, error
bodies, and in every value of every table. Spec: platform-api 2.1, 5.7, 7.2, 14.7, 17 row 16.
"""

from __future__ import annotations

import base64
import logging

import pytest

from tests.support.canaries import Haystack, a_canary, add_tables, forms
from tests.support.canary_channels import Channels, the_texts
from tests.support.canary_planter import OF_TOOL, TOOLS, Planter, an_agent, an_echo
from tests.support.canary_servers import talkative
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
AT_LEAST = 200
BASIC_USER = base64.b64encode(b"ann").decode()
LOOPBACK = ("127.0.0.1/32",)


async def test_no_secret_is_found_anywhere(servers: Servers, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, logger="websockets.client")  # the pages of this test, no part of the product
    haystack = Haystack()
    operators, collectors = (a_canary(kind).replace(" ", "") for kind in ("operators", "collectors"))
    async with (
        an_echo() as (url, heard),
        talkative() as others,
        a_live_gateway(
            servers,
            "canaries",
            {"c.abl": an_agent(url), **the_texts(others.url)},
            allowed_networks=LOOPBACK,
            mcp_servers=others.operators(operators),
            otlp_endpoint=f"{others.url}/otel",
            otlp_headers={"x-collector-key": collectors},
        ) as gateway,
    ):
        planter = Planter(gateway, haystack)
        planter.secrets += [operators, collectors]
        channels = Channels(planter, haystack, others)
        await channels.words()
        await channels.hooks()
        await planter.tool_secrets()
        await planter.variables()
        await planter.providers(url)
        await planter.people()
        await planter.keys()
        await planter.broken_bodies()
        session_id = await planter.talk()
        sessions = [session_id, *await channels.calls(), await channels.callback()]
        await channels.pages()
        await channels.rotated_keys()
        for one in sessions:
            await planter.look(one)
        await channels.spans(*sessions)
        assert len(set(heard)) == TOOLS * (OF_TOOL + 2), "the tools were given their secrets"
        assert set(heard) <= set(planter.secrets)
        assert {*planter.secrets} >= {one for one in others.heard if not one.startswith(BASIC_USER)}
        await add_tables(haystack, gateway.running.database)
    haystack.add("logs", caplog.text)
    secrets = list(dict.fromkeys(planter.secrets))
    assert len(secrets) >= AT_LEAST
    hits = haystack.found(secrets)
    assert not hits, hits[:20]


def test_a_secret_would_be_found_in_each_spelling() -> None:
    secret = a_canary("found")
    for name, form in forms(secret):
        haystack = Haystack()
        haystack.add("here", b"before " + form + b" behind")
        assert (secret, name, "here") in haystack.found([secret])
    for prefix in (b"", b"u:", b"user:"):
        haystack = Haystack()
        haystack.add("here", base64.b64encode(prefix + secret.encode() + b"!"))
        assert haystack.found([secret])
