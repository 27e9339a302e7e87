"""The part of the API about openai. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.openai import (
        AgentResponse,
        ChatCompletion,
        ChatCompletionBody,
        DeletedResponse,
        InputItems,
        ModelItem,
        ModelList,
        ResponseBody,
    )


class OpenaiApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_chat_completion(self, body: ChatCompletionBody, *, idempotency_key: str = "") -> ChatCompletion:
        """Ask an agent in the form of OpenAI's chat completions; `model` is an agent, `agent@environment` ..."""
        return cast(
            "ChatCompletion",
            self._transport.json(
                "POST", "/v1/chat/completions", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def list_models(self) -> ModelList:
        """Return what can be asked for as a model: agents, agents in environments, deployments."""
        return cast("ModelList", self._transport.json("GET", "/v1/models", schemes=("apiKey", "bearer")))

    def get_model(self, model: str) -> ModelItem:
        """Return one model."""
        return cast(
            "ModelItem", self._transport.json("GET", f"/v1/models/{place(model)}", schemes=("apiKey", "bearer"))
        )

    def create_response(self, body: ResponseBody, *, idempotency_key: str = "") -> AgentResponse:
        """Ask an agent in the form of OpenAI's Responses API; `model` is an agent, `agent@environment` or ..."""
        return cast(
            "AgentResponse",
            self._transport.json(
                "POST", "/v1/responses", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def get_response(self, response_id: str) -> AgentResponse:
        """Return a response that was stored, as it was told."""
        return cast(
            "AgentResponse",
            self._transport.json("GET", f"/v1/responses/{place(response_id)}", schemes=("apiKey", "bearer")),
        )

    def delete_response(self, response_id: str, *, idempotency_key: str = "") -> DeletedResponse:
        """Forget the id of a response; what was said stays in its session, which `DELETE` of sessions removes."""
        return cast(
            "DeletedResponse",
            self._transport.json(
                "DELETE",
                f"/v1/responses/{place(response_id)}",
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def list_input_items(self, response_id: str) -> InputItems:
        """Return what a response answers: the user's message of its turn."""
        return cast(
            "InputItems",
            self._transport.json(
                "GET", f"/v1/responses/{place(response_id)}/input_items", schemes=("apiKey", "bearer")
            ),
        )
