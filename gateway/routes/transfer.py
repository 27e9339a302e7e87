"""Taking a project out as texts, and putting texts into one. Spec: platform-api 9."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import Response

from domain import limits
from domain.errors import Conflict, InvalidInput
from domain.permissions import Permission
from domain.transfer import NO_FILES, ImportFiles, checked_files
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.transfer import (
    ExportPreviewReply,
    ExportReply,
    ImportBody,
    ImportPreviewRefusal,
    ImportPreviewReply,
    ImportReply,
    export_preview_reply,
    import_preview_reply,
    import_reply,
)
from gateway.envelope import ErrorDetail, json_response
from gateway.errors import MalformedRequest, answer
from gateway.guarded import guarded_router
from gateway.services import Serving

TOO_LARGE = "Request body too large"
EXPORTER = caller("api_key", "user", permission=Permission.PROJECT_EXPORT)
IMPORTER, PREVIEWER = (
    caller(
        "api_key",
        "user",
        permission=Permission.PROJECT_IMPORT,
        replay="reply",
        repeatable=repeatable,
        body_max_bytes=limits.IMPORT_BODY_MAX_BYTES,
        too_large=TOO_LARGE,
        checks_texts=False,
    )
    for repeatable in (False, True)
)
ZIP = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}

router = guarded_router("/api/projects/{project_id}/project-io", "project-io")


@router.get("/export/preview", response_model=ExportPreviewReply, dependencies=[EXPORTER])
async def preview_export(project_id: str, admitted: Admitted, services: Serving) -> ExportPreviewReply:
    """Return what an export would hold, with the ways of the agents to each other and to tools."""
    found = await services.desks.transfer.preview_export(admitted.caller.tenant_id, project_id)
    return export_preview_reply(found)


@router.get(
    "/export",
    response_model=ExportReply,
    dependencies=[EXPORTER],
    responses={200: {"description": "The project, or the same as a zip file", "content": ZIP}},
)
async def export_project(
    project_id: str,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
    format: Literal["folder", "zip"] = "folder",  # noqa: A002 - the word of the API
    include_deployments: Literal["true", "false"] = "false",
) -> Response:
    """Return the drafts of a project as path -> text, or as a zip file."""
    desk = services.desks.transfer
    exported = await desk.export(
        admitted.caller.tenant_id, project_id, include_deployments=include_deployments == "true", by=asking
    )
    if format == "zip":
        headers = {"Content-Disposition": f'attachment; filename="{exported.slug}.zip"'}
        return Response(await desk.zipped(exported), media_type="application/zip", headers=headers)
    return json_response(
        {
            "success": True,
            "manifest": exported.manifest,
            "lockfile": exported.lockfile,
            "files": exported.files,
            "warnings": exported.warnings,
        }
    )


@router.post(
    "/import/preview",
    response_model=ImportPreviewReply,
    dependencies=[PREVIEWER],
    responses={
        400: {"model": ImportPreviewRefusal, "description": "The files break a rule"},
        409: {"model": ImportPreviewRefusal, "description": "An active deployment uses what would be deleted"},
    },
)
async def preview_import(
    project_id: str, body: ImportBody, admitted: Admitted, services: Serving
) -> ImportPreviewReply | Response:
    """Return what an import would do; nothing is written."""
    try:
        files = await _checked(body)
        operations = await services.desks.transfer.preview_import(
            admitted.caller.tenant_id, project_id, files, body.import_mode
        )
    except (InvalidInput, Conflict) as refused:
        found = answer(refused)
        error = ErrorDetail(code=found.code, message=refused.message, details=refused.details or None)
        left_out = None if refused.details else {"error": {"details"}}
        refusal = ImportPreviewRefusal(error=error).model_dump(by_alias=True, exclude=left_out)
        return json_response(refusal, found.status)
    return import_preview_reply(operations)


@router.post("/import", response_model=ImportReply, dependencies=[IMPORTER])
async def import_project(
    project_id: str, body: ImportBody, admitted: Admitted, asking: Asking, services: Serving
) -> ImportReply:
    """Write texts as drafts, all of them or none; what is compiled and deployed stays as it is."""
    files = await _checked(body)
    done = await services.desks.transfer.import_files(
        admitted.caller.tenant_id, project_id, files, body.import_mode, asking
    )
    return import_reply(done)


async def _checked(body: ImportBody) -> ImportFiles:
    """Return the files of an import. Raises MalformedRequest: there are none; InvalidInput: they break a rule."""
    if not body.has_files:
        raise MalformedRequest(NO_FILES)
    return await asyncio.to_thread(checked_files, body.files)
