"""`abl openapi`: the OpenAPI 3.1 document of the HTTP interface; nothing is started, opened or read for it."""

from __future__ import annotations

import sys

import orjson

from cli.output import CLEAN


def print_openapi() -> int:
    """Print the document as JSON, its keys in the order in which they are written; return the exit status."""
    from gateway.app import document
    from gateway.settings import installed_version

    sys.stdout.write(orjson.dumps(document(installed_version()), option=orjson.OPT_INDENT_2).decode() + "\n")
    return CLEAN
