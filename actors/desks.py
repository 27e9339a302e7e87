"""What the gateway may ask for beside sessions: completions, figures of sessions, files, feedback, people.

As in `actors.runtime`, every method raises the errors of `domain.errors` and nothing else. Spec: platform-api 4.2 to
4.5, 5.7, 5.8, 5.10, 14.2.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Literal, NamedTuple, Protocol

from msgspec import Struct

from actors.a2a_desk import A2aDesk
from actors.agent_desk import AgentDesk
from actors.agent_models import AgentModels
from actors.analytics import AnalyticsDesk
from actors.audit_desk import AuditDesk
from actors.budget_desk import BudgetDesk
from actors.channel_desk import ChannelDesk
from actors.contacts import ContactDesk
from actors.conversation_desk import ConversationDesk
from actors.deployment_desk import DeploymentDesk
from actors.erasing import ErasureDesk
from actors.key_desk import KeyDesk
from actors.model_desk import ModelDesk
from actors.people import PeopleDesk
from actors.project_desk import ProjectDesk
from actors.refusals import Refusals
from actors.runtime import Page, SessionRef
from actors.task_desk import HumanTaskDesk
from actors.tool_secrets import ToolSecretDesk
from actors.transfer import TransferDesk
from actors.variable_desk import VariableDesk
from actors.version_desk import VersionDesk
from actors.webhooks import WebhookDesk
from domain.audit import Initiator
from domain.json_values import JsonObject
from domain.messages import AttachmentCategory
from domain.model_calls import CompletionEnd, Message, ToolSpec
from domain.session_findings import SessionAnalysis
from domain.session_metrics import SessionMetrics
from domain.users import UserView

CompletionEventName = Literal[
    "metadata", "text_delta", "tool_call_start", "tool_call_delta", "tool_call_end", "usage", "error", "complete"
]


class CompletionRequest(Struct, frozen=True, kw_only=True):
    """A call of a model without an agent.

    Attributes:
        deadline_s: Seconds the model has for its answer.
    """

    tenant_id: str
    project_id: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    model_id: str = ""
    tier: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    deadline_s: float = 120.0


class CompletionEvent(NamedTuple):
    """One event of a streamed completion, spelled as on the wire. Spec: platform-api 4.3."""

    name: CompletionEventName
    data: JsonObject


class AskedTool(Struct, frozen=True):
    """A tool call of a model; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str


class Completion(Struct, frozen=True, kw_only=True):
    """A whole answer; `estimated_cost` in US dollars, None where no price is known."""

    content: str
    tool_calls: tuple[AskedTool, ...]
    model: str
    finish_reason: CompletionEnd
    input_tokens: int
    output_tokens: int
    estimated_cost: float | None
    latency_ms: int


class Completions(Protocol):
    """Models without agents."""

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[CompletionEvent]:
        """Return the events of an answer, `metadata` first; whoever closes them early ends the call.

        Raises:
            InvalidInput: There is no such model, or it does not take what is asked.
            QueueFull: Too many completions run.
            Unavailable: No model is configured. What fails later is raised by the events.
        """
        ...

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return a whole answer. Raises as `stream`, and what the model's failure is."""
        ...


class GenerationFilter(Struct, frozen=True, kw_only=True):
    """Which model calls of agents; empty means any. A model is named with its provider (`openai/x`) or without."""

    since: datetime
    until: datetime
    model: str = ""
    agent_name: str = ""
    session_id: str = ""
    limit: int = 50
    offset: int = 0


class ExportFilter(Struct, frozen=True, kw_only=True):
    """Which trace events of a project are exported; None and empty mean any."""

    since: datetime | None = None
    until: datetime | None = None
    session_id: str = ""
    status: str = ""
    channel: str = ""
    event_types: tuple[str, ...] = ()


class UsageFigures(Struct, frozen=True, kw_only=True):
    """What calls used together; the cost of those with a known price, None when no call has one."""

    total_tokens: int
    total_cost: float | None
    request_count: int
    avg_latency_ms: float | None
    model_id: str = ""
    provider: str = ""


class History(Struct, frozen=True):
    """Some messages of a session; without a cursor there are no more.

    Attributes:
        last_seq: Number of the session's output up to which they go; None where nobody has written it down.
        open_actions: Id of the message whose set of actions can be answered now.
    """

    rows: tuple[JsonObject, ...]
    next_cursor: str | None
    last_seq: int | None = None
    open_actions: str | None = None


class Insight(Protocol):
    """What sessions tell afterwards."""

    async def resolve(self, session: SessionRef) -> SessionRef:
        """Return the session under its stable id, with its project. Raises NotFound."""
        ...

    async def children(self, session: SessionRef, span_id: str) -> list[JsonObject]:
        """Return the direct children of a span in time order, each with `childCount`. Raises NotFound."""
        ...

    async def metrics(self, session: SessionRef) -> SessionMetrics:
        """Return the figures of a session. Raises NotFound."""
        ...

    async def analysis(self, session: SessionRef) -> SessionAnalysis:
        """Return what stands out in a session. Raises NotFound."""
        ...

    async def history(self, session: SessionRef, *, limit: int, cursor: str, descending: bool) -> History:
        """Return messages of a session behind a cursor, spelled as on the wire; from the first or the last one without.

        Raises:
            NotFound: There is no such session.
            InvalidInput: The cursor is none of ours.
        """
        ...

    async def generations(self, tenant_id: str, project_id: str, wanted: GenerationFilter) -> Page:
        """Return model calls of a project's agents, the newest first, spelled as on the wire."""
        ...

    def export(self, tenant_id: str, project_id: str, wanted: ExportFilter) -> AsyncGenerator[str]:
        """Yield trace events of a project as CSV, the line of the columns first."""
        ...

    async def usage(self, tenant_id: str, project_id: str, since: datetime, until: datetime) -> UsageFigures:
        """Return what all model calls of a project used."""
        ...

    async def usage_by_model(
        self, tenant_id: str, project_id: str, since: datetime, until: datetime
    ) -> tuple[UsageFigures, ...]:
        """Return the same for each model, the most used first."""
        ...


