"""One connection to an MCP server, kept open by a task of its own. With `http_transport`, all that knows the package.

The official client lives inside task groups, so the task that opens a connection is the one that closes it; calls come
from other tasks.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, TextIO

import httpx2
import msgspec
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    CallToolResult,
    Implementation,
    TextContent,
    Tool,
)

from domain.json_values import JsonObject, JsonValue, is_too_deep
from providers.failures import FailureKind
from providers.http import HttpClient
from providers.mcp import bounds
from providers.mcp.calls import Interrupted, Listed, NotConnected
from providers.mcp.http_transport import NOT_ANSWERED, GuardedTransport
from providers.mcp.servers import McpServer, Target
from providers.tools.results import ToolFault, too_deep

IDEMPOTENCY_KEY: Final = "abl.runtime/idempotency-key"
"""Of `_meta` of a call: the same in every repetition."""
SESSION_GONE: Final = "Session terminated"
"""What the official client says when a server has forgotten a session: it has not looked at the request."""
_CLIENT: Final = Implementation(name="abl-runtime", version="1")

log = logging.getLogger(__name__)


class _Read(Protocol):
    async def receive(self) -> SessionMessage | Exception: ...

    async def aclose(self) -> None: ...

    async def __anext__(self) -> SessionMessage | Exception: ...

    async def __aenter__(self) -> Any: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None: ...


class _Watched:
    """A stream of messages that notes when the other side has ended it."""

    def __init__(self, stream: _Read) -> None:
        self._stream = stream
        self.has_ended = False

    @property
    def last_context(self) -> Any:
        """What the official client looks for on its own streams."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        return await self._stream.receive()

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self._stream.__anext__()
        except StopAsyncIteration:
            self.has_ended = True
            raise

    async def __aenter__(self) -> _Watched:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stream.__aexit__(kind, error, trace)


