"""All parts of the API of one server. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from abl_client.api.a2a import A2aApi
from abl_client.api.ag_ui import AgUiApi
from abl_client.api.agents import AgentsApi
from abl_client.api.analytics import AnalyticsApi
from abl_client.api.attachments import AttachmentsApi
from abl_client.api.audit import AuditApi
from abl_client.api.auth import AuthApi
from abl_client.api.budgets import BudgetsApi
from abl_client.api.callbacks import CallbacksApi
from abl_client.api.chat import ChatApi
from abl_client.api.completions import CompletionsApi
from abl_client.api.contacts import ContactsApi
from abl_client.api.deployments import DeploymentsApi
from abl_client.api.erasure import ErasureApi
from abl_client.api.feedback import FeedbackApi
from abl_client.api.health import HealthApi
from abl_client.api.human_tasks import HumanTasksApi
from abl_client.api.keys import KeysApi
from abl_client.api.mcp import McpApi
from abl_client.api.memory import MemoryApi
from abl_client.api.models import ModelsApi
from abl_client.api.openai import OpenaiApi
from abl_client.api.project_io import ProjectIoApi
from abl_client.api.projects import ProjectsApi
from abl_client.api.sdk import SdkApi
from abl_client.api.sdk_channels import SdkChannelsApi
from abl_client.api.sessions import SessionsApi
from abl_client.api.tool_secrets import ToolSecretsApi
from abl_client.api.transcripts import TranscriptsApi
from abl_client.api.users import UsersApi
from abl_client.api.variables import VariablesApi
from abl_client.api.versions import VersionsApi
from abl_client.api.webhooks import WebhooksApi
from abl_client.streams import Streams
from abl_client.transport import SILENCE_S, Credentials, Transport


class Client:
    """One server and what is shown to it; each attribute is a part of its API.

    Most operations take an API key or a user's token; those of pages, of sandboxed code and of a user's own account
    take what they ask for. Callbacks are signed with their secret. `streams` tells answers while they come.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        token: str = "",
        sdk_token: str = "",
        public_key: str = "",
        sandbox_token: str = "",
        origin: str = "",
        silence_s: float = SILENCE_S,
    ) -> None:
        shown = Credentials(key, token, sdk_token, public_key, sandbox_token, origin)
        transport = Transport(url, shown, silence_s=silence_s)
        self.streams = Streams(transport)
        self.a2a = A2aApi(transport)
        self.ag_ui = AgUiApi(transport)
        self.agents = AgentsApi(transport)
        self.analytics = AnalyticsApi(transport)
        self.attachments = AttachmentsApi(transport)
        self.audit = AuditApi(transport)
        self.auth = AuthApi(transport)
        self.budgets = BudgetsApi(transport)
        self.callbacks = CallbacksApi(transport)
        self.chat = ChatApi(transport)
        self.completions = CompletionsApi(transport)
        self.contacts = ContactsApi(transport)
        self.deployments = DeploymentsApi(transport)
        self.erasure = ErasureApi(transport)
        self.feedback = FeedbackApi(transport)
        self.health = HealthApi(transport)
        self.human_tasks = HumanTasksApi(transport)
        self.keys = KeysApi(transport)
        self.mcp = McpApi(transport)
        self.memory = MemoryApi(transport)
        self.models = ModelsApi(transport)
        self.openai = OpenaiApi(transport)
        self.project_io = ProjectIoApi(transport)
        self.projects = ProjectsApi(transport)
        self.sdk = SdkApi(transport)
        self.sdk_channels = SdkChannelsApi(transport)
        self.sessions = SessionsApi(transport)
        self.tool_secrets = ToolSecretsApi(transport)
        self.transcripts = TranscriptsApi(transport)
        self.users = UsersApi(transport)
        self.variables = VariablesApi(transport)
        self.versions = VersionsApi(transport)
        self.webhooks = WebhooksApi(transport)
