"""Writes the test of types that holds the web SDK to its contract; with `--check` says whether it is current.

The contract's tables are in `web/packages/web-sdk/contract.md`. Each member, option, field, event and hook of them is
a line that TypeScript checks: it is there, it returns what is said, and it is not `any`. Spec: platform-api 13.1, 13.2.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "web" / "packages" / "web-sdk"
TABLES: Final = PACKAGE / "contract.md"
PLACE: Final = PACKAGE / "testing" / "contract.ts"
HEAD: Final = """\
// What the contract says of this package, for the compiler. Made by tools/generate_web_contract.py; do not edit.
import type * as sdk from "../src/index.ts";
import type * as react from "../src/react/index.ts";
import type { Gives, Has, Holds, Is, Tells } from "./promises.ts";

"""
CLASSES: Final = {"AgentSDK": "sdk.AgentSDK", "ChatClient": "sdk.ChatClient", "VoiceClient": "sdk.VoiceClient"}
EVENTS: Final = {"AgentSDK": "sdk.AgentEvents", "ChatClient": "sdk.ChatEvents", "VoiceClient": "sdk.VoiceEvents"}
OPTIONS: Final = {"AgentSDK": "sdk.AgentConfig", "ChatClient": "sdk.SendOptions", "VoiceClient": "sdk.VoiceOptions"}
INNER: Final = {"vadConfig": "sdk.VadConfig"}
"""Options whose own options stand in braces behind them."""
HOOKS: Final = {"useAgent": "react.UseAgent", "useChat": "react.UseChat", "useVoice": "react.UseVoice"}
TYPES: Final = ("Message", "RichContent", "ActionSet", "ActionElement", "AttachmentRef", "VoiceInfo", "WidgetTheme")
RETURNS: Final = {
    "string or null": "string | null",
    "Message[]": "sdk.Message[]",
    "VoiceState": "sdk.VoiceState",
    "VoiceInfo": "sdk.VoiceInfo",
}
EMITTER: Final = ("on", "once", "off", "removeAllListeners")


def promises() -> dict[str, str]:
    """Return each promise of the tables by its name, with the type that is true where it is kept."""
    text = TABLES.read_text(encoding="utf-8")
    kept: dict[str, str] = {}
    for title, section in re.findall(r"^### (.+?)\n(.*?)(?=^### |\Z)", text, re.M | re.S):
        owner = re.sub(r"^[\d.]+ (Web SDK: )?| \(.*| events$", "", title)
        if title.endswith(" events"):
            for name, payload in _rows(section, "Event"):
                kept[f"{owner} event {name}"] = _told(owner, name, payload)
        elif owner == "React hooks":
            kept |= _hooks(section)
        elif owner in {"AgentSDK", "ChatClient", "VoiceClient"}:
            kept |= _members(owner, section)
        else:
            for name in TYPES:
                (fields,) = re.findall(rf"^- {name}\b[^:]*: (.*)$", section, re.M)
                for field in re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)|\{[^}]*\}", "", fields)):
                    kept[f"{name}.{field}"] = f'Has<sdk.{name}, "{field}">'
    return kept


def _rows(section: str, head: str) -> list[tuple[str, str]]:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", section, re.M)
    return [(name, told) for name, told in rows if name not in {head, "Member", "Method"}]


def _told(owner: str, name: str, payload: str) -> str:
    if payload == "none":
        return f'Is<{EVENTS[owner]}["{name}"], undefined>'
    if payload.startswith("Message"):
        return f'Is<{EVENTS[owner]}["{name}"], sdk.Message>'
    parts = " | ".join(f'"{part}"' for part in re.findall(r"\w+", payload.partition("}")[0]))
    return f'Tells<{EVENTS[owner]}, "{name}", {parts}>'


def _members(owner: str, section: str) -> dict[str, str]:
    kept: dict[str, str] = {}
    for call, returned in _rows(section, "Member"):
        name = re.sub(r"\(.*", "", call).split(".")[-1]
        what = RETURNS.get(returned, f"sdk.{returned}" if returned in CLASSES else returned)
        of = f"typeof {CLASSES[owner]}" if "." in call.partition("(")[0] else CLASSES[owner]
        kept[f"{owner}.{name}"] = f'Gives<{of}, "{name}", {what}>'
    for name in EMITTER:
        kept[f"{owner}.{name}"] = f'Has<{CLASSES[owner]}, "{name}">'
    options = re.findall(r"(?:Constructor config:|options|Options:) (`.*)", section)
    for named, inner in re.findall(r"`(\w+)`(?: \{([^}]*)\})?", re.sub(r"\([^)]*\)", "", options[0])):
        for name, of in [(named, OPTIONS[owner]), *((name, INNER[named]) for name in re.findall(r"`(\w+)`", inner))]:
            kept[f"{owner} option {name}"] = f'Has<{of}, "{name}">'
    return kept


def _hooks(section: str) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, told in re.findall(r"^- `(\w+)(?:\(\))?` (?:returns|props): (.*)\.$", section, re.M):
        of = HOOKS.get(name, "react.AgentProviderProps")
        kept[name] = f'Has<typeof react, "{name}">'
        for part in re.findall(r"\w+", re.sub(r"\(\w+\)", "", told)):
            kept[f"{name}.{part}"] = f'Has<{of}, "{part}">'
    return kept


def text_of_contract() -> str:
    """Return the text of the module."""
    lines = "".join(f"  // {name}\n  Holds<{kept}>,\n" for name, kept in promises().items())
    return f"{HEAD}export type Contract = [\n{lines}];\n"


def main(arguments: list[str]) -> None:
    """Write the module, or with `--check` fail when it is not current."""
    text = text_of_contract()
    if "--check" not in arguments:
        PLACE.write_text(text, encoding="utf-8")
    elif not PLACE.exists() or PLACE.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{PLACE.relative_to(ROOT)} is not what the contract says: run tools/generate_web_contract.py")


if __name__ == "__main__":
    main(sys.argv[1:])
