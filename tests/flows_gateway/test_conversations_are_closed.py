"""What conversations answer with is what the OpenAPI document says, field for field: each described field is met.

Spec: platform-api 4.1, 5.3, 5.7, 5.9, 13.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from domain.traces import TraceType
from tests.flows_gateway.test_attachments import upload
from tests.flows_gateway.test_replies_are_closed import check, described, fits, resolved
from tests.flows_gateway.test_transfer import BILLING
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

CHAT = "/api/v1/chat/agent"
SESSION = "/api/projects/{project_id}/sessions/{session_id}"
SHOWER = """\
AGENT: Shower
GOAL: "Show"
EXECUTION:
  voice:
    provider: someone
    voice_id: anna
    speed: 1.1
    ssml: true

FLOW:
  entry_point: a
  a:
    REASONING: false
    RESPOND: "Here"
      VOICE:
        SSML: "<speak>Here</speak>"
        INSTRUCTIONS: "warm"
        PLAIN_TEXT: "Here"
      FORMATS:
        MARKDOWN: "**Here**"
        HTML: "<b>Here</b>"
        ADAPTIVE_CARD: |
          {"type": "AdaptiveCard"}
        SLACK:
          blocks:
            - {type: section, text: "Hi"}
        AG_UI: {component: card}
        WHATSAPP: |
          {"type": "interactive"}
        CAROUSEL:
          cards:
            - {title: "One", subtitle: "First"}
        QUICK_REPLIES:
          - {id: again, label: "Again"}
        LIST: {title: "All", items: [{title: A}]}
        IMAGE: {url: "https://img.example/x.png", alt: "X"}
        VIDEO: {url: "https://v.example/x.mp4"}
        AUDIO: {url: "https://a.example/x.mp3"}
        FILE: {url: "https://f.example/x.pdf", filename: x.pdf}
        KPI: {label: "Parcels", value: 12}
        TABLE: {columns: [{key: a, header: A}], rows: []}
        CHART: {type: bar, title: "T", data: ["a / 3 / red"]}
        FORM: {title: "F", fields: [{id: a, label: A, type: text}]}
        PROGRESS: {label: "Way", value: 3, max: 5}
        FEEDBACK: {prompt: "How was it?", type: stars, max: 5}
      ACTIONS:
        SUBMIT_LABEL: "Send"
        SUBMIT_ID: send
        RENDER_ID: first
        - BUTTON: "Open" -> open
          URL: "https://one.example"
          DESCRIPTION: "A page"
        - SELECT: "Hub"
          ID: hub
          OPTIONS:
            - LABEL: "Berlin"
              ID: ber
              DESCRIPTION: "North"
        - INPUT: "Note"
          INPUT_TYPE: text
          PLACEHOLDER: "optional"
          REQUIRED: false
    ON_INPUT:
      - ELSE:
        THEN: a
"""
ASKER = """\
AGENT: Asker
GOAL: "Ask"

FLOW:
  entry_point: start
  start:
    REASONING: false
    RESPOND: "Hello."
    ON_INPUT:
      - ELSE:
        THEN: ask
  ask:
    REASONING: false
    GATHER:
      - code: required
        PROMPT: "Which code?"
    THEN: noted
  noted:
    REASONING: false
    RESPOND: "Noted."
    ON_INPUT:
      - IF: input CONTAINS "done"
        SET: status = "done"
        RESPOND: "So be it."
      - ELSE:
        RESPOND: "Yes?"

COMPLETE:
  - WHEN: status == "done"
    RESPOND: "Bye."
"""
WORKER = """\
AGENT: Worker
GOAL: "Work"
TOOLS:
  price(item: string) -> {price: number}
    description: "Price"
    type: http
    endpoint: "https://x.example/{item}"
  broken() -> {ok: boolean}
    description: "Broken"
    type: http
    endpoint: "https://x.example/broken"
GUARDRAILS:
  short:
    kind: input
    check: word_count(input) > 9
    action: block
    message: "Too long."
DELEGATE:
  - AGENT: Rates
    WHEN: kind == "rate"
    PURPOSE: "Rate it"
    RETURNS: {eur: eur}
