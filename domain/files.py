"""Which files may be attached, what their bytes say they are, and names without paths. Spec: platform-api 5.8."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from domain.messages import AttachmentCategory

HEAD_BYTES: Final = 4_096
"""How much of a file has to be seen to know what it is."""
FILENAME_MAX_CHARS: Final = 255
NAMELESS: Final = "file"
_BOM: Final = b"\xef\xbb\xbf"
_TEXT_CONTROLS: Final = frozenset(b"\t\n\r\f")
_SPACE: Final = 0x20
_XML_NOISE: Final = ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!DOCTYPE", b">"), (b"<!doctype", b">"))


class FileKind(Struct, frozen=True):
    """A type of file that is taken."""

    mime_type: str
    category: AttachmentCategory
    extensions: tuple[str, ...]


JPEG = FileKind("image/jpeg", "image", ("jpg", "jpeg", "jpe", "jfif"))
PNG = FileKind("image/png", "image", ("png",))
GIF = FileKind("image/gif", "image", ("gif",))
WEBP = FileKind("image/webp", "image", ("webp",))
SVG = FileKind("image/svg+xml", "image", ("svg",))
PDF = FileKind("application/pdf", "document", ("pdf",))
DOCX = FileKind("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "document", ("docx",))
XLSX = FileKind("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "document", ("xlsx",))
PPTX = FileKind("application/vnd.openxmlformats-officedocument.presentationml.presentation", "document", ("pptx",))
TXT = FileKind("text/plain", "document", ("txt", "text", "log", "md"))
CSV = FileKind("text/csv", "document", ("csv",))
MP3 = FileKind("audio/mpeg", "audio", ("mp3",))
WAV = FileKind("audio/wav", "audio", ("wav", "wave"))
OGG = FileKind("audio/ogg", "audio", ("ogg", "oga", "opus"))
M4A = FileKind("audio/mp4", "audio", ("m4a",))
MP4 = FileKind("video/mp4", "video", ("mp4", "m4v"))
WEBM = FileKind("video/webm", "video", ("webm",))
KINDS: Final = (
    JPEG, PNG, GIF, WEBP, SVG, PDF, DOCX, XLSX, PPTX, TXT, CSV, MP3, WAV, OGG, M4A, MP4, WEBM,
)  # fmt: skip
READABLE: Final = frozenset({TXT.mime_type, CSV.mime_type})
"""Types whose text an agent is shown."""

_STARTS: Final = (
    (b"\xff\xd8\xff", JPEG),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"%PDF-", PDF),
    (b"OggS", OGG),
    (b"ID3", MP3),
)
_RIFF: Final[Mapping[bytes, FileKind]] = MappingProxyType({b"WEBP": WEBP, b"WAVE": WAV})
_OFFICE: Final[Mapping[str, FileKind]] = MappingProxyType({"word/": DOCX, "xl/": XLSX, "ppt/": PPTX})
_AUDIO_BRANDS: Final = (b"M4A ", b"M4B ", b"M4P ")
ZIP_START: Final = b"PK\x03\x04"
_OFFICE_MARK: Final = "[Content_Types].xml"


def kind_of(filename: str, head: bytes, parts: Set[str] = frozenset()) -> FileKind | None:
    """Return what a file is, None when it is nothing that is taken.

    The bytes decide; the extension says which kind of text it is and must not tell of another category.

    Args:
        filename: As it was sent.
        head: The first `HEAD_BYTES` of the file, or all of it.
        parts: Names in the archive, where the file is one.
    """
    extension = filename.rpartition(".")[2].lower() if "." in filename else ""
    kind = _binary(head, parts) or _text(head, extension)
    if kind is None or not extension:
        return kind
    named = [one.category for one in KINDS if extension in one.extensions]
    return kind if kind.category in named else None


def cleaned_filename(filename: str) -> str:
    """Return a name without path and control characters, at most 255 characters; its extension stays.

    >>> cleaned_filename("../../etc/pass\\nwd.txt")
    'passwd.txt'
    """
    name = filename.replace("\\", "/").rpartition("/")[2]
    name = "".join(sign for sign in name if unicodedata.category(sign) not in ("Cc", "Cf", "Cs")).strip()
    if len(name) > FILENAME_MAX_CHARS:
        stem, dot, extension = name.rpartition(".")
        kept = f"{dot}{extension}" if dot and len(extension) < FILENAME_MAX_CHARS - 1 else ""
        name = (stem if kept else name)[: FILENAME_MAX_CHARS - len(kept)] + kept
    return name if name.strip(".") else NAMELESS


def _binary(head: bytes, parts: Set[str]) -> FileKind | None:
    for start, kind in _STARTS:
        if head.startswith(start):
            return kind
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12])
    if head[4:8] == b"ftyp":
        return M4A if head[8:12] in _AUDIO_BRANDS else MP4
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return WEBM if b"webm" in head[:64] else None
    if head.startswith(ZIP_START):
        folders = [kind for folder, kind in _OFFICE.items() if any(part.startswith(folder) for part in parts)]
        return folders[0] if _OFFICE_MARK in parts and len(folders) == 1 else None
    is_mpeg_frame = len(head) > 2 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2  # layer III, any version
    return MP3 if is_mpeg_frame else None


def _text(head: bytes, extension: str) -> FileKind | None:
    if not is_text(head):
        return None
    if _is_svg(head):
        return SVG
    return CSV if extension in CSV.extensions else TXT if extension in TXT.extensions else None


def is_text(head: bytes) -> bool:
    """Return whether bytes are the beginning of a text in UTF-8: no control characters, nothing that is cut wrongly."""
    if any(byte < _SPACE and byte not in _TEXT_CONTROLS for byte in head):
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(head) >= HEAD_BYTES and error.start >= len(head) - 3 and error.reason == "unexpected end of data"
    return bool(head)


def _is_svg(head: bytes) -> bool:
    """Return whether the first element of an XML text is `svg`."""
    rest = head.removeprefix(_BOM).lstrip()
    while True:
        for opening, closing in _XML_NOISE:
            if rest.startswith(opening):
                rest = rest.partition(closing)[2].lstrip()
                break
        else:
            opened = rest.partition(b">")[0]
            name = opened[1:].rstrip(b"/").split(None, 1)[:1] if opened[1:2].strip() else []
            return opened.startswith(b"<") and [one.rpartition(b":")[2] for one in name] == [b"svg"]
