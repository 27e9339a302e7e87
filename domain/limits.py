"""Every number of the platform's limits, once, with its unit in the name. Spec: platform-api 1, 2.5, 3, 12, 15.

Numbers that are configurable stand here as their defaults. Each is read where it is enforced; that of a feature which
is not there yet comes with the feature. The language's own numbers stand in `engine.limits`. What one implementation
bounds for itself (how many answers a cache holds) is no limit of the platform and stays with its module.
"""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
MINUTE_S: Final = 60
HOUR_S: Final = 60 * MINUTE_S
DAY_S: Final = 24 * HOUR_S

# Requests. Spec: platform-api 1.1, 1.5.
BODY_MAX_BYTES: Final = 1 * MIB
ATTACHMENT_MAX_BYTES: Final = 25 * MIB
ATTACHMENT_OVERHEAD_MAX_BYTES: Final = 1 * MIB
REQUEST_ID_MAX_CHARS: Final = 128
IDEMPOTENCY_KEY_MAX_CHARS: Final = 255
IDEMPOTENCY_KEPT_S: Final = DAY_S
PAGE_LIMIT_DEFAULT: Final = 50
PAGE_LIMIT_MAX: Final = 200
SESSION_MESSAGES_SHOWN: Final = 200
SESSIONS_COUNTED_AHEAD: Final = 1_000
"""Behind a page of a list of sessions; where there are more, `total` says so many and that it is not exact. Ours."""
SESSIONS_SEARCHED_MAX: Final = 1_000
"""Sessions whose transcripts one search looks through, the newest first. Ours."""

# Messages. Spec: platform-api 4.1, 5.8.
MESSAGE_MAX_CHARS: Final = BODY_MAX_BYTES
"""A message has no bound but that of its body; this is what can stand in one."""
ATTACHMENTS_PER_MESSAGE: Final = 10
ATTACHMENTS_PER_SESSION: Final = 100
ATTACHMENT_UNUSED_S: Final = DAY_S
FEEDBACK_COMMENT_MAX_CHARS: Final = 2_000
TOOL_MOCKS_MAX: Final = 50
TOOL_MOCK_DELAY_MAX_MS: Final = 30_000
ACTIONS_OPEN_TURNS: Final = 64
"""For so many further turns a set of actions stays open that nobody answers. Ours."""
METADATA_MAX_BYTES: Final = 16 * KIB
METADATA_MAX_DEPTH: Final = 5
METADATA_MAX_KEYS: Final = 64
METADATA_KEY_MAX_CHARS: Final = 128
METADATA_VALUE_MAX_CHARS: Final = 4_096

# Rates. Spec: platform-api 2.5.
REQUESTS_PER_SECOND: Final = 200
REQUESTS_BURST: Final = 400
SESSION_MESSAGES_PER_MINUTE: Final = 60
CONCURRENT_SESSIONS_PER_TENANT: Final = 1_000
CONCURRENT_VOICE_ROOMS: Final = 50
EXECUTION_QUEUE_TURNS: Final = 1_000
SESSION_QUEUE_TURNS: Final = 10
LOGIN_ATTEMPTS: Final = 10
LOGIN_WINDOW_S: Final = 15 * MINUTE_S
SDK_INITS_PER_MINUTE: Final = 60
TOOL_CALLS_PER_MINUTE: Final = 0
MODEL_TOKENS_PER_MINUTE: Final = 0
"""Of a tenant; 0 is no limit."""
TICKETS_PER_MINUTE: Final = 20
TICKETS_PER_TENANT_MINUTE: Final = 2_000

# Turns and sessions. Spec: platform-api 3.1 to 3.3, 4.1.
TURN_DEADLINE_S: Final = 120.0
TURN_MAX_S: Final = 10 * MINUTE_S
SESSION_IDLE_S: Final = 30 * MINUTE_S
SUSPENSION_DEFAULT_S: Final = DAY_S
SUSPENSION_MIN_S: Final = MINUTE_S
SUSPENSION_MAX_S: Final = 30 * DAY_S
ASYNC_TOOL_TIMEOUT_S: Final = HOUR_S
CALLBACK_KEPT_S: Final = DAY_S
HANDOFFS_PER_TURN: Final = 10
TOOL_CALLS_PER_TURN: Final = 25
MODEL_CALLS_PER_TURN: Final = 30

# Credentials. Spec: platform-api 2.1, 12.1, 12.6.
USER_TOKEN_S: Final = HOUR_S
REFRESH_TOKEN_S: Final = 30 * DAY_S
PASSWORD_MIN_CHARS: Final = 12
SANDBOX_TOKEN_S: Final = 15 * MINUTE_S
SDK_TOKEN_S: Final = 900
SDK_TOKEN_REFRESH_GRACE_S: Final = HOUR_S
TICKET_S: Final = 60
RESUME_TOKEN_S: Final = DAY_S
KEY_PREFIX_CHARS: Final = 12
KEY_GRACE_MAX_S: Final = DAY_S
KEY_NAME_MAX_CHARS: Final = 120
KEY_ORIGINS_MAX: Final = 100
USER_NAME_MAX_CHARS: Final = 200
USER_TEAMS_MAX: Final = 50
TEAM_NAME_MAX_CHARS: Final = 100
AUDIT_KEPT_DAYS: Final = 365

