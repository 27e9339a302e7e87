"""The part of the API about models. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.models import (
        ProjectModelsBody,
        ProjectModelsReply,
        ProviderBody,
        ProviderListReply,
        ProviderPatch,
        ProviderReply,
        ProviderTestReply,
        ResolvedReply,
    )
    from abl_client.forms.users import DeletedReply


class ModelsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_providers(self, *, limit: int | None = None, offset: int | None = None) -> ProviderListReply:
        """Return the providers of models that the tenant brings, without their keys."""
        return cast(
            "ProviderListReply",
            self._transport.json(
                "GET", "/api/model-providers", query={"limit": limit, "offset": offset}, schemes=("apiKey", "bearer")
            ),
        )

    def add_provider(self, body: ProviderBody, *, idempotency_key: str = "") -> ProviderReply:
        """Keep a provider for all projects of the tenant; its key is sealed and never shown."""
        return cast(
            "ProviderReply",
            self._transport.json(
                "POST", "/api/model-providers", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def change_provider(self, provider_id: str, body: ProviderPatch) -> ProviderReply:
        """Change a provider."""
        return cast(
            "ProviderReply",
            self._transport.json(
                "PATCH", f"/api/model-providers/{place(provider_id)}", body=body, schemes=("apiKey", "bearer")
            ),
        )

    def remove_provider(self, provider_id: str) -> DeletedReply:
        """Remove a provider with its key."""
        return cast(
            "DeletedReply",
            self._transport.json("DELETE", f"/api/model-providers/{place(provider_id)}", schemes=("apiKey", "bearer")),
        )

    def check_provider(self, provider_id: str, *, idempotency_key: str = "") -> ProviderTestReply:
        """Ask a provider for a word, and tell how long that took or what went wrong."""
        return cast(
            "ProviderTestReply",
            self._transport.json(
                "POST",
                f"/api/model-providers/{place(provider_id)}/test",
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_project_models(self, project_id: str) -> ProjectModelsReply:
        """Return the models that a project takes."""
        return cast(
            "ProjectModelsReply",
            self._transport.json("GET", f"/api/projects/{place(project_id)}/models", schemes=("apiKey", "bearer")),
        )

    def put_project_models(self, project_id: str, body: ProjectModelsBody) -> ProjectModelsReply:
        """Put the models that a project takes in the place of the last ones."""
        return cast(
            "ProjectModelsReply",
            self._transport.json(
                "PUT", f"/api/projects/{place(project_id)}/models", body=body, schemes=("apiKey", "bearer")
            ),
        )

    def resolve_model(
        self,
        project_id: str,
        *,
        tier: Literal["fast", "balanced", "powerful", "voice"] | None = None,
        agent_name: str | None = None,
    ) -> ResolvedReply:
        """Return which model a call goes to, of an agent where one is named, and who named it."""
        return cast(
            "ResolvedReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/models/resolve",
                query={"tier": tier, "agentName": agent_name},
                schemes=("apiKey", "bearer"),
            ),
        )
