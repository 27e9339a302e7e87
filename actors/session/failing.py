"""What an effect meets when its performer cannot go on: a moment without the store, which is waited out, or a failure.

A failure that lasts is the outcome of its effect, written like any other: the agent's ON_ERROR takes it from there.
Spec: abl-language 3.12, 8.
"""

from __future__ import annotations

import logging
import re
from typing import Final

from actors.messages import Failed
from actors.raising import LASTING, kind_of
from actors.session import delivery
from actors.session.store import StoreLost
from domain.errors import AppError, LastingOutage
from domain.tool_calls import ToolResult
from engine import (
    AnyEffect,
    AnyFact,
    AskModel,
    CallTool,
    ChildReplied,
    Classified,
    Classify,
    Delegate,
    HandOff,
    MemoryRead,
    MemoryWritten,
    ModelFailed,
    ReadMemory,
    ToolReturned,
    WriteMemory,
    expects_outcome,
)
from providers.resolve import MODEL_NOT_CONFIGURED
from storage.crypto import NoMasterKey, Unopenable

NO_CREDENTIAL: Final = "credential_not_found"
MODEL_ERROR: Final = "llm_error"
TOOL_ERROR: Final = "tool_error"
UNREADABLE: Final = "SECRET_UNREADABLE"
UNREADABLE_SENTENCE: Final = "A secret that is needed cannot be read: its master key is not here"
UNREADABLE_SESSION: Final = "What is stored of this session cannot be read: the key of its tenant is not here"
STORE_RETRY_MS: Final = 1_000
log = logging.getLogger(__name__)


def store_failure(lost: StoreLost) -> Failed:
    """Return the answer of a session whose store is away; one that cannot be read is not better in a moment."""
    cause = lost.__cause__
    if isinstance(cause, LastingOutage):
        log.error("a session cannot be read: %s", cause.message)
        return Failed(kind=LASTING, message=UNREADABLE_SESSION)
    return Failed(kind="Unavailable", message="The store does not answer.", retry_after_ms=STORE_RETRY_MS)


def outcome_of_failure(effect: AnyEffect, error: AppError, at: str) -> AnyFact | None:
    """Return what answers an effect that its performer could not carry out; None for one that nothing answers."""
    if not expects_outcome(effect):
        return None
    message = sentence_of(error)
    match effect:
        case AskModel():
            return ModelFailed(at=at, effect_id=effect.id, kind=model_failure(error), message=message)
        case Classify():
            return Classified(at=at, effect_id=effect.id)
        case CallTool():
            return ToolReturned(at=at, effect_id=effect.id, result=failed_call(error))
        case ReadMemory():
            return MemoryRead(at=at, effect_id=effect.id, error=message)
        case WriteMemory():
            return MemoryWritten(at=at, effect_id=effect.id, error=message)
        case Delegate() | HandOff():
            return ChildReplied(at=at, effect_id=effect.id, error=delivery.REFUSED, error_message=message)
        case _:
            return None


def lacks_secret(error: AppError) -> bool:
    """Return whether a secret could not be read; until then nothing has gone out."""
    return isinstance(error, Unopenable | NoMasterKey)


def model_failure(error: AppError) -> str:
    """Return the kind of a model call that could not be made."""
    is_missing = lacks_secret(error) or error.details.get("reason") == MODEL_NOT_CONFIGURED
    return NO_CREDENTIAL if is_missing else MODEL_ERROR


def failed_call(error: AppError, *, is_unknown: bool = False) -> ToolResult:
    """Return the result of a tool that could not be run."""
    return ToolResult(
        ok=False,
        error_kind=TOOL_ERROR,
        error_code=_code_of(error),
        error_message=sentence_of(error),
        is_unknown=is_unknown,
    )


def sentence_of(error: AppError) -> str:
    """Return what an agent may say of an error; which master key is missing is for operators alone."""
    return UNREADABLE_SENTENCE if lacks_secret(error) else error.message


def _code_of(error: AppError) -> str:
    if lacks_secret(error):
        return UNREADABLE
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", kind_of(error))
    return str(error.details.get("reason") or words.upper())
