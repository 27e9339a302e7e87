"""What is configured about one provider of models; read by the registry and by the adapter of its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from domain.errors import InvalidInput
from domain.json_values import JsonObject

Options = TypeVar("Options")


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """One provider.

    Attributes:
        kind: A key of `registry.ADAPTERS`.
        models: The names it knows; empty means any name may be asked of it by `provider/name`.
        options: What else its adapter understands.
    """

    name: str
    kind: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    models: tuple[str, ...] = ()
    options: JsonObject = field(default_factory=dict, repr=False)

    def read_options(self, kind: type[Options]) -> Options:
        """Return the options as `kind`.

        Raises:
            InvalidInput: One of them has the wrong form.
        """
        try:
            return msgspec.convert(self.options, kind)
        except msgspec.ValidationError as error:
            raise InvalidInput(f"The options of the provider {self.name!r} are wrong: {error}") from error