HANDOFF:
  - TO: Billing
    WHEN: input CONTAINS "bill"
    SUMMARY: "A bill"
ESCALATE:
  triggers:
    - WHEN: input CONTAINS "lawyer"
      REASON: "A lawyer"
"""
APPROVER = """\
AGENT: Approver
GOAL: "Ask"

FLOW:
  entry_point: start
  start:
    REASONING: false
    RESPOND: "Hello."
    ON_INPUT:
      - ELSE:
        THEN: ask
  ask:
    REASONING: false
    HUMAN_APPROVAL:
      PROMPT: "Pay?"
      ASSIGNEE: somebody
      ON_APPROVE: start
"""
RATES = """\
AGENT: Rates
GOAL: "Rate"

FLOW:
  entry_point: rate
  rate:
    REASONING: false
    SET: eur = 3
    RESPOND: "Three."
    THEN: COMPLETE
"""
TEXTS = {
    "shower.abl": SHOWER, "asker.abl": ASKER, "worker.abl": WORKER, "rates.abl": RATES, "billing.abl": BILLING,
    "approver.abl": APPROVER,
}  # fmt: skip
WORK = {
    "sessionVariables": {"kind": "rate"},
    "toolMocks": [
        {"toolName": "price", "response": {"price": 3}},
        {"toolName": "broken", "error": {"code": "500", "message": "gone"}},
    ],
}
FORMS = (
    "RichContent", "ActionSet", "ActionElement", "ActionOption", "VoiceConfig", "MessageFile", "Message",
    "TranscriptMessage", "TraceItem", "SessionDetail", "StackedAgent", "GatheredValue", "Suspension", "TokenUsage",
)  # fmt: skip
ELSEWHERE = {
    "Message.clientMessageId": "of a message that came by a socket: test_history_joins",
    "TranscriptMessage.clientMessageId": "the same",
    "Message.interrupted": "of a cancelled turn: test_sockets",
    "TranscriptMessage.interrupted": "the same",
    "VoiceConfig.language": "EXECUTION.voice has no word for it; for the voice pipeline",
}
"""Fields that this conversation does not meet."""


def fields_met(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """Yield `Form.field` and its value for each described field of an answer that stands in it with a value."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    schema = resolved(schema)
    for choice in schema.get("anyOf", ()):
        if value is not None and fits(resolved(choice), value):
            yield from fields_met(choice, value)
    if isinstance(value, list):
        for inner in value:
            yield from fields_met(schema.get("items", {}), inner)
    if not isinstance(value, dict):
        return
    further = schema.get("additionalProperties")
    for key, inner in value.items():
        if key in schema.get("properties", {}):
            if inner is not None:
                yield f"{name}.{key}", inner
            yield from fields_met(schema["properties"][key], inner)
        elif isinstance(further, dict):
            yield from fields_met(further, inner)


class Visit:
    """Speaks with agents and notes which described fields their answers had."""

    def __init__(self, gateway: LiveGateway) -> None:
        self.gateway = gateway
        self.met: dict[str, set[str]] = {}

    async def ask(self, method: str, route: str, body: Any = None, **names: str) -> Any:
        """Return the answer of a route, which is as it is described."""
        told = await check(self.gateway, method, route, body, **names)
        answers = described()["paths"][route.partition("?")[0]][method.lower()]["responses"]
        content = answers["201" if "201" in answers else "200"]["content"]
        for name, value in fields_met(content["application/json"]["schema"], told):
            self.met.setdefault(name, set()).add(value if isinstance(value, str) else "")
        return told

    async def say(self, message: str, **more: Any) -> Any:
        """Return the answer of a turn."""
        told = await self.ask("POST", CHAT, {"projectId": self.gateway.project_id, "message": message, **more})
        assert told["success"], (message, more, told)
        return told

    async def look(self, session_id: str) -> None:
        """Read all that is told of a session afterwards."""
        for rest in ("", "?include=messages", "/traces", "/messages"):
            route, _, query = (SESSION + rest).partition("?")
            await self.ask("GET", f"{route}?{query}" if query else route, session_id=session_id)
        await self.ask("GET", "/api/v1/sessions/{session_id}/transcripts", session_id=session_id)


