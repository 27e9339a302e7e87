"""Files of sessions: sent up, listed, and given back so that no browser runs them. Spec: platform-api 5.8."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from actors.desks import Upload
from actors.runtime import SessionRef
from domain import limits
from domain.permissions import Permission
from domain.request_keys import owned_key, owner_of_key
from gateway.access import Admission, Admitted, caller, uploader
from gateway.bodies.attachments import (
    AttachmentListReply,
    AttachmentReply,
    UploadReply,
    attachment_item,
    upload_reply,
)
from gateway.envelope import Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.idempotency import checked_key, mark_of, sent_key
from gateway.sdk_sessions import visible_session
from gateway.services import Services, Serving
from gateway.started import started
from gateway.uploads import BODY_SCHEMA, sent_file

SAFE: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-site",
    "Cache-Control": "private, no-store",
}
"""However a file is opened, an SVG with a script in it too: it is saved, not shown, and runs nothing of this origin."""
ANY_BYTES = "*/*"
CONTENT_REPLY: dict[int | str, dict[str, Any]] = {
    200: {"description": "The bytes of the file", "content": {ANY_BYTES: {"schema": {"type": "string"}}}}
}

router = guarded_router("/api/projects/{project_id}/sessions/{session_id}/attachments", "attachments")


@router.post(
    "",
    status_code=201,
    response_model=UploadReply,
    openapi_extra=BODY_SCHEMA,
    dependencies=[
        uploader(
            "api_key",
            "user",
            "sdk",
            permission=Permission.SESSION_EXECUTE,
            body_max_bytes=limits.ATTACHMENT_MAX_BYTES + limits.ATTACHMENT_OVERHEAD_MAX_BYTES,
        )
    ],
)
async def upload_attachment(
    project_id: str, session_id: str, request: Request, admitted: Admitted, services: Serving, response: Response
) -> UploadReply:
    """Keep the file of a form for a session; its bytes and its extension say what it is."""
    asked = await _session(services, admitted, project_id, session_id)
    session = await services.desks.insight.resolve(asked)  # before the file is read
    owner = owner_of_key(admitted.caller.kind, admitted.caller.subject)
    key = owned_key("file", owner, checked_key(sent_key(request.scope)))
    async with sent_file(request) as file:
        upload = Upload(filename=file.filename, content=file.content, size_bytes=file.size_bytes, key=key)
        kept = await services.desks.files.keep(session, upload)
        response.headers.update(mark_of(kept.repeated))
        return upload_reply(kept)


@router.get(
    "",
    response_model=AttachmentListReply,
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_READ)],
)
async def list_attachments(
    project_id: str,
    session_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> AttachmentListReply:
    """Return the files of a session, the oldest first."""
    session = await _session(services, admitted, project_id, session_id)
    page = await services.desks.files.list(session, limit=limit, offset=offset)
    totals = Totals(total=page.total, limit=limit, offset=offset)
    return AttachmentListReply(attachments=[attachment_item(row) for row in page.rows], pagination=totals)


@router.get(
    "/{attachment_id}",
    response_model=AttachmentReply,
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_READ)],
)
async def get_attachment(
    project_id: str, session_id: str, attachment_id: str, admitted: Admitted, services: Serving
) -> AttachmentReply:
    """Return what is known of a file."""
    session = await _session(services, admitted, project_id, session_id)
    return AttachmentReply(attachment=attachment_item(await services.desks.files.find(session, attachment_id)))


@router.get(
    "/{attachment_id}/content",
    response_class=StreamingResponse,
    responses=CONTENT_REPLY,
    dependencies=[caller("api_key", "user", "sdk", permission=Permission.SESSION_READ)],
)
async def get_content(
    project_id: str, session_id: str, attachment_id: str, admitted: Admitted, services: Serving
) -> Response:
    """Send the bytes of a file, to be saved and not shown."""
    session = await _session(services, admitted, project_id, session_id)
    file = await services.desks.files.find(session, attachment_id)
    pieces = await started(services.desks.files.content(session, attachment_id))
    headers = {
        **SAFE,
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.filename, safe='')}",
        "Content-Length": str(file.size_bytes),
    }
    return StreamingResponse(pieces, media_type=file.mime_type, headers=headers)


async def _session(services: Services, admitted: Admission, project_id: str, session_id: str) -> SessionRef:
    return await visible_session(services, admitted, session_id, Permission.SESSION_READ, project_id)
