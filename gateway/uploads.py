"""A file out of a form: read while it comes, up to its limit, spooled to the disk. Spec: platform-api 5.8."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import BinaryIO, Final

from fastapi import Request
from msgspec import Struct
from python_multipart.exceptions import FormParserError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from domain import limits
from domain.errors import TooLarge
from gateway.errors import MalformedRequest, WrongMediaType
from gateway.headers import headers_of

FORM: Final = "multipart/form-data"
FIELD: Final = "file"
FIELDS_MAX: Final = 8
FIELD_MAX_BYTES: Final = 64 * limits.KIB
BODY_SCHEMA: Final = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {FIELD: {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
"""The body for OpenAPI: FastAPI does not read it, so it does not describe it either."""


class SentFile(Struct, frozen=True):
    """The file of a form."""

    filename: str
    content: BinaryIO
    size_bytes: int


@asynccontextmanager
async def sent_file(request: Request) -> AsyncIterator[SentFile]:
    """Yield the one file under `file`; its spool is gone when the block is left.

    Raises:
        WrongMediaType: The body is no form.
        MalformedRequest: The form is broken, or has not exactly one such file.
        TooLarge: The file is longer than its limit.
    """
    media_type = headers_of(request.scope).get("content-type", "").partition(";")[0].strip().lower()
    if media_type != FORM:
        raise WrongMediaType(f"Content-Type must be {FORM}")
    try:
        form = await request.form(max_files=1, max_fields=FIELDS_MAX, max_part_size=FIELD_MAX_BYTES)
    except (MultiPartException, FormParserError) as error:
        raise MalformedRequest(f"Invalid form: {error}") from error
    try:
        files = form.getlist(FIELD)
        if len(files) != 1 or not isinstance(files[0], UploadFile):
            raise MalformedRequest(f"The form must have exactly one file, named {FIELD}")
        file = files[0]
        size_bytes = file.size or 0
        if size_bytes > limits.ATTACHMENT_MAX_BYTES:
            raise TooLarge(f"The file exceeds {limits.ATTACHMENT_MAX_BYTES} bytes")
        yield SentFile(file.filename or "", file.file, size_bytes)
    finally:
        await form.close()
