"""Every number of the engine. Spec: abl-language 3.12, 5.8, 7.2, 14.3."""

from __future__ import annotations

MAX_HANDOFFS = 10
"""Handoffs in answer to one message of the user."""

MAX_ITERATIONS = 10
"""Rounds of model and tools in one turn, unless the agent says otherwise."""

MAX_FLOW_ITERATIONS = 100
"""Steps passed through in one turn, unless the agent says otherwise."""

MAX_TASKS = 2_000
"""Pieces of work that may wait in one turn."""

MAX_OPERATIONS = 20_000
"""Operations between two facts; a program that needs more runs in circles."""

MAX_RETRIES = 10
MAX_DELAY_MS = 60_000
MAX_BACKTRACKS = 3
MAX_MISSES = 3
"""Answers in a row that match nothing before a step gives up."""

MAX_DELEGATION_DEPTH = 10
MIN_FAN_OUT = 2
MAX_FAN_OUT = 5
HISTORY_MESSAGES = 5
MAX_QUEUED_INTENTS = 10

WINDOW_MESSAGES = 20
"""Messages of earlier turns a model sees, unless the agent says otherwise; trimmed when half as many again are there,
so that the beginning of a prompt stays the same for several turns."""

MAX_RESULT_CHARS = 16_000
"""Characters of a tool result a model sees."""

MAX_OLD_RESULT_CHARS = 2_000
"""Characters of a tool result of an earlier turn that a model sees."""

TOOL_TIMEOUT_MS = 30_000
LLM_TIMEOUT_MS = 30_000
DELEGATE_TIMEOUT_MS = 30_000
MIN_REASON_CHARS = 5
MAX_REASON_CHARS = 500
MAX_INPUT_CHARS = 32_000
MAX_SHOWN_CHARS = 2_000
"""Characters of arguments a user is shown before a yes."""
