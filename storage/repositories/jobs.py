"""Durable work, done at or after its time: claimed with SKIP LOCKED, claimed again when its runner holds it no more.

A claim is short, and its runner renews it for as long as it lives: what a runner that was killed had claimed is given
out within `CLAIM_S`. A claim has a number; once work was given out again, or back, whoever had it before settles and
renews nothing of it. Decision: 0072.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from domain.json_values import JsonObject
from storage.database import Database, Row
from storage.leases import HELD, lost
from storage.statements import Statement

CLAIM_S = 10.0
"""How long work is a runner's that does not say again that it has it."""
RETRY_BASE_S = 1.0
RETRY_MAX_S = 300.0
SLACK_S = 60.0
"""How much too late work may be due before a clock that has leapt is taken to have made it so."""
WAITS_MAX_S = 2 * 86_400.0
"""The same for a further try: no kind of work waits longer for one."""

ENQUEUE = Statement("""
    INSERT INTO jobs (tenant_id, kind, name, payload, due_at)
    VALUES (:tenant_id, :kind, :name, :payload, clock_timestamp() + make_interval(secs => :delay_s))
    ON CONFLICT (tenant_id, kind, name) DO NOTHING
""")
ENQUEUE_HELD = Statement(f"""
    WITH held AS ({HELD}),
    made AS (
        INSERT INTO jobs (tenant_id, kind, name, payload, due_at)
        SELECT :tenant_id, :kind, :name, :payload, clock_timestamp() + make_interval(secs => :delay_s) FROM held
        ON CONFLICT (tenant_id, kind, name) DO NOTHING
    )
    SELECT count(*) FROM held
""")
NOT_BESIDE = """NOT EXISTS (
            SELECT FROM unnest(:beside_tenant_ids::text[], :beside_kinds::text[], :beside_names::text[])
                AS beside (tenant_id, kind, name)
            WHERE beside.tenant_id = jobs.tenant_id AND beside.kind = jobs.kind AND beside.name = jobs.name
        )"""
"""What the runner that claims has under way it never claims again, also when it was late to hold it."""
CLAIM = Statement(f"""
    WITH due AS (
        SELECT tenant_id, kind, name FROM jobs
        WHERE due_at <= clock_timestamp() AND kind = ANY(:kinds) AND {NOT_BESIDE}
        ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    UPDATE jobs j SET
        due_at = clock_timestamp() + make_interval(secs => :claim_s), attempts = attempts + 1, claim = claim + 1
    FROM due
    WHERE j.tenant_id = due.tenant_id AND j.kind = due.kind AND j.name = due.name
    RETURNING j.tenant_id, j.kind, j.name, j.payload, j.attempts, j.claim
""")
FINISH = Statement("""
    DELETE FROM jobs WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name AND claim = :claim
""")
FAIL = Statement("""
    UPDATE jobs SET last_error = :error, claim = claim + 1,
        due_at = clock_timestamp()
            + make_interval(secs => least(:retry_max_s, :retry_base_s * 2 ^ least(attempts - 1, 20)))
    WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name AND claim = :claim
""")
AGAIN = Statement("""
    UPDATE jobs SET last_error = '', attempts = 0, claim = claim + 1,
        due_at = clock_timestamp() + make_interval(secs => :delay_s)
    WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name AND claim = :claim
""")
GIVE_BACK = Statement("""
    UPDATE jobs SET due_at = clock_timestamp(), claim = claim + 1
    WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name AND claim = :claim
""")
RENEW = Statement(
    """
    WITH mine AS (
        SELECT j.tenant_id, j.kind, j.name FROM jobs j
        JOIN unnest(:tenant_ids::text[], :kinds::text[], :names::text[], :claims::bigint[])
            AS held (tenant_id, kind, name, claim) USING (tenant_id, kind, name, claim)
        FOR UPDATE OF j SKIP LOCKED
    )
    UPDATE jobs j SET due_at = clock_timestamp() + make_interval(secs => :claim_s)
    FROM mine WHERE j.tenant_id = mine.tenant_id AND j.kind = mine.kind AND j.name = mine.name
    """,
    is_repeatable=True,
)
"""It waits for nobody: what is being settled is left, and what it misses it meets the next time."""
WITHIN = Statement("""
    UPDATE jobs SET due_at = clock_timestamp() + make_interval(secs => :most_s)
    WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name
      AND due_at > clock_timestamp()
          + make_interval(secs => greatest(:most_s::float8, :claim_s::float8) + :slack_s::float8)
""")
BACK_FROM_THE_FUTURE = Statement("""
    UPDATE jobs SET created_at = least(created_at, clock_timestamp()),
        due_at = CASE WHEN created_at > clock_timestamp() THEN clock_timestamp() + (due_at - created_at)
            ELSE clock_timestamp() END
    WHERE created_at > clock_timestamp() + make_interval(secs => :slack_s)
       OR attempts > 0 AND due_at > clock_timestamp() + make_interval(secs => :waits_max_s)
""")
CANCEL = Statement("DELETE FROM jobs WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name")
NEXT_DUE = Statement("""
    SELECT greatest(0, extract(epoch FROM min(due_at) - clock_timestamp()))::float8 FROM jobs WHERE kind = ANY(:kinds)
    HAVING count(*) > 0
""")


