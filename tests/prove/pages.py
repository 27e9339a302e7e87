"""What pages need that speak with different agents: a deployment of its own for each, and a key for it."""

from __future__ import annotations

from typing import Any

import aiohttp

from tests.prove.product import PAGE, Product
from tests.prove.project import ENTRIES

VERSION = "1"


async def deploy(product: Product, http: aiohttp.ClientSession) -> None:
    """Deploy the project once for each of `ENTRIES`, and note the key of its pages."""
    base = f"/api/projects/{product.project_id}"
    agents = [one["name"] for one in (await _asked(product, http, "GET", f"{base}/agents"))["agents"]]
    for name in agents:
        await _asked(product, http, "POST", f"{base}/agents/{name}/versions", {"version": VERSION})
    for entry, environment in ENTRIES.items():
        manifest = dict.fromkeys(agents, VERSION)
        wanted = {"environment": environment, "agentVersionManifest": manifest, "entryAgentName": entry}
        made = (await _asked(product, http, "POST", f"{base}/deployments", wanted))["deployment"]
        key = {"name": f"pages of {entry}", "allowedOrigins": list(PAGE.values()), "environment": environment}
        told = await _asked(product, http, "POST", f"{base}/public-keys", {**key, "deploymentId": made["id"]})
        product.page_keys[entry] = told["secret"]


async def _asked(product: Product, http: aiohttp.ClientSession, method: str, path: str, body: Any = None) -> Any:
    headers = {"X-API-Key": product.key}
    async with http.request(method, product.url + path, json=body, headers=headers) as response:
        assert response.status in (200, 201), f"{method} {path}: {response.status} {await response.text()}"
        return await response.json()
