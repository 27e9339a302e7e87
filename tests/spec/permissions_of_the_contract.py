"""Who may call each route, as the contract says it: written down from its text, not from what the app declares.

A line is `METHOD path | credentials | permission | section | status | why`. Credentials: `caller` is a user's token or an API
key. Permission: `-` none; `a or b` one of both; `whole tenant` also wants somebody who is not bound to projects; `named`
says that the project stands in the query or the body. `authenticated` of the contract is `project:read` (2.2).
Status: what an admitted caller gets over an empty project, with the body and query of `tests.support.route_examples`, where
every other name in the path names nothing. `why`: where the contract is silent, or the app differs on purpose.
Spec: platform-api 2.1 to 2.4, 4 to 10, 12, 14.
"""

from __future__ import annotations

from dataclasses import dataclass

LINES = """
POST /api/v1/chat/agent | caller sdk | session:execute, named | 4.1 | 200 |
POST /api/v1/chat/send | caller sdk | session:execute, named | 4.2 | 200 |
POST /api/v1/chat/stream | caller | session:execute, named | 4.3 | 200 |
POST /api/v1/chat/complete | caller | session:execute, named | 4.4 | 200 |
GET /api/v1/chat/usage | caller | usage:read or project:read, named | 4.5 | 200 |
POST PP/sessions | caller | session:execute | 5.1 | 201 |
GET PP/sessions | caller | session:read | 5.2 | 200 |
GET PP/sessions/{session_id} | caller | session:read | 5.3 | 404 |
DELETE PP/sessions/{session_id} | caller sdk | session:read | 5.4 | 404 |
POST PP/sessions/{session_id}/reset | caller sdk | session:read | 5.5 | 404 | authenticated is whoever may see the session, as 5.4 says it
POST /api/v1/sessions/{session_id}/end | caller sdk | session:write | 5.6 | 404 |
GET PP/sessions/{session_id}/traces | caller | session:read | 5.7 | 404 |
GET PP/sessions/{session_id}/traces/{span_id}/children | caller | session:read | 5.7 | 404 |
GET PP/sessions/{session_id}/metrics | caller | session:read | 5.7 | 404 |
GET PP/sessions/{session_id}/analysis | caller | session:read | 5.7 | 404 |
GET PP/sessions/generations | caller | session:read | 5.7 | 200 |
GET PP/sessions/export | caller | session:read | 5.7 | 200 |
POST PP/sessions/{session_id}/attachments | caller sdk | session:execute | 5.8 | 404 |
GET PP/sessions/{session_id}/attachments | caller sdk | session:read | 5.8 | 404 | its heading says session:execute of uploads; to read takes what reading a session takes
GET PP/sessions/{session_id}/attachments/{attachment_id} | caller sdk | session:read | 5.8 | 404 | as the list
GET PP/sessions/{session_id}/attachments/{attachment_id}/content | caller sdk | session:read | 5.8 | 404 | as the list
GET /api/v1/sessions/{session_id}/transcripts | caller sdk | session:read | 5.9 | 404 |
GET PP/sessions/{session_id}/messages | caller sdk | session:read | 5.9 | 404 |
POST /api/v1/feedback | caller sdk | session:execute | 5.10 | 404 | no permission is named; it writes to a session, so it takes what talking in one takes
GET /api/projects | caller | project:read | 6.1 | 200 |
POST /api/projects | caller | project:create | 6.1 | 201 |
GET PP | caller | project:read | 6.1 | 200 |
PATCH PP | caller | project:write | 6.1 | 200 |
DELETE PP | caller | project:delete | 6.1 | 200 |
GET /api/agents | caller | project:read | 6.2 | 200 |
GET /api/agents/{agent_name} | caller | project:read | 6.2 | 404 |
GET PP/agents | caller | agent:read | 6.2 | 200 |
GET PP/agents/{agent_name} | caller | agent:read | 6.2 | 404 |
PUT PP/agents/{agent_name}/dsl | caller | agent:write | 6.2 | 404 |
POST PP/agents | caller | agent:write | 6.2 | 201 |
PATCH PP/agents/{agent_name} | caller | agent:write | 6.2 | 404 |
DELETE PP/agents/{agent_name} | caller | agent:write | 6.2 | 404 |
POST PP/agents/{agent_name}/validate | caller | agent:read | 6.2 | 404 |
GET PP/agents/{agent_name}/versions | caller | agent:read | 6.3 | 404 |
POST PP/agents/{agent_name}/versions | caller | agent:write | 6.3 | 404 |
GET PP/agents/{agent_name}/versions/{version} | caller | agent:read | 6.3 | 404 |
GET PP/agents/{agent_name}/versions/{version}/diff/{other} | caller | agent:read | 6.3 | 404 |
POST PP/deployments | caller | deployment:create | 6.4 | 201 |
GET PP/deployments | caller | project:read | 6.4 | 200 |
GET PP/deployments/{deployment_id} | caller | project:read | 6.4 | 404 |
POST PP/deployments/{deployment_id}/retire | caller | deployment:create | 6.4 | 404 |
POST PP/deployments/{deployment_id}/rollback | caller | deployment:create | 6.4 | 404 |
POST PP/deployments/{deployment_id}/promote | caller | deployment:create | 6.4 | 404 |
GET PP/variables | caller | variable:read | 6.5 | 200 |
PUT PP/variables | caller | variable:write | 6.5 | 200 |
DELETE PP/variables/{variable_id} | caller | variable:write | 6.5 | 404 |
GET PP/sdk-channels | caller | channel:read | 6.6 | 200 |
POST PP/sdk-channels | caller | channel:create | 6.6 | 404 |
GET PP/sdk-channels/{channel_id} | caller | channel:read | 6.6 | 404 |
PATCH PP/sdk-channels/{channel_id} | caller | channel:update | 6.6 | 404 |
DELETE PP/sdk-channels/{channel_id} | caller | channel:delete | 6.6 | 404 |
POST /api/v1/callbacks/{callback_id} | none | - | 7.1 | 404 | its credential is the signature of the body, which is looked at after the id
GET PP/callbacks | caller | session:read | 7.1 | 200 |
POST /api/tool-secrets | caller | credential:write, named | 7.2 | 201 |
GET /api/tool-secrets | caller | credential:read, named | 7.2 | 200 |
PUT /api/tool-secrets/{secret_id} | caller | credential:write | 7.2 | 404 |
DELETE /api/tool-secrets/{secret_id} | caller | credential:write | 7.2 | 404 |
POST /api/v1/memory | sandbox | - | 7.3 | 200 |
GET /api/contacts/lookup | caller | project:read | 7.4 | 404 |
POST /api/contacts | caller | contact:write | 7.4 | 201 |
GET /api/contacts | caller | project:read | 7.4 | 200 |
GET /api/contacts/{contact_id} | caller | project:read | 7.4 | 404 |
PUT /api/contacts/{contact_id} | caller | contact:write | 7.4 | 404 |
DELETE /api/contacts/{contact_id} | caller | contact:write | 7.4 | 404 |
POST /api/contacts/{contact_id}/link-session | caller | contact:write | 7.4 | 404 |
POST /api/contacts/{contact_id}/erase | caller | contact:write, whole tenant | - | 404 | not in the contract; it reaches into every project (decision 0025)
GET PP/analytics/metrics | caller | session:read | 8 | 200 |
GET PP/analytics/events | caller | session:read | 8 | 200 |
GET PP/analytics/agents/{name} | caller | session:read | 8 | 404 |
GET PP/analytics/cost-breakdown | caller | session:read | 8 | 200 |
GET PP/analytics/session-metrics | caller | session:read | 8 | 200 |
POST PP/analytics/query | caller | session:read | 8 | 200 |
POST PP/analytics/aggregate | caller | session:read | 8 | 200 |
GET PP/voice-analytics/hourly | caller | session:read | 8 | 200 |
GET PP/voice-analytics/summary | caller | session:read | 8 | 200 |
GET PP/project-io/export/preview | caller | project:export | 9 | 200 |
GET PP/project-io/export | caller | project:export | 9 | 200 |
POST PP/project-io/import/preview | caller | project:import | 9 | 200 |
POST PP/project-io/import | caller | project:import | 9 | 200 |
GET PP/human-tasks | caller | human_task:read | 10 | 200 |
GET PP/human-tasks/{task_id} | caller | human_task:read | 10 | 404 |
POST PP/human-tasks | caller | human_task:write | 10 | 201 |
POST PP/human-tasks/{task_id}/claim | caller | human_task:write | 10 | 404 |
POST PP/human-tasks/{task_id}/assign | caller | human_task:write | 10 | 404 |
POST PP/human-tasks/{task_id}/resolve | caller | human_task:write | 10 | 404 |
POST PP/human-tasks/{task_id}/cancel | caller | human_task:write | 10 | 404 |
POST /api/v1/sdk/init | public_key | - | 12.1 | 200 |
POST /api/v1/sdk/refresh | sdk | - | 12.1 | 200 |
POST /api/v1/sdk/ws-ticket | sdk | - | 12.1 | 200 |
GET /api/v1/sdk/config/{project_id} | public_key | - | 12.2 | 200 |
POST /api/auth/login | none | - | 14.2 | 401 |
POST /api/auth/refresh | none | - | 14.2 | 400 |
POST /api/auth/logout | user | - | 14.2 | 200 | no credential is named; what ends is the log-in of the token
GET /api/auth/me | user | - | 14.2 | 200 | no credential is named; an API key is nobody
POST /api/auth/password | user | - | 14.2 | 200 | no credential is named; only people have a password
GET /api/users | caller | member:read | 14.3 | 200 |
POST /api/users | caller | member:write, whole tenant | 14.3 | 201 | a project's administrator has it for members of the project (decision 0027)
PATCH /api/users/{user_id} | caller | member:write, whole tenant | 14.3 | 404 | as POST
DELETE /api/users/{user_id} | caller | member:write, whole tenant | 14.3 | 404 | as POST
GET PP/members | caller | member:read | 14.3 | 200 |
POST PP/members | caller | member:write | 14.3 | 404 |
PATCH PP/members/{user_id} | caller | member:write | 14.3 | 404 |
DELETE PP/members/{user_id} | caller | member:write | 14.3 | 404 |
GET /api/api-keys | caller | apikey:read | 14.4 | 200 |
POST /api/api-keys | caller | apikey:write, whole tenant | 14.4 | 201 | without a project the key is one of the tenant (decision 0027)
DELETE /api/api-keys/{key_id} | caller | apikey:write | 14.4 | 404 |
POST /api/api-keys/{key_id}/rotate | caller | apikey:write | 14.4 | 404 |
GET PP/public-keys | caller | apikey:read | 14.4 | 200 |
POST PP/public-keys | caller | apikey:write | 14.4 | 201 |
PATCH PP/public-keys/{key_id} | caller | apikey:write | 14.4 | 404 |
DELETE PP/public-keys/{key_id} | caller | apikey:write | 14.4 | 404 |
GET /api/model-providers | caller | model:read | 14.5 | 200 |
POST /api/model-providers | caller | model:write, whole tenant | 14.5 | 201 |
PATCH /api/model-providers/{provider_id} | caller | model:write, whole tenant | 14.5 | 404 |
DELETE /api/model-providers/{provider_id} | caller | model:write, whole tenant | 14.5 | 404 |
POST /api/model-providers/{provider_id}/test | caller | model:write, whole tenant | 14.5 | 404 | `(workspace)` stands in the row above it only
GET PP/models | caller | model:read | 14.5 | 200 |
PUT PP/models | caller | model:write | 14.5 | 200 |
GET PP/models/resolve | caller | model:read | 14.5 | 200 |
GET PP/webhooks | caller | webhook:read | 14.6 | 200 | the permissions are named in 2.2, the routes in 14.6
POST PP/webhooks | caller | webhook:write | 14.6 | 201 | as the list
GET PP/webhooks/{webhook_id} | caller | webhook:read | 14.6 | 404 | as the list
PATCH PP/webhooks/{webhook_id} | caller | webhook:write | 14.6 | 404 | as the list
DELETE PP/webhooks/{webhook_id} | caller | webhook:write | 14.6 | 404 | as the list
POST PP/webhooks/{webhook_id}/test | caller | webhook:write | 14.6 | 404 | as the list
GET PP/webhooks/{webhook_id}/deliveries | caller | webhook:read | 14.6 | 404 | as the list
GET /api/audit-logs | caller | audit:read | 14.7 | 200 |
GET /health | none | - | 14.8 | 200 |
GET /ready | none | - | 14.8 | 200 |
GET /metrics | none | - | 14.8 | 200 |
POST /api/tenant/erase | user | tenant:delete | 2.3 | 400 | the owner's own right, its route is not in the contract (decision 0025)
GET /api/budgets | caller | usage:read, whole tenant | - | 200 | not in the contract (decision 0024)
POST /api/budgets | caller | project:write, whole tenant | - | 201 | not in the contract (decision 0024)
GET /api/budgets/{budget_id} | caller | usage:read, whole tenant | - | 404 | not in the contract (decision 0024)
PUT /api/budgets/{budget_id} | caller | project:write, whole tenant | - | 404 | not in the contract (decision 0024)
DELETE /api/budgets/{budget_id} | caller | project:write, whole tenant | - | 404 | not in the contract (decision 0024)
GET PP/budgets | caller | usage:read | - | 200 | not in the contract (decision 0024)
POST PP/budgets | caller | project:write | - | 201 | not in the contract (decision 0024)
GET PP/budgets/{budget_id} | caller | usage:read | - | 404 | not in the contract (decision 0024)
PUT PP/budgets/{budget_id} | caller | project:write | - | 404 | not in the contract (decision 0024)
DELETE PP/budgets/{budget_id} | caller | project:write | - | 404 | not in the contract (decision 0024)
POST /mcp | api_key | session:execute | - | 400 | not in the contract (decision 0017); a key of several projects has to name one
POST /mcp/{project_id} | api_key | session:execute | - | 200 | not in the contract (decision 0017)
GET /.well-known/agent-card.json | caller | session:execute | - | 400 | not in the contract (decision 0054); a key of several projects has to name one
GET /a2a/{project_id}/.well-known/agent-card.json | caller | session:execute | - | 200 | not in the contract (decision 0054)
GET /a2a/{project_id}/agents/{agent}/.well-known/agent-card.json | caller | session:execute | - | 404 | not in the contract (decision 0054)
POST /a2a | caller | session:execute | - | 400 | not in the contract (decision 0054); a key of several projects has to name one
POST /a2a/{project_id} | caller | session:execute | - | 200 | not in the contract (decision 0054)
POST /a2a/{project_id}/agents/{agent} | caller | session:execute | - | 404 | not in the contract (decision 0054)
POST /ag-ui/{project_id} | caller | session:execute | - | 200 | not in the contract (decision 0058)
POST /ag-ui/{project_id}/agents/{agent} | caller | session:execute | - | 404 | not in the contract (decision 0058)
POST /v1/chat/completions | caller | session:execute | - | 400 | not in the contract (decision 0030); a key of several projects has to name one
GET /v1/models | caller | agent:read | - | 400 | not in the contract (decision 0030); as completions
GET /v1/models/{model} | caller | agent:read | - | 400 | not in the contract (decision 0030); as completions
POST /v1/responses | caller | session:execute | - | 400 | not in the contract (decision 0053); as completions
GET /v1/responses/{response_id} | caller | session:read | - | 400 | not in the contract (decision 0053); as completions
GET /v1/responses/{response_id}/input_items | caller | session:read | - | 400 | not in the contract (decision 0053)
DELETE /v1/responses/{response_id} | caller | session:execute | - | 400 | not in the contract (decision 0053)
"""
NOT_YET = frozenset(
    {
        ("POST", "/api/v1/voice/webrtc/offer"),
        ("DELETE", "/api/v1/voice/webrtc/{voice_id}"),
        ("GET", "/api/v1/voice/capabilities"),
    }
)
"""Routes of section 12.5 that come with voice; those of section 11 come with evaluations. The socket of 12.3 is no route of
this kind: its token is looked at when it is opened (tests/flows_gateway/test_sockets.py)."""
PREFIX = "/api/projects/{project_id}"
CALLER = frozenset({"user", "api_key"})
COLUMNS = 6


@dataclass(frozen=True)
class Rule:
    """What the contract says of a route; `status` is what an admitted caller gets over an empty project."""

    kinds: frozenset[str]
    permissions: frozenset[str]
    whole_tenant: bool
    named: bool
    section: str
    status: int
    why: str


def _rule(line: str) -> tuple[tuple[str, str], Rule]:
    name, kinds, allowed, section, status, why = (one.strip() for one in (line + " ").split("|", COLUMNS - 1))
    method, _, path = name.partition(" ")
    wanted, *notes = allowed.split(", ")
    words = set(kinds.split()) - {"none"}
    return (method, PREFIX + path.removeprefix("PP") if path.startswith("PP") else path), Rule(
        kinds=frozenset(words - {"caller"} | (CALLER if "caller" in words else set())),
        permissions=frozenset(wanted.split(" or ")) - {"-"},
        whole_tenant="whole tenant" in notes,
        named="named" in notes,
        section=section,
        status=int(status),
        why=why,
    )


RULES = dict(_rule(line) for line in LINES.strip().splitlines())
"""Method and path -> what the contract says of it."""
