"""Rich content as lines of text. Spec: abl-language 4.2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

JsonObject = dict[str, Any]

MAX_ROWS = 20
"""Rows of a table that are shown; the line after them says how many there are."""
BAR_CELLS = 20
ELSEWHERE = {
    "html": "HTML",
    "adaptive_card": "an adaptive card",
    "slack": "Slack blocks",
    "ag_ui": "AG-UI",
    "whatsapp": "WhatsApp",
}
"""Formats for other channels; that they are there is said, they are not shown."""


def rich_lines(rich: JsonObject | None) -> list[str]:
    """Return rich content as lines; quick replies and buttons are choices and not in here.

    >>> rich_lines({"kpi": {"label": "Open", "value": 4, "unit": "parcels", "trend": "up"}})
    ['Open: 4 parcels (up)']
    """
    found: list[str] = []
    for kind, content in (rich or {}).items():
        show = _SHOWN.get(kind)
        if show is not None:
            found += show(content) if isinstance(content, dict) else [str(content)]
    others = [name for kind, name in ELSEWHERE.items() if kind in (rich or {})]
    if others:
        found.append(f"[also sent: {', '.join(others)}]")
    return found


def _titled(content: JsonObject) -> str:
    return " - ".join(str(content[key]) for key in ("title", "subtitle") if content.get(key))


def _carousel(content: JsonObject) -> list[str]:
    return [f"* {_titled(card)}{_link(card)}" for card in content.get("cards") or ()]


def _list(content: JsonObject) -> list[str]:
    title = [str(content["title"])] if content.get("title") else []
    return title + [f"* {_titled(item)}{_link(item)}" for item in content.get("items") or ()]


def _link(content: JsonObject) -> str:
    url = content.get("default_action_url") or content.get("image_url")
    return f" <{url}>" if url else ""


def _media(content: JsonObject) -> list[str]:
    told = content.get("caption") or content.get("alt") or content.get("filename") or "file"
    return [f"[{told}: {content.get('url', '')}]"]


def _kpi(content: JsonObject) -> list[str]:
    value = " ".join(str(content[key]) for key in ("value", "unit") if content.get(key) not in (None, ""))
    trend = f" ({content['trend']})" if content.get("trend") else ""
    return [f"{content.get('label', '')}: {value}{trend}"]


def _table(content: JsonObject) -> list[str]:
    columns = [one if isinstance(one, dict) else {"key": one} for one in content.get("columns") or ()]
    rows = content.get("rows") or []
    if not isinstance(rows, list):
        return [str(rows)]
    cells = [[str(one.get("header") or one.get("key", "")) for one in columns]]
    cells += [[_cell(row, place, str(one.get("key", ""))) for place, one in enumerate(columns)] for row in rows]
    shown = cells[: MAX_ROWS + 1]
    widths = [max(len(row[place]) for row in shown) for place in range(len(columns))]
    right = [one.get("align") == "right" for one in columns]
    lines = [
        "  ".join(
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in shown
    ]
    return lines + ([f"... {len(rows)} rows"] if len(rows) > MAX_ROWS else [])


def _cell(row: object, place: int, key: str) -> str:
    if isinstance(row, dict):
        return str(row.get(key, ""))
    return str(row[place]) if isinstance(row, list) and place < len(row) else ""


def _chart(content: JsonObject) -> list[str]:
    title = [str(content["title"])] if content.get("title") else []
    return title + [f"  {label}: {value}" for label, value in _points(content.get("data") or ())]


def _points(data: Iterable[object]) -> Iterator[tuple[str, str]]:
    for one in data:
        if isinstance(one, dict):
            yield str(one.get("label", "")), str(one.get("value", ""))
        else:
            label, _, rest = str(one).partition("/")
            yield label.strip(), rest.partition("/")[0].strip()


def _form(content: JsonObject) -> list[str]:
    names = [str(one.get("label") or one.get("id")) for one in content.get("fields") or ()]
    return [f"[form: {content.get('title') or ''} {', '.join(names)}]"]


def _progress(content: JsonObject) -> list[str]:
    label = str(content.get("label") or "")
    try:
        value, most = float(content.get("value") or 0), float(content.get("max") or 100)
    except (TypeError, ValueError):
        return [f"{label}: {content.get('value')} of {content.get('max')}"]
    cells = round(BAR_CELLS * min(max(value / most, 0.0), 1.0)) if most > 0 else 0
    return [f"{label} [{'#' * cells}{'.' * (BAR_CELLS - cells)}] {value:g} of {most:g}"]


def _feedback(content: JsonObject) -> list[str]:
    return [f"[{content.get('prompt') or 'How was it?'} ({content.get('type') or 'thumbs'})]"]


_SHOWN: dict[str, Callable[[JsonObject], list[str]]] = {
    "carousel": _carousel,
    "list": _list,
    "image": _media,
    "video": _media,
    "audio": _media,
    "file": _media,
    "kpi": _kpi,
    "table": _table,
    "chart": _chart,
    "form": _form,
    "progress": _progress,
    "feedback": _feedback,
}
