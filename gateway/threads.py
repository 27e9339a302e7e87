"""Conversations whose clients name no session: they are found again by what was said in them. Decision: 0053.

A client that sends the whole conversation with each message goes on in the session that it began. A request that says
that it is a repeated one is the same turn; one that says nothing may be somebody else's, and is a turn of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from actors.conversation_desk import Asked, AskedAgain, ConversationDesk, Head, Named
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


def is_over_before(error: AppError) -> bool:
    """Return whether a session was over before a turn began in it; one that had begun is not run in another session."""
    return error.details.get("reason") == ENDED and not error.details.get("begun")


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
        is_one_person: Nobody else asks in the owner's name.
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
    is_one_person: bool = False

    @property
    def question(self) -> bytes:
        """Return what tells this message from others at the same place."""
        return _digest(self.message.encode())

    def head(self) -> Head:
        """Return the place at which it is asked; beginnings of conversations are kept apart by their first message."""
        first = b"" if self.start or self.before else self.question
        return Head(self.tenant_id, self.project_id, self._after(self.before) + first)

    def in_session(self, session_id: str) -> Head:
        """Return the place of this message among all that a session is asked that the request names."""
        place = self._replace(start=_digest(b"session", session_id.encode()))._after(self.before)
        return Head(self.tenant_id, self.project_id, place + self.question)

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

    def __init__(
        self, desk: ConversationDesk, asking: Asking, at: Head, place: Asked, *, is_again: bool = False
    ) -> None:
        self._is_again = is_again
        self._desk = desk
        self._asking = asking
        self._at = at
        self.place = place

    @property
    def is_found(self) -> bool:
        """Whether the session was there before."""
        return not self.place.opens

    async def answered(self, *replies: str, named: Named | None = None) -> None:
        """Write where the conversation stands: behind its answer, in each text of it, and under a name."""
        await self._desk.answer(self._at, self.place.session_id, self._asking.heads_after(*replies), named)

    async def left(self) -> None:
        """Write that its client has gone, or was told of a failure: it may ask something else at the same place."""
        await self._desk.left(self._at, self.place.session_id)

    async def failed(self, error: AppError) -> None:
        """Write what an error means for the place: what was refused has not been asked."""
        if isinstance(error, Unavailable):
            await self.left()
        elif not self._is_again:  # what was asked before stays asked, whatever becomes of a request that repeats it
            await self._desk.free(self._at, self.place.session_id)

    async def is_over(self, error: AppError) -> bool:
        """Return whether an error says that the session it was found in is there no more; it is found no more then."""
        over = isinstance(error, NotFound) or is_over_before(error)
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
        at, place, is_new, is_again = await self._ask(asking, build)
        if is_new and (heard_out := await self._heard_out(asking, build)) is not None:
            await self._desk.free(at, place.session_id)
            whole, session_id = heard_out
            at, place, _, is_again = await self._ask(whole, build, session_id)
        return Thread(self._desk, asking, at, place, is_again=is_again)

    async def in_session(self, asking: Asking, session_id: str) -> Asked:
        """Return the turn of a question to a session that the request names: that of its first sending, or a new one.

        The key of the turn tells the session what has run, so nothing is written of what becomes of it.
        """
        again = AskedAgain(
            has_key=False,
            is_repeated=asking.is_repeated,
            is_one_person=True,
            is_alone=False,
            within_s=IN_FLIGHT_S,
        )
        new = Asked(session_id, OWN_KEY + self._ids.new(""), opens=False)
        return await self._desk.ask(asking.in_session(session_id), asking.question, new, again)

    async def _ask(self, asking: Asking, build: Build, goes_on_in: str = "") -> tuple[Head, Asked, bool, bool]:
        """Return the place and its turn, whether nothing was known of it, and whether it carries an earlier request."""
        key = asking.key or OWN_KEY + self._ids.new("")
        session_id = self._runtime.new_session_id(build(asking, Asked("", key, opens=True)))
        at, new = asking.head(), Asked(session_id, key, opens=True)
        place = await self._desk.ask(
            at,
            asking.question,
            new,
            AskedAgain(
                has_key=bool(asking.key),
                is_repeated=asking.is_repeated,
                is_one_person=asking.is_one_person,
                is_alone=bool(asking.start),
                within_s=IN_FLIGHT_S,
                session_id=goes_on_in,
            ),
        )
        return at, place, place is new, place.turn_key != key

    async def _heard_out(self, asking: Asking, build: Build) -> tuple[Asking, str] | None:
        """Return the same question with the whole of the last answer, where its client heard the beginning only.

        And the session of that answer.
        The turn of that answer was committed all the same, and its session stands behind it.
        """
        if len(asking.before) < 2 or [one.role for one in asking.before[-2:]] != ["user", "assistant"]:
            return None
        *before, spoken, heard = asking.before
        earlier = asking._replace(before=before, message=spoken.text, key="")
        at, beginning = earlier.head(), heard.text.strip()
        told: list[tuple[Asked, str]] = []
        for place in await self._desk.carried(at, earlier.question, HEARD_OUT_MAX):
            try:
                reply = await self._runtime.chat(build(earlier, place))
            except AppError:
                continue  # there is no answer that could have been heard
            if beginning and reply.response.strip().startswith(beginning):
                told.append((place, reply.response))
        told = [one for one in told if not one[0].is_answered] or told  # those were not heard to their end
        if not told or (len(told) > 1 and not asking.is_one_person):
            return None  # whose it was cannot be known
        place, whole = told[0]
        if not place.is_answered:
            await self._desk.answer(at, place.session_id, earlier.heads_after(whole))
        return asking._replace(before=[*before, spoken, Line("assistant", whole)]), place.session_id


def _digest(*parts: bytes) -> bytes:
    whole = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.digest()
