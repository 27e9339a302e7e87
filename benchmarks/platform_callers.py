"""The processor time of letting a caller in, for each kind of credential: it is looked at, and so is the permission."""

from __future__ import annotations

from time import process_time

from actors.clocks import RandomIds
from benchmarks.asgi import encoded, scope_of
from benchmarks.platform_bench import Bench
from benchmarks.report import Figure
from domain.permissions import Permission
from gateway.access import caller
from storage.repositories.api_keys import ApiKeys, NewKey

AUTHENTICATIONS = 3_000
ROUNDS = 5
TARGET_MS = 0.15
PAGE = "https://shop.example.com"
PASSWORD = "correct horse battery"


async def authentication(bench: Bench) -> list[Figure]:
    """Return the processor time of letting a caller in, by kind of credential: the least of some rounds, in turns."""
    reads = Permission.SESSION_READ
    kinds = {
        "an API key": (caller("api_key", permission=reads).dependency, bench.headers),
        "a user": (caller("user", permission=reads).dependency, await _of_user(bench)),
        "an SDK token": (caller("sdk").dependency, await _of_page(bench)),
    }
    gate = bench.app.state.services.gate
    cost = dict.fromkeys(kinds, float("inf"))
    for _ in range(ROUNDS):
        for name, (access, headers) in kinds.items():
            start = process_time()
            for _ in range(AUTHENTICATIONS):
                scope = scope_of("GET", "/", encoded(headers)) | {"path_params": {"project_id": bench.project_id}}
                await gate.admit(scope, access)
            cost[name] = min(cost[name], (process_time() - start) / AUTHENTICATIONS * 1_000)
    wanted = f"at most {TARGET_MS:g}"
    return [
        Figure(f"CPU of letting in {name}", taken, "ms", None, wanted, taken <= TARGET_MS)
        for name, taken in cost.items()
    ]


async def _of_user(bench: Bench) -> dict[str, str]:
    """Return what a user sends who is no admin: the role in the project has to be looked at."""
    email = f"{RandomIds().new('user')}@example.com"
    new = {"email": email, "role": "member", "password": PASSWORD}
    user_id = (await bench.answer("POST", "/api/users", new))["user"]["id"]
    await bench.answer("POST", f"/api/projects/{bench.project_id}/members", {"userId": user_id, "role": "developer"})
    told = await bench.answer("POST", "/api/auth/login", {"email": email, "password": PASSWORD})
    return {"authorization": f"Bearer {told['accessToken']}"}


async def _of_page(bench: Bench) -> dict[str, str]:
    """Return what a page sends that has a token."""
    public_key, ids = f"pk_{RandomIds().new('')}", RandomIds()
    new = NewKey(
        key_id=ids.new("key"), plaintext=public_key, kind="public", project_id=bench.project_id,
        details={"allowedOrigins": [PAGE]},
    )  # fmt: skip
    await ApiKeys(bench.running.database).create(bench.tenant_id, new)
    api_key, bench.headers = bench.headers, {"x-public-key": public_key, "origin": PAGE}
    told = await bench.answer("POST", "/api/v1/sdk/init", {"projectId": bench.project_id})
    bench.headers = api_key
    return {"x-sdk-token": str(told["token"]), "origin": PAGE}
