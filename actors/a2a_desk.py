"""Tasks of Agent2Agent: turns of a session, how they stand, and who is told when they rest. Decision: 0054.

A task is never run for being looked at: how its last turn has ended is read from what the turn left in the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import msgspec
from msgspec import Struct

from actors.session.kept import KeptTurn, decode_beside, decode_kept
from actors.webhooks import checked_url
from domain.clock import Clock
from domain.errors import InvalidInput, NotFound
from providers.addresses import AddressPolicy
from storage.database import Database
from storage.repositories.a2a_tasks import A2aTasks, NewTask, Push, Task, TaskFilter
from storage.repositories.transcripts import Transcripts
from storage.repositories.turns import Turns
from storage.turn_end import MessageRow
from storage.vault import Vault

__all__ = ["A2aDesk", "NewTask", "PushConfig", "StandingTask", "StoredA2a", "Task", "TaskFilter"]
WORKING: Final = "working"
SUSPENDED: Final = "suspended"
"""A task whose turn has ended, and which waits for somebody who is not its client: told as working."""
INPUT_REQUIRED: Final = "input-required"
COMPLETED, FAILED, CANCELED = "completed", "failed", "canceled"
OVER: Final = frozenset({COMPLETED, FAILED, CANCELED, "rejected"})
WORKS_MAX_S: Final = 3_600
"""After which a task whose turn has left nothing in the store is taken for failed; each turn has its own deadline."""
TURNS_LOOKED_AT: Final = 50
LINES_MAX: Final = 200
PUSHES_PER_TASK: Final = 10
KIND: Final = "a2a"


class PushConfig(Struct, frozen=True, kw_only=True):
    """An address to be told, as its client gives it.

    Attributes:
        token: Sent back in `X-A2A-Notification-Token`.
        scheme, credentials: Sent as `Authorization`, where there are any.
        dialect: How a task is spelt there.
    """

    config_id: str
    url: str
    token: str = ""
    scheme: str = ""
    credentials: str = ""
    dialect: str = ""


class StandingTask(NamedTuple):
    """A task as it stands now: its lines, the oldest first, and the reply in which it rests, empty while it works."""

    task: Task
    lines: tuple[MessageRow, ...] = ()
    reply: str = ""
    reply_id: str = ""


class A2aDesk(Protocol):
    """The tasks of a tenant's clients."""

    async def put(self, tenant_id: str, new: NewTask) -> bool:
        """Keep a message of a task, and return whether it began the task; again, it changes nothing."""
        ...

    async def is_past(self, tenant_id: str, new: NewTask) -> bool:
        """Return whether a message was answered before, and its task has gone on with another one since."""
        ...

    async def remove(self, tenant_id: str, new: NewTask) -> None:
        """Forget a task whose first message was refused."""
        ...

    async def move(self, tenant_id: str, task: Task, state: str) -> bool:
        """Write how the last message of a task has ended; False when it has another one, or was over."""
        ...

    async def look(self, tenant_id: str, task_id: str, owner: str) -> StandingTask:
        """Return a task as it stands now. Raises NotFound: there is none of this owner."""
        ...

    async def list(
        self, tenant_id: str, wanted: TaskFilter, *, limit: int, offset: int
    ) -> tuple[Sequence[StandingTask], int]:
        """Return tasks, the last changed first, and how many there are."""
        ...

    async def put_push(self, tenant_id: str, task: Task, config: PushConfig) -> None:
        """Have an address told when a task rests. Raises InvalidInput: it may not be called, or there are too many."""
        ...

    async def pushes(self, tenant_id: str, task_id: str) -> Sequence[PushConfig]:
        """Return the addresses of a task, their secrets too: they are its owner's."""
        ...

    async def remove_push(self, tenant_id: str, task_id: str, config_id: str) -> bool:
        """Forget an address; False when there is none."""
        ...


