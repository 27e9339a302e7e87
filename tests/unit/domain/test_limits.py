"""The numbers against the tables of the specification, written down a second time on purpose. Spec: platform-api 15."""

from __future__ import annotations

import ast
from pathlib import Path

from domain import limits
from tests.support.cells import over

TABLE = {
    "INSIGHT_EVENTS_MAX": 50_000,
    "PREFLIGHT_FACTS_MAX": 20_000,
    "PREFLIGHT_S": 60.0,
    "KEY_GRACE_MAX_S": 86_400,
    "KEY_NAME_MAX_CHARS": 120,
    "KEY_ORIGINS_MAX": 100,
    "USER_NAME_MAX_CHARS": 200,
    "USER_TEAMS_MAX": 50,
    "TEAM_NAME_MAX_CHARS": 100,
    "AUDIT_KEPT_DAYS": 365,
    "ANALYTICS_LIMIT_DEFAULT": 100,
    "ANALYTICS_LIMIT_MAX": 10_000,
    "ANALYTICS_BUCKETS_MAX": 10_000,
    "ANALYTICS_WINDOW_S": 86_400,
    "ANALYTICS_KEPT_DAYS": 90,
    "VOICE_WINDOW_HOURS": 168,
    "VOICE_WINDOW_MAX_HOURS": 2_160,
    "BODY_MAX_BYTES": 1_048_576,
    "REQUEST_ID_MAX_CHARS": 128,
    "ATTACHMENT_MAX_BYTES": 26_214_400,
    "ATTACHMENT_OVERHEAD_MAX_BYTES": 1_048_576,
    "IDEMPOTENCY_KEY_MAX_CHARS": 255,
    "IDEMPOTENCY_KEPT_S": 86_400,
    "PAGE_LIMIT_DEFAULT": 50,
    "PAGE_LIMIT_MAX": 200,
    "SESSION_MESSAGES_SHOWN": 200,
    "SESSIONS_COUNTED_AHEAD": 1_000,
    "SESSIONS_SEARCHED_MAX": 1_000,
    "MESSAGE_MAX_CHARS": 1_048_576,
    "ATTACHMENTS_PER_MESSAGE": 10,
    "ATTACHMENTS_PER_SESSION": 100,
    "ATTACHMENT_UNUSED_S": 86_400,
    "FEEDBACK_COMMENT_MAX_CHARS": 2_000,
    "TOOL_MOCKS_MAX": 50,
    "TOOL_MOCK_DELAY_MAX_MS": 30_000,
    "ACTIONS_OPEN_TURNS": 64,
    "METADATA_MAX_BYTES": 16_384,
    "METADATA_MAX_DEPTH": 5,
    "METADATA_MAX_KEYS": 64,
    "METADATA_KEY_MAX_CHARS": 128,
    "METADATA_VALUE_MAX_CHARS": 4_096,
    "REQUESTS_PER_SECOND": 200,
    "REQUESTS_BURST": 400,
    "SESSION_MESSAGES_PER_MINUTE": 60,
    "CONCURRENT_SESSIONS_PER_TENANT": 1_000,
    "CONCURRENT_VOICE_ROOMS": 50,
    "EXECUTION_QUEUE_TURNS": 1_000,
    "SESSION_QUEUE_TURNS": 10,
    "SDK_INITS_PER_MINUTE": 60,
    "TOOL_CALLS_PER_MINUTE": 0,
    "MODEL_TOKENS_PER_MINUTE": 0,
    "LOGIN_ATTEMPTS": 10,
    "LOGIN_WINDOW_S": 900,
    "TICKETS_PER_MINUTE": 20,
    "TICKETS_PER_TENANT_MINUTE": 2_000,
    "TURN_DEADLINE_S": 120,
    "SESSION_IDLE_S": 1_800,
    "SUSPENSION_DEFAULT_S": 86_400,
    "SUSPENSION_MIN_S": 60,
    "SUSPENSION_MAX_S": 2_592_000,
    "ASYNC_TOOL_TIMEOUT_S": 3_600,
    "CALLBACK_KEPT_S": 86_400,
    "HANDOFFS_PER_TURN": 10,
    "TOOL_CALLS_PER_TURN": 25,
    "MODEL_CALLS_PER_TURN": 30,
    "SANDBOX_TOKEN_S": 900,
    "SDK_TOKEN_S": 900,
    "SDK_TOKEN_REFRESH_GRACE_S": 3_600,
    "TICKET_S": 60,
    "RESUME_TOKEN_S": 86_400,
    "KEY_PREFIX_CHARS": 12,
    "SSE_HEARTBEAT_S": 15,
    "SOCKET_FRAME_MAX_BYTES": 1_048_576,
    "VOICE_AUDIO_MAX_BYTES": 4_194_304,
    "SOCKETS_PER_SESSION": 5,
    "SOCKET_EARLY_FRAMES": 16,
    "SOCKET_EARLY_BYTES": 65_536,
    "SOCKET_BAD_FRAMES_PER_MINUTE": 20,
    "SOCKET_PING_S": 25,
    "SOCKET_PONG_WAIT_S": 20,
    "SOCKET_IDLE_S": 1_800,
    "RESUME_BUFFER_FRAMES": 256,
    "RESUME_BUFFER_BYTES": 524_288,
    "RESUME_BUFFER_KEPT_S": 300,
    "WEBHOOK_TIMEOUT_S": 10,
    "WEBHOOK_RETRIES_S": (10, 60, 300, 1_800, 7_200, 21_600),
    "WEBHOOK_FAILURES_MAX": 50,
    "WEBHOOKS_PER_PROJECT": 50,
    "WEBHOOK_DELIVERIES_KEPT_DAYS": 30,
    "IMPORT_BODY_MAX_BYTES": 62_914_560,
    "IMPORT_FILES_MAX": 500,
    "IMPORT_FILE_MAX_BYTES": 1_048_576,
    "IMPORT_TOTAL_MAX_BYTES": 52_428_800,
    "IMPORT_LOCK_S": 120,
    "EXPORT_AGENTS_MAX": 1_000,
    "EXPORT_TOOLS_MAX": 500,
    "EXPORT_MAX_BYTES": 104_857_600,
    "MEMORY_STORE_MAX_BYTES": 262_144,
    "MEMORY_STORES_PER_SESSION": 64,
    "SECRET_NAME_MAX_CHARS": 256,
    "SECRET_VALUE_MAX_CHARS": 16_384,
    "CONTACT_NAME_MAX_CHARS": 200,
    "CONTACT_EMPLOYEE_ID_MAX_CHARS": 100,
    "CONTACT_IDENTITY_MAX_CHARS": 320,
    "CONTACT_TEXT_MAX_CHARS": 200,
    "CONTACT_METADATA_MAX_BYTES": 16_384,
    "CONTACT_TAGS_MAX": 50,
    "CONTACT_TAG_MAX_CHARS": 50,
    "TASK_TITLE_MAX_CHARS": 300,
    "TASK_TEXT_MAX_CHARS": 4_000,
    "TASK_CONTEXT_MAX_BYTES": 65_536,
    "TASK_ENTRIES_MAX": 50,
    "TASK_WORD_MAX_CHARS": 200,
    "ESCALATION_LEVELS_MAX": 10,
    "ESCALATION_MAX_MINUTES": 43_200,
    "TRACE_TEXT_MAX_CHARS": 32_768,
    "TRACE_VALUE_MAX_BYTES": 65_536,
    "TRACES_KEPT_DAYS": 30,
    "USER_TOKEN_S": 3_600,
    "REFRESH_TOKEN_S": 2_592_000,
    "PASSWORD_MIN_CHARS": 12,
    "USAGE_KEPT_DAYS": 365,
    "TEMPERATURE_MAX": 2,
    "MAX_TOKENS_MAX": 200_000,
    "COMPLETION_TOOLS_MAX": 128,
    "COMPLETION_IMAGES_MAX": 20,
    "COMPLETION_IMAGE_ADDRESS_MAX_CHARS": 2_048,
    "USAGE_WINDOW_DAYS": 30,
    "GENERATIONS_WINDOW_S": 86_400,
    "EXPORT_ROWS_MAX": 1_000_000,
    "TURN_MAX_S": 600,
    "EVALS_KEPT_DAYS": 90,
    "KEPT_MAX_DAYS": 3_650,
    "PROJECT_NAME_MAX_CHARS": 120,
    "DESCRIPTION_MAX_CHARS": 2_000,
    "LABEL_MAX_CHARS": 200,
    "MANIFEST_AGENTS_MAX": 1_000,
    "DRAIN_S": 3_600,
    "VARIABLE_MAX_CHARS": 16_384,
    "CONFIG_VALUE_MAX_CHARS": 4_096,
    "CONFIG_KEYS_MAX": 200,
    "ENV_KEYS_MAX": 1_000,
    "CHANNELS_PER_PROJECT": 200,
    "PREFLIGHT_SESSIONS_MAX": 1_000,
}
ROOT = Path(limits.__file__).parents[1]
PACKAGES = ("actors", "cli", "domain", "engine", "gateway", "providers", "storage")
UNITS = {"KIB", "MIB", "MINUTE_S", "HOUR_S", "DAY_S"}


def names() -> list[str]:
    tree = ast.parse(Path(limits.__file__).read_text())
    return [
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]


@over(("name", "number"), TABLE.items(), ids=list(TABLE))
def test_a_limit_is_what_the_specification_says(name: str, number: int) -> None:
    assert getattr(limits, name) == number


def numbers_read() -> set[str]:
    """Return the numbers that something in the product reads."""
    read: set[str] = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if path == Path(limits.__file__):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.Attribute(value=ast.Name(id="limits"), attr=name):
                        read.add(name)
                    case ast.ImportFrom(module="domain.limits", names=names):
                        read.update(one.name for one in names)
    return read


def test_every_number_is_read_where_it_is_enforced() -> None:
    assert sorted({*TABLE} - numbers_read()) == []


def test_no_number_stands_there_twice_or_without_a_row() -> None:
    assert sorted(names()) == sorted({*TABLE, *UNITS})
