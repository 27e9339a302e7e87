"""Bodies of SDK channels. Spec: platform-api 6.6, 12.2."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import asdict
from pydantic import Field

from domain.clock import iso_ms
from domain.json_values import JsonObject, JsonValue
from gateway.bodies.projects import ProjectName
from gateway.bodies.texts import Id, RequestBody
from gateway.bodies.widget import WidgetBody
from gateway.envelope import PaginatedPage, Success, Wire
from storage.repositories.sdk_channels import ChannelFields, ChannelRecord

ChannelType = Literal["web", "mobile_ios", "mobile_android", "voice", "api"]
Environment = Literal["dev", "staging", "production"]


class NewChannelBody(RequestBody):
    """A channel to make; without a deployment it follows what is active in its environment."""

    name: ProjectName
    channel_type: ChannelType
    public_api_key_id: Id
    deployment_id: Id | None = None
    environment: Environment | None = None
    follow_environment: bool = True
    config: WidgetBody | None = None
    is_active: bool = True

    def fields(self) -> ChannelFields:
        """Return what is asked for."""
        return ChannelFields(
            name=self.name,
            channel_type=self.channel_type,
            public_api_key_id=self.public_api_key_id,
            deployment_id=self.deployment_id,
            environment=self.environment,
            follow_environment=self.follow_environment,
            config=self.config.kept() if self.config is not None else {},
            is_active=self.is_active,
        )


class ChannelChangeBody(RequestBody):
    """What is to be different; a deployment or environment of null is none."""

    name: ProjectName | None = None
    channel_type: ChannelType | None = None
    public_api_key_id: Id | None = None
    deployment_id: Id | None = None
    environment: Environment | None = None
    follow_environment: bool | None = None
    config: WidgetBody | None = None
    is_active: bool | None = None

    def changed(self) -> JsonObject:
        """Return field -> value of what is asked for."""
        given = self.model_dump(by_alias=False, exclude_unset=True)
        kept = {
            name: value
            for name, value in given.items()
            if value is not None or name in ("deployment_id", "environment")
        }
        return {**kept, "config": self.config.kept()} if self.config is not None else kept


class ChannelItem(Wire):
    """A channel."""

    id: str
    tenant_id: str
    project_id: str
    name: str
    channel_type: ChannelType
    deployment_id: str | None
    public_api_key_id: str
    config: dict[str, JsonValue] = Field(description="free JSON, as it was given")
    is_active: bool
    environment: str | None
    follow_environment: bool
    created_at: str
    updated_at: str


class ChannelListReply(PaginatedPage):
    """The channels of a project, the oldest first."""

    channels: list[ChannelItem]


class ChannelReply(Success):
    """One channel."""

    channel: ChannelItem


def channel_item(channel: ChannelRecord) -> ChannelItem:
    """Return a channel as it is shown."""
    shown = asdict(channel)
    return ChannelItem.model_validate(
        {
            **shown,
            "id": channel.channel_id,
            "created_at": iso_ms(channel.created_at),
            "updated_at": iso_ms(channel.updated_at),
        }
    )
