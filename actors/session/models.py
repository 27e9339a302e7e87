"""What a session needs to know of models: which one a call goes to, and whether there is any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from actors.session.store import SessionPin
from domain.budgets import Spender
from engine import AskModel
from providers.ports import ChatModel
from providers.registry import ModelRegistry
from providers.resolve import ModelSource


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A model, who named it, and what the deployment says of the call; None leaves what the agent says.

    Attributes:
        name: `provider/model`.
        most_tokens: Of one answer, as its provider's row says; None where it does not. Spec: platform-api 14.5.
        takes_tools: False where its provider's row says so.
        sees_images: Its provider's row says so, or the catalogue where that says nothing.
        fetches_images: Its provider fetches a picture from its address; it has to come in the request otherwise.
    """

    registry: ModelRegistry
    name: str
    source: ModelSource
    temperature: float | None = None
    max_tokens: int | None = None
    most_tokens: int | None = None
    takes_tools: bool = True
    sees_images: bool = False
    fetches_images: bool = False


class Models(Protocol):
    """The models of all sessions."""

    async def choose(self, pin: SessionPin, effect: AskModel) -> ChosenModel:
        """Return the model of a call.

        Raises:
            Unavailable: Nobody has named one that is served, or a key cannot be opened.
        """
        ...

    async def has_model(self, pin: SessionPin) -> bool:
        """Return whether a call that names no model would find one."""
        ...


class ModelBudgets(Protocol):
    """Opens models under the budgets of who asks them."""

    async def open(
        self, tenant_id: str, spender: Spender, chosen: ChosenModel, *, timeout_ms: int, fallback: str = ""
    ) -> ChatModel:
        """Return the chosen model; it fails with the kind `budget_exceeded` when a budget is spent."""
        ...
