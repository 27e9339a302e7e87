"""Conversations whose clients name no session: they are found again by what was said in them. Decision: 0053.

A client that sends the whole conversation with each message goes on in the session that it began. The same message at
the same place, while its answer is under way, is the same turn: a repeated request runs nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from actors.conversation_desk import Asked, ConversationDesk, Head
from actors.runtime import ChatTurn, Runtime
from domain.clock import IdSource
from domain.errors import AppError, Conflict, NotFound, Unavailable

IN_FLIGHT_S: Final = 180
"""How long the answer to a question may be under way: a turn's deadline, and a while."""
HEARD_OUT_MAX: Final = 3
"""How many turns are looked at for an answer that was not heard to its end."""
DIGEST_BYTES: Final = 16
OWN_KEY: Final = "thread:"
ENDED: Final = "SESSION_ENDED"
Role = Literal["user", "assistant"]


class Line(NamedTuple):
    """What one side said."""

    role: Role
    text: str


class Asking(NamedTuple):
    """A message and what was said before it, as a client tells it.

    Attributes:
        owner: Whose conversations these are, and with which agent; nobody finds another's.
        start: Where the conversation begins that `before` goes on with: empty, or a place by another name.
        key: The client's own key of the request, empty without one.
        is_repeated: The client says that it has sent this before.
        named_owner: Whose the places with names are, whichever agent and person.
    """

    tenant_id: str
    project_id: str
    owner: str
    before: Sequence[Line]
    message: str
    start: bytes = b""
    key: str = ""
    is_repeated: bool = False
    named_owner: str = ""

    @property
    def question(self) -> bytes:
        """Return what tells this message from others at the same place."""
        return _digest(self.message.encode())

    def head(self) -> Head:
        """Return the place at which it is asked; beginnings of conversations are kept apart by their first message."""
        first = b"" if self.start or self.before else self.question
        return Head(self.tenant_id, self.project_id, self._after(self.before) + first)

    def named(self, name: str) -> Head:
        """Return the place that has a name of its own."""
        return self._replace(owner=self.named_owner, start=start_at(name), before=()).head()

    def heads_after(self, *replies: str) -> list[bytes]:
        """Return the places behind an answer, by each text in which it was told."""
        said = [*self.before, Line("user", self.message)]
        return list(dict.fromkeys(self._after([*said, Line("assistant", reply)]) for reply in replies))

    def _after(self, lines: Sequence[Line]) -> bytes:
        place = _digest(self.owner.encode(), self.start)
        for line in lines:
            if text := line.text.strip():  # clients trim what they show
                place = _digest(place, line.role.encode(), text.encode())
        return place


def start_at(name: str) -> bytes:
    """Return the start of what goes on from a place with a name."""
    return _digest(b"name", name.encode())


Build = Callable[[Asking, Asked], ChatTurn]
"""Makes the turn of a question at its place."""


class Thread:
    """One question, and the turn that carries it."""

    def __init__(self, desk: ConversationDesk, asking: Asking, at: Head, place: Asked) -> None:
        self._desk = desk
        self._asking = asking
        self._at = at
        self.place = place

    @property
    def is_found(self) -> bool:
        """Whether the session was there before."""
        return not self.place.opens

    async def answered(self, *replies: str, name: str = "") -> None:
        """Write where the conversation stands: behind its answer, in each text of it, and under a name."""
        heads = self._asking.heads_after(*replies)
        if name:
            heads.append(self._asking.named(name).head)
        await self._desk.answer(self._at, self.place.session_id, heads)

    async def left(self) -> None:
        """Write that its client has gone, or was told of a failure: it may ask something else at the same place."""
        await self._desk.left(self._at, self.place.session_id)

    async def failed(self, error: AppError) -> None:
        """Write what an error means for the place: what was refused has not been asked."""
        if isinstance(error, Unavailable):
            await self.left()
        else:
            await self._desk.free(self._at, self.place.session_id)

    async def is_over(self, error: AppError) -> bool:
        """Return whether an error says that the session it was found in is there no more; it is found no more then."""
        over = isinstance(error, NotFound) or error.details.get("reason") == ENDED
        if not self.is_found or not over or not isinstance(error, NotFound | Conflict):
            return False
        await self._desk.answer(self._at, self.place.session_id, ())
        return True


class Threads:
    """Finds them."""

    def __init__(self, desk: ConversationDesk, runtime: Runtime, ids: IdSource) -> None:
        self._desk = desk
        self._runtime = runtime
        self._ids = ids

    async def of(self, asking: Asking, build: Build) -> Thread:
        """Return the thread of a question: of a turn under way, of a session that stands there, or of a new one."""
        at, place, is_new = await self._ask(asking, build)
        if is_new and (heard_out := await self._heard_out(asking, build)) is not None:
            await self._desk.free(at, place.session_id)
            at, place, _ = await self._ask(heard_out, build)
        return Thread(self._desk, asking, at, place)

    async def _ask(self, asking: Asking, build: Build) -> tuple[Head, Asked, bool]:
        """Return the place and its turn, and whether nothing was known of it."""
        key = asking.key or OWN_KEY + self._ids.new("")
        session_id = self._runtime.new_session_id(build(asking, Asked("", key, opens=True)))
        at, new = asking.head(), Asked(session_id, key, opens=True)
        place = await self._desk.ask(
            at,
            asking.question,
            new,
            has_key=bool(asking.key),
            is_repeated=asking.is_repeated,
            within_s=IN_FLIGHT_S,
        )
        return at, place, place is new

    async def _heard_out(self, asking: Asking, build: Build) -> Asking | None:
        """Return the same question with the whole of the last answer, where its client heard the beginning only.

        The turn of that answer was committed all the same, and its session stands behind it.
        """
        if len(asking.before) < 2 or [one.role for one in asking.before[-2:]] != ["user", "assistant"]:
            return None
        *before, spoken, heard = asking.before
        earlier = asking._replace(before=before, message=spoken.text, key="")
        at, beginning = earlier.head(), heard.text.strip()
        for place in await self._desk.carried(at, earlier.question, HEARD_OUT_MAX):
            try:
                reply = await self._runtime.chat(build(earlier, place))
            except AppError:
                continue  # there is no answer that could have been heard
            if beginning and reply.response.strip().startswith(beginning):
                if not place.is_answered:
                    await self._desk.answer(at, place.session_id, earlier.heads_after(reply.response))
                return asking._replace(before=[*before, spoken, Line("assistant", reply.response)])
        return None


def _digest(*parts: bytes) -> bytes:
    whole = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.digest()
