"""Every number of the language; what the platform bounds as well is read from there. Decision: 0009.

Spec: abl-language 3.12, 5.8, 7.2, 14.3.
"""

from __future__ import annotations

from domain.limits import HANDOFFS_PER_TURN, MESSAGE_MAX_CHARS

MAX_HANDOFFS = HANDOFFS_PER_TURN
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

MOST_WINDOWS = 4
"""So many windows full of messages are kept at the most where a model sums them up when it is next asked."""

MAX_SUMMED_CHARS = 64_000
"""Characters of earlier turns that are summed up at once, the last ones."""

MAX_SUMMARY_CHARS = 4_000
"""Characters of a summary that are kept."""

MAX_RESULT_CHARS = 16_000
"""Characters of a tool result a model sees."""

MAX_OLD_RESULT_CHARS = 2_000
"""Characters of a tool result of an earlier turn that a model sees."""

MAX_LOOKUP_VALUES = 1_000
MAX_LOOKUP_CHARS = 200

TOOL_TIMEOUT_MS = 30_000
LLM_TIMEOUT_MS = 30_000
DELEGATE_TIMEOUT_MS = 30_000
REMOTE_TIMEOUT_MS = 60_000
"""For an agent elsewhere that has control to answer one message; half of what a turn may take."""

MAX_REMOTE_MISSES = 3
"""Messages in a row that an agent elsewhere may leave unanswered before it loses control."""

MIN_REASON_CHARS = 5
MAX_REASON_CHARS = 500
MAX_INPUT_CHARS = MESSAGE_MAX_CHARS
MAX_SHOWN_CHARS = 2_000
"""Characters of arguments a user is shown before a yes."""

MAX_ANSWER_CHARS = 400
"""Characters of an answer to a question of yes and no; a longer one is no bare yes."""

MAX_OPEN_QUESTIONS = 3
"""Questions about calls that may wait for one another, a side question in a side question; more are refused."""