class StoredA2a:
    """Satisfies `A2aDesk`."""

    def __init__(
        self, database: Database, vault: Vault, policy: AddressPolicy, clock: Clock, *, is_production: bool = False
    ) -> None:
        """In production an address of this machine itself has to be https too."""
        self._database = database
        self._vault = vault
        self._policy = policy
        self._clock = clock
        self._allows_http = not is_production
        self.tasks = A2aTasks(database)
        self._transcripts = Transcripts(database)
        self._turns = Turns(database)

    async def put(self, tenant_id: str, new: NewTask) -> bool:
        """Keep a message of a task."""
        return await self.tasks.put(tenant_id, new)

    async def is_past(self, tenant_id: str, new: NewTask) -> bool:
        """Return whether a message was answered before, and its task has gone on with another one since."""
        task = await self.tasks.find(tenant_id, new.task_id)
        if task is None or task.turn_key == new.turn_key:
            return False
        return await self._transcripts.find(tenant_id, new.session_id, new.first_id) is not None

    async def remove(self, tenant_id: str, new: NewTask) -> None:
        """Forget a task whose first message was refused."""
        await self.tasks.remove(tenant_id, new)

    async def move(self, tenant_id: str, task: Task, state: str) -> bool:
        """Write how the last message of a task has ended."""
        return await self.tasks.move(tenant_id, task, state)

    async def look(self, tenant_id: str, task_id: str, owner: str) -> StandingTask:
        """Return a task as it stands now."""
        task = await self.tasks.find(tenant_id, task_id)
        if task is None or owner not in ("", task.owner):
            raise NotFound("Task not found")
        return await self._standing(tenant_id, task)

    async def list(
        self, tenant_id: str, wanted: TaskFilter, *, limit: int, offset: int
    ) -> tuple[Sequence[StandingTask], int]:
        """Return tasks, the last changed first, and how many there are."""
        found, total = await self.tasks.list(tenant_id, wanted, limit=limit, offset=offset)
        return [await self._standing(tenant_id, one) for one in found], total

    async def put_push(self, tenant_id: str, task: Task, config: PushConfig) -> None:
        """Have an address told when a task rests."""
        url = checked_url(config.url, self._policy, allows_http=self._allows_http)
        secrets = msgspec.json.encode([config.token, config.scheme, config.credentials])
        about = (KIND, task.task_id, config.config_id)
        sealed = await self._vault.seal(tenant_id, secrets, about)
        push = Push(task_id=task.task_id, config_id=config.config_id, url=url, dialect=config.dialect, sealed=sealed)
        async with self._database.transaction() as connection:
            if not await self.tasks.put_push(connection, tenant_id, task, push, most=PUSHES_PER_TASK):
                raise InvalidInput(f"A task tells at most {PUSHES_PER_TASK} addresses; delete one first")

    async def pushes(self, tenant_id: str, task_id: str) -> Sequence[PushConfig]:
        """Return the addresses of a task."""
        return [await self.opened(tenant_id, one) for one in await self.tasks.pushes(tenant_id, task_id)]

    async def opened(self, tenant_id: str, push: Push) -> PushConfig:
        """Return an address with its secrets."""
        secrets = await self._vault.open(tenant_id, push.sealed, (KIND, push.task_id, push.config_id))
        token, scheme, credentials = msgspec.json.decode(secrets)
        return PushConfig(
            config_id=push.config_id,
            url=push.url,
            token=token,
            scheme=scheme,
            credentials=credentials,
            dialect=push.dialect,
        )

    async def remove_push(self, tenant_id: str, task_id: str, config_id: str) -> bool:
        """Forget an address."""
        return await self.tasks.remove_push(tenant_id, task_id, config_id)

    async def _standing(self, tenant_id: str, task: Task) -> StandingTask:
        ended = await self._ended(tenant_id, task)
        if ended is None:
            age_s = (self._clock.now() - task.updated_at).total_seconds()
            if task.state == WORKING and age_s > WORKS_MAX_S and await self.tasks.move(tenant_id, task, FAILED):
                task = msgspec.structs.replace(task, state=FAILED)
            return StandingTask(task, await self._lines(tenant_id, task, ""))
        state = state_of(ended) if task.state in (WORKING, SUSPENDED) else task.state
        if state != task.state and await self.tasks.move(tenant_id, task, state):
            task = await self.tasks.find(tenant_id, task.task_id) or task
        lines = await self._lines(tenant_id, task, ended.message_id)
        reply = str(ended.failed.get("error", "")) if ended.failed else ended.response
        return StandingTask(task, lines, reply, ended.message_id)

    async def _ended(self, tenant_id: str, task: Task) -> KeptTurn | None:
        """Return the turn in which a task rests; None while its last message is not answered."""
        turns = [
            decode_beside(one)
            for one in await self._transcripts.turns(tenant_id, task.session_id, None, TURNS_LOOKED_AT)
        ]
        answer = next((one for one in turns if one.message_id == task.answer_id), None)
        if answer is None:
            kept = await self._turns.find(tenant_id, task.session_id, task.turn_key)
            return decode_kept(kept.reply) if kept is not None else None
        if state_of(answer) == SUSPENDED and turns[0].message_id != answer.message_id:
            return turns[0]  # what was waited for has come
        return answer

    async def _lines(self, tenant_id: str, task: Task, last_id: str) -> tuple[MessageRow, ...]:
        """Return what was said in a task, the oldest first: from its first message to the reply in which it rests."""
        found = await self._transcripts.before(tenant_id, task.session_id, None, LINES_MAX)
        lines = list(reversed(found))
        first = next((place for place, one in enumerate(lines) if one.message_id == task.first_id), 0)
        last = next((place for place, one in enumerate(lines) if one.message_id == last_id), len(lines) - 1)
        return tuple(lines[first : last + 1])


def state_of(ended: KeptTurn) -> str:
    """Return the state of a task whose last turn has ended so."""
    action = str(ended.action.get("type", ""))
    if ended.failed:
        return FAILED
    if ended.status == "cancelled":
        return CANCELED
    if ended.status == SUSPENDED or action in ("suspend", "escalate"):
        return SUSPENDED
    return COMPLETED if action == "complete" or ended.status in ("completed", "ended") else INPUT_REQUIRED