class Upload(Struct, frozen=True, kw_only=True):
    """A file as it came; `key` is the idempotency key of the request."""

    filename: str
    content: BinaryIO
    size_bytes: int
    key: str = ""


class FileView(Struct, frozen=True, kw_only=True):
    """A kept file; `repeated` when a request under the same idempotency key has kept it before."""

    id: str
    filename: str
    mime_type: str
    size_bytes: int
    category: AttachmentCategory
    created_at: str
    status: Literal["ready", "processing", "failed"] = "ready"
    repeated: bool = False


class FilePage(Struct, frozen=True):
    """Some files and how many there are."""

    rows: tuple[FileView, ...]
    total: int


class Files(Protocol):
    """Files of sessions."""

    async def keep(self, session: SessionRef, upload: Upload) -> FileView:
        """Keep a file.

        Raises:
            NotFound: There is no such session.
            InvalidInput: Files of this type are not taken.
            Conflict: The session has its most files, or the key was used for another file.
        """
        ...

    async def find(self, session: SessionRef, attachment_id: str) -> FileView:
        """Return a file of a session. Raises NotFound."""
        ...

    async def list(self, session: SessionRef, *, limit: int, offset: int) -> FilePage:
        """Return files of a session, the oldest first. Raises NotFound."""
        ...

    def content(self, session: SessionRef, attachment_id: str) -> AsyncGenerator[bytes]:
        """Yield the bytes of a file in pieces. Raises NotFound before the first one."""
        ...

    async def texts(self, tenant_id: str, project_id: str, attachment_ids: tuple[str, ...]) -> Mapping[str, str]:
        """Return attachment id -> its text, for files of a project; empty of one that is no text. Raises NotFound."""
        ...


class GivenFeedback(Struct, frozen=True, kw_only=True):
    """What somebody thinks of an answer: a word or stars."""

    message_id: str
    author: str
    rating: str | None = None
    stars: int | None = None
    comment: str = ""


class KeptFeedback(NamedTuple):
    """Under which id it is kept, and whether it is the author's first on the message."""

    id: str
    is_new: bool


class FeedbackDesk(Protocol):
    """What people think of answers."""

    async def give(self, session: SessionRef, given: GivenFeedback) -> KeptFeedback:
        """Keep feedback. Raises NotFound: no such session, or no such answer in it."""
        ...


class Users(Protocol):
    """People who log in."""

    async def with_password(self, email: str, password: str, *, ip: str, request_id: str) -> UserView | None:
        """Return who has this email and password, None when nobody has; it takes the same time either way.

        A wrong password is noted in the audit log of the tenant of the user.
        """
        ...

    async def find(self, tenant_id: str, user_id: str) -> UserView | None:
        """Return a user who may still log in."""
        ...

    async def change_password(self, user: UserView, current: str, new: str, *, family_id: str, by: Initiator) -> bool:
        """Change a password, and end all other log-ins of the user; False when `current` is not it."""
        ...

    async def open_family(
        self, user: UserView, family_id: str, token_id: str, *, expires_at: datetime, by: Initiator
    ) -> None:
        """Note a log-in with its first refresh token, also in the audit log."""
        ...

    async def rotate(
        self, user: UserView, family_id: str, token_id: str, next_id: str, *, expires_at: datetime, by: Initiator
    ) -> bool:
        """Put the next refresh token in the place of the last one; when `token_id` is an older one, end the log-in.

        Somebody else has the log-in then: that is noted in the audit log.
        """
        ...

    async def has_family(self, tenant_id: str, family_id: str) -> bool:
        """Return whether a log-in is open."""
        ...

    async def close_family(self, user: UserView, family_id: str, by: Initiator) -> None:
        """End a log-in, and note that in the audit log."""
        ...


@dataclass(frozen=True, slots=True)
class Desks:
    """All of them."""

    completions: Completions
    insight: Insight
    files: Files
    refusals: Refusals
    feedback: FeedbackDesk
    users: Users
    budgets: BudgetDesk
    keys: KeyDesk
    people: PeopleDesk
    audit: AuditDesk
    models: ModelDesk
    webhooks: WebhookDesk
    transfer: TransferDesk
    agent_models: AgentModels
    tool_secrets: ToolSecretDesk
    contacts: ContactDesk
    human_tasks: HumanTaskDesk
    erasure: ErasureDesk
    analytics: AnalyticsDesk
    projects: ProjectDesk
    agents: AgentDesk
    versions: VersionDesk
    deployments: DeploymentDesk
    variables: VariableDesk
    channels: ChannelDesk
    conversations: ConversationDesk
    a2a: A2aDesk
