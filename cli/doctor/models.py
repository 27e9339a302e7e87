"""The models: one is configured, its server answers, takes the key and has the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http import HTTPStatus
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from cli.doctor.faults import WARNING, Fault, Place
from cli.output import command

LOOK_S = 5.0
MAX_ANSWER_BYTES = 1 << 20
SHOWN = 5
NO_KEY = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def look_at_models(place: Place) -> Iterator[Fault]:
    """Reasoning agents have a model; a server that was named for it answers as one."""
    from cli.environment import models_from
    from domain.errors import AppError

    try:
        providers, default = models_from(place.environment)
    except AppError as error:
        yield Fault("MODEL", error.message, "docs/settings.md has the variables of every provider")
        return
    yield from _embedded(place, is_needed=not default)
    url = place.environment.get("ABL_MODEL_URL", "")
    if url:
        own = next((one for one in providers if one.base_url == url), None)
        yield from _server(url, own.api_key if own else "", default.partition("/")[2])


def _embedded(place: Place, *, is_needed: bool) -> Iterator[Fault]:
    """The model that runs on this machine: asked for and able to run, or here where no other model is set."""
    from actors.embedded import wanted_embedded
    from cli.environment import settings_from
    from domain.errors import AppError

    pull = f"{command()} models pull"
    try:
        settings = settings_from(place.environment, runtime=place.runtime, data_dir=str(place.data_dir))
    except AppError:
        return  # `look_at_settings` says it
    try:
        found = wanted_embedded(settings)
    except AppError as error:
        yield Fault("EMBEDDED_MODEL", error.message, f"{command()} models list shows which there are")
        return
    if found is None:
        if is_needed:
            mend = f"export OPENAI_API_KEY=..., ANTHROPIC_API_KEY=..., GEMINI_API_KEY=..., or ABL_MODEL_URL; or {pull}"
            yield Fault("NO_MODEL", "no model is configured: only FLOW and GATHER agents answer", mend, WARNING)
        return
    here = found.here()
    if here is not None and here.state != "ready":
        what = f"{here.percent} % of the embedded model {here.weights.name} is here: only FLOW and GATHER answer yet"
        yield Fault("MODEL_NOT_HERE", what, f"{pull} --size {here.weights.size}", WARNING)


def _server(url: str, key: str, model: str) -> Iterator[Fault]:
    if not url.startswith(("http://", "https://")):
        yield Fault(
            "MODEL_URL", f"ABL_MODEL_URL is {url!r}, no http address", "export ABL_MODEL_URL=http://127.0.0.1:8000/v1"
        )
        return
    asked = Request(f"{url.rstrip('/')}/models", headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with urlopen(asked, timeout=LOOK_S) as answer:
            raw = answer.read(MAX_ANSWER_BYTES)
    except HTTPError as error:
        if error.code in NO_KEY:
            yield Fault("MODEL_KEY", f"{url} refuses the key ({error.code})", "export ABL_MODEL_KEY=...")
        elif error.code == HTTPStatus.NOT_FOUND:
            mend = f"export ABL_MODEL_URL={url.rstrip('/')}/v1, if that is where it speaks OpenAI's protocol"
            yield Fault("MODEL_PATH", f"{url}/models is not there", mend, WARNING)
        else:
            yield Fault("MODEL_SERVER", f"{url} answers {error.code}", f"curl -i {url}/models says more")
        return
    except (URLError, OSError) as error:
        yield Fault(
            "MODEL_AWAY", f"{url} does not answer: {getattr(error, 'reason', error)}", "start it, or mend ABL_MODEL_URL"
        )
        return
    names = _names(raw)
    if names and model and model not in names:
        mend = f"export ABL_MODEL={names[0]}"
        yield Fault("MODEL_UNKNOWN", f"{url} has no model {model!r}; it has {', '.join(names[:SHOWN])}", mend)


def _names(raw: bytes) -> list[str]:
    """Return the models that a server lists; none when it lists them in another form."""
    try:
        listed = json.loads(raw)
        return [str(one["id"]) for one in listed["data"]]
    except (ValueError, TypeError, KeyError):
        return []
