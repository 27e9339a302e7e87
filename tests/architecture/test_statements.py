"""Tenant isolation in SQL: a statement that touches a tenant's table names the tenant."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import storage
from storage.migrate import known_migrations
from storage.statements import Statement
from tests.support.cells import over

ACROSS_TENANTS = {
    "storage.repositories.api_keys.BY_HASH": "the key is what tells the tenant",
    "storage.repositories.callbacks.FIND": "the id is all that an outside caller has; its signature is checked",
    "storage.repositories.jobs.CLAIM": "workers serve all tenants; each job carries its own",
    "storage.repositories.jobs.BACK_FROM_THE_FUTURE": "what a leapt clock did to the work of all tenants",
    "storage.repositories.jobs.NEXT_DUE": "when to wake up, for all tenants",
    "storage.repositories.accepted.CLAIM": "messages left behind, of all tenants; each row carries its own",
    "storage.repositories.webhook_claims.WAITING": "hooks of all tenants, each given its turn",
    "storage.repositories.projects.TENANTS": "the list of tenants itself",
    "storage.repositories.tenants.LIST": "the list of tenants itself, for whoever runs the installation",
    "storage.repositories.replies.FORGET_OLD": "retention",
    "storage.repositories.done_requests.FORGET_OLD": "retention",
    "storage.repositories.turns.FORGET_OLD": "retention",
    "storage.repositories.conversations.FORGET_OLD": "retention",
    "storage.repositories.a2a_tasks.FORGET_OLD": "retention",
    "storage.repositories.attachments.TAKE_UNUSED": "retention; each row carries its own tenant",
    "storage.repositories.users.BY_EMAIL": "whoever logs in names no tenant; an email is one person's",
    "storage.repositories.users.FORGET_FAMILIES": "retention",
    "storage.repositories.audit.PRUNE": "retention",
    "storage.repositories.budgets.FORGET_OLD": "retention",
    "storage.repositories.human_tasks.FORGET_CLOSED": "retention",
    "storage.repositories.traces.FORGET_OF_PROJECTS": "retention",
    "storage.repositories.audit.HEADS": "whose logs there are; each is verified for itself",
    "storage.repositories.webhooks.FORGET_OLD": "retention",
    "storage.repositories.budgets.EXPIRED": "upkeep for all tenants; each row carries its own",
    "storage.repositories.projects.DELETED": "upkeep for all tenants; each row carries its own",
    "storage.repositories.deployments.DRAINING": "upkeep for all tenants; each row carries its own",
    "storage.repositories.human_tasks.DUE": "upkeep for all tenants; each row carries its own",
    "storage.repositories.analytics_counting.TAKE_NOTED": "counting is for all tenants; each row carries its own",
    "storage.repositories.analytics_counting.SEAL": "the same: groups are made by tenant",
    "storage.repositories.turn_readers.TURNS": "readers read the turns of all tenants; each row carries its own",
    "storage.repositories.accepted.FORGET_REFUSED": "retention",
    "storage.repositories.turn_readers.OPENED_KEY": "the same: whose turns can be read",
    "storage.repositories.turn_readers.COUNT_ASIDE": "the same: how many are aside",
    "storage.repositories.analytics_counting.FORGET[6]": "retention",
    "storage.repositories.analytics_counting.FORGET[0]": "retention",
    "storage.repositories.analytics_counting.FORGET[1]": "retention",
    "storage.repositories.analytics_counting.FORGET[2]": "retention",
    "storage.repositories.analytics_counting.FORGET[3]": "retention",
    "storage.repositories.analytics_counting.FORGET[4]": "retention",
    "storage.repositories.analytics_counting.FORGET[5]": "retention",
    "storage.vault.MASTERS": "counts what lies under which master key, for all tenants",
    "storage.vault.UNDER_OTHERS": "a new master key is for all tenants",
    "storage.repositories.memory.FORGET_EXPIRED": "retention",
    "storage.partitions.FORGET_BLOBS": "retention",
    "storage.repositories.memory.FORGET_EFFECTS": "retention",
    "storage.repositories.callbacks.FORGET_CLOSED": "retention",
    "storage.repositories.sessions.IDLE_EVERYWHERE": "the same",
    "storage.repositories.session_statements.IDLE_EVERYWHERE": "upkeep for all tenants; each row carries its own",
}

CREATE_TABLE = re.compile(r"CREATE TABLE (\w+) \((.*?)\n\)", re.DOTALL)
TOUCHES = r"\b(?:FROM|JOIN|INTO|UPDATE)\s+{}\b"
BINDS_TENANT = re.compile(r":tenant_ids?\b|:session_keys?\b")  # a session's key is made of the tenant


def schema() -> dict[str, str]:
    return {name: body for one in known_migrations() for name, body in CREATE_TABLE.findall(one.text)}


TENANT_TABLES = sorted(
    name for name, body in schema().items() if re.search(r"^\s*(tenant_id|session_key) ", body, re.MULTILINE)
)
TENANT_VIEWS = [name for one in known_migrations() for name in re.findall(r"CREATE VIEW (\w+)", one.text)]


def statements() -> Iterator[tuple[str, Statement]]:
    for found in pkgutil.walk_packages(storage.__path__, "storage."):
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            values = {"": value}
            if isinstance(value, dict):
                values = {f"[{key}]": one for key, one in value.items()}
            elif isinstance(value, tuple):
                values = {f"[{place}]": one for place, one in enumerate(value)}
            for place, one in values.items():
                if isinstance(one, Statement):
                    yield f"{found.name}.{name}{place}", one


def named(statement: Statement) -> str:
    sql = statement.sql
    for position, name in reversed(list(enumerate(statement.names, 1))):
        sql = sql.replace(f"${position}", f":{name}")
    return sql


def touched(sql: str) -> list[str]:
    return [table for table in (*TENANT_TABLES, *TENANT_VIEWS) if re.search(TOUCHES.format(table), sql)]


def test_the_schema_has_tenant_tables() -> None:
    assert {"sessions", "journal", "turns", "traces", "memory", "callbacks", "api_keys"} <= set(TENANT_TABLES)


@over("table", TENANT_TABLES)
def test_the_tenant_comes_first_in_the_key(table: str) -> None:
    key = r"(tenant_id|session_key) \w+ PRIMARY KEY|PRIMARY KEY \((tenant_id|session_key)[,)]"
    index = rf"CREATE INDEX \w+ ON {table} \((tenant_id|session_key)[,)]"  # of a partitioned log, fenced by its head
    assert re.search(key, schema()[table]) or any(re.search(index, one.text) for one in known_migrations())


@over(("name", "statement"), sorted(statements(), key=lambda found: found[0]))
def test_a_statement_on_a_tenant_table_names_the_tenant(name: str, statement: Statement) -> None:
    sql = named(statement)
    if touched(sql) and not name.startswith("storage.partitions."):
        assert bool(BINDS_TENANT.search(sql)) != (name in ACROSS_TENANTS), sql


def test_every_exception_is_still_there() -> None:
    assert set(ACROSS_TENANTS) <= {name for name, _ in statements()}


def test_a_missing_tenant_would_be_seen() -> None:
    sql = named(Statement("SELECT 1 FROM sessions WHERE session_id = :session_id"))
    assert touched(sql)
    assert not BINDS_TENANT.search(sql)
