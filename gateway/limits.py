"""The numbers of the platform-api that only the gateway asks for; what the domain asks for too is in `domain.limits`.

Spec: platform-api 1, 2.5, 12, 15.
"""

from __future__ import annotations

from typing import Final

MIB: Final = 1024 * 1024

BODY_MAX_BYTES: Final = 1 * MIB
REQUEST_ID_MAX_CHARS: Final = 128
IDEMPOTENCY_KEY_MAX_CHARS: Final = 255
IDEMPOTENCY_KEPT_S: Final = 24 * 3600
IDEMPOTENT_REPLIES_HELD: Final = 10_000
ERROR_FIELDS_SHOWN: Final = 20

PAGE_LIMIT_DEFAULT: Final = 50
PAGE_LIMIT_MAX: Final = 200
OFFSET_MAX: Final = 2**31 - 1
SEQ_MAX_DIGITS: Final = 15
LOG_LIMIT_DEFAULT: Final = 200
LOG_LIMIT_MAX: Final = 1_000
SESSION_MESSAGES_SHOWN: Final = 200

MESSAGE_MAX_CHARS: Final = 32_000
ATTACHMENTS_PER_MESSAGE: Final = 10
TOOL_MOCKS_MAX: Final = 50
TOOL_MOCK_DELAY_MAX_MS: Final = 30_000

METADATA_MAX_BYTES: Final = 16 * 1024
METADATA_MAX_DEPTH: Final = 5
METADATA_MAX_KEYS: Final = 64
METADATA_KEY_MAX_CHARS: Final = 128
METADATA_VALUE_MAX_CHARS: Final = 4_096

REQUESTS_PER_SECOND: Final = 200
REQUESTS_BURST: Final = 400
SESSION_MESSAGES_PER_MINUTE: Final = 60
CONCURRENT_SESSIONS_PER_TENANT: Final = 1_000
CONCURRENT_VOICE_ROOMS: Final = 50
SDK_INITS_PER_MINUTE: Final = 60
TICKETS_PER_MINUTE: Final = 20
TICKETS_PER_TENANT_MINUTE: Final = 2_000
COUNTERS_HELD: Final = 100_000
CONCURRENCY_RETRY_MS: Final = 5_000
CONCURRENCY_RECHECK_S: Final = 1.0

TURN_DEADLINE_S: Final = 120.0

SSE_HEARTBEAT_S: Final = 15.0

CREDENTIAL_RECHECK_S: Final = 1.0
"""How long a credential or project once found is believed without asking the store again."""
CREDENTIALS_HELD: Final = 10_000

SDK_TOKEN_S: Final = 900
SDK_TOKEN_REFRESH_GRACE_S: Final = 3_600
TICKET_S: Final = 60
RESUME_TOKEN_S: Final = 24 * 3600

SOCKET_FRAME_MAX_BYTES: Final = 1 * MIB
SOCKETS_PER_SESSION: Final = 5
SOCKET_BAD_FRAMES_PER_MINUTE: Final = 20
SOCKET_IDLE_S: Final = 30 * 60.0
SOCKET_PING_S: Final = 25
SOCKET_PONG_WAIT_S: Final = 20
SOCKET_OUTBOX_FRAMES: Final = 256
SOCKET_TURNS_WAITING: Final = 10
SOCKET_FOLLOW_S: Final = 15.0
"""How often an idle socket looks for output that began elsewhere."""
SOCKET_FOLLOW_SUSPENDED_S: Final = 1.0
"""The same while the session waits for a callback or a person, when such output is expected."""
SOCKET_DRAIN_RECONNECT_MS: Final = 1_000