class Connection:
    """An open connection; `tools` says what the server said of each of its tools when it was opened."""

    def __init__(self, http: HttpClient, target: Target) -> None:
        self._target = target
        self._http = http
        self._client: Client | None = None
        self._streams: _Watched | None = None
        self._closing = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None
        self.tools: dict[str, Listed] = {}
        self.calls = 0

    @property
    def is_open(self) -> bool:
        """Whether a call may be sent: neither side has closed it."""
        is_over = self._owner is None or self._owner.done() or self._closing.is_set()
        return not is_over and self._client is not None and not (self._streams is not None and self._streams.has_ended)

    async def open(self, within_s: float) -> None:
        """Connect and ask what tools there are. Raises NotConnected, and ToolFault where another try is of no use."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.get_running_loop().create_task(self._own(ready))
        done, _ = await asyncio.wait([ready, self._owner], timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        if ready in done and ready.exception() is None:
            return
        failure = ready.exception() if ready in done else None
        await self.close()
        if isinstance(failure, MCPError) and failure.code == NOT_ANSWERED:
            fault = self._fault(failure)
            if isinstance(fault, ToolFault):
                raise fault from failure
        raise NotConnected(_sentence(self._target.name, failure)) from failure

    async def call(self, tool: str, arguments: JsonObject, key: str, timeout_s: float) -> JsonValue:
        """Return what a tool gave.

        Raises:
            NotConnected: The request has not been sent.
            Interrupted: It may have arrived, and no answer came.
            ToolFault: The server says that it went wrong.
        """
        client = self._client
        if client is None or not self.is_open:
            raise NotConnected(f"The MCP server {self._target.name!r} has closed the connection")
        if self.calls >= bounds.CALLS_PER_CONNECTION:
            raise ToolFault("tool_error", "BUSY", f"The MCP server {self._target.name!r} has too many calls under way")
        self.calls += 1
        try:
            meta: Any = {IDEMPOTENCY_KEY: key} if key else None
            result = await client.call_tool(tool, arguments, read_timeout_seconds=timeout_s, meta=meta)
        except MCPError as error:
            raise self._fault(error) from error
        except (RuntimeError, ValueError) as error:  # its answer is not what its own schema or the protocol says
            raise ToolFault("tool_error", "INVALID_ANSWER", f"{error}"[: bounds.ERROR_CHARS]) from error
        finally:
            self.calls -= 1
        value = value_of(result)
        listed = self.tools.get(tool)
        return value["result"] if listed is not None and listed.wraps_result and isinstance(value, dict) else value

    async def close(self) -> None:
        """Close the connection and wait until its task has ended; a server program is ended too."""
        self._closing.set()
        owner = self._owner
        if owner is None:
            return
        if self._client is None:
            owner.cancel()
        await asyncio.wait([owner], timeout=bounds.CLOSE_S)
        if not owner.done():
            owner.cancel()
            await asyncio.wait([owner], timeout=bounds.CLOSE_S)

    async def _own(self, ready: asyncio.Future[None]) -> None:
        try:
            async with Client(self._transport(), client_info=_CLIENT, cache=None) as client:
                self.tools = await _listed(client)
                self._client = client
                ready.set_result(None)
                await self._closing.wait()
        except (Exception, ExceptionGroup) as error:  # noqa: BLE001 - a transport may raise whatever its library does
            if not ready.done():
                ready.set_exception(_first(error))
                ready.exception()  # whoever opens may have left
            else:
                log.warning("the connection to the MCP server %s ended: %s", self._target.name, _first(error))

    @asynccontextmanager
    async def _transport(self) -> AsyncGenerator[Any]:
        target = self._target
        async with AsyncExitStack() as stack:
            if target.program is not None:
                program = target.program
                log_file = stack.enter_context(_log_of(target.program))
                parameters = StdioServerParameters(
                    command=program.command, args=list(program.args), env=program.env, cwd=program.cwd or None
                )
                read, write = await stack.enter_async_context(stdio_client(parameters, log_file))
            else:
                client = httpx2.AsyncClient(
                    transport=GuardedTransport(self._http), headers=dict(target.headers), trust_env=False, timeout=None
                )
                await stack.enter_async_context(client)
                streams = streamable_http_client(
                    target.url, http_client=client, max_sse_event_size=bounds.RESULT_MAX_BYTES
                )
                read, write = await stack.enter_async_context(streams)
            self._streams = _Watched(read)
            yield self._streams, write

    def _fault(self, error: MCPError) -> Exception:
        """Return what an error of the protocol means."""
        name, data = self._target.name, error.data if isinstance(error.data, dict) else {}
        if error.code == NOT_ANSWERED:
            return _not_answered(
                error.message, str(data.get("kind")), int(data.get("status", 0)), bool(data.get("sent"))
            )
        if error.code == INVALID_REQUEST and error.message == SESSION_GONE:
            self._closing.set()
            return NotConnected(f"The MCP server {name!r} has forgotten the connection")
        if error.code == REQUEST_TIMEOUT:
            return Interrupted(f"The MCP server {name!r} did not answer in time", timed_out=True)
        if error.code == CONNECTION_CLOSED:
            return Interrupted(f"The MCP server {name!r} closed the connection before it answered")
        return ToolFault("api_error", str(error.code), error.message[: bounds.ERROR_CHARS])


def _not_answered(message: str, kind: str, status: int, sent: bool) -> Exception:
    """Return what a failure of the transport means for the call."""
    match kind:
        case FailureKind.TOO_LARGE:
            return ToolFault("tool_error", "ANSWER_TOO_LARGE", message)
        case FailureKind.REFUSED:
            return ToolFault("tool_error", "ADDRESS_REFUSED", message)
        case FailureKind.INVALID:
            return ToolFault("invalid_input", "INVALID_REQUEST", message)
        case FailureKind.STATUS if not sent:
            return ToolFault("api_error", str(status), message)
    return Interrupted(message, timed_out=kind == FailureKind.TIMEOUT) if sent else NotConnected(message)


def _log_of(program: McpServer) -> TextIO:
    """Return where the error output of a program goes."""
    return Path(program.log or os.devnull).open("a", encoding="utf-8")


async def _listed(client: Client) -> dict[str, Listed]:
    """Return what the server says of its tools, all pages of it up to a bound."""
    found: dict[str, Listed] = {}
    cursor: str | None = None
    while len(found) < bounds.TOOLS_MAX:
        page = await client.list_tools(cursor=cursor)
        found |= {tool.name: _listing(tool) for tool in page.tools}
        if not page.next_cursor or not page.tools:
            break
        cursor = page.next_cursor
    return found


def _listing(tool: Tool) -> Listed:
    hints = tool.annotations
    repeatable = hints is not None and bool(hints.read_only_hint or hints.idempotent_hint)
    return Listed(is_repeatable=repeatable, wraps_result=_wraps_result(tool))


def _wraps_result(tool: Tool) -> bool:
    """Whether the official server package has put a list or a plain value into an object: its schema tells."""
    schema = tool.output_schema or {}
    is_alone = list(schema.get("properties", ())) == ["result"] and schema.get("required") == ["result"]
    return is_alone and str(schema.get("title")).endswith("Output")


def value_of(result: CallToolResult) -> JsonValue:
    """Return what a tool gave as JSON: its structured value, else its text (as JSON where it is), else its blocks.

    Raises:
        ToolFault: The tool says that it failed, or gives too much.
    """
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    if result.is_error:
        said = "\n".join(texts)[: bounds.ERROR_CHARS] or "The MCP tool failed and did not say why"
        raise ToolFault("tool_error", "MCP_TOOL_ERROR", said)
    value: JsonValue = result.structured_content
    if is_too_deep(value):
        raise too_deep()
    if value is None and len(texts) == len(result.content):
        value = _of_texts(texts)
    elif value is None:
        value = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
    if len(msgspec.json.encode(value)) > bounds.RESULT_MAX_BYTES:
        raise ToolFault(
            "tool_error", "ANSWER_TOO_LARGE", f"A tool's answer has at most {bounds.RESULT_MAX_BYTES} bytes"
        )
    return value


def _of_texts(texts: list[str]) -> JsonValue:
    if len(texts) != 1:
        return "\n".join(texts) if texts else None
    try:
        value: JsonValue = msgspec.json.decode(texts[0])
    except (msgspec.DecodeError, RecursionError):
        return texts[0]
    return value if isinstance(value, dict | list) else texts[0]


def _first(error: BaseException) -> Exception:
    """Return the first real error in a group of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, Exception) else ConnectionError(str(error))


def _sentence(name: str, failure: BaseException | None) -> str:
    if failure is None:
        return f"The MCP server {name!r} did not answer in time"
    if isinstance(failure, MCPError):
        return f"The MCP server {name!r} cannot be used: {failure.message}"[: bounds.ERROR_CHARS]
    if isinstance(failure, OSError):
        return f"The MCP server {name!r} cannot be started: {failure.strerror or failure}"[: bounds.ERROR_CHARS]
    return f"The MCP server {name!r} cannot be used ({type(failure).__name__})"
