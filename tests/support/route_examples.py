"""Bodies and queries that the routes accept, for the tests that walk all routes: a new POST, PUT or PATCH has one here."""

from __future__ import annotations

from typing import Any

from tests.support.fake_desks import PASSWORD
from tests.support.gateway import OWNER, PAGE, PROJECT

A_COMPLETION = {"projectId": PROJECT, "messages": [{"role": "user", "content": "hello"}]}
A_PING = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "task_none"}}
A_RUN = {"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": "hello"}]}
FILE_ROUTE = "/api/projects/{project_id}/sessions/{session_id}/attachments"
EXAMPLES: dict[str, Any] = {
    "/api/v1/chat/agent": {"projectId": PROJECT, "message": "hello"},
    "/api/projects/{project_id}/sessions": {"agentId": "desk"},
    "/api/v1/memory": {"action": "get", "memoryStoreName": "counts"},
    "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "ping"},
    "/a2a": A_PING,
    "/a2a/{project_id}": A_PING,
    "/a2a/{project_id}/agents/{agent}": A_PING,
    "/ag-ui/{project_id}": A_RUN,
    "/ag-ui/{project_id}/agents/{agent}": A_RUN,
    "/mcp/{project_id}": {"jsonrpc": "2.0", "id": 1, "method": "ping"},
    "/api/v1/chat/send": {"projectId": PROJECT, "message": "hello"},
    "/api/v1/chat/stream": A_COMPLETION,
    "/api/v1/chat/complete": A_COMPLETION,
    "/api/v1/feedback": {"sessionId": "sess_unknown", "messageId": "msg_1", "rating": "positive"},
    "/api/projects/{project_id}/budgets": {"maxTokens": 1000},
    "/api/projects/{project_id}/budgets/{budget_id}": {"maxUsd": 0.5},
    "/api/tenant/erase": {"confirm": "ten_one"},
    "/api/budgets": {"maxTokens": 1000},
    "/v1/responses": {"model": "desk", "input": "hello"},
    "/v1/chat/completions": {"model": "desk", "messages": [{"role": "user", "content": "hello"}]},
    "/api/projects": {"name": "Parcels"},
    "/api/projects/{project_id}/agents": {"name": "Desk"},
    "/api/projects/{project_id}/agents/{agent_name}/dsl": {"dslContent": "AGENT: Desk"},
    "/api/projects/{project_id}/deployments": {
        "environment": "dev",
        "agentVersionManifest": {"Desk": "auto"},
        "entryAgentName": "Desk",
    },
    "/api/projects/{project_id}/deployments/{deployment_id}/promote": {"targetEnvironment": "staging"},
    "/api/projects/{project_id}/variables": {"kind": "env", "key": "API_URL", "value": "https://example.com"},
    "/api/projects/{project_id}/sdk-channels": {"name": "Shop", "channelType": "web", "publicApiKeyId": "key_1"},
    "/api/projects/{project_id}/project-io/import": {"files": {}},
    "/api/projects/{project_id}/project-io/import/preview": {"files": {}},
    "/api/projects/{project_id}/webhooks": {"url": "https://example.com/hook", "events": ["*"]},
    "/api/budgets/{budget_id}": {"maxUsd": 0.5},
    "/api/tool-secrets": {"projectId": PROJECT, "toolName": "send", "secretKey": "TOKEN", "value": "s3cret"},
    "/api/tool-secrets/{secret_id}": {"value": "s3cret"},
    "/api/contacts": {"identity": "ada@example.com", "identityType": "email"},
    "/api/contacts/{contact_id}": {"displayName": "Ada"},
    "/api/contacts/{contact_id}/link-session": {"sessionId": "sess_unknown"},
    "/api/projects/{project_id}/human-tasks": {"type": "review", "title": "Look at this"},
    "/api/projects/{project_id}/human-tasks/{task_id}/assign": {"assignedTo": "usr_2"},
    "/api/projects/{project_id}/human-tasks/{task_id}/resolve": {"decision": "approved"},
    "/api/projects/{project_id}/analytics/query": {"timeRange": {"from": "2026-03-01", "to": "2026-03-02"}},
    "/api/projects/{project_id}/analytics/aggregate": {
        "timeRange": {"from": "2026-03-01", "to": "2026-03-02"},
        "groupBy": [],
        "metrics": ["count"],
    },
    "/api/api-keys": {"name": "ci", "scopes": ["apikey:write"]},
    "/api/projects/{project_id}/public-keys": {"name": "page", "allowedOrigins": [PAGE]},
    "/api/model-providers": {"name": "own", "kind": "mock"},
    "/api/users": {"email": "ada@example.com", "role": "viewer"},
    "/api/projects/{project_id}/members": {"userId": "usr_unknown", "role": "viewer"},
    "/api/projects/{project_id}/members/{user_id}": {"role": "viewer"},
    "/api/auth/login": {"email": OWNER, "password": PASSWORD},
    "/api/auth/password": {"currentPassword": PASSWORD, "newPassword": "another long password"},
}
"""Path, or method and path, -> a body that the route accepts; the others take an empty object."""
QUERIES = {
    "/api/tool-secrets": f"?projectId={PROJECT}",
    "/api/contacts/lookup": "?identity=ada@example.com",
    "/api/v1/chat/usage": f"?projectId={PROJECT}",
    "/api/projects/{project_id}/sessions/export": "?format=csv",
}
"""Path -> a query without which the route answers nothing."""
