"""Bodies of variables. Spec: platform-api 6.5."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from msgspec import UNSET
from pydantic import AfterValidator, StringConstraints, model_validator

from actors.variable_desk import WantedVariable
from domain import limits
from domain.clock import iso_ms
from gateway.bodies.projects import Description
from gateway.bodies.texts import RequestBody, without_nul
from gateway.envelope import Success, Wire
from storage.repositories.variables import BASE, VariableRecord

Kind = Literal["env", "config"]
Environment = Literal["base", "dev", "staging", "production"]


class VariableBody(RequestBody):
    """A variable to write; one of the kind `config` has no environment and is never secret.

    Without `secret` or `description` they stay what they were; a new variable is plain then.
    """

    kind: Kind
    key: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")]
    value: Annotated[str, StringConstraints(max_length=limits.VARIABLE_MAX_CHARS), AfterValidator(without_nul)]
    environment: Environment = BASE
    secret: bool | None = None
    description: Description | None = None

    @model_validator(mode="after")
    def _config_is_plain(self) -> Self:
        if self.kind == "env":
            return self
        if self.environment != BASE:
            raise ValueError("a variable of the kind config holds in all environments")
        if self.secret:
            raise ValueError("a variable of the kind config stands in the compiled agents and cannot be secret")
        if len(self.value) > limits.CONFIG_VALUE_MAX_CHARS:
            raise ValueError(f"the value must have at most {limits.CONFIG_VALUE_MAX_CHARS} characters")
        return self

    def wanted(self) -> WantedVariable:
        """Return what is asked for."""
        return WantedVariable(
            kind=self.kind,
            key=self.key,
            value=self.value,
            environment=self.environment,
            secret=self.secret,
            description=self.description if "description" in self.model_fields_set else UNSET,
        )


class VariableItem(Wire):
    """A variable; the value of a secret one is never shown."""

    id: str
    kind: Kind
    key: str
    environment: Environment
    value: str | None
    secret: bool
    description: str | None
    updated_at: str


class VariableListReply(Success):
    """The variables of a project by kind and key."""

    variables: list[VariableItem]


class VariableReply(Success):
    """One variable."""

    variable: VariableItem


def variable_item(variable: VariableRecord) -> VariableItem:
    """Return a variable as it is shown."""
    return VariableItem.model_validate(
        {
            "id": variable.variable_id,
            "kind": variable.kind,
            "key": variable.key,
            "environment": variable.environment,
            "value": variable.value,
            "secret": variable.sealed is not None,
            "description": variable.description,
            "updated_at": iso_ms(variable.updated_at),
        }
    )