async def test_each_field_of_a_conversation_that_is_described_is_met_and_no_other(servers: Servers) -> None:
    tools = StubBehaviour(text="Three.", tool_calls=(("price", {"item": "a"}), ("broken", {})))
    async with (
        StubModel(tools) as model,
        a_live_gateway(servers, "conversations", TEXTS, model_url=model.base_url) as gateway,
    ):
        visit = Visit(gateway)
        await shown(visit)
        await worked(visit)
        await waited(visit)
        await asked(visit)
    schemas = described()["components"]["schemas"]
    wanted = {f"{form}.{field}" for form in FORMS for field in schemas[form]["properties"]}
    assert sorted(wanted - visit.met.keys() - ELSEWHERE.keys()) == []
    assert visit.met["TraceItem.type"] == set(TraceType)
    assert visit.met["Message.role"] == {"user", "assistant"}
    actions = visit.met["TurnAction.type"]
    assert actions >= {"respond", "collect", "handoff", "escalate", "complete", "block", "suspend"}, actions


async def shown(visit: Visit) -> None:
    """Meet rich content, actions, voice and files, in a chat and on a voice channel."""
    said = await visit.say("hello", agentId="Shower")
    kept = (await upload(visit.gateway, said["sessionId"], "order.txt", b"A-17")).json()
    sent = {"sessionId": said["sessionId"], "message": "read", "attachmentIds": [kept["attachmentId"]]}
    await visit.ask("POST", "/api/v1/chat/send", sent)
    await visit.look(said["sessionId"])
    told = await visit.say("hello", agentId="Shower")
    pressed = {"projectId": visit.gateway.project_id, "sessionId": told["sessionId"]}
    await visit.ask("POST", CHAT, {**pressed, "action": {"actionId": "hub", "value": "ber"}})
    await visit.look(told["sessionId"])
    opened = {"agentId": "Shower", "channel": "voice"}
    session = (await visit.ask("POST", "/api/projects/{project_id}/sessions", opened))["session"]["id"]
    told = await visit.say("hello", sessionId=session)
    spoken = {"enabled": True, "voice": "anna", "provider": "someone", "speed": 1.1, "instructions": "warm"}
    assert told["voiceConfig"] == {**spoken, "ssml": "<speak>Here</speak>"}
    assert told["actions"]["submit_id"] == "send"
    assert told["richContent"]["quick_replies"] == [{"id": "again", "label": "Again"}]
    await visit.say("again", sessionId=session)
    transcript = await visit.ask("GET", "/api/v1/sessions/{session_id}/transcripts", session_id=session)
    assert {one["channel"] for one in transcript["messages"]} == {"voice"}
    await visit.look(session)


async def asked(visit: Visit) -> None:
    """Meet questions, gathered values and an end, of an agent that is deployed."""
    wanted = {"environment": "dev", "agentVersionManifest": {"Asker": "auto"}, "entryAgentName": "Asker"}
    await visit.ask("POST", "/api/projects/{project_id}/deployments", wanted)
    session = (await visit.say("hello", environment="dev"))["sessionId"]
    await visit.say("go", sessionId=session)
    await visit.say("A-17", sessionId=session)
    await visit.look(session)
    await visit.say("done", sessionId=session)
    await visit.ask("POST", "/api/v1/sessions/{session_id}/end", {}, session_id=session)
    await visit.look(session)


async def worked(visit: Visit) -> None:
    """Meet tools, an agent that is asked, a refused message and an agent that takes over."""
    session = (await visit.say("price of a", agentId="Worker", testContext=WORK))["sessionId"]
    await visit.say("one two three four five six seven eight nine ten eleven", sessionId=session)
    await visit.look(session)
    await visit.say("the bill", sessionId=session)
    await visit.look(session)


async def waited(visit: Visit) -> None:
    """Meet waits for a person."""
    session = (await visit.say("I want my lawyer", agentId="Worker"))["sessionId"]
    await visit.look(session)
    session = (await visit.say("hello", agentId="Approver"))["sessionId"]
    await visit.say("go", sessionId=session)
    await visit.look(session)
