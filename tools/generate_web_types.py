"""Writes the TypeScript types of all socket frames from `gateway.wire`; with `--check` says whether they are current.

An interface a frame, a union a direction. What the server leaves out where it has its default is optional, and what a
client may leave out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.inspect import (
    AnyType,
    BoolType,
    CustomType,
    DictType,
    FloatType,
    IntType,
    ListType,
    LiteralType,
    Metadata,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    type_info,
)

from gateway.closing import CloseCode
from gateway.wire import CLIENT_FRAMES, SERVER_FRAMES

ROOT: Final = Path(__file__).resolve().parent.parent
PLACE: Final = ROOT / "web" / "packages" / "web-sdk" / "src" / "wire.ts"
HEAD: Final = "// The frames of the socket. Made by tools/generate_web_types.py of gateway/wire.py; do not edit.\n"
TURNS: Final = ("chat_message", "typed_interrupt", "action_submit")
KNOWN_AGAIN: Final = """\
/** The frames of turns that the server knows again by their `messageId`: they can be sent twice and run once. */
export const KNOWN_AGAIN: readonly string[] = [{names}];
"""
CLOSING: Final = "/** Why the server closes a socket. Spec: platform-api 12.8. */\n"
JSON: Final = """\
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}
"""


class NoForm(TypeError):
    """A field has a type that this does not know how to write."""


def text_of_types() -> str:
    """Return the text of the module."""
    shared: dict[str, str] = {}
    frames: list[str] = []
    for table, union in ((CLIENT_FRAMES, "ClientFrame"), (SERVER_FRAMES, "ServerFrame")):
        for tag, struct in table.items():
            frames.append(_interface(struct.__name__ + "Frame", struct, shared, tag, is_sent=table is CLIENT_FRAMES))
        names = "".join(f"\n  | {struct.__name__}Frame" for struct in table.values())
        frames.append(f"export type {union} ={names};\n")
    codes = "".join(f"  {code.name}: {code.value},\n" for code in CloseCode)
    closing = f"{CLOSING}export const CLOSE_CODES = {{\n{codes}}} as const;\n"
    known = [tag for tag in TURNS if "message_id" in CLIENT_FRAMES[tag].__struct_fields__]
    again = KNOWN_AGAIN.format(names=", ".join(f'"{tag}"' for tag in known))
    return "\n".join((HEAD, JSON, *shared.values(), *frames, again, closing)).replace("FrameFrame", "Frame")


def _interface(name: str, struct: type[Struct], shared: dict[str, str], tag: str = "", *, is_sent: bool) -> str:
    described = type_info(struct)
    if not isinstance(described, StructType):
        raise NoForm(f"{struct}")
    omits = is_sent or struct.__struct_config__.omit_defaults
    fields = [f'  type: "{tag}";\n'] if tag else []
    for field in described.fields:
        mark = "?" if omits and not field.required else ""
        fields.append(f"  {field.encode_name}{mark}: {_written(field.type, shared, is_sent=is_sent)};\n")
    said = (struct.__doc__ or "").strip().partition("\n")[0]
    return f"/** {said} */\nexport interface {name} {{\n{''.join(fields)}}}\n"


def _written(described: Type, shared: dict[str, str], *, is_sent: bool) -> str:
    match described:
        case Metadata(type=inner):
            return _written(inner, shared, is_sent=is_sent)
        case StrType():
            return "string"
        case BoolType():
            return "boolean"
        case IntType() | FloatType():
            return "number"
        case NoneType():
            return "null"
        case LiteralType(values=values):
            return " | ".join(f'"{value}"' for value in values)
        case ListType(item_type=item):
            return f"Array<{_written(item, shared, is_sent=is_sent)}>"
        case DictType(value_type=AnyType()):
            return "JsonObject"
        case DictType(value_type=value):
            return f"Record<string, {_written(value, shared, is_sent=is_sent)}>"
        case UnionType(types=types):
            return " | ".join(dict.fromkeys(_written(one, shared, is_sent=is_sent) for one in types))
        case StructType(cls=cls):
            shared.setdefault(cls.__name__, _interface(cls.__name__, cls, shared, is_sent=is_sent))
            return cls.__name__
        case AnyType() | CustomType():
            return "JsonValue"
    raise NoForm(f"{described}")


def main(arguments: list[str]) -> None:
    """Write the module, or with `--check` fail when it is not current."""
    text = text_of_types()
    if "--check" not in arguments:
        PLACE.write_text(text, encoding="utf-8")
    elif not PLACE.exists() or PLACE.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{PLACE.relative_to(ROOT)} is not what gateway/wire.py says: run tools/generate_web_types.py")


if __name__ == "__main__":
    main(sys.argv[1:])
