"""What this gateway bounds for itself; the numbers of the specification are in `domain.limits`."""

from __future__ import annotations

from typing import Final

BODY_WAIT_S: Final = 30.0
BODY_MIN_BYTES_PER_S: Final = 16 * 1024
"""How long the pieces of a body may take: a while, and what has come so far at this speed."""
IDEMPOTENT_REPLIES_HELD: Final = 10_000
ERROR_FIELDS_SHOWN: Final = 20
OFFSET_MAX: Final = 2**31 - 1
SEQ_MAX_DIGITS: Final = 15
TENANT_RATES_RECHECK_S: Final = 10.0
TENANTS_HELD: Final = 10_000
REPLY_CLAIM_LIFE_S: Final = 60
"""How long a request under an idempotency key must have given no sign of life to be taken for dead."""
REPLY_RENEW_S: Final = 15.0
REPLY_RENEWALS_MAX: Final = 240
"""How often it gives one, and for how long at most: an hour."""
REPLY_WAIT_S: Final = 10.0
REPLY_POLL_S: Final = 0.05
IDEMPOTENCY_KEY_OF_NOBODY_MIN_CHARS: Final = 22
"""Where callers are strangers to one another, a key must be too long to be anybody else's."""
CONCURRENCY_RETRY_MS: Final = 5_000
CONCURRENCY_RECHECK_S: Final = 1.0
CONCURRENCY_RECOUNT_S: Final = 0.05
"""How long the number of a tenant's sessions is believed; the second, when it says that there are too many."""
SESSION_APPEARS_S: Final = 0.5
"""How long a session that begins may not be counted by the store yet."""
CREDENTIAL_RECHECK_S: Final = 1.0
"""How long a credential or project once found is believed without asking the store again."""
TOKEN_AHEAD_S: Final = 300
"""How far the clock of the gateway that made a token may be ahead; what a leapt clock made is not taken for as long."""
CREDENTIALS_HELD: Final = 10_000
SDK_USER_MAX_BYTES: Final = 4_096
"""What a page says of its user travels in each of its tokens, which are headers."""
SOCKETS_HELD: Final = 20_000
"""Open sockets of one gateway; more are sent to another."""
SOCKET_OUTBOX_FRAMES: Final = 256
SOCKET_FOLLOW_PAUSE_S: Final = 0.2
"""Between two looks for the host of a session whose output broke off."""
SOCKET_CHECK_S: Final = 15.0
"""How often a socket that says nothing is checked against its key."""
SOCKET_LAST_OUTPUT_S: Final = 2.0
"""How long the end of a session, asked for by a socket, waits for its last output."""
SOCKET_REFUSED_LOOKS: Final = 40
SOCKET_REFUSED_PAUSE_S: Final = 0.05
"""How often a socket whose session is over looks for refusals that are still being written; together with the last
output well within the 5 s in which it is closed. Spec: platform-api 12.4."""
SOCKET_DRAIN_S: Final = 2.0
"""How long a gateway that ends waits for its sockets to have left."""
SOCKET_DRAIN_RECONNECT_MS: Final = 1_000
LEAVING_RETRY_MS: Final = 2_000
"""After how long a request is to come again that a gateway refuses because it ends."""
SOCKET_DISCARD_S: Final = 5.0
"""How long a gateway waits for a session to be removed that a socket has left in silence."""
TURN_ENDS_S: Final = 10.0
"""How long a turn may take to end once it is beyond its deadline."""
SOCKET_REOPENS: Final = 3
"""How often a socket opens its session again that another one, which left it in silence, has had removed meanwhile."""
SOCKET_ACK_S: Final = 5.0
"""How long a turn that was taken waits for its socket to have been told."""