# Streams and sockets. Spec: platform-api 4.3, 12.3 to 12.6.
SSE_HEARTBEAT_S: Final = 15.0
SOCKET_FRAME_MAX_BYTES: Final = 1 * MIB
VOICE_AUDIO_MAX_BYTES: Final = 4 * MIB
SOCKETS_PER_SESSION: Final = 5
SOCKET_EARLY_FRAMES: Final = 16
SOCKET_EARLY_BYTES: Final = 64 * KIB
SOCKET_BAD_FRAMES_PER_MINUTE: Final = 20
SOCKET_PING_S: Final = 25
SOCKET_PONG_WAIT_S: Final = 20
SOCKET_IDLE_S: Final = 30 * MINUTE_S
RESUME_BUFFER_FRAMES: Final = 256
RESUME_BUFFER_BYTES: Final = 512 * KIB
RESUME_BUFFER_KEPT_S: Final = 5 * MINUTE_S

# Stores. Spec: platform-api 5.7, 7.2 to 7.4, 15.
MEMORY_STORE_MAX_BYTES: Final = 256 * KIB
MEMORY_STORES_PER_SESSION: Final = 64
SECRET_NAME_MAX_CHARS: Final = 256
SECRET_VALUE_MAX_CHARS: Final = 16_384
CONTACT_NAME_MAX_CHARS: Final = 200
CONTACT_EMPLOYEE_ID_MAX_CHARS: Final = 100
CONTACT_IDENTITY_MAX_CHARS: Final = 320
CONTACT_TEXT_MAX_CHARS: Final = 200
CONTACT_METADATA_MAX_BYTES: Final = 16 * KIB
CONTACT_TAGS_MAX: Final = 50
CONTACT_TAG_MAX_CHARS: Final = 50

# Human tasks. Spec: platform-api 10.
TASK_TITLE_MAX_CHARS: Final = 300
TASK_TEXT_MAX_CHARS: Final = 4_000
TASK_CONTEXT_MAX_BYTES: Final = 64 * KIB
TASK_ENTRIES_MAX: Final = 50
TASK_WORD_MAX_CHARS: Final = 200
ESCALATION_LEVELS_MAX: Final = 10
ESCALATION_MAX_MINUTES: Final = 43_200
TRACE_TEXT_MAX_CHARS: Final = 32 * KIB
TRACE_VALUE_MAX_BYTES: Final = 64 * KIB
TRACES_KEPT_DAYS: Final = 30
USAGE_KEPT_DAYS: Final = 365
EVALS_KEPT_DAYS: Final = 90
KEPT_MAX_DAYS: Final = 3_650

# Outbound webhooks. Spec: platform-api 14.6.
WEBHOOK_TIMEOUT_S: Final = 10.0
WEBHOOK_RETRIES_S: Final = (10.0, 60.0, 300.0, 1_800.0, 7_200.0, 21_600.0)
WEBHOOK_FAILURES_MAX: Final = 50
WEBHOOKS_PER_PROJECT: Final = 50
WEBHOOK_DELIVERIES_KEPT_DAYS: Final = 30

# Project transfer. Spec: platform-api 1.1, 9.
IMPORT_BODY_MAX_BYTES: Final = 60 * MIB
IMPORT_FILES_MAX: Final = 500
IMPORT_FILE_MAX_BYTES: Final = 1 * MIB
IMPORT_TOTAL_MAX_BYTES: Final = 50 * MIB
IMPORT_LOCK_S: Final = 120
EXPORT_AGENTS_MAX: Final = 1_000
EXPORT_TOOLS_MAX: Final = 500
EXPORT_MAX_BYTES: Final = 100 * MIB

# Completions, usage, generations, export. Spec: platform-api 4.3, 4.5, 5.7.
TEMPERATURE_MAX: Final = 2.0
MAX_TOKENS_MAX: Final = 200_000
COMPLETION_TOOLS_MAX: Final = 128
COMPLETION_IMAGES_MAX: Final = 20
COMPLETION_IMAGE_ADDRESS_MAX_CHARS: Final = 2_048
"""Pictures of one call, and the address of one; a picture in a data URL is bounded by the body. Ours."""
USAGE_WINDOW_DAYS: Final = 30
GENERATIONS_WINDOW_S: Final = DAY_S
EXPORT_ROWS_MAX: Final = 1_000_000
INSIGHT_EVENTS_MAX: Final = 50_000
"""Trace events of a session that its metrics and its analysis look at, the oldest first. Ours."""

# Projects, agents, versions, deployments, variables, channels. Spec: platform-api 6.
PROJECT_NAME_MAX_CHARS: Final = 120
DESCRIPTION_MAX_CHARS: Final = 2_000
LABEL_MAX_CHARS: Final = 200
MANIFEST_AGENTS_MAX: Final = 1_000
DRAIN_S: Final = HOUR_S
VARIABLE_MAX_CHARS: Final = 16_384
CONFIG_VALUE_MAX_CHARS: Final = 4_096
CONFIG_KEYS_MAX: Final = 200
ENV_KEYS_MAX: Final = 1_000
CHANNELS_PER_PROJECT: Final = 200
PREFLIGHT_SESSIONS_MAX: Final = 1_000
PREFLIGHT_FACTS_MAX: Final = 20_000
"""Of the journal of a session that a preflight folds."""
PREFLIGHT_S: Final = 60.0
"""How long a preflight folds; what it has not come to by then is unchecked."""

# Analytics. Spec: platform-api 8.
ANALYTICS_LIMIT_DEFAULT: Final = 100
ANALYTICS_LIMIT_MAX: Final = 10_000
ANALYTICS_BUCKETS_MAX: Final = 10_000
ANALYTICS_WINDOW_S: Final = DAY_S
ANALYTICS_KEPT_DAYS: Final = 90
VOICE_WINDOW_HOURS: Final = 168
VOICE_WINDOW_MAX_HOURS: Final = 2_160
