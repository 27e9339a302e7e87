"""Writes providers/prices.json from an unpacked wheel of genai-prices: `python -m tools.import_prices FOLDER DAY`.

Not part of `make check`: the prices are those of a day, and the wheel is no dependency. Only text models are taken.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "providers" / "prices.json"
VENDORS = ("anthropic", "openai", "google", "mistral", "deepseek", "x-ai", "groq", "cohere", "cerebras", "together")
FIELDS = {"input_mtok": "input", "output_mtok": "output", "cache_read_mtok": "cached", "cache_write_mtok": "written"}
NOT_TEXT = re.compile(r"image|audio|realtime|tts|transcribe|embed|live|whisper|video|^ft:|robotics|banana|moderation|:")


def main() -> None:
    """Write the table."""
    folder, day = sys.argv[1:]
    sys.path.insert(0, folder)
    package = importlib.import_module("genai_prices.data")
    version = next(Path(folder).glob("genai_prices-*.dist-info")).name.split("-")[1].removesuffix(".dist")
    vendors = {one.id: _models(one) for one in package.providers if one.id in VENDORS}
    table = {"source": f"genai-prices {version} (MIT)", "dated": day, "vendors": vendors}
    lines = json.dumps(table, ensure_ascii=False, separators=(",", ":")).replace('{"id"', '\n{"id"')
    TARGET.write_text(lines + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {sum(map(len, vendors.values()))} models of {len(vendors)} vendors")


def _models(provider: Any) -> list[dict[str, Any]]:
    found = []
    for model in provider.models:
        prices = [one for one in _prices(model.prices) if "input" in one and "output" in one]
        if not prices or NOT_TEXT.search(model.id) or (provider.id == "google" and model.id.startswith("claude")):
            continue
        names = sorted({name for name in _names(model.match) if name != model.id})
        row: dict[str, Any] = {"id": model.id, "prices": prices}
        if names:
            row["names"] = names
        if model.context_window:
            row["context_tokens"] = model.context_window
        found.append(row)
    return found


def _prices(prices: Any) -> Iterable[dict[str, Any]]:
    rows = prices if isinstance(prices, list) else [None]
    for row in rows:
        constraint = row.constraint if row is not None else None
        if constraint is not None and not hasattr(constraint, "start_date"):
            continue  # prices by the hour of the day are left out: the full price is the estimate
        price = row.prices if row is not None else prices
        made: dict[str, Any] = {"from": constraint.start_date.isoformat()} if constraint is not None else {}
        above: dict[int, dict[str, float]] = {}
        for field, name in FIELDS.items():
            value = getattr(price, field, None)
            if value is None:
                continue
            made[name] = float(getattr(value, "base", value))
            for tier in getattr(value, "tiers", ()):
                above.setdefault(tier.start, {})[name] = float(tier.price)
        if above:
            made["above"] = [{"tokens": start, **values} for start, values in sorted(above.items())]
        yield made


def _names(match: Any) -> Iterable[str]:
    """Yield the exact names of a model; names by pattern are left to the reader's own rule for dates."""
    if hasattr(match, "equals"):
        yield match.equals
    for one in getattr(match, "or_", ()):
        yield from _names(one)


if __name__ == "__main__":
    main()
