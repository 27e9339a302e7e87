"""What the settings say of an installation: its folder, its secrets, its address, its models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from actors.sandbox_tokens import SECRET_MIN_BYTES, SandboxTokens
from actors.settings import ModelProvider, Settings
from domain.clock import Clock, IdSource
from domain.errors import InvalidInput
from domain.rates import UNLIMITED, RateSettings, rates_of
from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.registry import ModelRegistry
from providers.specs import Price, ProviderSpec
from storage.crypto import MasterKeys, kept_secret

MASTER_KEY_FILE = "master.key"
SANDBOX_SECRET_FILE = "sandbox_secret"
TOKEN_SECRET_FILE = "token_secret"


def master_keys(settings: Settings) -> MasterKeys:
    """Return the keys that seal what is sealed: those of the settings, else those of a file made at the first start."""
    if settings.master_keys:
        return MasterKeys.parse(settings.master_keys)
    folder = data_folder(settings)
    folder.mkdir(parents=True, exist_ok=True)
    return MasterKeys.kept_in(folder / MASTER_KEY_FILE)


def master_key_text(settings: Settings) -> str:
    """Return those keys as a setting, for processes that do not have the same folder."""
    if settings.master_keys:
        return settings.master_keys
    return ",".join(kept_secret(data_folder(settings) / MASTER_KEY_FILE).split())


def known_master_keys(settings: Settings) -> MasterKeys | None:
    """Return those keys as they are; None where none were made yet."""
    is_known = settings.master_keys or (data_folder(settings) / MASTER_KEY_FILE).exists()
    return master_keys(settings) if is_known else None


def sandbox_tokens(settings: Settings, clock: Clock, ids: IdSource) -> SandboxTokens:
    """Return what makes and reads sandbox tokens: under the secrets of the settings, else under those of a file.

    Raises:
        InvalidInput: A secret is too short.
    """
    secret, *older = _secrets("ABL_SANDBOX_SECRET", settings.sandbox_secret, data_folder(settings), SANDBOX_SECRET_FILE)
    return SandboxTokens(secret, clock, ids, older=older)


def token_secrets(settings: Settings) -> tuple[bytes, ...]:
    """Return the secrets of all other tokens, the current one first: of the settings, else of a file made here.

    Raises:
        InvalidInput: A secret is too short.
    """
    return _secrets("ABL_TOKEN_SECRETS", settings.token_secrets, data_folder(settings), TOKEN_SECRET_FILE)


def _secrets(variable: str, given: str, folder: Path, file: str) -> tuple[bytes, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    written = given.split(",") if given else kept_secret(folder / file).splitlines()
    secrets = tuple(one.strip().encode() for one in written if one.strip())
    if not secrets or any(len(one) < SECRET_MIN_BYTES for one in secrets):
        raise InvalidInput(f"{variable if given else file}: a secret has at least {SECRET_MIN_BYTES} characters")
    return secrets


def instance_rates(settings: Settings) -> RateSettings:
    """Return how much is let through where a tenant says nothing else; everything where limits are switched off."""
    return rates_of(settings.rates) if settings.rate_limits else UNLIMITED


def data_folder(settings: Settings) -> Path:
    """Return the folder of everything that has to survive a restart."""
    return Path(settings.data_dir).absolute()


def public_url(settings: Settings) -> str:
    """Return the address under which the outside reaches this installation."""
    return settings.public_url or f"http://{settings.host}:{settings.port}"


def allowed_addresses(settings: Settings) -> AddressPolicy:
    """Return which addresses may be called that tenants bring: public ones, and those the operator allows."""
    return AddressPolicy(allowed=settings.allowed_networks)


def model_registry(settings: Settings) -> ModelRegistry:
    """Return the models of the installation; addresses that tenants bring are judged like those of http tools."""
    foreign = HttpClient(allowed_addresses(settings))
    return ModelRegistry([_provider(one, settings.prices) for one in settings.providers], foreign_client=foreign)


def _provider(one: ModelProvider, prices: Mapping[str, Price]) -> ProviderSpec:
    """Return a provider with the prices of its models: under `provider/model`, else under the model's own name."""
    prefix = f"{one.name}/"
    bare = {name: price for name, price in prices.items() if "/" not in name}
    full = {name.removeprefix(prefix): price for name, price in prices.items() if name.startswith(prefix)}
    return ProviderSpec(one.name, one.kind, one.base_url, one.api_key, one.models, one.options, bare | full)
