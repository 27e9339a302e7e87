import asyncio
from pathlib import Path

import msgspec
import pytest

from actors.hosts.port import HostGone
from actors.link.addresses import TcpAddress, UnixAddress
from actors.link.client import LinkedHost
from actors.link.server import LinkServer
from actors.messages import Done, Failed, Follow, HostAnswer, HostMessage
from actors.runtime import StreamEvent
from actors.session.stream import Listener

QUESTION = Follow(tenant_id="t", session_id="s", after=0)


class EchoHost:
    host_id = "echo"

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        assert isinstance(message, Follow)
        if message.after == 99:
            self.started.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled.set()
        if message.after == 98:
            raise RuntimeError("the host is broken")
        if listener is not None:
            for number in range(message.after):
                listener(StreamEvent(seq=number, turn=1, kind="response_chunk", data={}))
        return Done(note=str(message.after))


def address_in(folder: Path) -> UnixAddress:
    return UnixAddress(str(folder / "host.sock"))


async def linked(folder: Path) -> tuple[EchoHost, LinkServer, LinkedHost]:
    host = EchoHost()
    server = LinkServer(host, address_in(folder), "token")
    await server.start()
    return host, server, LinkedHost("echo", address_in(folder), "token")


def test_many_calls_share_one_connection_and_get_their_own_answers(tmp_path: Path) -> None:
    async def story() -> None:
        _, server, host = await linked(tmp_path)
        answers = await asyncio.gather(*(host.ask(Follow(tenant_id="t", session_id="s", after=n)) for n in range(50)))
        assert [one.note for one in answers] == [str(n) for n in range(50)]
        assert len(server.connections) == 1
        host.close()
        await server.stop()

    asyncio.run(story())


def test_events_come_before_the_answer(tmp_path: Path) -> None:
    async def story() -> None:
        _, server, host = await linked(tmp_path)
        seen: list[int] = []

        def listener(event: StreamEvent) -> bool:
            seen.append(event.seq)
            return True

        await host.ask(Follow(tenant_id="t", session_id="s", after=5), listener)
        assert seen == [0, 1, 2, 3, 4]
        host.close()
        await server.stop()

    asyncio.run(story())


def test_a_peer_without_the_token_is_cut_off(tmp_path: Path) -> None:
    async def story() -> None:
        _, server, _ = await linked(tmp_path)
        stranger = LinkedHost("echo", address_in(tmp_path), "wrong")
        with pytest.raises(HostGone):
            async with asyncio.timeout(60):
                await stranger.ask(QUESTION)
        await server.stop()

    asyncio.run(story())


def test_a_host_that_goes_ends_the_calls_that_are_out(tmp_path: Path) -> None:
    async def story() -> None:
        echo, server, host = await linked(tmp_path)
        call = asyncio.create_task(host.ask(Follow(tenant_id="t", session_id="s", after=99)))
        await echo.started.wait()
        await server.stop()
        with pytest.raises(HostGone):
            async with asyncio.timeout(60):
                await call

    asyncio.run(story())


def test_a_caller_that_leaves_cancels_its_call_at_the_host(tmp_path: Path) -> None:
    async def story() -> None:
        echo, server, host = await linked(tmp_path)
        call = asyncio.create_task(host.ask(Follow(tenant_id="t", session_id="s", after=99)))
        await echo.started.wait()
        call.cancel()
        async with asyncio.timeout(60):
            await echo.cancelled.wait()
        host.close()
        await server.stop()

    asyncio.run(story())


def test_where_nobody_listens_the_host_is_gone(tmp_path: Path) -> None:
    async def story() -> None:
        with pytest.raises(HostGone):
            await LinkedHost("none", UnixAddress(str(tmp_path / "none.sock")), "token").ask(QUESTION)

    asyncio.run(story())


def test_after_a_restart_of_the_host_the_next_call_connects_again(tmp_path: Path) -> None:
    async def story() -> None:
        _, server, host = await linked(tmp_path)
        assert await host.ask(QUESTION) == Done(note="0")
        await server.stop()
        again = LinkServer(EchoHost(), address_in(tmp_path), "token")
        await again.start()
        answer: HostAnswer = Failed(kind="", message="")
        for _ in range(100):
            try:
                answer = await host.ask(QUESTION)
                break
            except HostGone:
                await asyncio.sleep(0)
        assert answer == Done(note="0")
        host.close()
        await again.stop()

    asyncio.run(story())


def test_over_tcp_the_same_link_asks_for_the_same_token() -> None:
    async def story() -> None:
        server = LinkServer(EchoHost(), TcpAddress("127.0.0.1", 0), "token")
        (address,) = await server.start()
        assert isinstance(address, TcpAddress)
        assert address.port
        host = LinkedHost("echo", address, "token")
        assert await host.ask(QUESTION) == Done(note="0")
        with pytest.raises(HostGone):
            async with asyncio.timeout(60):
                await LinkedHost("echo", address, "wrong").ask(QUESTION)
        host.close()
        await server.stop()

    asyncio.run(story())


def test_one_host_listens_on_a_socket_file_and_on_a_port(tmp_path: Path) -> None:
    async def story() -> None:
        server = LinkServer(EchoHost(), [address_in(tmp_path), TcpAddress("127.0.0.1", 0)], "token")
        for address in await server.start():
            host = LinkedHost("echo", address, "token")
            assert await host.ask(QUESTION) == Done(note="0")
            host.close()
        await server.stop()

    asyncio.run(story())


def test_a_caller_is_answered_also_when_the_host_raises(tmp_path: Path) -> None:
    async def story() -> None:
        _, server, host = await linked(tmp_path)
        answer = await host.ask(msgspec.structs.replace(QUESTION, after=98))
        assert isinstance(answer, Failed)
        assert answer.kind == "AppError"
        assert await host.ask(msgspec.structs.replace(QUESTION, after=1)) == Done(note="1")
        host.close()
        await server.stop()

    asyncio.run(story())
