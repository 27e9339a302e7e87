// The operations of the HTTP API. Made by tools/generate_web_http.py of the OpenAPI document; do not edit.
import { type CallOptions, Http, type HttpOptions, bound } from "./core.ts";
import type {
  A2aAnswer,
  A2aCard,
  AccountsReply,
  ActionSet,
  AgUiBody,
  AgentChangeBody,
  AgentListReply,
  AgentResponse,
  AgentsAgentReply,
  AggregateBody,
  AnalyticsAgentReply,
  ApiKeyBody,
  ApiKeyListReply,
  AssignBody,
  AttachmentListReply,
  AttachmentReply,
  AuditCategory,
  AuditListReply,
  BucketsReply,
  BudgetListReply,
  BudgetReply,
  CallbackListReply,
  CallbackReply,
  CancelBody,
  ChannelChangeBody,
  ChannelListReply,
  ChannelReply,
  ChatAgentBody,
  ChatCompletion,
  ChatCompletionBody,
  ChatReply,
  ChatSendBody,
  ChatSendReply,
  ChildrenReply,
  ClaimBody,
  CompletionBody,
  CompletionReply,
  ContactBody,
  ContactListReply,
  ContactReply,
  CostReply,
  CreatedSecretReply,
  CreatedSessionReply,
  DeletedContactReply,
  DeletedReply,
  DeletedResponse,
  DeletedSessionReply,
  DeliveryListReply,
  DeploymentListReply,
  DeploymentReply,
  DiffReply,
  DoneReply,
  DraftBody,
  EndSessionBody,
  EndedSessionReply,
  EraseBody,
  ErasedReply,
  EventCategory,
  EventsReply,
  ExportPreviewReply,
  ExportReply,
  FeedbackBody,
  FeedbackReply,
  GenerationsReply,
  HealthReply,
  HistoryReply,
  ImportBody,
  ImportPreviewReply,
  ImportReply,
  InputItems,
  Limits,
  LinkSessionBody,
  LoginBody,
  LoginReply,
  MadeAgentReply,
  MadeApiKeyReply,
  MadePublicKeyReply,
  ManagedUserReply,
  MemberBody,
  MemberListReply,
  MemberPatch,
  MemberReply,
  MemoryBody,
  MemoryReply,
  ModelItem,
  ModelList,
  NewAgentBody,
  NewChannelBody,
  NewContactBody,
  NewDeploymentBody,
  NewProjectBody,
  NewSecretBody,
  NewSessionBody,
  NewTaskBody,
  NewVersionBody,
  NewWebhookBody,
  NewWebhookReply,
  PasswordBody,
  PreflightReply,
  ProjectBudgetBody,
  ProjectChangeBody,
  ProjectListReply,
  ProjectModelsBody,
  ProjectModelsReply,
  ProjectReply,
  PromoteBody,
  PromotedReply,
  ProviderBody,
  ProviderListReply,
  ProviderPatch,
  ProviderReply,
  ProviderTestReply,
  PublicKeyBody,
  PublicKeyListReply,
  PublicKeyPatch,
  PublicKeyReply,
  QueryBody,
  ReadinessReply,
  RefreshBody,
  ResetSessionReply,
  ResolveBody,
  ResolvedReply,
  ResponseBody,
  RetireBody,
  RetiredReply,
  RevokedReply,
  RichContent,
  RollbackBody,
  RollbackReply,
  RotateBody,
  RotatedSecretBody,
  RotatedSecretReply,
  RpcAnswer,
  SavedReply,
  SdkInitBody,
  SdkInitReply,
  SdkTokenReply,
  SecretListReply,
  SeenDeploymentReply,
  SessionAnalysisReply,
  SessionFiguresReply,
  SessionListReply,
  SessionMetricsReply,
  SessionReply,
  Success,
  TaskListReply,
  TaskReply,
  TenantAgentReply,
  TenantAgentsReply,
  TenantBudgetBody,
  TestReply,
  TicketReply,
  TokenReply,
  TraceItem,
  TracesReply,
  TranscriptReply,
  TurnAction,
  UploadReply,
  UsageReply,
  UserBody,
  UserListReply,
  UserPatch,
  UserReply,
  ValidateBody,
  ValidatedReply,
  VariableBody,
  VariableListReply,
  VariableReply,
  VersionListReply,
  VersionReply,
  VoiceConfig,
  VoiceHoursReply,
  VoiceSummaryReply,
  WebhookChangeBody,
  WebhookListReply,
  WebhookReply,
  WidgetReply,
} from "./forms.ts";
import type { StreamEvent } from "./sse.ts";
import type { EventStream } from "./stream.ts";
import type { JsonObject } from "../wire.ts";


/** What streams take besides. */
export interface ResumeOptions extends CallOptions {
  /** Go on behind this event; give the `idempotencyKey` of the stream that it is of. */
  lastEventId?: string | undefined;
}

/** Of an operation that asks for nothing. */
export interface Nothing {
  body?: undefined;
}

/** What `a2a.askEntryAgentStream` tells. */
export type AskEntryAgentEvent =
  | StreamEvent<string, JsonObject>;

/** What `a2a.askProjectAgentStream` tells. */
export type AskProjectAgentEvent =
  | StreamEvent<string, JsonObject>;

/** What `a2a.askAgentStream` tells. */
export type AskAgentEvent =
  | StreamEvent<string, JsonObject>;

/** The part of the API about a2a. */
export interface A2aApi {
  /** Return the card of the agent that a message to the caller's project reaches. `GET /.well-known/agent-card.json` */
  getEntryCard(asked?: Nothing, options?: CallOptions): Promise<A2aCard>;
  /** Return the card of the agent that a message to a project reaches. `GET /a2a/{project_id}/.well-known/agent-card.json` */
  getProjectCard(asked: { projectId: string }, options?: CallOptions): Promise<A2aCard>;
  /** Return the card of an agent; `agent@environment` is that of its active deployment there. `GET /a2a/{project_id}/agents/{agent}/.well-known/agent-card.json` */
  getAgentCard(asked: { projectId: string; agent: string }, options?: CallOptions): Promise<A2aCard>;
  /** Answer a request of an Agent2Agent client to the agent that a message to the caller's project reaches. `POST /a2a` */
  askEntryAgent(asked: { body: { jsonrpc: "2.0"; id: string | number; method: string; params?: JsonObject } }, options?: CallOptions): Promise<A2aAnswer>;
  /** Answer a request of an Agent2Agent client to the agent that a message to the caller's project reaches. `POST /a2a` */
  askEntryAgentStream(asked: { body: { jsonrpc: "2.0"; id: string | number; method: string; params?: JsonObject } }, options?: CallOptions): EventStream<AskEntryAgentEvent>;
  /** Answer a request of an Agent2Agent client to the agent that a message to a project reaches. `POST /a2a/{project_id}` */
  askProjectAgent(asked: {
    projectId: string;
    body: { jsonrpc: "2.0"; id: string | number; method: string; params?: JsonObject };
  }, options?: CallOptions): Promise<A2aAnswer>;
  /** Answer a request of an Agent2Agent client to the agent that a message to a project reaches. `POST /a2a/{project_id}` */
  askProjectAgentStream(asked: {
    projectId: string;
    body: { jsonrpc: "2.0"; id: string | number; method: string; params?: JsonObject };
  }, options?: CallOptions): EventStream<AskProjectAgentEvent>;
  /** Answer a request of an Agent2Agent client to an agent; `agent@environment` is its active deployment there. `POST /a2a/{project_id}/agents/{agent}` */
  askAgent(asked: {
    projectId: string;
    agent: string;
    body: { jsonrpc: "2.0"; id: string | number; method: string; params?: JsonObject };
  }, options?: CallOptions): Promise<A2aAnswer>;
  /** Answer a request of an Agent2Agent client to an agent; `agent@environment` is its active deployment there. `POST /a2a/{project_id}/agents/{agent}` */
  askAgentStream(asked: {
    projectId: string;
    agent: string;
    body: { jsonrpc: "2.0"; id: string | number; method: string; params?: JsonObject };
  }, options?: CallOptions): EventStream<AskAgentEvent>;
}

export function a2aApi(http: Http): A2aApi {
  return bound<A2aApi>(http, {
    getEntryCard: "GET /.well-known/agent-card.json ku -",
    getProjectCard: "GET /a2a/{projectId}/.well-known/agent-card.json ku -",
    getAgentCard: "GET /a2a/{projectId}/agents/{agent}/.well-known/agent-card.json ku -",
    askEntryAgent: "POST /a2a ku k",
    askEntryAgentStream: "POST /a2a ku sk",
    askProjectAgent: "POST /a2a/{projectId} ku k",
    askProjectAgentStream: "POST /a2a/{projectId} ku sk",
    askAgent: "POST /a2a/{projectId}/agents/{agent} ku k",
    askAgentStream: "POST /a2a/{projectId}/agents/{agent} ku sk",
  });
}

