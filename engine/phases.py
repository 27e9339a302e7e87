"""The names of the phases of a step, in their order. They are stored in tasks as numbers. Spec: abl-language 5.8."""

from __future__ import annotations

PREPARE, ZONE, OPEN, GATHER, ATTACHMENT, BEFORE_CALL, CALL, CHECK, RESULT, INPUT, THEN = range(11)
