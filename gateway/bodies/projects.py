"""Bodies of projects. Spec: platform-api 6.1."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET
from pydantic import AfterValidator, Field, StringConstraints

from actors.project_desk import NewProject, ProjectChange
from domain import limits
from domain.clock import iso_ms
from domain.json_values import JsonObject
from domain.projects import SLUG, settings_of
from gateway.bodies.texts import Id, RequestBody, without_nul
from gateway.envelope import PaginatedPage, Success, Wire
from storage.repositories.projects import ProjectRecord

ProjectName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.PROJECT_NAME_MAX_CHARS, strip_whitespace=True),
    AfterValidator(without_nul),
]
Description = Annotated[str, StringConstraints(max_length=limits.DESCRIPTION_MAX_CHARS), AfterValidator(without_nul)]
Label = Annotated[str, StringConstraints(max_length=limits.LABEL_MAX_CHARS), AfterValidator(without_nul)]
Slug = Annotated[str, StringConstraints(pattern=SLUG)]


class NewProjectBody(RequestBody):
    """A project to make; without a slug one is made of its name."""

    name: ProjectName
    description: Description = ""
    slug: Slug | None = None

    def wanted(self) -> NewProject:
        """Return what is asked for."""
        return NewProject(name=self.name, description=self.description, slug=self.slug or "")


class VoiceSettingsBody(RequestBody):
    """How the agents speak."""

    mode: Literal["pipeline", "realtime"] | None = None
    voice: Label | None = None
    language: Label | None = None


class ProjectSettingsBody(RequestBody):
    """Settings to change; what is not given stays. Their bounds stand in `domain.projects`."""

    session_idle_timeout_sec: int | None = None
    turn_timeout_sec: int | None = None
    callback_ttl_sec: int | None = None
    drain_timeout_sec: int | None = None
    max_message_chars: int | None = None
    trace_retention_days: int | None = None
    eval_retention_days: int | None = None
    voice: VoiceSettingsBody | None = None


class ProjectChangeBody(RequestBody):
    """What is to be different; `entryAgentName: null` clears it."""

    name: ProjectName | None = None
    description: Description | None = None
    slug: Slug | None = None
    entry_agent_name: Id | None = None
    settings: ProjectSettingsBody | None = None

    def change(self) -> ProjectChange:
        """Return what is asked for."""
        given = self.model_fields_set
        settings: JsonObject | None = None
        if self.settings is not None:
            settings = self.settings.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
        return ProjectChange(
            name=UNSET if self.name is None else self.name,
            slug=UNSET if self.slug is None else self.slug,
            description=UNSET if self.description is None else self.description,
            entry_agent_name=self.entry_agent_name if "entry_agent_name" in given else UNSET,
            settings=UNSET if settings is None else settings,
        )


class VoiceItem(Wire):
    """How the agents speak."""

    mode: Literal["pipeline", "realtime"]
    voice: str | None
    language: str | None


class SettingsItem(Wire):
    """The settings of a project; times in seconds."""

    session_idle_timeout_sec: int
    turn_timeout_sec: int
    callback_ttl_sec: int
    drain_timeout_sec: int
    max_message_chars: int
    trace_retention_days: int
    eval_retention_days: int
    voice: VoiceItem


class ProjectItem(Wire):
    """A project."""

    id: str
    tenant_id: str
    name: str
    slug: str
    description: str
    entry_agent_name: str | None
    settings: SettingsItem
    agent_count: Annotated[int, Field(ge=0)]
    created_at: str
    updated_at: str


class ProjectReply(Success):
    """One project."""

    project: ProjectItem


class ProjectListReply(PaginatedPage):
    """Projects, the oldest first."""

    projects: list[ProjectItem]


def project_item(tenant_id: str, project: ProjectRecord) -> ProjectItem:
    """Return a project as it is shown."""
    return ProjectItem(
        id=project.project_id,
        tenant_id=tenant_id,
        name=project.name,
        slug=project.slug,
        description=project.description,
        entry_agent_name=project.entry_agent_name,
        settings=SettingsItem.model_validate(msgspec.to_builtins(settings_of(project.settings))),
        agent_count=project.agent_count,
        created_at=iso_ms(project.created_at),
        updated_at=iso_ms(project.updated_at),
    )