/** What `agUi.runEntryAgent` tells. */
export type RunEntryAgentEvent =
  | StreamEvent<"", { type: "RUN_STARTED"; threadId: string; runId: string; protocolVersion: string; parentRunId?: string }>
  | StreamEvent<"", { type: "TEXT_MESSAGE_START"; messageId: string; role: string }>
  | StreamEvent<"", { type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string }>
  | StreamEvent<"", { type: "TEXT_MESSAGE_END"; messageId: string }>
  | StreamEvent<"", { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string }>
  | StreamEvent<"", { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }>
  | StreamEvent<"", { type: "TOOL_CALL_END"; toolCallId: string }>
  | StreamEvent<"", { type: "TOOL_CALL_RESULT"; messageId: string; toolCallId: string; content: string }>
  | StreamEvent<"", { type: "MESSAGES_SNAPSHOT"; messages: Array<JsonObject> }>
  | StreamEvent<"", { type: "STATE_DELTA"; delta: Array<JsonObject> }>
  | StreamEvent<"", { type: "STATE_SNAPSHOT"; snapshot: JsonObject }>
  | StreamEvent<"", { type: "CUSTOM"; name: string; value: JsonObject }>
  | StreamEvent<"", { type: "RUN_FINISHED"; threadId: string; runId: string; outcome: JsonObject; result?: JsonObject; usage?: Array<JsonObject> }>
  | StreamEvent<"", { type: "RUN_ERROR"; message: string; code: string; metadata?: JsonObject }>;

/** What `agUi.runAgent` tells. */
export type RunAgentEvent =
  | StreamEvent<"", { type: "RUN_STARTED"; threadId: string; runId: string; protocolVersion: string; parentRunId?: string }>
  | StreamEvent<"", { type: "TEXT_MESSAGE_START"; messageId: string; role: string }>
  | StreamEvent<"", { type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string }>
  | StreamEvent<"", { type: "TEXT_MESSAGE_END"; messageId: string }>
  | StreamEvent<"", { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string }>
  | StreamEvent<"", { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }>
  | StreamEvent<"", { type: "TOOL_CALL_END"; toolCallId: string }>
  | StreamEvent<"", { type: "TOOL_CALL_RESULT"; messageId: string; toolCallId: string; content: string }>
  | StreamEvent<"", { type: "MESSAGES_SNAPSHOT"; messages: Array<JsonObject> }>
  | StreamEvent<"", { type: "STATE_DELTA"; delta: Array<JsonObject> }>
  | StreamEvent<"", { type: "STATE_SNAPSHOT"; snapshot: JsonObject }>
  | StreamEvent<"", { type: "CUSTOM"; name: string; value: JsonObject }>
  | StreamEvent<"", { type: "RUN_FINISHED"; threadId: string; runId: string; outcome: JsonObject; result?: JsonObject; usage?: Array<JsonObject> }>
  | StreamEvent<"", { type: "RUN_ERROR"; message: string; code: string; metadata?: JsonObject }>;

/** The part of the API about ag-ui. */
export interface AgUiApi {
  /** Run the agent that a message to a project reaches, as AG-UI's clients ask for it; the events of the run. `POST /ag-ui/{project_id}` */
  runEntryAgent(asked: { projectId: string; body: AgUiBody }, options?: CallOptions): EventStream<RunEntryAgentEvent>;
  /** Run an agent as AG-UI's clients ask for it; `agent@environment` is its active deployment there. `POST /ag-ui/{project_id}/agents/{agent}` */
  runAgent(asked: { projectId: string; agent: string; body: AgUiBody }, options?: CallOptions): EventStream<RunAgentEvent>;
}

export function agUiApi(http: Http): AgUiApi {
  return bound<AgUiApi>(http, {
    runEntryAgent: "POST /ag-ui/{projectId} ku sk",
    runAgent: "POST /ag-ui/{projectId}/agents/{agent} ku sk",
  });
}

