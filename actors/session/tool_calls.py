"""A tool call of the engine as a run of a tool: what is left out filled in, memory lent, the result kept in bounds."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from actors.patience import is_passing, patiently
from actors.secret_values import NotedCredentials
from actors.session.failing import failed_call, lacks_secret
from actors.session.live import LiveSession
from actors.session.store import CallbackTicket, SessionPin
from domain.errors import AppError, Conflict, InvalidInput, TooLarge
from domain.json_values import MAX_JSON_DEPTH, JsonObject, JsonValue, is_too_deep, storable
from domain.limits import MEMORY_STORE_MAX_BYTES, MEMORY_STORES_PER_SESSION
from domain.tool_calls import RESULT_TOO_DEEP, TOO_DEEP_SENTENCE, ToolCall, ToolResult
from engine import CallTool
from providers.ports import (
    CallbackAddress,
    Catalogue,
    Credentials,
    NoCatalogue,
    Sandbox,
    ToolInvocation,
    ToolRunner,
)

MAX_RESULT_BYTES = 1 << 20
TOO_MANY_STORES = "TOO_MANY_STORES"
"""A result stands in the journal and in the state; what is larger is an error of the tool."""
_log = logging.getLogger(__name__)
_STORE_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")


class ToolCaller:
    """Runs tools for sessions."""

    def __init__(
        self,
        tools: ToolRunner,
        credentials: Callable[[SessionPin], Credentials],
        catalogues: Callable[[SessionPin], Catalogue] = lambda _pin: NoCatalogue(),
        sandboxes: Callable[[SessionPin, str], Sandbox] | None = None,
        secret_variables: Callable[[SessionPin], Awaitable[Mapping[str, str]]] | None = None,
    ) -> None:
        self._tools = tools
        self._credentials = credentials
        self._catalogues = catalogues
        self._sandboxes = sandboxes
        self._secret_variables = secret_variables

    async def call(self, effect: CallTool, live: LiveSession, *, refused: ToolResult | None = None) -> ToolResult:
        """Return what came of a call, with the memory stores its code has set.

        `refused` is what comes of a call that may not be made: no tool runs, and nobody is waited for. A failure that
        lasts is the call's result too.

        Raises:
            AppError: The store stayed away.
        """
        try:
            result = refused or await self._run(effect, live)
        except AppError as error:
            if is_passing(error):
                raise
            _log.warning("the tool %s of %s cannot be run", effect.tool, live.pin.session_id, exc_info=error)
            result = failed_call(error)
        if effect.suspension_id and not result.accepted:
            await live.store.close_waits(live.pin, live.epoch, effect.suspension_id)
        return bounded(result)

    async def _run(self, effect: CallTool, live: LiveSession) -> ToolResult:
        pin = live.pin
        callback = None
        if effect.suspension_id:
            known = await patiently(lambda: _callback(effect, live))
            callback = CallbackAddress(known.callback_id, known.url, known.secret, known.expires_at)
        stores = LentStores(live) if effect.kind == "sandbox" else None
        credentials = NotedCredentials(self._credentials(pin))
        if callback is not None:
            credentials.note(callback.secret)
        invocation = ToolInvocation(
            call=ToolCall(effect.call_id, effect.tool, with_defaults(effect, live)),
            kind=effect.kind,
            binding=effect.binding,
            scope=f"{pin.tenant_id}/{pin.project_id}/{pin.environment}",
            timeout_ms=effect.timeout_ms,
            variables=effect.variables,
            environment={**_environment(live), **await self._secrets(pin, credentials)},
            idempotency_key=effect_key(pin, effect.idempotency_key or effect.id),
            auth_profile=effect.auth_profile,
            credentials=credentials,
            memory=stores,
            callback=callback,
            catalogue=self._catalogues(pin),
            sandbox=credentials.lend(self._sandboxes(pin, effect.agent)) if self._sandboxes is not None else None,
        )
        try:
            ran = await self._tools.run(invocation)
        except AppError as error:
            if effect.safe or is_passing(error) or lacks_secret(error):
                raise
            _log.warning("nobody knows what the tool %s of %s has done", effect.tool, pin.session_id, exc_info=error)
            ran = failed_call(error, is_unknown=True)
        result = credentials.masked(ran)
        if stores is not None and stores.changed and result.ok:
            result = msgspec.structs.replace(result, stores=stores.changed)
        return result

    async def _secrets(self, pin: SessionPin, credentials: NotedCredentials) -> Mapping[str, str]:
        """Return the secret variables of a session; none of them comes back in a result."""
        find = self._secret_variables
        secrets = await patiently(lambda: find(pin)) if find is not None else {}
        for value in secrets.values():
            credentials.note(value)
        return secrets


async def _callback(effect: CallTool, live: LiveSession) -> CallbackTicket:
    """Return the callback of an asynchronous tool, the same one however often it is asked for."""
    return await live.store.open_callback(
        live.pin, suspension_id=effect.suspension_id, agent=effect.agent, tool=effect.tool, expires_s=None
    )


class LentStores:
    """The memory stores of a session as the code of one tool run sees them; what it sets is kept when it succeeds.

    Nothing is written here: the stores a run has set are part of its result, and are set once that is durable. A run
    that is repeated after a crash therefore finds what the first one found. Satisfies `providers.ports.MemoryStores`.
    """

    def __init__(self, live: LiveSession) -> None:
        self._live = live
        self.changed: JsonObject = {}

    async def act(self, action: str, store: str, content: JsonObject | None) -> JsonValue:
        """Carry out `get`, `set` or `delete`. Raises InvalidInput, TooLarge, Conflict."""
        if not _STORE_NAME.fullmatch(store):
            raise InvalidInput("A memory store has 1 to 128 letters, digits, dots, dashes or underscores as its name")
        match action:
            case "get":
                return await self._content(store)
            case "set":
                if not isinstance(content, dict):
                    raise InvalidInput("payload.content must be an object")
                if is_too_deep(content):
                    raise InvalidInput(f"A memory store is nested at most {MAX_JSON_DEPTH} levels deep")
                if len(msgspec.json.encode(content)) > MEMORY_STORE_MAX_BYTES:
                    raise TooLarge(f"A memory store holds at most {MEMORY_STORE_MAX_BYTES} bytes")
                await self._need_room(store)
                self.changed[store] = storable(content)
                return None
            case "delete":
                existed = bool(await self._content(store))
                self.changed[store] = None
                return {"deleted": existed}
            case _:
                raise InvalidInput("Unknown action")

    async def _need_room(self, store: str) -> None:
        """Raises Conflict for one store too many."""
        changed = {name for name, content in self.changed.items() if content is not None}
        if store in changed:
            return
        there = await self._live.store.store_names(self._live.pin) - self.changed.keys()
        if len(there | changed | {store}) > MEMORY_STORES_PER_SESSION:
            raise Conflict(
                f"A session has at most {MEMORY_STORES_PER_SESSION} memory stores", details={"reason": TOO_MANY_STORES}
            )

    async def _content(self, store: str) -> JsonObject:
        if store in self.changed:
            return self.changed[store] or {}
        return await self._live.store.read_store(self._live.pin, store)


def with_defaults(effect: CallTool, live: LiveSession) -> JsonObject:
    """Return the arguments of a call with the defaults of parameters that were left out. Spec: abl-language 3.2."""
    agent = live.program.find(effect.agent)
    tool = agent.tools.get(effect.tool) if agent is not None else None
    if tool is None:
        return effect.arguments
    given = effect.arguments
    defaults = {
        one["name"]: one["default"]
        for one in tool.get("parameters", ())
        if one.get("default") is not None and given.get(one["name"]) is None
    }
    return {**given, **defaults} if defaults else given


def bounded(result: ToolResult) -> ToolResult:
    """Return a result that may be kept; a larger or deeper one becomes an error that says so."""
    if is_too_deep(result.value) or is_too_deep(result.stores):
        return _refused(result, RESULT_TOO_DEEP, TOO_DEEP_SENTENCE)
    result = storable(result)
    size_bytes = len(msgspec.json.encode(result.value))
    if size_bytes <= MAX_RESULT_BYTES:
        return result
    words = f"The tool's result has {size_bytes} bytes; at most {MAX_RESULT_BYTES} are kept"
    return _refused(result, "RESULT_TOO_LARGE", words)


def _refused(result: ToolResult, code: str, words: str) -> ToolResult:
    return ToolResult(
        ok=False,
        error_kind="tool_error",
        error_code=code,
        error_message=words,
        duration_ms=result.duration_ms,
        attempts=result.attempts,
    )


def effect_key(pin: SessionPin, effect_id: str) -> str:
    """Return the idempotency key of an effect: the same for every repetition, another one for every other effect.

    After a reset effect ids come again, so the key holds the runtime session id.
    """
    return f"{pin.session_id}:{pin.runtime_session_id}:{effect_id}"


def effect_of_key(key: str) -> tuple[str, str]:
    """Return the runtime session id and the effect id of a key that `effect_key` has made."""
    _, runtime_session_id, effect_id = key.rsplit(":", 2)
    return runtime_session_id, effect_id


def _environment(live: LiveSession) -> dict[str, str]:
    begun = live.state.begun.environment if live.state is not None else {}
    return {name: str(value) for name, value in begun.items()}
