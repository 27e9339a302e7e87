"""The embedded model of an installation: whether there is one, its process, and its weights fetched in the background.

Nothing waits for it: until its weights are there, and while it is loaded, its provider says how far they are.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

import msgspec

from actors.health import OK
from actors.settings import ModelProvider, Settings
from domain.errors import AppError, InvalidInput
from providers.embedded.llm_server import LlmServer, Serving, has_engine
from providers.embedded.pull import pull
from providers.embedded.sources import Stopped
from providers.embedded.weights import DEFAULT_SIZE, MEGABYTE, Weights, WeightsHere, get_weights, weights_here

PROVIDER: Final = "embedded"
OFF: Final = "off"
GGUF: Final = ".gguf"
LOG_FOLDER: Final = "embedded"
PULL_TRIES: Final = 5
PULL_PAUSE_S: Final = 30.0
TELL_EVERY_PERCENT: Final = 10
LOOK_S: Final = 0.5
NO_ENGINE: Final = (
    "The embedded model needs the package xllamacpp, which has no wheel for this machine or was not installed: "
    "pip install 'abl-runtime[embedded]', or set a key such as ANTHROPIC_API_KEY, or ABL_MODEL_URL."
)
_log = logging.getLogger(__name__)


class EmbeddedModel:
    """The running embedded model of one installation."""

    def __init__(self, settings: Settings, weights: Weights | None, path: Path) -> None:
        self._folder = path.parent
        self._weights = weights
        self._path = path
        self._is_pulled = settings.pull_model and weights is not None
        self._stop = Event()
        self._puller: asyncio.Task[None] | None = None
        name = weights.name if weights is not None else path.stem
        serving = Serving(name, Path(settings.data_dir) / LOG_FOLDER, settings.embedded_threads)
        self._server = LlmServer(serving, self._find)
        self.provider = ModelProvider(
            name=PROVIDER,
            kind=PROVIDER,
            base_url=self._server.url,
            api_key=self._server.key,
            models=(name,),
            options={"path": str(path), "weights": weights.name if weights is not None else ""},
        )

    @property
    def model(self) -> str:
        """Its full name."""
        return f"{PROVIDER}/{self.provider.models[0]}"

    def here(self) -> WeightsHere | None:
        """Return how much of its file is here, None of a file of one's own."""
        return weights_here(self._folder, self._weights) if self._weights is not None else None

    @property
    def state(self) -> str:
        """How it is: "ok" while it takes requests, else how far it is."""
        if self._server.is_ready:
            return OK
        here = self.here()
        if here is None or here.state == "ready":
            return "The embedded model is being loaded; agents that need no model answer already."
        return f"{here.percent} % of the embedded model is here; agents that need no model answer already."

    async def ready(self) -> None:
        """Return once it takes requests."""
        await self._server.ready()

    def start(self) -> None:
        """Begin to fetch what is missing and to keep the process running; returns at once."""
        self._server.start()
        if self._is_pulled:
            self._puller = asyncio.create_task(self._pull(), name="pull the embedded model")

    async def stop(self) -> None:
        """End the fetching, which keeps what has come, and the process."""
        self._stop.set()
        if self._puller is not None:
            await asyncio.gather(self._puller, return_exceptions=True)
        await self._server.stop()

    async def follow(self, tell: Callable[[str], None]) -> None:
        """Tell how the fetching goes, every tenth of the way, until the model takes requests."""
        ready = asyncio.create_task(self.ready())
        told = -1
        while not ready.done():
            here = self.here()
            if here is not None and here.state != "ready" and here.percent // TELL_EVERY_PERCENT > told:
                told = here.percent // TELL_EVERY_PERCENT
                megabytes = here.weights.size_bytes // MEGABYTE
                tell(f"embedded model: {here.percent} % of {megabytes} MB; agents that need no model answer already")
            await asyncio.wait([ready], timeout=LOOK_S)
        tell(f"embedded model: {self.model} takes requests (a demonstration model; a key or ABL_MODEL_URL replaces it)")

    def _find(self) -> Path | None:
        here = self.here()
        is_here = self._path.exists() if here is None else here.state == "ready"
        return self._path if is_here else None

    async def _pull(self) -> None:
        if self._weights is None:
            return
        for attempt in range(PULL_TRIES):
            try:
                await asyncio.to_thread(pull, self._folder, self._weights, stop=self._stop)
            except Stopped:
                return
            except AppError as error:
                _log.warning("%s", error.message)
            else:
                return
            if attempt + 1 < PULL_TRIES and await asyncio.to_thread(self._stop.wait, PULL_PAUSE_S):
                return


class WantedModel(NamedTuple):
    """The file of an embedded model, and what it should hold; None of a file of one's own."""

    weights: Weights | None
    path: Path

    def here(self) -> WeightsHere | None:
        """Return how much of its file is here, None of a file of one's own."""
        return weights_here(self.path.parent, self.weights) if self.weights is not None else None


def find_embedded(settings: Settings) -> EmbeddedModel | None:
    """Return the embedded model that the settings want, not started yet; raises what `wanted_embedded` raises."""
    wanted = wanted_embedded(settings)
    return EmbeddedModel(settings, wanted.weights, wanted.path) if wanted is not None else None


def wanted_embedded(settings: Settings) -> WantedModel | None:
    """Return the embedded model that the settings want, None when they want none or it cannot run here.

    Asked for by `embedded_model`, or taken when no other model is configured and its file is there or is to be pulled.
    On a cluster there is none: its hosts would ask the loopback address of their own machine.

    Raises:
        InvalidInput: It was asked for by name, and there is no such model, or what runs it is not installed.
    """
    wanted = settings.embedded_model
    is_asked = bool(wanted)
    if wanted == OFF or settings.ray_address or not (settings.models_dir or wanted.endswith(GGUF)):
        return None
    if not is_asked and (settings.providers or settings.default_model):
        return None
    if not has_engine():
        if is_asked:
            raise InvalidInput(NO_ENGINE)
        return None
    if wanted.endswith(GGUF):
        path = Path(wanted).expanduser()
        if not path.exists():
            raise InvalidInput(f"ABL_EMBEDDED_MODEL: there is no file {wanted}")
        return WantedModel(None, path)
    weights = get_weights(wanted or DEFAULT_SIZE)
    folder = Path(settings.models_dir)
    if not (is_asked or settings.pull_model or weights_here(folder, weights).state == "ready"):
        return None
    return WantedModel(weights, folder / weights.file)


def with_embedded(settings: Settings, model: EmbeddedModel) -> Settings:
    """Return the settings with the embedded model as a provider, and as the default where there is no other."""
    return msgspec.structs.replace(
        settings,
        providers=(*settings.providers, model.provider),
        default_model=settings.default_model or model.model,
    )
