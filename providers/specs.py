"""What is configured about one provider of models; read by the registry and by the adapter of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from domain.errors import InvalidInput
from domain.json_values import JsonObject

Options = TypeVar("Options")


class Price(Struct, frozen=True, omit_defaults=True):
    """US dollars per million tokens; None where tokens read from or written to a cache cost what input costs."""

    input: float
    output: float
    cached: float | None = None
    written: float | None = None


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """One provider.

    Attributes:
        kind: A key of `registry.ADAPTERS`.
        models: The names it knows; empty means any name may be asked of it by `provider/name`.
        options: What else its adapter understands.
        prices: Model -> its price here, before the one of the catalog.
        is_foreign: A tenant has configured it: its address is judged like that of a tool.
    """

    name: str
    kind: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    models: tuple[str, ...] = ()
    options: JsonObject = field(default_factory=dict, repr=False)
    prices: Mapping[str, Price] = field(default_factory=dict)
    is_foreign: bool = False

    @property
    def host(self) -> str:
        """The host of its address, lower case; empty where it has none."""
        return urlsplit(self.base_url).hostname or ""

    def read_options(self, kind: type[Options]) -> Options:
        """Return the options as `kind`.

        Raises:
            InvalidInput: One of them has the wrong form.
        """
        try:
            return msgspec.convert(self.options, kind)
        except msgspec.ValidationError as error:
            raise InvalidInput(f"The options of the provider {self.name!r} are wrong: {error}") from error