class Job(Struct, frozen=True):
    """A claimed piece of work; `claim` tells this claim from a later one."""

    tenant_id: str
    kind: str
    name: str
    payload: JsonObject
    attempts: int
    claim: int


class Jobs:
    """The jobs of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def enqueue(
        self, tenant_id: str, kind: str, name: str, payload: JsonObject | None = None, *, delay_s: float = 0.0
    ) -> bool:
        """Ask for work; return False when it was asked for before and is not finished."""
        return bool(
            await self._database.execute(
                ENQUEUE, tenant_id=tenant_id, kind=kind, name=name, payload=payload or {}, delay_s=delay_s
            )
        )

    async def enqueue_held(
        self, tenant_id: str, session_id: str, epoch: int, kind: str, name: str, payload: JsonObject, *, delay_s: float
    ) -> None:
        """Ask for work of a session, for the host that owns it; nothing when it was asked for before.

        Raises:
            StaleEpoch: The session is not this epoch's; nothing has changed.
        """
        work = {"kind": kind, "name": name, "payload": payload, "delay_s": delay_s}
        named = {"tenant_id": tenant_id, "session_id": session_id}
        if not await self._database.value(ENQUEUE_HELD, **named, epoch=epoch, **work):
            raise lost(session_id, epoch)

    async def claim(
        self, kinds: Sequence[str], limit: int, *, beside: Sequence[Job] = (), claim_s: float = CLAIM_S
    ) -> Sequence[Job]:
        """Return due work of any tenant; what is not finished or renewed within `claim_s` is given out again.

        Nothing of `beside` is claimed, which is what the caller has under way.
        """
        rows = await self._database.rows(CLAIM, kinds=list(kinds), limit=limit, claim_s=claim_s, **named_beside(beside))
        return [_job(row) for row in rows]

    async def renew(self, held: Sequence[Job], *, claim_s: float = CLAIM_S) -> int:
        """Hold claimed work for `claim_s` from now; return how much of it is still the caller's."""
        return await self._database.execute(
            RENEW,
            tenant_ids=[job.tenant_id for job in held],
            kinds=[job.kind for job in held],
            names=[job.name for job in held],
            claims=[job.claim for job in held],
            claim_s=claim_s,
        )

    async def finish(self, job: Job) -> bool:
        """Remove finished work; return False when the claim had run out and it is somebody else's."""
        return bool(
            await self._database.execute(FINISH, tenant_id=job.tenant_id, kind=job.kind, name=job.name, claim=job.claim)
        )

    async def again(self, job: Job, delay_s: float) -> bool:
        """Have finished work done again after a while; return False when the claim had run out."""
        return bool(
            await self._database.execute(
                AGAIN, tenant_id=job.tenant_id, kind=job.kind, name=job.name, claim=job.claim, delay_s=delay_s
            )
        )

    async def give_back(self, job: Job) -> bool:
        """Let unfinished work be claimed again at once; return False when the claim had run out."""
        return bool(
            await self._database.execute(
                GIVE_BACK, tenant_id=job.tenant_id, kind=job.kind, name=job.name, claim=job.claim
            )
        )

    async def fail(self, job: Job, error: str) -> bool:
        """Give work back, to be tried again after a while that doubles; return False when the claim had run out."""
        return bool(
            await self._database.execute(
                FAIL,
                tenant_id=job.tenant_id,
                kind=job.kind,
                name=job.name,
                claim=job.claim,
                error=error,
                retry_base_s=RETRY_BASE_S,
                retry_max_s=RETRY_MAX_S,
            )
        )

    async def within(self, tenant_id: str, kind: str, name: str, most_s: float) -> bool:
        """Have recurring work done no later than in `most_s`; return whether a clock that was wrong had it later."""
        return bool(
            await self._database.execute(
                WITHIN, tenant_id=tenant_id, kind=kind, name=name, most_s=most_s, claim_s=CLAIM_S, slack_s=SLACK_S
            )
        )

    async def back_from_the_future(self) -> int:
        """Put right when work is due that was asked for, or tried, by a clock ahead of now; return how much that was.

        It waits as long from now as it was to wait.
        """
        return await self._database.execute(BACK_FROM_THE_FUTURE, slack_s=SLACK_S, waits_max_s=WAITS_MAX_S)

    async def cancel(self, tenant_id: str, kind: str, name: str) -> bool:
        """Remove work, claimed or not; return False when there is none."""
        return bool(await self._database.execute(CANCEL, tenant_id=tenant_id, kind=kind, name=name))

    async def next_due_s(self, kinds: Sequence[str]) -> float | None:
        """Return in how many seconds the next work is due; None when there is none."""
        found: float | None = await self._database.value(NEXT_DUE, kinds=list(kinds))
        return found


def named_beside(under_way: Sequence[Job]) -> dict[str, list[str]]:
    """Return the parameters of `NOT_BESIDE`."""
    return {
        "beside_tenant_ids": [job.tenant_id for job in under_way],
        "beside_kinds": [job.kind for job in under_way],
        "beside_names": [job.name for job in under_way],
    }


def _job(row: Row) -> Job:
    return Job(**dict(row))