/** The part of the API about agents. */
export interface AgentsApi {
  /** Return the agents of all projects that the caller sees, the oldest first. `GET /api/agents` */
  listTenantAgents(asked?: { limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<TenantAgentsReply>;
  /** Return an agent by name; when several projects have one, that of the oldest, or of `projectId`. `GET /api/agents/{agent_name}` */
  getTenantAgent(asked: { agentName: string; projectId?: string | undefined }, options?: CallOptions): Promise<TenantAgentReply>;
  /** Return the agents of a project, the oldest first. `GET /api/projects/{project_id}/agents` */
  listAgents(asked: { projectId: string }, options?: CallOptions): Promise<AgentListReply>;
  /** Make an agent; what is wrong with its text is told, not refused. `POST /api/projects/{project_id}/agents` */
  createAgent(asked: { projectId: string; body: NewAgentBody }, options?: CallOptions): Promise<MadeAgentReply>;
  /** Return an agent with its draft. `GET /api/projects/{project_id}/agents/{agent_name}` */
  getAgent(asked: { projectId: string; agentName: string }, options?: CallOptions): Promise<AgentsAgentReply>;
  /** Change name, domain or description of an agent; its text stays as it is. `PATCH /api/projects/{project_id}/agents/{agent_name}` */
  changeAgent(asked: { projectId: string; agentName: string; body: AgentChangeBody }, options?: CallOptions): Promise<AgentsAgentReply>;
  /** Delete an agent with its versions, unless an active deployment uses it. `DELETE /api/projects/{project_id}/agents/{agent_name}` */
  deleteAgent(asked: { projectId: string; agentName: string }, options?: CallOptions): Promise<DeletedReply>;
  /** Save the draft of an agent; it is neither compiled nor frozen. `PUT /api/projects/{project_id}/agents/{agent_name}/dsl` */
  writeDraft(asked: { projectId: string; agentName: string; body: DraftBody }, options?: CallOptions): Promise<SavedReply>;
  /** Return what is found in the draft of an agent, or in the text that is given. `POST /api/projects/{project_id}/agents/{agent_name}/validate` */
  validateAgent(asked: { projectId: string; agentName: string; body?: ValidateBody | null | undefined }, options?: CallOptions): Promise<ValidatedReply>;
}

export function agentsApi(http: Http): AgentsApi {
  return bound<AgentsApi>(http, {
    listTenantAgents: "GET /api/agents ku -",
    getTenantAgent: "GET /api/agents/{agentName} ku -",
    listAgents: "GET /api/projects/{projectId}/agents ku -",
    createAgent: "POST /api/projects/{projectId}/agents ku k",
    getAgent: "GET /api/projects/{projectId}/agents/{agentName} ku -",
    changeAgent: "PATCH /api/projects/{projectId}/agents/{agentName} ku -",
    deleteAgent: "DELETE /api/projects/{projectId}/agents/{agentName} ku -",
    writeDraft: "PUT /api/projects/{projectId}/agents/{agentName}/dsl ku -",
    validateAgent: "POST /api/projects/{projectId}/agents/{agentName}/validate ku k",
  });
}

/** The part of the API about analytics. */
export interface AnalyticsApi {
  /** Return metrics of events by dimensions: earlier times first, then the larger ones, 10,000 buckets at most. `GET /api/projects/{project_id}/analytics/metrics` */
  getMetrics(asked: {
    projectId: string;
    from?: string | undefined;
    to?: string | undefined;
    groupBy?: string | undefined;
    metrics?: string | undefined;
    category?: EventCategory | undefined;
  }, options?: CallOptions): Promise<BucketsReply>;
  /** Return events, the newest first. `GET /api/projects/{project_id}/analytics/events` */
  listEvents(asked: {
    projectId: string;
    from?: string | undefined;
    to?: string | undefined;
    category?: EventCategory | undefined;
    eventTypes?: string | undefined;
    sessionId?: string | undefined;
    agentName?: string | undefined;
    hasError?: "true" | "false" | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  }, options?: CallOptions): Promise<EventsReply>;
  /** Return what an agent has done. `GET /api/projects/{project_id}/analytics/agents/{name}` */
  getAgent(asked: { projectId: string; name: string; from?: string | undefined; to?: string | undefined }, options?: CallOptions): Promise<AnalyticsAgentReply>;
  /** Return what models cost, the dearest first. `GET /api/projects/{project_id}/analytics/cost-breakdown` */
  getCosts(asked: { projectId: string; from?: string | undefined; to?: string | undefined }, options?: CallOptions): Promise<CostReply>;
  /** Return the figures of the sessions that began in a time, and of the turns in it. `GET /api/projects/{project_id}/analytics/session-metrics` */
  getSessionMetrics(asked: { projectId: string; from?: string | undefined; to?: string | undefined }, options?: CallOptions): Promise<SessionFiguresReply>;
  /** Return events, the newest first. `POST /api/projects/{project_id}/analytics/query` */
  queryEvents(asked: { projectId: string; body: QueryBody }, options?: CallOptions): Promise<EventsReply>;
  /** Return metrics of events by dimensions; without any, of all of them. `POST /api/projects/{project_id}/analytics/aggregate` */
  aggregateEvents(asked: { projectId: string; body: AggregateBody }, options?: CallOptions): Promise<BucketsReply>;
  /** Return the figures of each hour in which calls began. `GET /api/projects/{project_id}/voice-analytics/hourly` */
  listHours(asked: { projectId: string; hours?: number | undefined }, options?: CallOptions): Promise<VoiceHoursReply>;
  /** Return the figures of all calls together. `GET /api/projects/{project_id}/voice-analytics/summary` */
  getSummary(asked: { projectId: string; hours?: number | undefined }, options?: CallOptions): Promise<VoiceSummaryReply>;
}

export function analyticsApi(http: Http): AnalyticsApi {
  return bound<AnalyticsApi>(http, {
    getMetrics: "GET /api/projects/{projectId}/analytics/metrics ku -",
    listEvents: "GET /api/projects/{projectId}/analytics/events ku -",
    getAgent: "GET /api/projects/{projectId}/analytics/agents/{name} ku -",
    getCosts: "GET /api/projects/{projectId}/analytics/cost-breakdown ku -",
    getSessionMetrics: "GET /api/projects/{projectId}/analytics/session-metrics ku -",
    queryEvents: "POST /api/projects/{projectId}/analytics/query ku -",
    aggregateEvents: "POST /api/projects/{projectId}/analytics/aggregate ku -",
    listHours: "GET /api/projects/{projectId}/voice-analytics/hourly ku -",
    getSummary: "GET /api/projects/{projectId}/voice-analytics/summary ku -",
  });
}

/** The part of the API about attachments. */
export interface AttachmentsApi {
  /** Keep the file of a form for a session; its bytes and its extension say what it is. `POST /api/projects/{project_id}/sessions/{session_id}/attachments` */
  uploadAttachment(asked: { projectId: string; sessionId: string; body: { file: Blob } }, options?: CallOptions): Promise<UploadReply>;
  /** Return the files of a session, the oldest first. `GET /api/projects/{project_id}/sessions/{session_id}/attachments` */
  listAttachments(asked: { projectId: string; sessionId: string; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<AttachmentListReply>;
  /** Return what is known of a file. `GET /api/projects/{project_id}/sessions/{session_id}/attachments/{attachment_id}` */
  getAttachment(asked: { projectId: string; sessionId: string; attachmentId: string }, options?: CallOptions): Promise<AttachmentReply>;
  /** Send the bytes of a file, to be saved and not shown. `GET /api/projects/{project_id}/sessions/{session_id}/attachments/{attachment_id}/content` */
  getContent(asked: { projectId: string; sessionId: string; attachmentId: string }, options?: CallOptions): Promise<Blob>;
}

export function attachmentsApi(http: Http): AttachmentsApi {
  return bound<AttachmentsApi>(http, {
    uploadAttachment: "POST /api/projects/{projectId}/sessions/{sessionId}/attachments kup kf",
    listAttachments: "GET /api/projects/{projectId}/sessions/{sessionId}/attachments kup -",
    getAttachment: "GET /api/projects/{projectId}/sessions/{sessionId}/attachments/{attachmentId} kup -",
    getContent: "GET /api/projects/{projectId}/sessions/{sessionId}/attachments/{attachmentId}/content kup b",
  });
}

/** The part of the API about audit. */
export interface AuditApi {
  /** Return what was done in the tenant, the newest first; as CSV all of it, without pages. `GET /api/audit-logs` */
  listAuditEntries(asked?: {
    from?: string | undefined;
    to?: string | undefined;
    action?: string | undefined;
    category?: AuditCategory | undefined;
    actorId?: string | undefined;
    projectId?: string | undefined;
    outcome?: "success" | "failure" | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
    format?: undefined | undefined;
  }, options?: CallOptions): Promise<AuditListReply>;
  /** Return what was done in the tenant, the newest first; as CSV all of it, without pages. `GET /api/audit-logs` */
  listAuditEntries(asked: {
    from?: string | undefined;
    to?: string | undefined;
    action?: string | undefined;
    category?: AuditCategory | undefined;
    actorId?: string | undefined;
    projectId?: string | undefined;
    outcome?: "success" | "failure" | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
    format: "csv";
  }, options?: CallOptions): Promise<string>;
}

export function auditApi(http: Http): AuditApi {
  return bound<AuditApi>(http, {
    listAuditEntries: "GET /api/audit-logs ku -",
  });
}

/** The part of the API about auth. */
export interface AuthApi {
  /** Return tokens for an email and its password; each failure has the same answer and takes the same time. `POST /api/auth/login` */
  logIn(asked: { body: LoginBody }, options?: CallOptions): Promise<LoginReply>;
  /** Return new tokens for the last refresh token of a log-in; one that is used again ends the log-in. `POST /api/auth/refresh` */
  refresh(asked: { body: RefreshBody }, options?: CallOptions): Promise<TokenReply>;
  /** End the log-in of the caller: none of its tokens opens anything again. `POST /api/auth/logout` */
  logOut(asked?: Nothing, options?: CallOptions): Promise<DoneReply>;
  /** Return who is calling. `GET /api/auth/me` */
  getMe(asked?: Nothing, options?: CallOptions): Promise<UserReply>;
  /** Change the password of the caller; all other log-ins of the caller end. `POST /api/auth/password` */
  changePassword(asked: { body: PasswordBody }, options?: CallOptions): Promise<DoneReply>;
}

export function authApi(http: Http): AuthApi {
  return bound<AuthApi>(http, {
    logIn: "POST /api/auth/login - -",
    refresh: "POST /api/auth/refresh - -",
    logOut: "POST /api/auth/logout u -",
    getMe: "GET /api/auth/me u -",
    changePassword: "POST /api/auth/password u -",
  });
}

/** The part of the API about budgets. */
export interface BudgetsApi {
  /** Return the budgets within a project. `GET /api/projects/{project_id}/budgets` */
  listProjectBudgets(asked: { projectId: string; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<BudgetListReply>;
  /** Set a budget for the project, or for an agent, contact or session of it, or for each of them. `POST /api/projects/{project_id}/budgets` */
  setProjectBudget(asked: { projectId: string; body: ProjectBudgetBody }, options?: CallOptions): Promise<BudgetReply>;
  /** Return a budget with what was used of it. `GET /api/projects/{project_id}/budgets/{budget_id}` */
  getProjectBudget(asked: { projectId: string; budgetId: string }, options?: CallOptions): Promise<AccountsReply>;
  /** Replace the limits of a budget; what was used stays used. `PUT /api/projects/{project_id}/budgets/{budget_id}` */
  changeProjectBudget(asked: { projectId: string; budgetId: string; body: Limits }, options?: CallOptions): Promise<BudgetReply>;
  /** Remove a budget. `DELETE /api/projects/{project_id}/budgets/{budget_id}` */
  deleteProjectBudget(asked: { projectId: string; budgetId: string }, options?: CallOptions): Promise<DeletedReply>;
  /** Return the budgets of the tenant itself. `GET /api/budgets` */
  listTenantBudgets(asked?: { limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<BudgetListReply>;
  /** Set a budget for everything in the tenant. `POST /api/budgets` */
  setTenantBudget(asked: { body: TenantBudgetBody }, options?: CallOptions): Promise<BudgetReply>;
  /** Return a budget with what was used of it. `GET /api/budgets/{budget_id}` */
  getTenantBudget(asked: { budgetId: string }, options?: CallOptions): Promise<AccountsReply>;
  /** Replace the limits of a budget; what was used stays used. `PUT /api/budgets/{budget_id}` */
  changeTenantBudget(asked: { budgetId: string; body: Limits }, options?: CallOptions): Promise<BudgetReply>;
  /** Remove a budget. `DELETE /api/budgets/{budget_id}` */
  deleteTenantBudget(asked: { budgetId: string }, options?: CallOptions): Promise<DeletedReply>;
}

export function budgetsApi(http: Http): BudgetsApi {
  return bound<BudgetsApi>(http, {
    listProjectBudgets: "GET /api/projects/{projectId}/budgets ku -",
    setProjectBudget: "POST /api/projects/{projectId}/budgets ku k",
    getProjectBudget: "GET /api/projects/{projectId}/budgets/{budgetId} ku -",
    changeProjectBudget: "PUT /api/projects/{projectId}/budgets/{budgetId} ku -",
    deleteProjectBudget: "DELETE /api/projects/{projectId}/budgets/{budgetId} ku -",
    listTenantBudgets: "GET /api/budgets ku -",
    setTenantBudget: "POST /api/budgets ku k",
    getTenantBudget: "GET /api/budgets/{budgetId} ku -",
    changeTenantBudget: "PUT /api/budgets/{budgetId} ku -",
    deleteTenantBudget: "DELETE /api/budgets/{budgetId} ku -",
  });
}

/** The part of the API about callbacks. */
export interface CallbacksApi {
  /** Hand an answer to the session that waits for it, at most once; the signature is over the raw body. `POST /api/v1/callbacks/{callback_id}` */
  deliverCallback(asked: {
    callbackId: string;
    headers?: { "x-callback-signature"?: string | undefined; "webhook-id"?: string | undefined; "webhook-timestamp"?: string | undefined; "webhook-signature"?: string | undefined };
    body: JsonObject;
  }, options?: CallOptions): Promise<CallbackReply>;
  /** Return what sessions of a project wait for; secrets are never listed. `GET /api/projects/{project_id}/callbacks` */
  listCallbacks(asked: {
    projectId: string;
    status?: "pending" | "processed" | "expired" | "cancelled" | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  }, options?: CallOptions): Promise<CallbackListReply>;
}

export function callbacksApi(http: Http): CallbacksApi {
  return bound<CallbacksApi>(http, {
    deliverCallback: "POST /api/v1/callbacks/{callbackId} - -",
    listCallbacks: "GET /api/projects/{projectId}/callbacks ku -",
  });
}

/** What `chat.chatWithAgentStream` tells. */
export type ChatWithAgentEvent =
  | StreamEvent<"session_start", { sessionId: string }>
  | StreamEvent<"response_start", { messageId: string; agentName?: string; attempt?: number; answers?: string }>
  | StreamEvent<"response_restart", { messageId: string; attempt?: number }>
  | StreamEvent<"response_chunk", { messageId: string; chunk: string }>
  | StreamEvent<"trace_event", { event: TraceItem }>
  | StreamEvent<"response_end", { messageId: string; fullText: string; richContent: RichContent | null; actions: ActionSet | null; openActions: string | null; action?: TurnAction; voiceConfig?: VoiceConfig; interrupted?: boolean }>
  | StreamEvent<"complete", ChatReply>;

/** The part of the API about chat. */
export interface ChatApi {
  /** Run one turn of an agent; with `Accept: text/event-stream` its events as they come. `POST /api/v1/chat/agent` */
  chatWithAgent(asked: { body: ChatAgentBody }, options?: CallOptions): Promise<ChatReply>;
  /** Run one turn of an agent; with `Accept: text/event-stream` its events as they come. `POST /api/v1/chat/agent` */
  chatWithAgentStream(asked: { body: ChatAgentBody }, options?: ResumeOptions): EventStream<ChatWithAgentEvent>;
  /** Send a message with files to a session, or to a new one of a project, and return the answer. `POST /api/v1/chat/send` */
  sendMessage(asked: { body: ChatSendBody }, options?: CallOptions): Promise<ChatSendReply>;
}

export function chatApi(http: Http): ChatApi {
  return bound<ChatApi>(http, {
    chatWithAgent: "POST /api/v1/chat/agent kup k",
    chatWithAgentStream: "POST /api/v1/chat/agent kup serk",
    sendMessage: "POST /api/v1/chat/send kup k",
  });
}

/** What `completions.streamCompletion` tells. */
export type StreamCompletionEvent =
  | StreamEvent<"metadata", { modelId: string; provider: string; source: string }>
  | StreamEvent<"text_delta", { delta: string }>
  | StreamEvent<"tool_call_start", { id: string; name: string }>
  | StreamEvent<"tool_call_delta", { id: string; arguments: string }>
  | StreamEvent<"tool_call_end", { id: string; name: string; arguments: string }>
  | StreamEvent<"usage", { inputTokens: number; outputTokens: number }>
  | StreamEvent<"complete", { inputTokens: number; outputTokens: number; totalTokens: number; estimatedCost: number | null; latencyMs: number; finishReason?: string }>;

/** The part of the API about completions. */
export interface CompletionsApi {
  /** Ask a model and send its answer while it comes; a client that leaves ends the call. `POST /api/v1/chat/stream` */
  streamCompletion(asked: { body: CompletionBody }, options?: CallOptions): EventStream<StreamCompletionEvent>;
  /** Ask a model and return its whole answer. `POST /api/v1/chat/complete` */
  complete(asked: { body: CompletionBody }, options?: CallOptions): Promise<CompletionReply>;
  /** Return what the model calls of a project used, those of its agents and completions; the last 30 days. `GET /api/v1/chat/usage` */
  getUsage(asked: {
    projectId: string;
    startDate?: string | undefined;
    endDate?: string | undefined;
    groupBy?: "model" | undefined;
  }, options?: CallOptions): Promise<UsageReply>;
}

export function completionsApi(http: Http): CompletionsApi {
  return bound<CompletionsApi>(http, {
    streamCompletion: "POST /api/v1/chat/stream ku se",
    complete: "POST /api/v1/chat/complete ku k",
    getUsage: "GET /api/v1/chat/usage ku -",
  });
}

/** The part of the API about contacts. */
export interface ContactsApi {
  /** Keep a new contact; an identity stands for one contact at a time. `POST /api/contacts` */
  createContact(asked: { body: NewContactBody }, options?: CallOptions): Promise<ContactReply>;
  /** Return contacts, the newest first; those that were deleted are left out. `GET /api/contacts` */
  listContacts(asked?: {
    type?: "employee" | "customer" | "anonymous" | undefined;
    channel?: string | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  }, options?: CallOptions): Promise<ContactListReply>;
  /** Return who has an identity; emails are compared whatever the case of their letters. `GET /api/contacts/lookup` */
  lookContactUp(asked: { identity: string; identityType?: "email" | "phone" | "external" | undefined }, options?: CallOptions): Promise<ContactReply>;
  /** Return a contact. `GET /api/contacts/{contact_id}` */
  getContact(asked: { contactId: string }, options?: CallOptions): Promise<ContactReply>;
  /** Change what the body names; `null` clears it. `PUT /api/contacts/{contact_id}` */
  changeContact(asked: { contactId: string; body: ContactBody }, options?: CallOptions): Promise<ContactReply>;
  /** Have a contact found no more; the row stays, and its identity is free for another one. `DELETE /api/contacts/{contact_id}` */
  deleteContact(asked: { contactId: string }, options?: CallOptions): Promise<DeletedContactReply>;
  /** Say that a session is with this contact: its agent knows from the next turn on. `POST /api/contacts/{contact_id}/link-session` */
  linkSession(asked: { contactId: string; body: LinkSessionBody }, options?: CallOptions): Promise<Success>;
}

export function contactsApi(http: Http): ContactsApi {
  return bound<ContactsApi>(http, {
    createContact: "POST /api/contacts ku k",
    listContacts: "GET /api/contacts ku -",
    lookContactUp: "GET /api/contacts/lookup ku -",
    getContact: "GET /api/contacts/{contactId} ku -",
    changeContact: "PUT /api/contacts/{contactId} ku -",
    deleteContact: "DELETE /api/contacts/{contactId} ku -",
    linkSession: "POST /api/contacts/{contactId}/link-session ku k",
  });
}

/** The part of the API about deployments. */
export interface DeploymentsApi {
  /** Return the deployments of a project, the newest first. `GET /api/projects/{project_id}/deployments` */
  listDeployments(asked: {
    projectId: string;
    environment?: "dev" | "staging" | "production" | undefined;
    status?: "active" | "retired" | undefined;
  }, options?: CallOptions): Promise<DeploymentListReply>;
  /** Make a deployment the active one of its environment; the one before drains. `POST /api/projects/{project_id}/deployments` */
  createDeployment(asked: { projectId: string; body: NewDeploymentBody }, options?: CallOptions): Promise<DeploymentReply>;
  /** Return a deployment by its id or its endpoint slug. `GET /api/projects/{project_id}/deployments/{deployment_id}` */
  getDeployment(asked: { projectId: string; deploymentId: string }, options?: CallOptions): Promise<SeenDeploymentReply>;
  /** Take no new sessions on a deployment; its sessions go on, or with `force` are ended. `POST /api/projects/{project_id}/deployments/{deployment_id}/retire` */
  retireDeployment(asked: { projectId: string; deploymentId: string; body?: RetireBody | null | undefined }, options?: CallOptions): Promise<RetiredReply>;
  /** Make a retired deployment active again, or in the place of an active one its predecessor. `POST /api/projects/{project_id}/deployments/{deployment_id}/rollback` */
  rollBackDeployment(asked: { projectId: string; deploymentId: string; body?: RollbackBody | null | undefined }, options?: CallOptions): Promise<RollbackReply>;
  /** Make the same program active in another environment, or say which live sessions it would lead elsewhere. `POST /api/projects/{project_id}/deployments/{deployment_id}/promote` */
  promoteDeployment(asked: { projectId: string; deploymentId: string; dryRun?: boolean | undefined; body: PromoteBody }, options?: CallOptions): Promise<PromotedReply | PreflightReply>;
}

export function deploymentsApi(http: Http): DeploymentsApi {
  return bound<DeploymentsApi>(http, {
    listDeployments: "GET /api/projects/{projectId}/deployments ku -",
    createDeployment: "POST /api/projects/{projectId}/deployments ku k",
    getDeployment: "GET /api/projects/{projectId}/deployments/{deploymentId} ku -",
    retireDeployment: "POST /api/projects/{projectId}/deployments/{deploymentId}/retire ku k",
    rollBackDeployment: "POST /api/projects/{projectId}/deployments/{deploymentId}/rollback ku k",
    promoteDeployment: "POST /api/projects/{projectId}/deployments/{deploymentId}/promote ku k",
  });
}

/** The part of the API about erasure. */
export interface ErasureApi {
  /** Delete a contact, all sessions with them and all that agents remember of them. `POST /api/contacts/{contact_id}/erase` */
  eraseContact(asked: { contactId: string }, options?: CallOptions): Promise<ErasedReply>;
  /** End all sessions of the caller's tenant and delete everything that is kept of it. `POST /api/tenant/erase` */
  eraseTenant(asked: { body: EraseBody }, options?: CallOptions): Promise<ErasedReply>;
}

export function erasureApi(http: Http): ErasureApi {
  return bound<ErasureApi>(http, {
    eraseContact: "POST /api/contacts/{contactId}/erase ku -",
    eraseTenant: "POST /api/tenant/erase u -",
  });
}

/** The part of the API about feedback. */
export interface FeedbackApi {
  /** Keep what the caller thinks of an answer, in the place of what the caller said of it before. `POST /api/v1/feedback` */
  giveFeedback(asked: { body: FeedbackBody }, options?: CallOptions): Promise<FeedbackReply>;
}

export function feedbackApi(http: Http): FeedbackApi {
  return bound<FeedbackApi>(http, {
    giveFeedback: "POST /api/v1/feedback kup k",
  });
}

/** The part of the API about health. */
export interface HealthApi {
  /** Return that the process lives. `GET /health` */
  showHealth(asked?: Nothing, options?: CallOptions): Promise<HealthReply>;
  /** Return whether new turns can be taken, with the state of each part. `GET /ready` */
  showReadiness(asked?: Nothing, options?: CallOptions): Promise<ReadinessReply>;
  /** Return the numbers of this process and of the runtime, for Prometheus. `GET /metrics` */
  showMetrics(asked?: Nothing, options?: CallOptions): Promise<string>;
}

export function healthApi(http: Http): HealthApi {
  return bound<HealthApi>(http, {
    showHealth: "GET /health - -",
    showReadiness: "GET /ready - -",
    showMetrics: "GET /metrics - -",
  });
}

/** The part of the API about human tasks. */
export interface HumanTasksApi {
  /** Return tasks of a project, the most urgent first, of those the oldest. `GET /api/projects/{project_id}/human-tasks` */
  listHumanTasks(asked: {
    projectId: string;
    status?: string | undefined;
    type?: "approval" | "data_entry" | "review" | "decision" | "escalation" | undefined;
    priority?: "low" | "medium" | "high" | "critical" | undefined;
    assignedTo?: string | undefined;
    team?: string | undefined;
    sessionId?: string | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  }, options?: CallOptions): Promise<TaskListReply>;
  /** Give somebody a task. `POST /api/projects/{project_id}/human-tasks` */
  createHumanTask(asked: { projectId: string; body: NewTaskBody }, options?: CallOptions): Promise<TaskReply>;
  /** Return a task. `GET /api/projects/{project_id}/human-tasks/{task_id}` */
  getHumanTask(asked: { projectId: string; taskId: string }, options?: CallOptions): Promise<TaskReply>;
  /** Take a task; of many who try at once one gets it. `POST /api/projects/{project_id}/human-tasks/{task_id}/claim` */
  claimHumanTask(asked: { projectId: string; taskId: string; body?: ClaimBody | null | undefined }, options?: CallOptions): Promise<TaskReply>;
  /** Give a task to a person or a team; whoever had claimed it has it no more. `POST /api/projects/{project_id}/human-tasks/{task_id}/assign` */
  assignHumanTask(asked: { projectId: string; taskId: string; body: AssignBody }, options?: CallOptions): Promise<TaskReply>;
  /** Close a task with a decision, once; the session that waits for it goes on. `POST /api/projects/{project_id}/human-tasks/{task_id}/resolve` */
  resolveHumanTask(asked: { projectId: string; taskId: string; body: ResolveBody }, options?: CallOptions): Promise<TaskReply>;
  /** Close a task that nobody has to do any more; a session that waits goes on when its suspension expires. `POST /api/projects/{project_id}/human-tasks/{task_id}/cancel` */
  cancelHumanTask(asked: { projectId: string; taskId: string; body?: CancelBody | null | undefined }, options?: CallOptions): Promise<TaskReply>;
}

export function humanTasksApi(http: Http): HumanTasksApi {
  return bound<HumanTasksApi>(http, {
    listHumanTasks: "GET /api/projects/{projectId}/human-tasks ku -",
    createHumanTask: "POST /api/projects/{projectId}/human-tasks ku k",
    getHumanTask: "GET /api/projects/{projectId}/human-tasks/{taskId} ku -",
    claimHumanTask: "POST /api/projects/{projectId}/human-tasks/{taskId}/claim ku k",
    assignHumanTask: "POST /api/projects/{projectId}/human-tasks/{taskId}/assign ku k",
    resolveHumanTask: "POST /api/projects/{projectId}/human-tasks/{taskId}/resolve ku k",
    cancelHumanTask: "POST /api/projects/{projectId}/human-tasks/{taskId}/cancel ku k",
  });
}

/** The part of the API about keys. */
export interface KeysApi {
  /** Return the API keys that the caller may see, revoked ones too, the newest first. `GET /api/api-keys` */
  listApiKeys(asked?: { projectId?: string | undefined; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<ApiKeyListReply>;
  /** Make an API key and show its secret, this once; nobody gives a key more than they may themselves. `POST /api/api-keys` */
  makeApiKey(asked: { body: ApiKeyBody }, options?: CallOptions): Promise<MadeApiKeyReply>;
  /** Revoke an API key: it opens nothing from now on. `DELETE /api/api-keys/{key_id}` */
  revokeApiKey(asked: { keyId: string }, options?: CallOptions): Promise<RevokedReply>;
  /** Give an API key a new secret and show it, this once; the old one works for `graceSec` more. `POST /api/api-keys/{key_id}/rotate` */
  rotateApiKey(asked: { keyId: string; body?: RotateBody | null | undefined }, options?: CallOptions): Promise<MadeApiKeyReply>;
  /** Return the public keys of a project, revoked ones too, the newest first. `GET /api/projects/{project_id}/public-keys` */
  listPublicKeys(asked: { projectId: string; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<PublicKeyListReply>;
  /** Make a public key and show it, this once. `POST /api/projects/{project_id}/public-keys` */
  makePublicKey(asked: { projectId: string; body: PublicKeyBody }, options?: CallOptions): Promise<MadePublicKeyReply>;
  /** Change a public key; its open sockets are checked again. `PATCH /api/projects/{project_id}/public-keys/{key_id}` */
  changePublicKey(asked: { projectId: string; keyId: string; body: PublicKeyPatch }, options?: CallOptions): Promise<PublicKeyReply>;
  /** Revoke a public key: it opens nothing from now on, and its sockets close. `DELETE /api/projects/{project_id}/public-keys/{key_id}` */
  revokePublicKey(asked: { projectId: string; keyId: string }, options?: CallOptions): Promise<RevokedReply>;
}

export function keysApi(http: Http): KeysApi {
  return bound<KeysApi>(http, {
    listApiKeys: "GET /api/api-keys ku -",
    makeApiKey: "POST /api/api-keys ku k",
    revokeApiKey: "DELETE /api/api-keys/{keyId} ku -",
    rotateApiKey: "POST /api/api-keys/{keyId}/rotate ku k",
    listPublicKeys: "GET /api/projects/{projectId}/public-keys ku -",
    makePublicKey: "POST /api/projects/{projectId}/public-keys ku k",
    changePublicKey: "PATCH /api/projects/{projectId}/public-keys/{keyId} ku -",
    revokePublicKey: "DELETE /api/projects/{projectId}/public-keys/{keyId} ku -",
  });
}

/** The part of the API about mcp. */
export interface McpApi {
  /** Answer one message of an MCP client; the API key is bound to the project whose agents it may ask. `POST /mcp` */
  speak(asked: { body: JsonObject }, options?: CallOptions): Promise<RpcAnswer | undefined>;
  /** Answer one message of an MCP client that asks the agents of a project. `POST /mcp/{project_id}` */
  speakWithProject(asked: { projectId: string; body: JsonObject }, options?: CallOptions): Promise<RpcAnswer | undefined>;
}

export function mcpApi(http: Http): McpApi {
  return bound<McpApi>(http, {
    speak: "POST /mcp ku -",
    speakWithProject: "POST /mcp/{projectId} ku -",
  });
}

/** The part of the API about memory. */
export interface MemoryApi {
  /** Get, set (replace) or delete a memory store of the session that the sandbox token is for. `POST /api/v1/memory` */
  useMemory(asked: { body: MemoryBody }, options?: CallOptions): Promise<MemoryReply>;
}

export function memoryApi(http: Http): MemoryApi {
  return bound<MemoryApi>(http, {
    useMemory: "POST /api/v1/memory x k",
  });
}

/** The part of the API about models. */
export interface ModelsApi {
  /** Return the providers of models that the tenant brings, without their keys. `GET /api/model-providers` */
  listProviders(asked?: { limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<ProviderListReply>;
  /** Keep a provider for all projects of the tenant; its key is sealed and never shown. `POST /api/model-providers` */
  addProvider(asked: { body: ProviderBody }, options?: CallOptions): Promise<ProviderReply>;
  /** Change a provider. `PATCH /api/model-providers/{provider_id}` */
  changeProvider(asked: { providerId: string; body: ProviderPatch }, options?: CallOptions): Promise<ProviderReply>;
  /** Remove a provider with its key. `DELETE /api/model-providers/{provider_id}` */
  removeProvider(asked: { providerId: string }, options?: CallOptions): Promise<DeletedReply>;
  /** Ask a provider for a word, and tell how long that took or what went wrong. `POST /api/model-providers/{provider_id}/test` */
  checkProvider(asked: { providerId: string }, options?: CallOptions): Promise<ProviderTestReply>;
  /** Return the models that a project takes. `GET /api/projects/{project_id}/models` */
  getProjectModels(asked: { projectId: string }, options?: CallOptions): Promise<ProjectModelsReply>;
  /** Put the models that a project takes in the place of the last ones. `PUT /api/projects/{project_id}/models` */
  putProjectModels(asked: { projectId: string; body: ProjectModelsBody }, options?: CallOptions): Promise<ProjectModelsReply>;
  /** Return which model a call goes to, of an agent where one is named, and who named it. `GET /api/projects/{project_id}/models/resolve` */
  resolveModel(asked: {
    projectId: string;
    tier?: "fast" | "balanced" | "powerful" | "voice" | undefined;
    agentName?: string | undefined;
  }, options?: CallOptions): Promise<ResolvedReply>;
}

export function modelsApi(http: Http): ModelsApi {
  return bound<ModelsApi>(http, {
    listProviders: "GET /api/model-providers ku -",
    addProvider: "POST /api/model-providers ku k",
    changeProvider: "PATCH /api/model-providers/{providerId} ku -",
    removeProvider: "DELETE /api/model-providers/{providerId} ku -",
    checkProvider: "POST /api/model-providers/{providerId}/test ku k",
    getProjectModels: "GET /api/projects/{projectId}/models ku -",
    putProjectModels: "PUT /api/projects/{projectId}/models ku -",
    resolveModel: "GET /api/projects/{projectId}/models/resolve ku -",
  });
}

/** What `openai.createChatCompletionStream` tells. */
export type CreateChatCompletionEvent =
  | StreamEvent<"", JsonObject>;

/** What `openai.createResponseStream` tells. */
export type CreateResponseEvent =
  | StreamEvent<string, JsonObject>;

/** The part of the API about openai. */
export interface OpenaiApi {
  /** Ask an agent in the form of OpenAI's chat completions; `model` is an agent, `agent@environment` or deployment. `POST /v1/chat/completions` */
  createChatCompletion(asked: { headers?: { "OpenAI-Project"?: string | undefined }; body: ChatCompletionBody }, options?: CallOptions): Promise<ChatCompletion>;
  /** Ask an agent in the form of OpenAI's chat completions; `model` is an agent, `agent@environment` or deployment. `POST /v1/chat/completions` */
  createChatCompletionStream(asked: { headers?: { "OpenAI-Project"?: string | undefined }; body: ChatCompletionBody }, options?: CallOptions): EventStream<CreateChatCompletionEvent>;
  /** Return what can be asked for as a model: agents, agents in environments, deployments. `GET /v1/models` */
  listModels(asked?: { headers?: { "OpenAI-Project"?: string | undefined } }, options?: CallOptions): Promise<ModelList>;
  /** Return one model. `GET /v1/models/{model}` */
  getModel(asked: { model: string; headers?: { "OpenAI-Project"?: string | undefined } }, options?: CallOptions): Promise<ModelItem>;
  /** Ask an agent in the form of OpenAI's Responses API; `model` is an agent, `agent@environment` or deployment. `POST /v1/responses` */
  createResponse(asked: { headers?: { "OpenAI-Project"?: string | undefined }; body: ResponseBody }, options?: CallOptions): Promise<AgentResponse>;
  /** Ask an agent in the form of OpenAI's Responses API; `model` is an agent, `agent@environment` or deployment. `POST /v1/responses` */
  createResponseStream(asked: { headers?: { "OpenAI-Project"?: string | undefined }; body: ResponseBody }, options?: CallOptions): EventStream<CreateResponseEvent>;
  /** Return a response that was stored, as it was told. `GET /v1/responses/{response_id}` */
  getResponse(asked: { responseId: string; headers?: { "OpenAI-Project"?: string | undefined } }, options?: CallOptions): Promise<AgentResponse>;
  /** Forget the id of a response; what was said stays in its session, which `DELETE` of sessions removes. `DELETE /v1/responses/{response_id}` */
  deleteResponse(asked: { responseId: string; headers?: { "OpenAI-Project"?: string | undefined } }, options?: CallOptions): Promise<DeletedResponse>;
  /** Return what a response answers: the user's message of its turn. `GET /v1/responses/{response_id}/input_items` */
  listInputItems(asked: { responseId: string; headers?: { "OpenAI-Project"?: string | undefined } }, options?: CallOptions): Promise<InputItems>;
}

export function openaiApi(http: Http): OpenaiApi {
  return bound<OpenaiApi>(http, {
    createChatCompletion: "POST /v1/chat/completions ku k",
    createChatCompletionStream: "POST /v1/chat/completions ku sok",
    listModels: "GET /v1/models ku -",
    getModel: "GET /v1/models/{model} ku -",
    createResponse: "POST /v1/responses ku k",
    createResponseStream: "POST /v1/responses ku sok",
    getResponse: "GET /v1/responses/{responseId} ku -",
    deleteResponse: "DELETE /v1/responses/{responseId} ku k",
    listInputItems: "GET /v1/responses/{responseId}/input_items ku -",
  });
}

/** The part of the API about project-io. */
export interface ProjectIoApi {
  /** Return what an export would hold, with the ways of the agents to each other and to tools. `GET /api/projects/{project_id}/project-io/export/preview` */
  previewExport(asked: { projectId: string }, options?: CallOptions): Promise<ExportPreviewReply>;
  /** Return the drafts of a project as path -> text, or as a zip file. `GET /api/projects/{project_id}/project-io/export` */
  exportProject(asked: {
    projectId: string;
    format?: "folder" | undefined;
    include_deployments?: "true" | "false" | undefined;
  }, options?: CallOptions): Promise<ExportReply>;
  /** Return the drafts of a project as path -> text, or as a zip file. `GET /api/projects/{project_id}/project-io/export` */
  exportProject(asked: { projectId: string; format: "zip"; include_deployments?: "true" | "false" | undefined }, options?: CallOptions): Promise<Blob>;
  /** Return what an import would do; nothing is written. `POST /api/projects/{project_id}/project-io/import/preview` */
  previewImport(asked: { projectId: string; body: ImportBody }, options?: CallOptions): Promise<ImportPreviewReply>;
  /** Write texts as drafts, all of them or none; what is compiled and deployed stays as it is. `POST /api/projects/{project_id}/project-io/import` */
  importProject(asked: { projectId: string; body: ImportBody }, options?: CallOptions): Promise<ImportReply>;
}

export function projectIoApi(http: Http): ProjectIoApi {
  return bound<ProjectIoApi>(http, {
    previewExport: "GET /api/projects/{projectId}/project-io/export/preview ku -",
    exportProject: "GET /api/projects/{projectId}/project-io/export ku -",
    previewImport: "POST /api/projects/{projectId}/project-io/import/preview ku k",
    importProject: "POST /api/projects/{projectId}/project-io/import ku k",
  });
}

/** The part of the API about projects. */
export interface ProjectsApi {
  /** Return the projects that the caller sees, the oldest first. `GET /api/projects` */
  listProjects(asked?: { limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<ProjectListReply>;
  /** Make a project; a person who makes it is its admin. A key of one project makes none: it would not see it. `POST /api/projects` */
  createProject(asked: { body: NewProjectBody }, options?: CallOptions): Promise<ProjectReply>;
  /** Return a project. `GET /api/projects/{project_id}` */
  getProject(asked: { projectId: string }, options?: CallOptions): Promise<ProjectReply>;
  /** Change a project; what is not given stays. `PATCH /api/projects/{project_id}` */
  changeProject(asked: { projectId: string; body: ProjectChangeBody }, options?: CallOptions): Promise<ProjectReply>;
  /** End all sessions of a project and remove everything of it; it is there for nobody at once. `DELETE /api/projects/{project_id}` */
  deleteProject(asked: { projectId: string }, options?: CallOptions): Promise<DeletedReply>;
}

export function projectsApi(http: Http): ProjectsApi {
  return bound<ProjectsApi>(http, {
    listProjects: "GET /api/projects ku -",
    createProject: "POST /api/projects ku k",
    getProject: "GET /api/projects/{projectId} ku -",
    changeProject: "PATCH /api/projects/{projectId} ku -",
    deleteProject: "DELETE /api/projects/{projectId} ku -",
  });
}

/** The part of the API about sdk. */
export interface SdkApi {
  /** Exchange a public key for a short-lived token; a resume token leads back to the session it came from. `POST /api/v1/sdk/init` */
  init(asked: { body: SdkInitBody }, options?: CallOptions): Promise<SdkInitReply>;
  /** Return how the widget of a page looks, and what its key allows. `GET /api/v1/sdk/config/{project_id}` */
  widgetConfig(asked: { projectId: string }, options?: CallOptions): Promise<WidgetReply>;
  /** Return a new token of the same family, also for one that expired within the last hour. `POST /api/v1/sdk/refresh` */
  refresh(asked?: Nothing, options?: CallOptions): Promise<SdkTokenReply>;
  /** Return a ticket that opens one WebSocket within a minute. `POST /api/v1/sdk/ws-ticket` */
  makeTicket(asked?: Nothing, options?: CallOptions): Promise<TicketReply>;
}

export function sdkApi(http: Http): SdkApi {
  return bound<SdkApi>(http, {
    init: "POST /api/v1/sdk/init i k",
    widgetConfig: "GET /api/v1/sdk/config/{projectId} c -",
    refresh: "POST /api/v1/sdk/refresh p k",
    makeTicket: "POST /api/v1/sdk/ws-ticket p k",
  });
}

/** The part of the API about sdk-channels. */
export interface SdkChannelsApi {
  /** Return the channels of a project, the oldest first. `GET /api/projects/{project_id}/sdk-channels` */
  listChannels(asked: { projectId: string; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<ChannelListReply>;
  /** Make a channel for a public key of the project. `POST /api/projects/{project_id}/sdk-channels` */
  createChannel(asked: { projectId: string; body: NewChannelBody }, options?: CallOptions): Promise<ChannelReply>;
  /** Return a channel. `GET /api/projects/{project_id}/sdk-channels/{channel_id}` */
  getChannel(asked: { projectId: string; channelId: string }, options?: CallOptions): Promise<ChannelReply>;
  /** Change a channel; what is not given stays. `PATCH /api/projects/{project_id}/sdk-channels/{channel_id}` */
  changeChannel(asked: { projectId: string; channelId: string; body: ChannelChangeBody }, options?: CallOptions): Promise<ChannelReply>;
  /** Delete a channel. `DELETE /api/projects/{project_id}/sdk-channels/{channel_id}` */
  deleteChannel(asked: { projectId: string; channelId: string }, options?: CallOptions): Promise<DeletedReply>;
}

export function sdkChannelsApi(http: Http): SdkChannelsApi {
  return bound<SdkChannelsApi>(http, {
    listChannels: "GET /api/projects/{projectId}/sdk-channels ku -",
    createChannel: "POST /api/projects/{projectId}/sdk-channels ku k",
    getChannel: "GET /api/projects/{projectId}/sdk-channels/{channelId} ku -",
    changeChannel: "PATCH /api/projects/{projectId}/sdk-channels/{channelId} ku -",
    deleteChannel: "DELETE /api/projects/{projectId}/sdk-channels/{channelId} ku -",
  });
}

/** The part of the API about sessions. */
export interface SessionsApi {
  /** Return the model calls of a project's agents, the newest first; those of the last day unless times are given. `GET /api/projects/{project_id}/sessions/generations` */
  listGenerations(asked: {
    projectId: string;
    limit?: number | undefined;
    offset?: number | undefined;
    from?: string | undefined;
    to?: string | undefined;
    model?: string | undefined;
    agentName?: string | undefined;
    sessionId?: string | undefined;
  }, options?: CallOptions): Promise<GenerationsReply>;
  /** Send the trace events of a project's sessions as CSV, while they are read. `GET /api/projects/{project_id}/sessions/export` */
  exportTraces(asked: {
    projectId: string;
    format: "csv";
    from?: string | undefined;
    to?: string | undefined;
    sessionId?: string | undefined;
    status?: "active" | "ended" | undefined;
    channel?: "api" | "web_debug" | "voice" | undefined;
    eventType?: string | undefined;
  }, options?: CallOptions): Promise<string>;
  /** Return messages of a session page by page, from the first one or the last one on. `GET /api/projects/{project_id}/sessions/{session_id}/messages` */
  listMessages(asked: {
    projectId: string;
    sessionId: string;
    limit?: number | undefined;
    cursor?: string | undefined;
    direction?: "asc" | "desc" | undefined;
  }, options?: CallOptions): Promise<HistoryReply>;
  /** Return the direct children of a span in time order; the span of a turn is `turn-` and its number. `GET /api/projects/{project_id}/sessions/{session_id}/traces/{span_id}/children` */
  listChildren(asked: { projectId: string; sessionId: string; spanId: string }, options?: CallOptions): Promise<ChildrenReply>;
  /** Return the figures of a session, computed from its trace events. `GET /api/projects/{project_id}/sessions/{session_id}/metrics` */
  getMetrics(asked: { projectId: string; sessionId: string }, options?: CallOptions): Promise<SessionMetricsReply>;
  /** Return what stands out in a session, by fixed rules: the same session gives the same findings. `GET /api/projects/{project_id}/sessions/{session_id}/analysis` */
  getAnalysis(asked: { projectId: string; sessionId: string }, options?: CallOptions): Promise<SessionAnalysisReply>;
  /** Open a session; its agent speaks at the first message. Runs the working copy unless a target is given. `POST /api/projects/{project_id}/sessions` */
  createSession(asked: { projectId: string; body: NewSessionBody }, options?: CallOptions): Promise<CreatedSessionReply>;
  /** Return sessions of a project, the most recently active first; `q` looks through the newest ones. `GET /api/projects/{project_id}/sessions` */
  listSessions(asked: {
    projectId: string;
    limit?: number | undefined;
    offset?: number | undefined;
    status?: "active" | "ended" | undefined;
    channel?: "api" | "web_debug" | "voice" | undefined;
    agentName?: string | undefined;
    environment?: string | undefined;
    q?: string | undefined;
    from?: string | undefined;
    to?: string | undefined;
    range?: string | undefined;
    sortBy?: "lastActivityAt" | "createdAt" | "messageCount" | "durationMs" | undefined;
    sortDir?: "asc" | "desc" | undefined;
  }, options?: CallOptions): Promise<SessionListReply>;
  /** Return one session with the state of its agents. `GET /api/projects/{project_id}/sessions/{session_id}` */
  getSession(asked: { projectId: string; sessionId: string; include?: "messages" | undefined }, options?: CallOptions): Promise<SessionReply>;
  /** End a session and remove what it left: any credential that may see it may; an SDK token sees its own. `DELETE /api/projects/{project_id}/sessions/{session_id}` */
  deleteSession(asked: { projectId: string; sessionId: string }, options?: CallOptions): Promise<DeletedSessionReply>;
  /** Put a session back to its start: who may delete it may; its transcript and traces stay. `POST /api/projects/{project_id}/sessions/{session_id}/reset` */
  resetSession(asked: { projectId: string; sessionId: string }, options?: CallOptions): Promise<ResetSessionReply>;
  /** Return trace events of a session, with its figures when they are asked for. `GET /api/projects/{project_id}/sessions/{session_id}/traces` */
  listTraces(asked: {
    projectId: string;
    sessionId: string;
    eventType?: string | undefined;
    eventTypes?: string | undefined;
    decisionKind?: "routing" | "handoff" | "delegation" | "escalation" | "completion" | "flow_transition" | "retry" | "backtrack" | "stop" | "pause" | "resume" | "extraction" | undefined;
    spanId?: string | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
    order?: "asc" | "desc" | undefined;
    include?: "metrics" | undefined;
  }, options?: CallOptions): Promise<TracesReply>;
}

export function sessionsApi(http: Http): SessionsApi {
  return bound<SessionsApi>(http, {
    listGenerations: "GET /api/projects/{projectId}/sessions/generations ku -",
    exportTraces: "GET /api/projects/{projectId}/sessions/export ku -",
    listMessages: "GET /api/projects/{projectId}/sessions/{sessionId}/messages kup -",
    listChildren: "GET /api/projects/{projectId}/sessions/{sessionId}/traces/{spanId}/children ku -",
    getMetrics: "GET /api/projects/{projectId}/sessions/{sessionId}/metrics ku -",
    getAnalysis: "GET /api/projects/{projectId}/sessions/{sessionId}/analysis ku -",
    createSession: "POST /api/projects/{projectId}/sessions ku k",
    listSessions: "GET /api/projects/{projectId}/sessions ku -",
    getSession: "GET /api/projects/{projectId}/sessions/{sessionId} ku -",
    deleteSession: "DELETE /api/projects/{projectId}/sessions/{sessionId} kup -",
    resetSession: "POST /api/projects/{projectId}/sessions/{sessionId}/reset kup k",
    listTraces: "GET /api/projects/{projectId}/sessions/{sessionId}/traces ku -",
  });
}

/** The part of the API about tool secrets. */
export interface ToolSecretsApi {
  /** Keep a secret of a tool; from the next call on, the tool can use it. `POST /api/tool-secrets` */
  createToolSecret(asked: { body: NewSecretBody }, options?: CallOptions): Promise<CreatedSecretReply>;
  /** Return the secrets of a project without their values, the oldest first. `GET /api/tool-secrets` */
  listToolSecrets(asked: {
    projectId: string;
    toolName?: string | undefined;
    environment?: string | undefined;
    page?: number | undefined;
    limit?: number | undefined;
  }, options?: CallOptions): Promise<SecretListReply>;
  /** Put another value in the place of the last one, under the next version. `PUT /api/tool-secrets/{secret_id}` */
  rotateToolSecret(asked: { secretId: string; body: RotatedSecretBody }, options?: CallOptions): Promise<RotatedSecretReply>;
  /** Delete a secret for good; the next call of its tool does without. `DELETE /api/tool-secrets/{secret_id}` */
  deleteToolSecret(asked: { secretId: string }, options?: CallOptions): Promise<Success>;
}

export function toolSecretsApi(http: Http): ToolSecretsApi {
  return bound<ToolSecretsApi>(http, {
    createToolSecret: "POST /api/tool-secrets ku k",
    listToolSecrets: "GET /api/tool-secrets ku -",
    rotateToolSecret: "PUT /api/tool-secrets/{secretId} ku -",
    deleteToolSecret: "DELETE /api/tool-secrets/{secretId} ku -",
  });
}

/** The part of the API about transcripts. */
export interface TranscriptsApi {
  /** Return the messages of a session, oldest first. `GET /api/v1/sessions/{session_id}/transcripts` */
  listTranscript(asked: { sessionId: string; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<TranscriptReply>;
  /** End a session; doing so again changes nothing. `POST /api/v1/sessions/{session_id}/end` */
  endSession(asked: { sessionId: string; body?: EndSessionBody | null | undefined }, options?: CallOptions): Promise<EndedSessionReply>;
}

export function transcriptsApi(http: Http): TranscriptsApi {
  return bound<TranscriptsApi>(http, {
    listTranscript: "GET /api/v1/sessions/{sessionId}/transcripts kup -",
    endSession: "POST /api/v1/sessions/{sessionId}/end kup k",
  });
}

/** The part of the API about users. */
export interface UsersApi {
  /** Return the users of the tenant, with their roles in the projects that the caller sees. `GET /api/users` */
  listUsers(asked?: { limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<UserListReply>;
  /** Add a user; nobody gives a role that may more than they may themselves. `POST /api/users` */
  addUser(asked: { body: UserBody }, options?: CallOptions): Promise<ManagedUserReply>;
  /** Change a user; another password ends all log-ins, and a new owner takes the place of the last one. `PATCH /api/users/{user_id}` */
  changeUser(asked: { userId: string; body: UserPatch }, options?: CallOptions): Promise<ManagedUserReply>;
  /** Remove a user; what the user is logged in with opens nothing from now on. `DELETE /api/users/{user_id}` */
  removeUser(asked: { userId: string }, options?: CallOptions): Promise<DeletedReply>;
  /** Return the members of a project. `GET /api/projects/{project_id}/members` */
  listMembers(asked: { projectId: string; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<MemberListReply>;
  /** Make a user of the tenant a member of a project. `POST /api/projects/{project_id}/members` */
  addMember(asked: { projectId: string; body: MemberBody }, options?: CallOptions): Promise<MemberReply>;
  /** Give a member another role in a project. `PATCH /api/projects/{project_id}/members/{user_id}` */
  changeMember(asked: { projectId: string; userId: string; body: MemberPatch }, options?: CallOptions): Promise<MemberReply>;
  /** Make somebody no member of a project any more. `DELETE /api/projects/{project_id}/members/{user_id}` */
  removeMember(asked: { projectId: string; userId: string }, options?: CallOptions): Promise<DeletedReply>;
}

export function usersApi(http: Http): UsersApi {
  return bound<UsersApi>(http, {
    listUsers: "GET /api/users ku -",
    addUser: "POST /api/users ku k",
    changeUser: "PATCH /api/users/{userId} ku -",
    removeUser: "DELETE /api/users/{userId} ku -",
    listMembers: "GET /api/projects/{projectId}/members ku -",
    addMember: "POST /api/projects/{projectId}/members ku k",
    changeMember: "PATCH /api/projects/{projectId}/members/{userId} ku -",
    removeMember: "DELETE /api/projects/{projectId}/members/{userId} ku -",
  });
}

/** The part of the API about variables. */
export interface VariablesApi {
  /** Return the variables of a project; of secret ones no value. `GET /api/projects/{project_id}/variables` */
  listVariables(asked: {
    projectId: string;
    kind?: "env" | "config" | undefined;
    environment?: "base" | "dev" | "staging" | "production" | undefined;
  }, options?: CallOptions): Promise<VariableListReply>;
  /** Write a variable; one that has this kind, key and environment gets the new value. `PUT /api/projects/{project_id}/variables` */
  putVariable(asked: { projectId: string; body: VariableBody }, options?: CallOptions): Promise<VariableReply>;
  /** Delete a variable. `DELETE /api/projects/{project_id}/variables/{variable_id}` */
  deleteVariable(asked: { projectId: string; variableId: string }, options?: CallOptions): Promise<DeletedReply>;
}

export function variablesApi(http: Http): VariablesApi {
  return bound<VariablesApi>(http, {
    listVariables: "GET /api/projects/{projectId}/variables ku -",
    putVariable: "PUT /api/projects/{projectId}/variables ku -",
    deleteVariable: "DELETE /api/projects/{projectId}/variables/{variableId} ku -",
  });
}

/** The part of the API about versions. */
export interface VersionsApi {
  /** Return the versions of an agent, the newest first. `GET /api/projects/{project_id}/agents/{agent_name}/versions` */
  listVersions(asked: { projectId: string; agentName: string }, options?: CallOptions): Promise<VersionListReply>;
  /** Freeze the draft of an agent, which has to compile. `POST /api/projects/{project_id}/agents/{agent_name}/versions` */
  createVersion(asked: { projectId: string; agentName: string; body?: NewVersionBody | null | undefined }, options?: CallOptions): Promise<VersionReply>;
  /** Return a version with its text. `GET /api/projects/{project_id}/agents/{agent_name}/versions/{version}` */
  getVersion(asked: { projectId: string; agentName: string; version: string }, options?: CallOptions): Promise<VersionReply>;
  /** Return what is different in the other version, as a unified diff. `GET /api/projects/{project_id}/agents/{agent_name}/versions/{version}/diff/{other}` */
  diffVersions(asked: { projectId: string; agentName: string; version: string; other: string }, options?: CallOptions): Promise<DiffReply>;
}

export function versionsApi(http: Http): VersionsApi {
  return bound<VersionsApi>(http, {
    listVersions: "GET /api/projects/{projectId}/agents/{agentName}/versions ku -",
    createVersion: "POST /api/projects/{projectId}/agents/{agentName}/versions ku k",
    getVersion: "GET /api/projects/{projectId}/agents/{agentName}/versions/{version} ku -",
    diffVersions: "GET /api/projects/{projectId}/agents/{agentName}/versions/{version}/diff/{other} ku -",
  });
}

/** The part of the API about webhooks. */
export interface WebhooksApi {
  /** Return the hooks of a project, the oldest first; their secrets are never listed. `GET /api/projects/{project_id}/webhooks` */
  listWebhooks(asked: { projectId: string; limit?: number | undefined; offset?: number | undefined }, options?: CallOptions): Promise<WebhookListReply>;
  /** Make a hook; its signing secret is in this answer and nowhere else. `POST /api/projects/{project_id}/webhooks` */
  createWebhook(asked: { projectId: string; body: NewWebhookBody }, options?: CallOptions): Promise<NewWebhookReply>;
  /** Return a hook. `GET /api/projects/{project_id}/webhooks/{webhook_id}` */
  getWebhook(asked: { projectId: string; webhookId: string }, options?: CallOptions): Promise<WebhookReply>;
  /** Change a hook; `isActive: true` switches one on again that failed too often. `PATCH /api/projects/{project_id}/webhooks/{webhook_id}` */
  changeWebhook(asked: { projectId: string; webhookId: string; body: WebhookChangeBody }, options?: CallOptions): Promise<WebhookReply>;
  /** Remove a hook; what was still to be delivered to it is dropped. `DELETE /api/projects/{project_id}/webhooks/{webhook_id}` */
  deleteWebhook(asked: { projectId: string; webhookId: string }, options?: CallOptions): Promise<DeletedReply>;
  /** Send the event `webhook.test` at once, signed as every other, and return what came of it. `POST /api/projects/{project_id}/webhooks/{webhook_id}/test` */
  testWebhook(asked: { projectId: string; webhookId: string }, options?: CallOptions): Promise<TestReply>;
  /** Return what was, is to be, or could not be delivered to a hook, the newest first; kept 30 days. `GET /api/projects/{project_id}/webhooks/{webhook_id}/deliveries` */
  listDeliveries(asked: {
    projectId: string;
    webhookId: string;
    status?: "" | "pending" | "delivered" | "dead" | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  }, options?: CallOptions): Promise<DeliveryListReply>;
}

export function webhooksApi(http: Http): WebhooksApi {
  return bound<WebhooksApi>(http, {
    listWebhooks: "GET /api/projects/{projectId}/webhooks ku -",
    createWebhook: "POST /api/projects/{projectId}/webhooks ku k",
    getWebhook: "GET /api/projects/{projectId}/webhooks/{webhookId} ku -",
    changeWebhook: "PATCH /api/projects/{projectId}/webhooks/{webhookId} ku -",
    deleteWebhook: "DELETE /api/projects/{projectId}/webhooks/{webhookId} ku -",
    testWebhook: "POST /api/projects/{projectId}/webhooks/{webhookId}/test ku k",
    listDeliveries: "GET /api/projects/{projectId}/webhooks/{webhookId}/deliveries ku -",
  });
}

/** The whole API of one server, a part of it in each field. */
export interface Client {
  readonly http: Http;
  readonly a2a: A2aApi;
  readonly agUi: AgUiApi;
  readonly agents: AgentsApi;
  readonly analytics: AnalyticsApi;
  readonly attachments: AttachmentsApi;
  readonly audit: AuditApi;
  readonly auth: AuthApi;
  readonly budgets: BudgetsApi;
  readonly callbacks: CallbacksApi;
  readonly chat: ChatApi;
  readonly completions: CompletionsApi;
  readonly contacts: ContactsApi;
  readonly deployments: DeploymentsApi;
  readonly erasure: ErasureApi;
  readonly feedback: FeedbackApi;
  readonly health: HealthApi;
  readonly humanTasks: HumanTasksApi;
  readonly keys: KeysApi;
  readonly mcp: McpApi;
  readonly memory: MemoryApi;
  readonly models: ModelsApi;
  readonly openai: OpenaiApi;
  readonly projectIo: ProjectIoApi;
  readonly projects: ProjectsApi;
  readonly sdk: SdkApi;
  readonly sdkChannels: SdkChannelsApi;
  readonly sessions: SessionsApi;
  readonly toolSecrets: ToolSecretsApi;
  readonly transcripts: TranscriptsApi;
  readonly users: UsersApi;
  readonly variables: VariablesApi;
  readonly versions: VersionsApi;
  readonly webhooks: WebhooksApi;
}

/** Return a client with all parts; who wants a small bundle takes the parts it needs: `chatApi(new Http(options))`. */
export function createClient(options: HttpOptions = {}): Client {
  const http = new Http(options);
  return {
    http,
    a2a: a2aApi(http),
    agUi: agUiApi(http),
    agents: agentsApi(http),
    analytics: analyticsApi(http),
    attachments: attachmentsApi(http),
    audit: auditApi(http),
    auth: authApi(http),
    budgets: budgetsApi(http),
    callbacks: callbacksApi(http),
    chat: chatApi(http),
    completions: completionsApi(http),
    contacts: contactsApi(http),
    deployments: deploymentsApi(http),
    erasure: erasureApi(http),
    feedback: feedbackApi(http),
    health: healthApi(http),
    humanTasks: humanTasksApi(http),
    keys: keysApi(http),
    mcp: mcpApi(http),
    memory: memoryApi(http),
    models: modelsApi(http),
    openai: openaiApi(http),
    projectIo: projectIoApi(http),
    projects: projectsApi(http),
    sdk: sdkApi(http),
    sdkChannels: sdkChannelsApi(http),
    sessions: sessionsApi(http),
    toolSecrets: toolSecretsApi(http),
    transcripts: transcriptsApi(http),
    users: usersApi(http),
    variables: variablesApi(http),
    versions: versionsApi(http),
    webhooks: webhooksApi(http),
  };
}
