"""Names of models as usage and traces report them: without their provider. Spec: platform-api 4.1, 4.5."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from domain.analytics import EventQuery
from domain.clock import Clock
from domain.limits import USAGE_WINDOW_DAYS
from storage.database import Database
from storage.repositories.analytics import Analytics
from storage.repositories.analytics_catching_up import CatchingUp


class ReportedModels:
    """Which providers the models were of that a project's calls went to."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._analytics = Analytics(database)
        self._counting = CatchingUp(database)
        self._clock = clock

    async def full_names(self, tenant_id: str, project_id: str, model: str) -> Sequence[str]:
        """Return `provider/model` of a name in the usage of the last days, that of most calls first."""
        now = self._clock.now()
        await self._counting.catch_up(tenant_id, project_id, now)
        window = EventQuery(since=now - timedelta(days=USAGE_WINDOW_DAYS), until=now)
        rows = await self._analytics.costs(tenant_id, project_id, window)
        named = sorted((one for one in rows if one.model == model), key=lambda one: -one.calls)
        return [f"{one.provider}/{model}" for one in named if one.provider]
