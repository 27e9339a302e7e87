// What the operations take and answer. Made by tools/generate_web_http.py of the OpenAPI document; do not edit.
import type { JsonObject, JsonValue } from "../wire.ts";

/** One of `result` and `error`; `id` is null when the request could not be read. */
export interface A2aAnswer {
  /** Version of JSON-RPC */
  jsonrpc?: "2.0";
  /** That of the request */
  id: string | number | null;
  /** free JSON, by the method, as the protocol says */
  result?: JsonValue;
  /** Why there is no result */
  error?: A2aError | null;
}

/** What an agent is for and where it is spoken to, in the words of both versions of the protocol. */
export interface A2aCard {
  /** Name of the agent */
  name: string;
  /** What it is for */
  description: string;
  /** Version of this runtime */
  version: string;
  /** 0.3.0, for clients of that version */
  protocolVersion: string;
  /** Where it is spoken to */
  url: string;
  /** JSONRPC */
  preferredTransport: string;
  /** free JSON: addresses for each version */
  supportedInterfaces: Array<JsonObject>;
  /** free JSON: streaming and push notifications */
  capabilities: JsonObject;
  /** text/plain */
  defaultInputModes: Array<string>;
  /** text/plain */
  defaultOutputModes: Array<string>;
  /** free JSON: one, the agent itself */
  skills: Array<JsonObject>;
  /** free JSON: how to say who asks */
  securitySchemes: JsonObject;
  /** free JSON, for version 0.3 */
  security: Array<JsonObject>;
  /** free JSON, for version 1.0 */
  securityRequirements: Array<JsonObject>;
}

/** Why a request has no result. */
export interface A2aError {
  /** What happened, for programs */
  code: number;
  /** What went wrong, for people */
  message: string;
  /** free JSON: google.rpc.ErrorInfo */
  data?: Array<JsonObject> | null;
}

/** What one agent, contact or session has used in a period, and what is held for calls under way. */
export interface AccountItem {
  /** Whose it is within the scope */
  subject: string;
  /** When the period began */
  beganAt: string | null;
  /** Tokens that were spent in this period */
  tokensSpent: number;
  /** Tokens that running calls hold */
  tokensHeld: number;
  /** US dollars that were spent in this period */
  usdSpent: number;
  /** US dollars that running calls hold */
  usdHeld: number;
}

/** The accounts of a budget, the newest period first, in it those that spent most. */
export interface AccountsReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The budget */
  budget: BudgetItem;
  /** What was spent and held, by whose account it is */
  accounts: Array<AccountItem>;
}

/** How a set of actions was answered, and with which message of the user. */
export interface ActionAnswer {
  /** Id of the message of the user that is the answer */
  messageId: string;
  /** When it happened */
  timestamp: string;
  /** Id of the element that was used, or of the set */
  actionId: string;
  /** What was chosen or entered */
  value?: string | null;
  /** Values of the fields of a form, by their ids */
  formData?: JsonObject | null;
  /** The `render_id` of the set that was answered */
  renderId?: string | null;
  /** Where it came from */
  source?: string | null;
}

/** A button, select or input. */
export interface ActionElement {
  /** Id of the element: an answer to it names it */
  id: string;
  /** What kind it is */
  type: "button" | "select" | "input";
  /** Name as it is shown */
  label: string;
  /** The value */
  value?: string | null;
  /** Address */
  url?: string | null;
  /** What it is, for people */
  description?: string | null;
  /** What can be chosen */
  options?: Array<ActionOption> | null;
  /** text, number, date, time or email */
  input_type?: string | null;
  /** What stands in the empty field */
  placeholder?: string | null;
  /** Whether there must be a value */
  required?: boolean | null;
}

/** One choice of a select. */
export interface ActionOption {
  /** Id of the option */
  id: string;
  /** Name as it is shown */
  label: string;
  /** What it is, for people */
  description?: string | null;
}

/** Interactive elements under a message. */
export interface ActionSet {
  /** The interactive elements, in their order */
  elements: Array<ActionElement>;
  /** Label of the button that submits the elements */
  submit_label?: string | null;
  /** Id under which the elements are submitted together */
  submit_id?: string | null;
  /** Id of this rendering of the elements */
  render_id?: string | null;
}

/** The answer to an interrupt. */
export interface AgUiAnswer {
  /** Of the interrupt in RUN_FINISHED */
  interruptId: string;
  /** `cancelled`: nobody has answered */
  status: "resolved" | "cancelled";
  /** The answer, as the interrupt's responseSchema says; words are always taken */
  payload?: JsonValue;
}

/** RunAgentInput: a thread and a run of it, which is one turn of the agent. */
export interface AgUiBody {
  /** Of the conversation, made up by the client: one of this caller and this agent */
  threadId: string;
  /** Of the turn, made up by the client; sent again it is told again and runs nothing */
  runId: string;
  /** 1.0; a client that names it is told of interrupts */
  protocolVersion?: string | null;
  /** Given back in RUN_STARTED */
  parentRunId?: string | null;
  /** The thread so far; the last one of the user is answered. None: the thread is told */
  messages: Array<AgUiMessage>;
  /** What the client's state is; STATE_DELTA goes on from it */
  state?: JsonValue;
  /** Not called: an agent has its own tools. free JSON */
  tools?: Array<JsonValue> | null;
  /** {description, value}: `context` of the message's metadata. free JSON */
  context?: Array<JsonValue> | null;
  /** An object becomes the message's metadata */
  forwardedProps?: JsonValue;
  /** Answers to the interrupt of the last run */
  resume?: Array<AgUiAnswer> | null;
}

/** One message of a thread; it is given back in snapshots as it came. */
export interface AgUiMessage {
  /** Of the message, within its thread */
  id: string;
  /** Who says it; only what the user says is read, the agent knows its own words */
  role: "developer" | "system" | "assistant" | "user" | "tool" | "activity" | "reasoning";
  /** A text, or a list of parts of which the texts are read */
  content?: JsonValue;
  [name: string]: JsonValue | undefined;
}

/** What is to be different; `description: null` clears it, `domain: null` is that of the project again. */
export interface AgentChangeBody {
  /** New name of the agent */
  name?: string | null;
  /** The first part of the agent's path; the project's slug when nothing is said */
  domain?: string | null;
  /** What it is, for people */
  description?: string | null;
}

/** An agent with its draft. */
export interface AgentDetail {
  /** Id of the agent */
  id: string;
  /** Name of the agent */
  name: string;
  /** `<domain>/<agent-name>` */
  agentPath: string;
  /** `agent` or `supervisor` */
  type: "agent" | "supervisor";
  /** What it is, for people */
  description: string | null;
  /** How many versions there are */
  versionCount: number;
  /** Environment -> the version that is deployed there */
  activeVersions: Record<string, string>;
  /** Hash of the text, `sha256:<hex>` */
  sourceHash: string;
  /** When it was made */
  createdAt: string;
  /** When it changed last */
  updatedAt: string;
  /** The text of the agent in ABL */
  dslContent: string;
}

/** What an agent has done; averages and rates are null where nothing was counted. */
export interface AgentFigures {
  /** Name of the agent */
  agent_name: string;
  /** The beginning of the time, included */
  from: string;
  /** The end of the time, not included */
  to: string;
  /** How many sessions there were */
  session_count: number;
  /** How many messages the agent has said */
  message_count: number;
  /** How many turns there were */
  turn_count: number;
  /** Mean time of a turn, in milliseconds */
  avg_turn_ms: number | null;
  /** Time within which 95 % of turns ended, in milliseconds */
  p95_turn_ms: number | null;
  /** How many calls of models the agent made */
  llm_call_count: number;
  /** How many tool calls the agent made */
  tool_call_count: number;
  /** Share of tool calls that succeeded, 0 to 1 */
  tool_success_rate: number | null;
  /** How often a guardrail has stopped the agent */
  guardrail_block_count: number;
  /** How often the agent took over */
  handoff_in_count: number;
  /** How often the agent handed over */
  handoff_out_count: number;
  /** How often the agent has delegated work */
  delegation_count: number;
  /** How often the agent has called for a person */
  escalation_count: number;
  /** How many errors there were */
  error_count: number;
  /** Share of events with an error, 0 to 1 */
  error_rate: number | null;
  /** Tokens in and out */
  sum_tokens: number;
  /** Cost in US dollars */
  sum_cost: number;
  /** How users rated the answers */
  feedback: Ratings;
}

/** An agent without its text; `activeVersions` is environment -> version that is deployed there. */
export interface AgentItem {
  /** Id of the agent */
  id: string;
  /** Name of the agent */
  name: string;
  /** `<domain>/<agent-name>` */
  agentPath: string;
  /** `agent` or `supervisor` */
  type: "agent" | "supervisor";
  /** What it is, for people */
  description: string | null;
  /** How many versions there are */
  versionCount: number;
  /** Environment -> the version that is deployed there */
  activeVersions: Record<string, string>;
  /** Hash of the text, `sha256:<hex>` */
  sourceHash: string;
  /** When it was made */
  createdAt: string;
  /** When it changed last */
  updatedAt: string;
}

/** The agents of a project, the oldest first. */
export interface AgentListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The agents */
  agents: Array<AgentItem>;
}

/** A response of an agent. */
export interface AgentResponse {
  /** Its id: `previous_response_id` of the next request */
  id: string;
  /** Always the same */
  object?: "response";
  /** When it was asked for, in Unix seconds */
  created_at: number;
  /** How it stands */
  status: "in_progress" | "completed" | "failed";
  /** Why it has failed */
  error?: ResponseFault | null;
  /** Always null */
  incomplete_details?: null;
  /** Always null: an agent has its own */
  instructions?: null;
  /** Always null */
  max_output_tokens?: null;
  /** free JSON, as it was sent */
  metadata?: JsonObject;
  /** The agent that answers */
  model: string;
  /** What it said: one message */
  output?: Array<OutputMessage>;
  /** Always false */
  parallel_tool_calls?: false;
  /** The response behind which it was asked for */
  previous_response_id?: string | null;
  /** Its session */
  conversation?: ConversationId | null;
  /** Whether it can be read again */
  store?: boolean;
  /** Always null */
  temperature?: null;
  /** Always the same */
  tool_choice?: "auto";
  /** Always empty: an agent has its own */
  tools?: Array<JsonValue>;
  /** Always null */
  top_p?: null;
  /** Always the same */
  truncation?: "disabled";
  /** Tokens, once it is complete */
  usage?: ResponseUsage | null;
  /** Who asked, as it was sent */
  user?: string | null;
}

/** One agent with its draft. */
export interface AgentsAgentReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The agent */
  agent: AgentDetail;
}

/** By what events are told apart, and what is computed of them. */
export interface AggregateBody {
  /** The time that is looked at */
  timeRange: TimeRange;
  /** Dimensions by which events are summed up */
  groupBy: Array<Dimension>;
  /** Which figures are wanted */
  metrics: Array<Metric>;
  /** Only events that are so */
  filters?: Filters;
}

/** What an agent has done. */
export interface AnalyticsAgentReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: AgentFigures;
}

/** An API key to make; without a project it opens all of the tenant. */
export interface ApiKeyBody {
  /** What people call the key */
  name: string;
  /** Permissions that the key has */
  scopes?: Array<"*" | "agent:read" | "agent:write" | "apikey:read" | "apikey:write" | "audit:read" | "channel:create" | "channel:delete" | "channel:read" | "channel:update" | "contact:read" | "contact:write" | "credential:read" | "credential:write" | "deployment:create" | "eval:execute" | "eval:read" | "eval:write" | "human_task:read" | "human_task:write" | "member:read" | "member:write" | "model:read" | "model:write" | "project:create" | "project:delete" | "project:export" | "project:import" | "project:read" | "project:write" | "session:execute" | "session:read" | "session:write" | "tenant:delete" | "tenant:transfer" | "usage:read" | "variable:read" | "variable:write" | "webhook:read" | "webhook:write">;
  /** Id of the project */
  projectId?: string | null;
  /** Environments that the key is for; none is all of them */
  environments?: Array<"dev" | "staging" | "production" | "working-copy">;
  /** When it ends, null for never */
  expiresAt?: string | null;
}

/** An API key without its secret. */
export interface ApiKeyItem {
  /** Id of the key, not the key itself */
  id: string;
  /** What people call the key */
  name: string;
  /** The first characters of the key */
  prefix: string;
  /** Permissions that the key has */
  scopes: Array<string>;
  /** Id of the project */
  projectId: string | null;
  /** Environments that the key is for; none is all of them */
  environments: Array<string>;
  /** When it ends, null for never */
  expiresAt: string | null;
  /** When it was used last, null for never */
  lastUsedAt: string | null;
  /** When it was made */
  createdAt: string;
  /** Who made it */
  createdBy: string;
  /** Since when it opens nothing, null while it opens something */
  revokedAt: string | null;
}

/** API keys, the newest first. */
export interface ApiKeyListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The keys, without themselves */
  keys: Array<ApiKeyItem>;
}

/** What an import has done. */
export interface Applied {
  /** How many documents are new */
  created: number;
  /** How many documents have changed */
  updated: number;
  /** How many documents were deleted */
  deleted: number;
}

/** Whose a task is from now on: one person's or one team's. */
export interface AssignBody {
  /** Id of the user who is to do it */
  assignedTo?: string | null;
  /** Name of the team that is to do it */
  assignedToTeam?: string | null;
}

/** What the agent said. */
export interface AssistantMessage {
  /** Always `assistant` */
  role?: "assistant";
  /** The text */
  content: string;
  /** Always null */
  refusal?: null;
}

/** A kept file. */
export interface AttachmentItem {
  /** Id of the file */
  id: string;
  /** Name of the file, without a path */
  filename: string;
  /** Media type of the file */
  mimeType: string;
  /** Size in bytes */
  sizeBytes: number;
  /** `image`, `document`, `audio` or `video` */
  category: "image" | "document" | "audio" | "video";
  /** How it stands */
  status: "ready" | "processing" | "failed";
  /** When it was made */
  createdAt: string;
}

/** Some files of a session. */
export interface AttachmentListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The files */
  attachments: Array<AttachmentItem>;
}

/** One file. */
export interface AttachmentReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The file */
  attachment: AttachmentItem;
}

/** Who acted. */
export interface AuditActor {
  /** What kind it is */
  type: "user" | "api_key" | "sdk" | "system";
  /** Id of the user or key */
  id: string;
  /** Name as it is shown */
  label: string;
}

/** What an action is about. */
export type AuditCategory = "auth_and_access" | "workspace_governance" | "project_and_agent_config" | "tools_and_credentials" | "data_and_sessions" | "evaluation" | "system";

/** One action. */
export interface AuditItem {
  /** Id of the entry */
  id: string;
  /** When it happened */
  timestamp: string;
  /** Who did it */
  actor: AuditActor;
  /** What was done, e.g. `deployment.create` */
  action: string;
  /** Category of the entry, e.g. `auth and access` */
  category: AuditCategory;
  /** What it was done to */
  resource: AuditResource;
  /** Id of the project */
  projectId: string | null;
  /** `success` or `failure` */
  outcome: "success" | "failure";
  /** Address that it came from */
  ip: string;
  /** Id of the request */
  requestId: string;
  /** free JSON, by the action */
  details: JsonObject;
}

/** What was done, the newest first. */
export interface AuditListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The entries, the newest first */
  entries: Array<AuditItem>;
}

/** What was acted on. */
export interface AuditResource {
  /** What kind it is */
  type: string;
  /** Id of the thing that was changed */
  id: string;
  /** Name of the thing that was changed */
  name: string;
}

/** The dimensions asked for, and the metrics; averages and rates are null where nothing was counted. */
export interface BucketItem {
  /** Category of the events that are counted */
  category?: string | null;
  /** Type of the event */
  event_type?: string | null;
  /** Name of the agent */
  agent_name?: string | null;
  /** The channel of the events that are counted */
  channel?: string | null;
  /** Start of the hour */
  hour?: string | null;
  /** Day of the events, `YYYY-MM-DD` in UTC */
  day?: string | null;
  /** How many there are */
  count?: number | null;
  /** Mean duration in milliseconds of the events that have one */
  avg_duration?: number | null;
  /** Share of events with an error, 0 to 1 */
  error_rate?: number | null;
  /** Duration within which 95 % ended, in milliseconds */
  p95_duration?: number | null;
  /** Tokens in and out */
  sum_tokens?: number | null;
  /** Cost in US dollars */
  sum_cost?: number | null;
}

/** Earlier times first, then the larger ones. */
export interface Buckets {
  /** One row for each combination of the dimensions */
  buckets: Array<BucketItem>;
}

/** Metrics of events. */
export interface BucketsReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: Buckets;
}

/** A budget; `subject` is null where each has it. */
export interface BudgetItem {
  /** Id of the budget */
  id: string;
  /** Whose use the budget bounds */
  scope: string;
  /** Whose it is within the scope */
  subject: string | null;
  /** How often the budget begins anew */
  period: string;
  /** How many tokens there may be at most */
  maxTokens: number | null;
  /** How many US dollars may be spent at most */
  maxUsd: number | null;
}

/** The budgets of a project, or of the tenant itself. */
export interface BudgetListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The budgets */
  budgets: Array<BudgetItem>;
}

/** One budget. */
export interface BudgetReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The budget */
  budget: BudgetItem;
}

/** Tokens that were read from a cache. */
export interface CachedTokens {
  /** Always 0: not counted here */
  cached_tokens?: number;
  /** Always 0: not counted here */
  cache_write_tokens?: number;
}

/** A callback without its secret. */
export interface CallbackItem {
  /** Id of the callback */
  id: string;
  /** Id of the session */
  sessionId: string;
  /** Name of the agent */
  agentName: string;
  /** Name of the tool; `*` is every tool */
  toolName: string;
  /** `pending`, `processed`, `expired` or `cancelled` */
  status: "pending" | "processed" | "expired" | "cancelled";
  /** When it was made */
  createdAt: string;
  /** When it ends, null for never */
  expiresAt: string;
}

/** Callbacks of a project. */
export interface CallbackListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The callbacks */
  callbacks: Array<CallbackItem>;
}

/** The one success body without `success`. */
export interface CallbackReply {
  /** Whether it went well */
  ok?: true;
  /** `already_processed` where it was delivered before */
  status?: "already_processed" | null;
}

/** A tool call that the model has made before. */
export interface CalledTool {
  /** Id of the call: the message with its result names it */
  id: string;
  /** Name of the tool */
  name: string;
  /** Arguments of the call, as JSON text */
  arguments: string | JsonObject;
}

/** Who the agent is told it speaks with. */
export interface CallerContext {
  /** Id of the user */
  userId?: string | null;
  /** The channel that the agent is to believe */
  channel?: string | null;
  /** What else the agent is told of the caller */
  customAttributes?: JsonObject | null;
}

/** Why nobody has to do it any more. */
export interface CancelBody {
  /** Why */
  reason?: string | null;
}

/** What is to be different; a deployment or environment of null is none. */
export interface ChannelChangeBody {
  /** Name of the channel */
  name?: string | null;
  /** What kind of client the channel is for */
  channelType?: "web" | "mobile_ios" | "mobile_android" | "voice" | "api" | null;
  /** Id of the public key that the channel's pages carry */
  publicApiKeyId?: string | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId?: string | null;
  /** `dev`, `staging` or `production` */
  environment?: "dev" | "staging" | "production" | null;
  /** Whether the channel goes to whatever is active in its environment */
  followEnvironment?: boolean | null;
  /** How the widget looks and what it offers */
  config?: WidgetBody | null;
  /** Whether it is in use */
  isActive?: boolean | null;
}

/** How many sessions a channel had. */
export interface ChannelCount {
  /** `api`, `web_debug` or `voice` */
  channel: string | null;
  /** How many there are */
  count: number;
}

/** A channel. */
export interface ChannelItem {
  /** Id of the channel */
  id: string;
  /** Id of the tenant */
  tenantId: string;
  /** Id of the project */
  projectId: string;
  /** Name of the channel */
  name: string;
  /** What kind of client the channel is for */
  channelType: "web" | "mobile_ios" | "mobile_android" | "voice" | "api";
  /** Id of the deployment that runs, or is to run */
  deploymentId: string | null;
  /** Id of the public key that the channel's pages carry */
  publicApiKeyId: string;
  /** free JSON, as it was given */
  config: JsonObject;
  /** Whether it is in use */
  isActive: boolean;
  /** `dev`, `staging` or `production` */
  environment: string | null;
  /** Whether the channel goes to whatever is active in its environment */
  followEnvironment: boolean;
  /** When it was made */
  createdAt: string;
  /** When it changed last */
  updatedAt: string;
}

/** The channels of a project, the oldest first. */
export interface ChannelListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The channels */
  channels: Array<ChannelItem>;
}

/** One channel. */
export interface ChannelReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The SDK channel */
  channel: ChannelItem;
}

/** One message to an agent, or a button or form of its last answer: with an `action`, `message` may be left out. */
export interface ChatAgentBody {
  /** Id of the project */
  projectId: string;
  /** What was done last, or is to be done */
  action?: SubmittedAction | null;
  /** What is said */
  message: string | null;
  /** Id of the session */
  sessionId?: string | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId?: string | null;
  /** `dev`, `staging`, `production`, or `working-copy` for the drafts */
  environment?: "dev" | "staging" | "production" | "working-copy" | null;
  /** Id, name or `<domain>/<agent-name>` of an agent; it counts for the first turn of a session */
  agentId?: string | null;
  /** Free JSON for this turn only: 16 KiB, 64 keys an object, 5 levels */
  metadata?: JsonObject;
  /** A prepared start, for development; needs agent:write */
  testContext?: TestContext | null;
  /** Ids of files that were uploaded to the session, at most 10 */
  attachmentIds?: Array<string> | null;
}

/** A whole answer; `session_id` goes into the metadata of the next request to go on in its session. */
export interface ChatCompletion {
  /** Id of the completion */
  id: string;
  /** What kind of object this is */
  object?: "chat.completion";
  /** When, in seconds since 1970 */
  created: number;
  /** The model */
  model: string;
  /** The answers; there is one */
  choices: Array<Choice>;
  /** Tokens that were used */
  usage: OpenaiCompletionUsage;
  /** Id of a session; its `runtimeSessionId` will do */
  session_id: string;
}

/** A conversation, of which the last message is answered. With `metadata.session_id` it goes on in that session, with `user` in the session of that user with this model; earlier messages are then known and not read. Without either it goes on in the session in which those earlier messages were said; where there is none, one is opened, whose models are told of them: what the user says is the last message alone. */
export interface ChatCompletionBody {
  /** The model */
  model: string;
  /** The messages, in their order */
  messages: Array<OpenAiMessage>;
  /** Whether the answer comes as events */
  stream?: boolean;
  /** What the stream is to tell besides */
  stream_options?: StreamOptions | null;
  /** Who speaks, as the caller knows them */
  user?: string | null;
  /** Free JSON that belongs to it */
  metadata?: JsonObject | null;
  /** Tells people behind one key apart, as `user` does, where no session is kept for them */
  safety_identifier?: string | null;
  /** How many answers: 1 */
  n?: number | null;
  /** The tools */
  tools?: Array<JsonValue> | null;
  /** Taken and not used; say `tools` */
  functions?: Array<JsonValue> | null;
}

/** What one turn answered. */
export interface ChatReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the session */
  sessionId: string;
  /** Id of the agent's message */
  messageId: string;
  /** All text of the turn, several messages with a blank line between */
  response: string;
  /** What was done last, or is to be done */
  action: TurnAction;
  /** what the turn changed in the session: free JSON, by the agent's own names */
  state: JsonObject;
  /** What happened in the turn; left out for pages unless their key allows it */
  traceEvents?: Array<TraceItem> | null;
  /** How the answer is spoken, where it is */
  voiceConfig?: VoiceConfig | null;
  /** The answer in other forms; null when there is none */
  richContent: RichContent | null;
  /** Buttons, selects and inputs under the message; null when there are none */
  actions: ActionSet | null;
  /** Name of the agent */
  agentName?: string | null;
}

/** One message with files; one of `sessionId` and `projectId` has to be there. */
export interface ChatSendBody {
  /** Id of the session */
  sessionId?: string | null;
  /** Id of the project */
  projectId?: string | null;
  /** What is said */
  message?: string;
  /** Ids of files that were uploaded to the session, at most 10 */
  attachmentIds?: Array<string> | null;
  /** Free JSON for this turn only: 16 KiB, 64 keys an object, 5 levels */
  metadata?: JsonObject;
}

/** What the turn answered, and the id of the message that it answered. */
export interface ChatSendReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the session */
  sessionId: string;
  /** Id of the agent's message */
  messageId: string;
  /** All text of the turn, several messages with a blank line between */
  response: string;
  /** What was done last, or is to be done */
  action: TurnAction;
  /** what the turn changed in the session: free JSON, by the agent's own names */
  state: JsonObject;
  /** What happened in the turn; left out for pages unless their key allows it */
  traceEvents?: Array<TraceItem> | null;
  /** How the answer is spoken, where it is */
  voiceConfig?: VoiceConfig | null;
  /** The answer in other forms; null when there is none */
  richContent: RichContent | null;
  /** Buttons, selects and inputs under the message; null when there are none */
  actions: ActionSet | null;
  /** Name of the agent */
  agentName?: string | null;
  /** Id of the message that was answered */
  userMessageId: string;
}

/** One part: store, coordination, cluster, queue, model. One that is degraded is one that may be done without. */
export interface Check {
  /** What was looked at */
  name: string;
  /** How what was looked at fares */
  status: "ok" | "degraded" | "failed";
  /** What was found, for people; absent when all is well */
  message?: string | null;
}

/** A trace event, with how many children it has itself. */
export interface ChildEvent {
  /** Id of the event */
  id: string;
  /** Id of the session */
  sessionId: string;
  /** What happened, e.g. `llm_call` */
  type: TraceType;
  /** what happened: free JSON, whose keys follow from the type */
  data: JsonObject;
  /** When it happened */
  timestamp: string;
  /** Name of the agent */
  agentName: string;
  /** Id of the span */
  spanId: string;
  /** The span that this one belongs to */
  parentSpanId?: string | null;
  /** How long it took, in milliseconds */
  durationMs?: number | null;
  /** Number of the turn, from 1 */
  turn: number;
  /** Number within the session, from 1 */
  seq: number;
  /** How many children the span has itself */
  childCount: number;
}

/** The direct children of a span, in time order. */
export interface ChildrenReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the span */
  spanId: string;
  /** The direct children, in the order of time */
  children: Array<ChildEvent>;
}

/** The one answer. */
export interface Choice {
  /** Place of the answer, from 0 */
  index?: 0;
  /** What is said */
  message: AssistantMessage;
  /** Not given: null */
  logprobs?: null;
  /** Why the model stopped */
  finish_reason?: "stop";
}

/** For whom a task is claimed; without it, for the caller. */
export interface ClaimBody {
  /** Id of the user */
  userId?: string | null;
}

/** A call of a model without an agent. */
export interface CompletionBody {
  /** Id of the project */
  projectId: string;
  /** The messages, in their order */
  messages: Array<CompletionMessage>;
  /** Id of the session */
  sessionId?: string | null;
  /** The tools */
  tools?: Array<CompletionTool> | null;
  /** Id of the model, as usage and traces report it */
  modelId?: string | null;
  /** `fast`, `balanced` or `powerful`, where no model is named */
  tier?: "fast" | "balanced" | "powerful" | null;
  /** How freely the model answers, 0 to 2 */
  temperature?: number | null;
  /** How many tokens there may be at most */
  maxTokens?: number | null;
}

/** One message of the prompt; the snake_case names are part of the contract. */
export interface CompletionMessage {
  /** Who speaks: `system`, `user`, `assistant` or `tool` */
  role: "system" | "user" | "assistant" | "tool";
  /** The text, or its parts */
  content: string | Array<TextPart | ImagePart | FilePart>;
  /** Name of the tool whose result it is, or of who speaks */
  name?: string | null;
  /** The call that this message answers */
  tool_call_id?: string | null;
  /** Tools that the model called */
  tool_calls?: Array<CalledTool> | null;
}

/** The whole answer of a model. */
export interface CompletionReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The text */
  content: string;
  /** Tools that the model wants called */
  toolCalls: Array<ToolCallItem>;
  /** The model */
  model: string;
  /** Why the model stopped */
  finishReason: "end_turn" | "max_tokens" | "tool_use" | "stop_sequence" | "content_filter";
  /** Tokens that were used */
  usage: CompletionsCompletionUsage;
  /** How long it took, in milliseconds */
  latencyMs: number;
}

/** A tool that the model may ask for; it is not run here. */
export interface CompletionTool {
  /** Name by which the model calls the tool */
  name: string;
  /** What it is, for people */
  description: string;
  /** JSON Schema of the arguments */
  parameters: JsonObject;
}

/** What the call used. */
export interface CompletionsCompletionUsage {
  /** Tokens that went in */
  inputTokens: number;
  /** Tokens that came out */
  outputTokens: number;
  /** Tokens in and out */
  totalTokens: number;
  /** US dollars; null where no price is known */
  estimatedCost: number | null;
}

/** What is said of a contact: in a change only what is given changes, and `null` clears it. */
export interface ContactBody {
  /** `employee`, `customer` or `anonymous` */
  type?: "employee" | "customer" | "anonymous" | null;
  /** By what the contact is known: an email, a phone number, a name elsewhere */
  identity?: string | null;
  /** What the identity is; alone it waits for one */
  identityType?: "email" | "phone" | "external" | null;
  /** Name as it is shown */
  displayName?: string | null;
  /** Department of the contact */
  department?: string | null;
  /** Number of the contact as an employee */
  employeeId?: string | null;
  /** Company of the contact */
  company?: string | null;
  /** How another system calls the account of the contact */
  accountRef?: string | null;
  /** By which channel the contact comes */
  channel?: string | null;
  /** Free JSON that belongs to it */
  metadata?: JsonObject | null;
  /** Words by which it is found */
  tags?: Array<string> | null;
}

/** A contact. */
export interface ContactItem {
  /** Id of the contact */
  id: string;
  /** Id of the tenant */
  tenantId: string;
  /** `employee`, `customer` or `anonymous` */
  type: "employee" | "customer" | "anonymous";
  /** By what the contact is known: an email, a phone number, a name elsewhere */
  identity: string | null;
  /** What the identity is; alone it waits for one */
  identityType: "email" | "phone" | "external" | null;
  /** Name as it is shown */
  displayName: string | null;
  /** Department of the contact */
  department: string | null;
  /** Number of the contact as an employee */
  employeeId: string | null;
  /** Company of the contact */
  company: string | null;
  /** How another system calls the account of the contact */
  accountRef: string | null;
  /** By which channel the contact comes */
  channel: string | null;
  /** free JSON, as it was given */
  metadata: JsonObject;
  /** Words by which it is found */
  tags: Array<string>;
  /** When the contact was seen first */
  firstSeenAt: string;
  /** When the contact was seen last */
  lastSeenAt: string;
  /** Since when it is found no more, null while it is there */
  deletedAt: string | null;
}

/** Some contacts, the newest first. */
export interface ContactListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How many there are in all */
  total: number;
  /** What was asked for */
  data: Array<ContactItem>;
}

/** One contact. */
export interface ContactReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: ContactItem;
}

/** A piece of a message; only texts are read. */
export interface ContentPart {
  /** What kind it is */
  type: string;
  /** The text */
  text?: string | null;
}

/** A conversation. */
export interface ConversationId {
  /** Id of the session */
  id: string;
}

/** A conversation by its id. */
export interface ConversationName {
  /** Id of a session */
  id: string;
}

/** What models cost, the dearest first. */
export interface CostFigures {
  /** Currency of all costs: USD */
  currency: "USD";
  /** The beginning of the time, included */
  from: string;
  /** The end of the time, not included */
  to: string;
  /** Cost in US dollars, null where no price is known */
  total_cost: number | null;
  /** Tokens in and out */
  total_tokens: number;
  /** Costs by model, the dearest first */
  by_model: Array<ModelCostItem>;
  /** Costs by provider, the dearest first */
  by_provider: Array<ProviderCostItem>;
}

/** What models cost. */
export interface CostReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: CostFigures;
}

/** A secret that was kept; its value is never shown. */
export interface CreatedSecret {
  /** Id of the secret, not its value */
  id: string;
  /** Name of the tool; `*` is every tool */
  toolName: string;
  /** Name of the value for the tool */
  secretKey: string;
  /** `dev`, `staging` or `production` */
  environment: string;
  /** Number of the value, from 1; each rotation raises it */
  version: number;
  /** When it ends, null for never */
  expiresAt: string | null;
  /** When it was made */
  createdAt: string;
}

/** The answer to a creation. */
export interface CreatedSecretReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The secret without its value */
  secret: CreatedSecret;
}

/** A session that was opened. */
export interface CreatedSession {
  /** Id of the session */
  id: string;
  /** Id of the agent that begins */
  agentId: string;
  /** Name of the agent */
  agentName: string;
  /** When it was made */
  createdAt: string;
  /** Id of the session's present run; a reset gives a new one */
  runtimeSessionId: string;
}

/** The answer to a creation. */
export interface CreatedSessionReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The session */
  session: CreatedSession;
}

/** A decision that hardly anybody meant. */
export interface DecisionAnomaly {
  /** What kind it is */
  kind: "handoff_loop" | "repeated_tool_call" | "no_matching_candidate" | "repeated_question" | "repeated_after_block";
  /** Id of the span */
  spanId: string;
  /** What it is, for people */
  description: string;
  /** How bad it is */
  severity: "info" | "warning" | "error";
}

/** Since when a contact is found no more. */
export interface DeletedContact {
  /** Id of the contact that was deleted */
  id: string;
  /** Since when it is found no more, null while it is there */
  deletedAt: string;
}

/** The answer to a deletion. */
export interface DeletedContactReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: DeletedContact;
}

/** It is gone. */
export interface DeletedReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** It is gone */
  deleted?: true;
}

/** A response that is not found by its id any more; what was said stays in its session. */
export interface DeletedResponse {
  /** Its id */
  id: string;
  /** Always the same */
  object?: "response";
  /** Always true */
  deleted?: true;
}

/** The answer to a deletion. */
export interface DeletedSessionReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** It is gone */
  deleted?: true;
  /** Id of the session that was deleted */
  id: string;
}

/** One event on its way to a hook; `id` is what its receiver sees as `x-webhook-id`. */
export interface DeliveryItem {
  /** Id of the delivery */
  id: string;
  /** Which event it tells of, e.g. `handoff` */
  event: string;
  /** How it stands */
  status: "pending" | "delivered" | "dead";
  /** How often it was tried */
  attempts: number;
  /** HTTP status of the receiver's answer, null without one */
  responseStatus: number | null;
  /** What went wrong; null when nothing did */
  error: string | null;
  /** free JSON, by the event */
  data: JsonObject;
  /** When it was made */
  createdAt: string;
  /** When it was tried last */
  attemptedAt: string | null;
  /** When it is tried again, null for never */
  nextAttemptAt: string | null;
}

/** Deliveries, the newest first. */
export interface DeliveryListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The deliveries, the newest first */
  deliveries: Array<DeliveryItem>;
}

/** What the agents of a project need of each other. */
export interface Dependencies {
  /** Which agent leads to which, and which tools it uses */
  edges: Array<EdgeItem>;
  /** Whether each edge leads to something */
  validation: GraphValidation;
}

/** A deployment. */
export interface DeploymentDetail {
  /** Id of the deployment */
  id: string;
  /** Id of the project */
  projectId: string;
  /** `dev`, `staging` or `production` */
  environment: string;
  /** `active` or `retired` */
  status: "active" | "retired";
  /** Name as it is shown */
  label: string;
  /** Name of the deployment in addresses */
  endpointSlug: string;
  /** When it was made */
  createdAt: string;
  /** What it is, for people */
  description: string | null;
  /** Name of the agent that begins */
  entryAgentName: string;
  /** Agent -> its version; `auto` freezes the draft, and never comes back */
  agentVersionManifest: Record<string, string>;
  /** Workflow -> its version; kept and returned, not carried out */
  workflowVersionManifest: Record<string, string>;
  /** Agent -> model and settings that take the place of its own */
  modelOverrides: Record<string, ModelOverrideItem>;
  /** The settings that the deployment keeps */
  settingsVersionId: string | null;
  /** `packed` shares hosts, `dedicated` has its own */
  placement: "packed" | "dedicated";
  /** Who made it */
  createdBy: string;
  /** Since when it takes no new sessions, null while it does */
  retiredAt: string | null;
  /** Whether sessions go on that began before it was retired */
  draining: boolean;
  /** Sessions that run on the deployment now */
  activeSessionCount: number;
  /** Id of the deployment that it was promoted from, null for none */
  promotedFrom: string | null;
  /** What was noticed and stops nothing */
  warnings: Array<WarningItem>;
}

/** A deployment as lists show it; without a label of its own it is called as its endpoint. */
export interface DeploymentItem {
  /** Id of the deployment */
  id: string;
  /** Id of the project */
  projectId: string;
  /** `dev`, `staging` or `production` */
  environment: string;
  /** `active` or `retired` */
  status: "active" | "retired";
  /** Name as it is shown */
  label: string;
  /** Name of the deployment in addresses */
  endpointSlug: string;
  /** When it was made */
  createdAt: string;
}

/** The deployments of a project, the newest first. */
export interface DeploymentListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The deployments */
  deployments: Array<DeploymentItem>;
}

/** One deployment. */
export interface DeploymentReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The deployment */
  deployment: DeploymentDetail;
}

/** What is found in a text. */
export interface DiagnosticItem {
  /** What happened, for programs */
  code: string;
  /** What was found and what to do, for people */
  message: string;
  /** How bad it is */
  severity: "error" | "warning" | "info";
  /** Line of the text, from 1 */
  line?: number | null;
  /** Column of the text, from 1 */
  column?: number | null;
  /** The agent in which it was found */
  agent?: string | null;
}

/** What is different, as a unified diff; empty when nothing is. */
export interface DiffReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The difference as unified text */
  diff: string;
}

/** By what events may be told apart; hours and days are those of UTC. */
export type Dimension = "category" | "event_type" | "agent_name" | "channel" | "hour" | "day";

/** Where a live session would have gone another way; `seq` numbers the events of its journal from 1. */
export interface DivergenceItem {
  /** Id of the session */
  sessionId: string;
  /** Number within the session, from 1 */
  seq: number;
  /** Number of the turn, from 1 */
  turn: number;
  /** What happened otherwise */
  event: string;
  /** When it happened */
  at: string;
  /** Name of the agent */
  agentName: string;
  /** Why */
  reason: string;
}

/** It is done. */
export interface DoneReply {
  /** Whether it was done: true in every success body */
  success?: true;
}

/** A draft to save as it is. */
export interface DraftBody {
  /** The text of the agent in ABL */
  dslContent: string;
}

/** An agent leads to another, or uses a tool. */
export interface EdgeItem {
  /** The agent that leads or uses */
  from: string;
  /** The agent or tool that is led to or used */
  to: string;
  /** `handoff`, `delegate` or `tool` */
  type: "handoff" | "delegate" | "tool";
}

/** How many sessions ended so. */
export interface EndReasonCount {
  /** What ended the sessions */
  end_reason: string | null;
  /** How many there are */
  count: number;
}

/** Why a session ends. */
export interface EndSessionBody {
  /** Why */
  reason?: "user" | "api" | "human_completed" | "eval_finished" | "error";
}

/** A session after its end. */
export interface EndedSession {
  /** Id of the session */
  id: string;
  /** Always `ended` */
  status: "ended";
  /** When it ended, null while it is active */
  endedAt: string;
  /** What ended the session */
  endReason: string;
}

/** The answer to an end. */
export interface EndedSessionReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The session */
  session: EndedSession;
}

/** `confirm` is the tenant's id: nobody erases one by accident. */
export interface EraseBody {
  /** The id of the tenant, to show that this is meant */
  confirm: string;
}

/** How much there was. */
export interface ErasedReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** It is gone */
  deleted?: true;
  /** How many sessions were ended */
  sessions: number;
  /** How many rows were removed, by table */
  rows: number;
}

/** Errors of one code and origin. */
export interface ErrorPattern {
  /** What happened, for programs */
  code: string;
  /** Where the error came from */
  origin: string;
  /** How many there are */
  count: number;
  /** When it happened first */
  firstAt: string;
  /** When it happened last */
  lastAt: string;
  /** The message of one of these errors */
  sampleMessage: string;
  /** Ids of the spans */
  spanIds: Array<string>;
}

/** What an event is about. */
export type EventCategory = "session" | "message" | "llm" | "tool" | "agent" | "gather" | "flow" | "channel" | "deployment" | "search" | "voice" | "audit" | "evaluation" | "feedback" | "system";

/** An event. */
export interface EventItem {
  /** Id of the event */
  id: string;
  /** Category of the event, e.g. `llm` */
  category: string;
  /** Type of the event */
  event_type: string;
  /** Name of the agent */
  agent_name: string | null;
  /** Id of a session; its `runtimeSessionId` will do */
  session_id: string | null;
  /** When it happened */
  timestamp: string;
  /** How long it took in milliseconds, null where that is not known */
  duration_ms: number | null;
  /** What went wrong; null when nothing did */
  error: string | null;
  /** free JSON, by the event */
  metadata: JsonObject;
  /** The channel of the session */
  channel: string | null;
}

/** Some events, the newest first. */
export interface Events {
  /** The events */
  events: Array<EventItem>;
  /** How many there are in all */
  total: number;
  /** Whether there are more behind this page */
  hasMore: boolean;
}

/** Some events. */
export interface EventsReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: Events;
}

/** What an export would hold. */
export interface ExportPreviewReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The project */
  project: ProjectNames;
  /** The agents */
  agents: Array<PreviewedAgent>;
  /** The tools */
  tools: Array<PreviewedTool>;
  /** What the agents need of each other */
  dependencies: Dependencies;
}

/** A project as texts: path -> text, in the order of its documents. */
export interface ExportReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What the export is of */
  manifest: Manifest;
  /** Which text each agent has */
  lockfile: Lockfile;
  /** Path -> text */
  files: Record<string, string>;
  /** What was noticed and stops nothing */
  warnings: Array<string>;
}

/** What somebody thinks of an answer: a word, or 1 to 5 stars. */
export interface FeedbackBody {
  /** Id of the session */
  sessionId: string;
  /** Id of the agent's message that is rated */
  messageId: string;
  /** `positive`, `negative`, `neutral`, or 1 to 5 stars */
  rating: "positive" | "negative" | "neutral" | number;
  /** What the user says about the answer */
  comment?: string;
}

/** Under which id it is kept; it stays the same when the author says something else. */
export interface FeedbackReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the feedback */
  feedbackId: string;
}

/** One field of the form of a task; a `select` has options. */
export interface FieldBody {
  /** Name of the field: the agent finds the value under it */
  name: string;
  /** `text`, `number`, `boolean`, `select`, `textarea` or `date` */
  type: "text" | "number" | "boolean" | "select" | "textarea" | "date";
  /** Name as it is shown */
  label?: string;
  /** Whether there must be a value */
  required?: boolean;
  /** What can be chosen */
  options?: Array<string>;
}

/** One field of a form. */
export interface FieldItem {
  /** Name of the field: the agent finds the value under it */
  name: string;
  /** `text`, `number`, `boolean`, `select`, `textarea` or `date` */
  type: "text" | "number" | "boolean" | "select" | "textarea" | "date";
  /** Name as it is shown */
  label: string;
  /** Whether there must be a value */
  required: boolean;
  /** What can be chosen */
  options?: Array<string> | null;
}

/** An attachment of the project. */
export interface FilePart {
  /** What kind it is */
  type: "file";
  /** Id of the file */
  attachmentId: string;
}

/** Which events; what is not said means any. */
export interface Filters {
  /** Only events of this category */
  category?: EventCategory | null;
  /** Only events of these types */
  eventTypes?: Array<string>;
  /** Name of the agent */
  agentName?: string | null;
  /** Id of the session */
  sessionId?: string | null;
  /** Only events with an error, or only those without */
  hasError?: boolean | null;
}

/** What is known of a field that an agent asks for. */
export interface GatheredValue {
  /** free JSON, by the field's type */
  value: JsonValue;
  /** Whether the user has confirmed the value */
  confirmed: boolean;
  /** Where it came from */
  source: string;
}

/** A call of a model by an agent. */
export interface Generation {
  /** Id of the model call */
  id: string;
  /** Id of the session */
  sessionId: string;
  /** Id of the span */
  spanId: string;
  /** Number of the turn, from 1 */
  turn: number;
  /** Name of the agent */
  agentName: string;
  /** The model */
  model: string;
  /** Name of the provider */
  provider: string;
  /** What the model was asked for */
  operationType: string;
  /** When it happened */
  timestamp: string;
  /** How long it took, in milliseconds */
  latencyMs: number;
  /** Milliseconds until the first piece, null where that is not known */
  timeToFirstTokenMs: number | null;
  /** Tokens that went in */
  inputTokens: number;
  /** Tokens that came out */
  outputTokens: number;
  /** Tokens in and out */
  totalTokens: number;
  /** Cost in US dollars as far as prices are known, null where none is */
  estimatedCost: number | null;
  /** Why the model stopped */
  finishReason: string;
  /** Whether it was done: true in every success body */
  success: boolean;
  /** What was sent to the model, in figures */
  prompt: PromptFigures;
}

/** Some model calls of a project's agents. */
export interface GenerationsReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How many there are in all */
  total: number;
  /** How many are left out before the first one */
  offset: number;
  /** How many there are at most in this answer */
  limit: number;
  /** The model calls, the newest first */
  generations: Array<Generation>;
}

/** Whether each edge leads to something, and a sentence for each that does not. */
export interface GraphValidation {
  /** Whether nothing is wrong */
  valid: boolean;
  /** A sentence for each fault */
  errors: Array<string>;
}

/** The process lives. */
export interface HealthReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Always `ok` */
  status?: "ok";
  /** Version of the server */
  version: string;
  /** Seconds since this process began */
  uptimeSec: number;
  /** What this instance can do */
  capabilities: Record<string, boolean>;
}

/** One line of the history, which says of buttons and forms what became of them. Decision: 0076. */
export interface HistoryMessage {
  /** Id of the message */
  id: string;
  /** Who speaks: `user`, `assistant` or `system` */
  role: "user" | "assistant" | "system";
  /** The text */
  content: string;
  /** When it happened */
  timestamp: string;
  /** Number of the turn, from 1 */
  turn: number;
  /** Name of the agent */
  agentName?: string | null;
  /** The files */
  attachments?: Array<MessageFile> | null;
  /** The answer in other forms; null when there is none */
  richContent?: RichContent | null;
  /** Buttons, selects and inputs under the message; null when there are none */
  actions?: ActionSet | null;
  /** What was done last, or is to be done */
  action?: MessageAction | null;
  /** The `messageId` under which a WebSocket sent the message */
  clientMessageId?: string | null;
  /** Whether the answer was cut off */
  interrupted?: boolean | null;
  /** Of a message that shows buttons or a form: `open` can be answered, `closed` was not and cannot be. */
  actionState?: "open" | "answered" | "closed" | null;
  /** How they were answered. */
  answer?: ActionAnswer | null;
}

/** Some messages of a session, and where the next ones begin. */
export interface HistoryReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The messages, in their order */
  messages: Array<HistoryMessage>;
  /** What to ask for to get the next page, null on the last one */
  nextCursor: string | null;
  /** Whether there are more behind this page */
  hasMore: boolean;
  /** Up to which number of the session's output the page goes; what is behind it comes with `?lastSeq=` of the WebSocket. Null where that is known no more: in sessions of earlier versions. */
  lastSeq: number | null;
  /** Id of the message whose buttons or form can be answered now. */
  openActions: string | null;
}

/** A picture: its address, which only the provider fetches, or a JPEG, PNG, GIF or WebP as a data URL in base64. */
export interface ImagePart {
  /** What kind it is */
  type: "image_url";
  /** Address */
  url: string;
}

/** Texts to write as drafts; with `replace`, agents and tools that are not among them are deleted. */
export interface ImportBody {
  /** Path -> text: agents/<name>.abl, tools/<name>.tools.abl, profiles/<name>.abl, project.json */
  files?: Record<string, string>;
  /** `merge` deletes nothing; `replace` deletes what is not imported */
  mode?: "merge" | "replace";
}

/** What an import would do; `error` is null. */
export interface ImportPreviewReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What the import would do, null when it is refused */
  preview: PreviewDetail;
  /** What went wrong; null when nothing did */
  error?: null;
}

/** What an import has done, and what was noticed; texts with mistakes are written all the same. */
export interface ImportReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How many documents have changed */
  applied: Applied;
  /** What was noticed and stops nothing */
  warnings: Array<string>;
}

/** A message of the conversation. */
export interface InputItem {
  /** Only messages are taken */
  type?: string;
  /** user, assistant, system or developer; the last two are not read */
  role?: string;
  /** Text, or pieces of text */
  content?: string | Array<InputPart>;
}

/** What a response answers. */
export interface InputItems {
  /** Always the same */
  object?: "list";
  /** One message, or none where the agent spoke first */
  data: Array<InputMessage>;
  /** Id of the first */
  first_id: string | null;
  /** Id of the last */
  last_id: string | null;
  /** Always false */
  has_more?: false;
}

/** What a user said. */
export interface InputMessage {
  /** Id of the message */
  id: string;
  /** Always the same */
  type?: "message";
  /** Always the same */
  role?: "user";
  /** Always the same */
  status?: "completed";
  /** One text */
  content: Array<InputText>;
}

/** A piece of an input message; only texts are read. */
export interface InputPart {
  /** input_text, output_text or text */
  type: string;
  /** The text */
  text?: string | null;
}

/** A text that was said. */
export interface InputText {
  /** Always the same */
  type?: "input_text";
  /** What the user said */
  text: string;
}

/** What a page may do with a key. */
export interface KeyPermissions {
  /** Whether a page may chat by text */
  chat?: boolean;
  /** Whether a page may speak */
  voice?: boolean;
}

/** Who has the task next when its time is over: a user or a team, and for how many minutes. */
export interface LevelBody {
  /** Id of the user */
  userId?: string | null;
  /** Name of a team */
  team?: string | null;
  /** Minutes after which the task goes on to this level */
  afterMinutes: number;
}

/** One level of an escalation chain. */
export interface LevelItem {
  /** Id of the user */
  userId?: string | null;
  /** Name of a team */
  team?: string | null;
  /** Minutes after which the task goes on to this level */
  afterMinutes: number;
}

/** How much may be used; at least one of them. */
export interface Limits {
  /** How many tokens there may be at most */
  maxTokens?: number | null;
  /** How many US dollars may be spent at most */
  maxUsd?: number | null;
}

/** The session that is with a contact. */
export interface LinkSessionBody {
  /** Id of the session */
  sessionId: string;
}

/** The text an agent has in an export; its version is `draft`. */
export interface LockedAgent {
  /** The version */
  version: string;
  /** Hash of the text, `sha256:<hex>` */
  hash: string;
}

/** Agent -> its text. */
export interface Lockfile {
  /** Agent -> version and hash of its text */
  agents: Record<string, LockedAgent>;
}

/** Who somebody says to be. */
export interface LoginBody {
  /** Email address */
  email: string;
  /** The password of the account */
  password: string;
}

/** The first tokens of a log-in, and whose it is. */
export interface LoginReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The token to send as `Authorization: Bearer` */
  accessToken: string;
  /** The token that gets a new access token, once */
  refreshToken: string;
  /** Seconds for which it is good */
  expiresIn: number;
  /** The user */
  user: UserItem;
}

/** A new agent, and what is found in its text. */
export interface MadeAgentReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The agent */
  agent: AgentDetail;
  /** What was found in the text */
  diagnostics: Array<DiagnosticItem>;
}

/** A new secret, shown this once. */
export interface MadeApiKeyReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The key */
  key: ApiKeyItem;
  /** The key in clear, shown this once */
  secret: string;
}

/** A new public key with itself, shown this once. */
export interface MadePublicKeyReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The key */
  key: PublicKeyItem;
  /** The key in clear, shown this once */
  secret: string;
}

/** One user. */
export interface ManagedUserReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The user */
  user: UserItem;
}

/** What an export is of; `version` follows from the texts. */
export interface Manifest {
  /** Version of this form of export */
  formatVersion: 1;
  /** Name of the project */
  name: string;
  /** Version of the exported project */
  version: string;
  /** The agent that begins, null where none was set */
  entryAgent: string | null;
  /** Agent -> hash and place of its text */
  agents: Record<string, ManifestEntry>;
  /** The tools */
  tools: Record<string, ManifestEntry>;
  /** Profile -> hash and place of its text */
  profiles: Record<string, ManifestEntry>;
  /** Languages of the project that the export holds */
  languages: Record<string, ManifestEntry>;
  /** When the export was made */
  exportedAt: string;
  /** Who made the export */
  exportedBy: string;
}

/** A text in an export. */
export interface ManifestEntry {
  /** Hash of the text, `sha256:<hex>` */
  sourceHash: string;
  /** Place of the text in the export */
  path: string;
}

/** Who shall be what in a project. */
export interface MemberBody {
  /** Id of the user */
  userId: string;
  /** Role of the member in the project */
  role: "admin" | "developer" | "tester" | "viewer";
}

/** A member of a project. */
export interface MemberItem {
  /** Id of the user */
  userId: string;
  /** Email address */
  email: string;
  /** Name as it is shown */
  displayName: string;
  /** Role of the member in the project */
  role: string;
}

/** The members of a project, the oldest user first. */
export interface MemberListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The members */
  members: Array<MemberItem>;
}

/** What a member shall be. */
export interface MemberPatch {
  /** New role of the member in the project */
  role: "admin" | "developer" | "tester" | "viewer";
}

/** One member. */
export interface MemberReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The member */
  member: MemberItem;
}

/** What sandboxed code asks of a memory store; the route refuses with the sentences of the specification. */
export interface MemoryBody {
  /** `get`, `set` (replace) or `delete` */
  action?: string;
  /** Name of the memory store */
  memoryStoreName?: string;
  /** What to keep: `{content: {...}}`, for `set` */
  payload?: JsonObject;
}

/** What came of it; without `data` for `set`. */
export interface MemoryReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** free JSON, as it was kept */
  data?: JsonObject | null;
}

/** One line of a conversation; what there is nothing to say of is left out. */
export interface Message {
  /** Id of the message */
  id: string;
  /** Who speaks: `user`, `assistant` or `system` */
  role: "user" | "assistant" | "system";
  /** The text */
  content: string;
  /** When it happened */
  timestamp: string;
  /** Number of the turn, from 1 */
  turn: number;
  /** Name of the agent */
  agentName?: string | null;
  /** The files */
  attachments?: Array<MessageFile> | null;
  /** The answer in other forms; null when there is none */
  richContent?: RichContent | null;
  /** Buttons, selects and inputs under the message; null when there are none */
  actions?: ActionSet | null;
  /** Of a message of the user that pressed a button or sent a form. */
  action?: MessageAction | null;
  /** The `messageId` under which a WebSocket sent it. */
  clientMessageId?: string | null;
  /** Whether the answer was cut off */
  interrupted?: boolean | null;
}

/** The pressed button or sent form that a message was; `answers` is the message that showed it. */
export interface MessageAction {
  /** Id of the element that was used, or of the set */
  actionId: string;
  /** What was chosen or entered */
  value?: string | null;
  /** Values of the fields of a form, by their ids */
  formData?: JsonObject | null;
  /** The `render_id` of the set that was answered */
  renderId?: string | null;
  /** Where it came from */
  source?: string | null;
  /** Id of the message whose buttons or form were answered */
  answers?: string | null;
}

/** A file that came with a message. */
export interface MessageFile {
  /** Id of the file */
  id: string;
  /** Name of the file, without a path */
  filename: string;
  /** Media type of the file */
  mimeType: string;
  /** Size in bytes */
  sizeBytes: number;
  /** `image`, `document`, `audio` or `video` */
  category: "image" | "document" | "audio" | "video";
}

/** What may be computed of events. */
export type Metric = "count" | "avg_duration" | "error_rate" | "p95_duration" | "sum_tokens" | "sum_cost";

/** How a mocked tool fails. */
export interface MockError {
  /** What the tool says has gone wrong */
  message: string;
  /** What happened, for programs */
  code?: string | null;
}

/** One call of a model. */
export interface ModelCallFigures {
  /** Id of the span */
  spanId: string;
  /** Number of the turn, from 1 */
  turn: number;
  /** The model */
  model: string;
  /** Tokens that went in */
  inputTokens: number;
  /** Tokens that came out */
  outputTokens: number;
  /** How long it took, in milliseconds */
  latencyMs: number;
}

/** What the calls of one model cost, null where no price is known; `share` of all. */
export interface ModelCostItem {
  /** The model */
  model: string;
  /** Name of the provider */
  provider: string;
  /** How many calls of models there were */
  call_count: number;
  /** Tokens that went in */
  tokens_in: number;
  /** Tokens that came out */
  tokens_out: number;
  /** Tokens in and out */
  total_tokens: number;
  /** Cost in US dollars, null where no price is known */
  cost: number | null;
  /** Share of all costs, 0 to 1 */
  share: number | null;
}

/** An agent, an agent in an environment, or a deployment. */
export interface ModelItem {
  /** What `model` of a request names it by */
  id: string;
  /** What kind of object this is */
  object?: "model";
  /** When, in seconds since 1970 */
  created: number;
  /** Whose the model is */
  owned_by?: "abl-runtime";
}

/** All that can be asked for as a model. */
export interface ModelList {
  /** What kind of object this is */
  object?: "list";
  /** What was asked for */
  data: Array<ModelItem>;
}

/** What a deployment says of the model calls of one agent. */
export interface ModelOverrideBody {
  /** The model */
  model?: string | null;
  /** How freely the model answers, 0 to 2 */
  temperature?: number | null;
  /** How many tokens there may be at most */
  maxTokens?: number | null;
}

/** What a deployment says of the model calls of one agent. */
export interface ModelOverrideItem {
  /** The model */
  model?: string | null;
  /** How freely the model answers, 0 to 2 */
  temperature?: number | null;
  /** How many tokens there may be at most */
  maxTokens?: number | null;
}

/** A model of a provider; prices in US dollars for a million tokens. */
export interface ModelRow {
  /** Name by which the provider knows the model */
  id: string;
  /** Model family, for judges of another one */
  family?: string | null;
  /** How many tokens the model takes */
  contextWindow?: number | null;
  /** How many tokens the model gives */
  maxOutputTokens?: number | null;
  /** US dollars for a million tokens that go in */
  inputPricePerMTok?: number | null;
  /** US dollars for a million tokens that come out */
  outputPricePerMTok?: number | null;
  /** Whether the model calls tools */
  supportsTools?: boolean | null;
  /** Whether the model takes pictures */
  supportsImages?: boolean | null;
}

/** An agent of some project. */
export interface NamedAgent {
  /** Id of the agent */
  id: string;
  /** Name of the agent */
  name: string;
}

/** An agent to make. */
export interface NewAgentBody {
  /** Name of the agent, which its text declares too */
  name: string;
  /** The text of the agent in ABL */
  dslContent?: string;
  /** The first part of the agent's path; the project's slug when nothing is said */
  domain?: string | null;
  /** What it is, for people */
  description?: string | null;
}

/** A channel to make; without a deployment it follows what is active in its environment. */
export interface NewChannelBody {
  /** Name of the channel */
  name: string;
  /** What kind of client the channel is for */
  channelType: "web" | "mobile_ios" | "mobile_android" | "voice" | "api";
  /** Id of the public key that the channel's pages carry */
  publicApiKeyId: string;
  /** Id of the deployment that runs, or is to run */
  deploymentId?: string | null;
  /** `dev`, `staging` or `production` */
  environment?: "dev" | "staging" | "production" | null;
  /** Whether the channel goes to whatever is active in its environment */
  followEnvironment?: boolean;
  /** How the widget looks and what it offers */
  config?: WidgetBody | null;
  /** Whether it is in use */
  isActive?: boolean;
}

/** A contact to keep; an identity without a type is `external`, a type without one is kept for a later one. */
export interface NewContactBody {
  /** `employee`, `customer` or `anonymous` */
  type?: "employee" | "customer" | "anonymous" | null;
  /** By what the contact is known: an email, a phone number, a name elsewhere */
  identity?: string | null;
  /** What the identity is; alone it waits for one */
  identityType?: "email" | "phone" | "external" | null;
  /** Name as it is shown */
  displayName?: string | null;
  /** Department of the contact */
  department?: string | null;
  /** Number of the contact as an employee */
  employeeId?: string | null;
  /** Company of the contact */
  company?: string | null;
  /** How another system calls the account of the contact */
  accountRef?: string | null;
  /** By which channel the contact comes */
  channel?: string | null;
  /** Free JSON that belongs to it */
  metadata?: JsonObject | null;
  /** Words by which it is found */
  tags?: Array<string> | null;
}

/** A deployment to make; `auto` freezes the draft. */
export interface NewDeploymentBody {
  /** `dev`, `staging` or `production` */
  environment: "dev" | "staging" | "production";
  /** Agent -> its version; `auto` freezes the draft, and never comes back */
  agentVersionManifest: Record<string, string | VersionRef>;
  /** Name of the agent that begins */
  entryAgentName: string;
  /** Name as it is shown */
  label?: string | null;
  /** What it is, for people */
  description?: string | null;
  /** Agent -> model and settings that take the place of its own */
  modelOverrides?: Record<string, ModelOverrideBody> | null;
  /** The settings that the deployment keeps */
  settingsVersionId?: string | null;
  /** Workflow -> its version; kept and returned, not carried out */
  workflowVersionManifest?: Record<string, string> | null;
  /** `packed` shares hosts, `dedicated` has its own */
  placement?: "packed" | "dedicated" | null;
}

/** A project to make; without a slug one is made of its name. */
export interface NewProjectBody {
  /** Name of the project, one of its kind in the tenant */
  name: string;
  /** What it is, for people */
  description?: string;
  /** Short name in addresses */
  slug?: string | null;
}

/** A secret for a tool, or under the name `*` for all tools; refused with the sentences of the specification. */
export interface NewSecretBody {
  /** Id of the project */
  projectId: string;
  /** Name of the tool; `*` is every tool */
  toolName: string;
  /** Name of the value for the tool */
  secretKey: string;
  /** The secret; it is kept sealed and never shown */
  value: string;
  /** `dev`, `staging` or `production` */
  environment?: "dev" | "staging" | "production";
  /** When it ends, null for never */
  expiresAt?: string | null;
}

/** A session to open before anybody speaks. */
export interface NewSessionBody {
  /** Id, name or `<domain>/<agent-name>` of an agent; it counts for the first turn of a session */
  agentId: string;
  /** `dev`, `staging`, `production` or `working-copy`: what runs; the drafts where nothing is said */
  environment?: "dev" | "staging" | "production" | "working-copy" | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId?: string | null;
  /** `api`, `web_debug` or `voice` */
  channel?: "api" | "web_debug" | "voice";
  /** Id of the contact whom the session is with */
  contactId?: string | null;
  /** Variable -> value at the start */
  variables?: JsonObject | null;
}

/** A task for somebody; without a time of its own it is due after what the first level of its chain says. */
export interface NewTaskBody {
  /** What is asked: `approval`, `data_entry`, `review`, `decision` or `escalation` */
  type: "approval" | "data_entry" | "review" | "decision" | "escalation";
  /** What it is, in a line */
  title: string;
  /** How urgent it is */
  priority?: "low" | "medium" | "high" | "critical";
  /** What it is, for people */
  description?: string | null;
  /** The fields of the form */
  fields?: Array<FieldBody>;
  /** Data from the conversation for whoever does the task */
  context?: JsonObject;
  /** What can be chosen */
  options?: Array<string>;
  /** Until when it is to be done, null without a limit */
  dueAt?: string | null;
  /** Id of the user who is to do it */
  assignedTo?: string | null;
  /** Name of the team that is to do it */
  assignedToTeam?: string | null;
  /** To whom the task goes on when nobody does it in time */
  escalationChain?: Array<LevelBody>;
  /** Words by which it is found */
  tags?: Array<string>;
  /** Id of the session */
  sessionId?: string | null;
}

/** A version to freeze; without a name it gets the next integer. */
export interface NewVersionBody {
  /** The version */
  version?: string | null;
  /** Name as it is shown */
  label?: string | null;
  /** What is new in the version */
  changelog?: string | null;
  /** Hash that the draft must have; 409 when it has changed since */
  expectedDraftSourceHash?: string | null;
}

/** A hook: an https address (http for loopback only), and what it wants to be told. */
export interface NewWebhookBody {
  /** Address */
  url: string;
  /** Events that are told; `*` is all */
  events: Array<"*" | "session.started" | "session.ended" | "session.suspended" | "session.resumed" | "message.completed" | "handoff" | "escalation" | "human_task.created" | "human_task.completed" | "human_task.expired" | "deployment.created" | "deployment.retired" | "eval_run.completed" | "eval_run.failed" | "eval_run.regression" | "feedback.created">;
  /** What it is, for people */
  description?: string | null;
  /** Whether it is in use */
  isActive?: boolean;
}

/** A new hook with its signing secret, which is shown this once. */
export interface NewWebhookReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The webhook */
  webhook: WebhookItem;
  /** The secret that signs deliveries, shown this once */
  secret: string;
}

/** One message of the conversation. */
export interface OpenAiMessage {
  /** Who speaks; `system` and `developer` are not read */
  role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  /** The text */
  content?: string | Array<ContentPart> | null;
}

/** Tokens of all model calls of the turn. */
export interface OpenaiCompletionUsage {
  /** Tokens of the messages */
  prompt_tokens: number;
  /** Tokens of the answer */
  completion_tokens: number;
  /** Tokens in and out */
  total_tokens: number;
}

/** What an import does with one document, or with the project, of which the entry agent may change. */
export interface OperationItem {
  /** `create`, `update`, `delete` or `unchanged` */
  type: "create" | "update" | "delete" | "unchanged";
  /** What kind of document it is */
  entity: "agent" | "tool" | "profile" | "language" | "project";
  /** Name of the agent or tool */
  name: string;
  /** Why */
  reason: string;
}

/** What an agent said. */
export interface OutputMessage {
  /** Id of the message */
  id: string;
  /** Always the same */
  type?: "message";
  /** Always the same */
  role?: "assistant";
  /** Whether all of it is there */
  status: "in_progress" | "completed";
  /** One text */
  content: Array<OutputText>;
}

/** A text of an answer. */
export interface OutputText {
  /** Always the same */
  type?: "output_text";
  /** What the agent said */
  text: string;
  /** Always empty */
  annotations?: Array<JsonValue>;
  /** Always empty */
  logprobs?: Array<JsonValue>;
}

/** The password that is, and the one that shall be. */
export interface PasswordBody {
  /** The password until now */
  currentPassword: string;
  /** The password from now on, at least 12 characters */
  newPassword: string;
}

/** What a promotion would do to the sessions that are live now. */
export interface PreflightReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Nothing was done: it was only looked at */
  dryRun?: true;
  /** Id of the deployment that is promoted */
  sourceDeploymentId: string;
  /** Environment in which it shall be active */
  targetEnvironment: string;
  /** Whose live sessions were looked at: the active one of the target environment, else the source. */
  deploymentId: string;
  /** How many live sessions were looked at */
  checked: number;
  /** Where sessions would have gone another way */
  diverging: Array<DivergenceItem>;
  /** Sessions whose journal cannot be folded any more. */
  unchecked: Array<string>;
  /** There are more live sessions than are looked at. */
  isTruncated: boolean;
}

/** What an import would do. */
export interface PreviewDetail {
  /** What is done with each document */
  operations: Array<OperationItem>;
  /** The sums */
  summary: PreviewSummary;
}

/** How many documents change. */
export interface PreviewSummary {
  /** How many documents would be new */
  create: number;
  /** How many documents would change */
  update: number;
  /** How many documents would be deleted */
  delete: number;
}

/** An agent, and whether it has a text to export. */
export interface PreviewedAgent {
  /** Name of the agent */
  name: string;
  /** Whether the agent has a text */
  hasDslContent: boolean;
}

/** A tool that is written down in the project. */
export interface PreviewedTool {
  /** Name of the tool */
  name: string;
  /** What kind of tool it is */
  toolType: string;
}

/** What was active before a rollback. */
export interface PreviousItem {
  /** Id of the deployment that was active before */
  id: string;
  /** Always `retired` */
  status: "active" | "retired";
  /** Since when it takes no new sessions, null while it does */
  retiredAt: string | null;
}

/** A budget within a project; `subject` names one agent, contact or session, and each has it where none is named. */
export interface ProjectBudgetBody {
  /** How many tokens there may be at most */
  maxTokens?: number | null;
  /** How many US dollars may be spent at most */
  maxUsd?: number | null;
  /** How often the budget begins anew */
  period?: "total" | "day" | "month";
  /** Whose use the budget bounds */
  scope?: "project" | "agent" | "contact" | "session";
  /** Whose it is within the scope */
  subject?: string | null;
}

/** What is to be different; `entryAgentName: null` clears it. */
export interface ProjectChangeBody {
  /** New name of the project, one of its kind in the tenant */
  name?: string | null;
  /** What it is, for people */
  description?: string | null;
  /** Short name in addresses */
  slug?: string | null;
  /** Name of the agent that begins */
  entryAgentName?: string | null;
  /** The settings of the project */
  settings?: ProjectSettingsBody | null;
}

/** A project. */
export interface ProjectItem {
  /** Id of the project */
  id: string;
  /** Id of the tenant */
  tenantId: string;
  /** Name of the project */
  name: string;
  /** Short name in addresses */
  slug: string;
  /** What it is, for people */
  description: string;
  /** Name of the agent that begins */
  entryAgentName: string | null;
  /** The settings of the project */
  settings: SettingsItem;
  /** How many agents the project has */
  agentCount: number;
  /** When it was made */
  createdAt: string;
  /** When it changed last */
  updatedAt: string;
}

/** Projects, the oldest first. */
export interface ProjectListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The projects */
  projects: Array<ProjectItem>;
}

/** A project that somebody is a member of. */
export interface ProjectMembership {
  /** Id of the project */
  id: string;
  /** Role of the user in the project */
  role: string;
}

/** The models that a project takes; what is left out names none. */
export interface ProjectModelsBody {
  /** Model that agents use which name none */
  defaultModelId?: string | null;
  /** Tier -> model */
  tiers?: Tiers;
  /** Model that plays the users of evaluations */
  evalPersonaModel?: string | null;
  /** Model that judges conversations */
  evalJudgeModel?: string | null;
  /** Model that recognises speech */
  stt?: string | null;
  /** Model that speaks */
  tts?: string | null;
}

/** The models that a project takes. */
export interface ProjectModelsReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The models */
  models: ProjectModelsBody;
}

/** What a project is called. */
export interface ProjectNames {
  /** Name of the project */
  name: string;
  /** Short name in addresses */
  slug: string;
}

/** One project. */
export interface ProjectReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The project */
  project: ProjectItem;
}

/** Settings to change; what is not given stays. Their bounds stand in `domain.projects`. */
export interface ProjectSettingsBody {
  /** Seconds without anything said after which a session ends */
  sessionIdleTimeoutSec?: number | null;
  /** Seconds that a turn may take */
  turnTimeoutSec?: number | null;
  /** Seconds for which a callback is waited for */
  callbackTtlSec?: number | null;
  /** Seconds until sessions of a retired deployment are ended */
  drainTimeoutSec?: number | null;
  /** How many characters a message may have; what the body may hold where nothing is said */
  maxMessageChars?: number | null;
  /** Days for which traces are kept */
  traceRetentionDays?: number | null;
  /** Days for which evaluations are kept */
  evalRetentionDays?: number | null;
  /** How the project speaks */
  voice?: VoiceSettingsBody | null;
}

/** Where a deployment is to be active too; what is not given is as in the source. */
export interface PromoteBody {
  /** Environment in which it shall be active */
  targetEnvironment: "dev" | "staging" | "production";
  /** Name as it is shown */
  label?: string | null;
  /** What it is, for people */
  description?: string | null;
  /** Agent -> model and settings that take the place of its own */
  modelOverrides?: Record<string, ModelOverrideBody> | null;
}

/** The deployment that was made in the target environment. */
export interface PromotedReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The deployment */
  deployment: DeploymentDetail;
  /** Id of the deployment that is promoted */
  sourceDeploymentId: string;
}

/** What is known of a prompt without its words; null where it was not counted. */
export interface PromptFigures {
  /** How many messages there are */
  messageCount: number | null;
  /** Characters of the prompt */
  characters: number | null;
  /** Hash of the system prompt: equal where that was */
  systemPromptHash: string | null;
}

/** A provider to keep; its key is sealed and never shown. */
export interface ProviderBody {
  /** Name of the provider: the first part of `provider/model` */
  name: string;
  /** What kind it is */
  kind: "embedded" | "openai_compatible" | "anthropic" | "gemini" | "mock";
  /** Address of the provider's API */
  baseUrl?: string | null;
  /** Key of the provider; it is kept sealed and never shown */
  apiKey?: string | null;
  /** The models */
  models?: Array<ModelRow> | null;
  /** Whether agents use it that name no model */
  isDefault?: boolean | null;
}

/** What the calls of one provider's models cost, null where no price is known; `share` of all. */
export interface ProviderCostItem {
  /** Name of the provider */
  provider: string;
  /** How many calls of models there were */
  call_count: number;
  /** Tokens in and out */
  total_tokens: number;
  /** Cost in US dollars, null where no price is known */
  cost: number | null;
  /** Share of all costs, 0 to 1 */
  share: number | null;
}

/** A provider without its key; `status` is what is seen without asking it. */
export interface ProviderItem {
  /** Id of the provider */
  id: string;
  /** Name of the provider: the first part of `provider/model` */
  name: string;
  /** What kind it is */
  kind: string;
  /** Address of the provider's API */
  baseUrl: string | null;
  /** Whether a key is kept */
  hasApiKey: boolean;
  /** The models */
  models: Array<ModelRow>;
  /** Whether agents use it that name no model */
  isDefault: boolean;
  /** What is seen without asking it: `ready`, `needs_key` or `no_model` */
  status: "ready" | "needs_key" | "no_model";
}

/** The providers of a tenant, the oldest first. */
export interface ProviderListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The model providers */
  providers: Array<ProviderItem>;
}

/** What shall change of a provider; an empty key takes the one that is kept away. */
export interface ProviderPatch {
  /** New name of the provider: the first part of `provider/model` */
  name?: string | null;
  /** What kind it is */
  kind?: "embedded" | "openai_compatible" | "anthropic" | "gemini" | "mock" | null;
  /** Address of the provider's API */
  baseUrl?: string | null;
  /** Key of the provider; it is kept sealed and never shown */
  apiKey?: string | null;
  /** The models */
  models?: Array<ModelRow> | null;
  /** Whether agents use it that name no model */
  isDefault?: boolean | null;
}

/** One provider. */
export interface ProviderReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Name of the provider */
  provider: ProviderItem;
}

/** What came of asking a provider for a word. */
export interface ProviderTestReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Whether it went well */
  ok: boolean;
  /** How long it took, in milliseconds */
  latencyMs: number;
  /** What went wrong; null when nothing did */
  error: string | null;
}

/** A public key to make. */
export interface PublicKeyBody {
  /** What people call the key */
  name: string;
  /** Origins whose pages may use the key: exact ones, `https://*.example.com`, or `*`; none admits none */
  allowedOrigins: Array<string>;
  /** What is allowed */
  permissions?: KeyPermissions | null;
  /** `dev`, `staging` or `production` */
  environment?: "dev" | "staging" | "production" | "working-copy" | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId?: string | null;
  /** Whether pages are told what the agent is busy with */
  showActivityUpdates?: boolean | null;
  /** Whether what says no origin is refused; false for clients that are no browsers */
  requireOrigin?: boolean | null;
  /** Whether a page may name the agent of a first message */
  allowAgentOverride?: boolean | null;
  /** When it ends, null for never */
  expiresAt?: string | null;
}

/** A public key without itself. */
export interface PublicKeyItem {
  /** Id of the key, not the key itself */
  id: string;
  /** What people call the key */
  name: string;
  /** The first characters of the key */
  prefix: string;
  /** Id of the project */
  projectId: string;
  /** Origins whose pages may use the key: exact ones, `https://*.example.com`, or `*`; none admits none */
  allowedOrigins: Array<string>;
  /** What is allowed */
  permissions: ShownPermissions;
  /** `dev`, `staging` or `production` */
  environment: string | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId: string | null;
  /** Whether pages are told what the agent is busy with */
  showActivityUpdates: boolean;
  /** Whether what says no origin is refused; false for clients that are no browsers */
  requireOrigin: boolean;
  /** Whether a page may name the agent of a first message */
  allowAgentOverride: boolean;
  /** When it ends, null for never */
  expiresAt: string | null;
  /** When it was used last, null for never */
  lastUsedAt: string | null;
  /** When it was made */
  createdAt: string;
  /** Who made it */
  createdBy: string;
  /** Since when it opens nothing, null while it opens something */
  revokedAt: string | null;
}

/** The public keys of a project, the newest first. */
export interface PublicKeyListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The keys, without themselves */
  keys: Array<PublicKeyItem>;
}

/** What shall change of a public key; null clears what may be empty. */
export interface PublicKeyPatch {
  /** What people call the key */
  name?: string | null;
  /** Origins whose pages may use the key: exact ones, `https://*.example.com`, or `*`; none admits none */
  allowedOrigins?: Array<string> | null;
  /** What is allowed */
  permissions?: KeyPermissions | null;
  /** `dev`, `staging` or `production` */
  environment?: "dev" | "staging" | "production" | "working-copy" | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId?: string | null;
  /** Whether pages are told what the agent is busy with */
  showActivityUpdates?: boolean | null;
  /** Whether what says no origin is refused; false for clients that are no browsers */
  requireOrigin?: boolean | null;
  /** Whether a page may name the agent of a first message */
  allowAgentOverride?: boolean | null;
  /** When it ends, null for never */
  expiresAt?: string | null;
}

/** One public key. */
export interface PublicKeyReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The key */
  key: PublicKeyItem;
}

/** Which events are listed. */
export interface QueryBody {
  /** Only events of this category */
  category?: EventCategory | null;
  /** Only events of these types */
  eventTypes?: Array<string>;
  /** Name of the agent */
  agentName?: string | null;
  /** Id of the session */
  sessionId?: string | null;
  /** Only events with an error, or only those without */
  hasError?: boolean | null;
  /** The time that is looked at */
  timeRange: TimeRange;
  /** How many there are at most in this answer */
  limit?: number;
  /** How many are left out before the first one */
  offset?: number;
}

/** How often an agent's answers were rated so; four and five stars are positive, one and two negative. */
export interface Ratings {
  /** How many good ratings */
  positive: number;
  /** How many bad ratings */
  negative: number;
  /** How many ratings between */
  neutral: number;
}

/** The system can serve. */
export interface ReadinessReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How it stands */
  status?: "ready";
  /** What was looked at: store, hosts, queue, model and others */
  checks: Array<Check>;
}

/** Tokens of thoughts. */
export interface ReasoningTokens {
  /** Always 0: not counted here */
  reasoning_tokens?: number;
}

/** The last refresh token of a log-in. */
export interface RefreshBody {
  /** The token that gets a new access token, once */
  refreshToken: string;
}

/** A session after its reset. */
export interface ResetSession {
  /** Id of the session */
  id: string;
  /** Id of the session's present run; a reset gives a new one */
  runtimeSessionId: string;
  /** Always `active` */
  status: "active" | "ended";
  /** When it was reset */
  resetAt: string;
}

/** The answer to a reset. */
export interface ResetSessionReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The session */
  session: ResetSession;
}

/** What was decided. */
export interface ResolutionItem {
  /** Id of whoever decided */
  respondedBy: string;
  /** What was decided */
  decision: string;
  /** free JSON, by the names of the form's fields */
  fields: JsonObject;
  /** What whoever did it has noted */
  notes: string;
  /** When it was decided */
  resolvedAt: string;
}

/** What somebody decides; what `fields` holds becomes state of the session that waits. */
export interface ResolveBody {
  /** What was decided */
  decision: string;
  /** Id of whoever decided */
  respondedBy?: string | null;
  /** Field -> its value */
  fields?: JsonObject;
  /** What whoever did it has noted */
  notes?: string | null;
}

/** Which model a call goes to, and who named it. */
export interface ResolvedReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the model, as usage and traces report it */
  modelId: string;
  /** Id of the provider, null for one that is built in */
  providerId: string;
  /** Where it came from */
  source: "request" | "deployment" | "agent" | "tier" | "project" | "tenant" | "embedded";
}

/** A message for an agent. With `previous_response_id` it goes on behind that response, with `conversation` in that session; without either in the session in which the earlier messages of `input` were said. Where the conversation has gone on from there, or there is none, a session is opened and told of what was said before. */
export interface ResponseBody {
  /** An agent, `agent@environment`, or the id or slug of a deployment */
  model: string;
  /** What the user says: a text, or messages of which the last is the user's */
  input: string | Array<InputItem>;
  /** The response behind which this goes on */
  previous_response_id?: string | null;
  /** The session in which this goes on */
  conversation?: string | ConversationName | null;
  /** Tell the answer as it comes, as server-sent events */
  stream?: boolean;
  /** Whether the response can be read again and gone on from by its id */
  store?: boolean;
  /** Who speaks, for the agent and its memory */
  user?: string | null;
  /** Tells people behind one key apart where no session is named */
  safety_identifier?: string | null;
  /** Given back with the answer */
  metadata?: JsonObject | null;
  /** Not used: an agent has its own */
  instructions?: string | null;
  /** Must be empty: an agent has its own tools */
  tools?: Array<JsonValue> | null;
  /** Must not be true */
  background?: boolean | null;
}

/** Why a response has failed. */
export interface ResponseFault {
  /** server_error */
  code: string;
  /** What went wrong */
  message: string;
}

/** Tokens of all model calls of the turn. */
export interface ResponseUsage {
  /** Asked */
  input_tokens: number;
  /** More of them */
  input_tokens_details?: CachedTokens;
  /** Answered */
  output_tokens: number;
  /** More of them */
  output_tokens_details?: ReasoningTokens;
  /** Both */
  total_tokens: number;
}

/** How a deployment is retired: with `force` its sessions are ended at once. */
export interface RetireBody {
  /** End what still runs on it */
  force?: boolean;
}

/** A deployment that takes no new sessions. */
export interface RetiredItem {
  /** Id of the deployment */
  id: string;
  /** Always `retired` */
  status: "active" | "retired";
  /** Since when it takes no new sessions, null while it does */
  retiredAt: string | null;
  /** Whether sessions go on that began before it was retired */
  draining: boolean;
  /** Sessions that run on the deployment now */
  activeSessionCount: number;
}

/** What came of retiring a deployment. */
export interface RetiredReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The deployment */
  deployment: RetiredItem;
}

/** It opens nothing any more. */
export interface RevokedReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the key that was revoked */
  id: string;
}

/** An answer in other formats; the content of a structured one is as the agent wrote it. Spec: abl-language 4.2. */
export interface RichContent {
  /** The answer as Markdown */
  markdown?: string | null;
  /** The answer as HTML */
  html?: string | null;
  /** JSON, or a text that holds it */
  adaptive_card?: JsonValue;
  /** JSON, or a text that holds it */
  slack?: JsonValue;
  /** JSON, or a text that holds it */
  ag_ui?: JsonValue;
  /** JSON, or a text that holds it */
  whatsapp?: JsonValue;
  /** {cards: [{title, subtitle, image_url, default_action_url, buttons}]} */
  carousel?: JsonValue;
  /** [{id, label, icon_url}] */
  quick_replies?: JsonValue;
  /** {title, items: [{title, subtitle, image_url, default_action_url}]} */
  list?: JsonValue;
  /** {url, alt, thumbnail_url, caption} */
  image?: JsonValue;
  /** {url, alt, thumbnail_url, caption} */
  video?: JsonValue;
  /** {url, alt, thumbnail_url, caption} */
  audio?: JsonValue;
  /** {url, filename, size_bytes, mime_type} */
  file?: JsonValue;
  /** {label, value, unit, trend, icon_url} */
  kpi?: JsonValue;
  /** {columns: [{key, header, align}], rows, max_visible_rows} */
  table?: JsonValue;
  /** {type, title, data: [{label, value, color}]} */
  chart?: JsonValue;
  /** {title, fields: [{id, label, type, required, options}], submit_label} */
  form?: JsonValue;
  /** {label, value, max, variant} */
  progress?: JsonValue;
  /** {prompt, type, max} */
  feedback?: JsonValue;
}

/** Nothing has to be said. */
export interface RollbackBody {
}

/** What is active after a rollback, and what was before. */
export interface RollbackReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The deployment */
  deployment: DeploymentDetail;
  /** What was active before, null when nothing was */
  previousDeployment: PreviousItem | null;
}

/** How long the secret that is replaced still works. */
export interface RotateBody {
  /** Seconds for which the last secret still opens */
  graceSec?: number;
}

/** A secret under its next version. */
export interface RotatedSecret {
  /** Id of the secret, not its value */
  id: string;
  /** Name of the tool; `*` is every tool */
  toolName: string;
  /** Name of the value for the tool */
  secretKey: string;
  /** `dev`, `staging` or `production` */
  environment: string;
  /** Number of the value, from 1; each rotation raises it */
  version: number;
  /** When it changed last */
  updatedAt: string;
}

/** Another value. */
export interface RotatedSecretBody {
  /** The secret from now on */
  value: string;
}

/** The answer to a rotation. */
export interface RotatedSecretReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The secret without its value */
  secret: RotatedSecret;
}

/** One of `result` and `error`; `id` is null when the message could not be read. */
export interface RpcAnswer {
  /** Version of JSON-RPC: 2.0 */
  jsonrpc?: "2.0";
  /** Id of the request that is answered, null where it could not be read */
  id: string | number | null;
  /** free JSON, by the method, as MCP says */
  result?: JsonObject | null;
  /** What went wrong; null when nothing did */
  error?: RpcError | null;
}

/** Why a message has no result. */
export interface RpcError {
  /** What happened, for programs */
  code: number;
  /** What went wrong, for people */
  message: string;
}

/** When the draft was saved. */
export interface SavedReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** When it changed last */
  updatedAt: string;
}

/** A page that wants to speak with an agent. */
export interface SdkInitBody {
  /** Id of the project */
  projectId?: string | null;
  /** Id of the SDK channel */
  channelId?: string | null;
  /** Name of the SDK channel */
  channelName?: string | null;
  /** Id, name or `<domain>/<agent-name>` of an agent; it counts for the first turn of a session */
  agentId?: string | null;
  /** A token of `session_start`, to come back to its session */
  resumeToken?: string | null;
  /** Who speaks, as the page says; nobody vouches for it */
  user?: SdkUser | null;
}

/** A token for the page. */
export interface SdkInitReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The SDK session token, to be sent as `X-SDK-Token` */
  token: string;
  /** Seconds for which it is good */
  expiresIn: number;
  /** Id of the tenant */
  tenantId: string;
  /** Id of the project */
  projectId: string;
  /** Id of the SDK channel */
  channelId: string | null;
  /** What is allowed */
  permissions: Array<string>;
  /** Whether pages are told what the agent is busy with */
  showActivityUpdates: boolean;
  /** Id of the session */
  sessionId: string | null;
  /** Address of the WebSocket */
  wsUrl: string;
}

/** A token in place of an older one. */
export interface SdkTokenReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The SDK session token, to be sent as `X-SDK-Token` */
  token: string;
  /** Seconds for which it is good */
  expiresIn: number;
}

/** Who the page says is there; untrusted. */
export interface SdkUser {
  /** Id of the user, as the page calls them */
  id?: string | null;
  /** Name as it is shown */
  displayName?: string | null;
  /** What the page says of whoever speaks; nobody vouches for it */
  attributes?: JsonObject | null;
}

/** A secret in a list. */
export interface SecretItem {
  /** Id of the secret, not its value */
  id: string;
  /** Name of the tool; `*` is every tool */
  toolName: string;
  /** Name of the value for the tool */
  secretKey: string;
  /** `dev`, `staging` or `production` */
  environment: string;
  /** Number of the value, from 1; each rotation raises it */
  version: number;
  /** When it ends, null for never */
  expiresAt: string | null;
  /** When it was made */
  createdAt: string;
  /** When it changed last */
  updatedAt: string;
}

/** Some secrets of a project, without their values. */
export interface SecretListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How many there are in all */
  total: number;
  /** Number of the page, from 1 */
  page: number;
  /** How many there are at most in this answer */
  limit: number;
  /** The secrets, without their values */
  secrets: Array<SecretItem>;
}

/** A deployment as its own address shows it, with the channels that reach it. */
export interface SeenDeployment {
  /** Id of the deployment */
  id: string;
  /** Id of the project */
  projectId: string;
  /** `dev`, `staging` or `production` */
  environment: string;
  /** `active` or `retired` */
  status: "active" | "retired";
  /** Name as it is shown */
  label: string;
  /** Name of the deployment in addresses */
  endpointSlug: string;
  /** When it was made */
  createdAt: string;
  /** What it is, for people */
  description: string | null;
  /** Name of the agent that begins */
  entryAgentName: string;
  /** Agent -> its version; `auto` freezes the draft, and never comes back */
  agentVersionManifest: Record<string, string>;
  /** Workflow -> its version; kept and returned, not carried out */
  workflowVersionManifest: Record<string, string>;
  /** Agent -> model and settings that take the place of its own */
  modelOverrides: Record<string, ModelOverrideItem>;
  /** The settings that the deployment keeps */
  settingsVersionId: string | null;
  /** `packed` shares hosts, `dedicated` has its own */
  placement: "packed" | "dedicated";
  /** Who made it */
  createdBy: string;
  /** Since when it takes no new sessions, null while it does */
  retiredAt: string | null;
  /** Whether sessions go on that began before it was retired */
  draining: boolean;
  /** Sessions that run on the deployment now */
  activeSessionCount: number;
  /** Id of the deployment that it was promoted from, null for none */
  promotedFrom: string | null;
  /** What was noticed and stops nothing */
  warnings: Array<WarningItem>;
  /** Active channels that reach the deployment */
  channelCount: number;
}

/** One deployment, looked at. */
export interface SeenDeploymentReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The deployment */
  deployment: SeenDeployment;
}

/** What stands out in a session; `isTruncated`: in its first events, there are more than are looked at. */
export interface SessionAnalysis {
  /** Id of the session */
  sessionId: string;
  /** Whether there was more than is looked at */
  isTruncated: boolean;
  /** When it was computed */
  generatedAt: string;
  /** What took long */
  slowSpans: Array<SlowSpan>;
  /** Errors that came again */
  errorPatterns: Array<ErrorPattern>;
  /** Decisions that look wrong */
  decisionAnomalies: Array<DecisionAnomaly>;
  /** What could be done about it */
  suggestions: Array<Suggestion>;
}

/** What stands out in a session. */
export interface SessionAnalysisReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What stands out in the session */
  analysis: SessionAnalysis;
}

/** A session by itself, with the state of its agents. */
export interface SessionDetail {
  /** Id of the session */
  id: string;
  /** Id of the session's present run; a reset gives a new one */
  runtimeSessionId: string;
  /** Name of the agent */
  agentName: string;
  /** `active` or `ended` */
  status: "active" | "ended";
  /** `api`, `web_debug` or `voice` */
  channel: string;
  /** How many messages there are */
  messageCount: number;
  /** How many trace events there are */
  traceEventCount: number;
  /** Tokens that were used */
  tokenCount: number;
  /** US dollars; null where no price is known */
  estimatedCost: number | null;
  /** How many errors there were */
  errorCount: number;
  /** How long it took, in milliseconds */
  durationMs: number;
  /** How often another agent took over */
  handoffCount: number;
  /** When it was made */
  createdAt: string;
  /** When something was said or done last */
  lastActivityAt: string;
  /** Where it runs: `dev`, `staging`, `production` or `working-copy` */
  environment: string | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId: string | null;
  /** When it ended, null while it is active */
  endedAt: string | null;
  /** How the session is spoken to */
  transport: string;
  /** Where it came from */
  source: string;
  /** Id of the project */
  projectId: string;
  /** Null where the project has no such agent any more. */
  agentId: string | null;
  /** Null for a draft. */
  agentVersion: string | null;
  /** Name of the agent that begins */
  entryAgentName: string;
  /** idle, processing, suspended or ended */
  executionState: string;
  /** The last one is active. */
  agentStack: Array<StackedAgent>;
  /** Step of the flow that is to be continued, null without one */
  currentStep: string | null;
  /** values of the session: free JSON, by the agent's own names */
  variables: JsonObject;
  /** Agent -> field -> what is known of it. */
  gather: Record<string, Record<string, GatheredValue>>;
  /** Names. */
  memoryStores: Array<string>;
  /** Id of the contact whom the session is with */
  contactId: string;
  /** Id of the user */
  userId: string;
  /** What the session waits for, null when for nothing */
  suspension: Suspension | null;
  /** How often work was delegated */
  delegateCount: number;
  /** Tokens that were used */
  tokenUsage: TokenUsage;
  /** What went wrong last, null when nothing did */
  lastError: string;
  /** What ended the session */
  endReason: string | null;
  /** Number of the session's last event. */
  lastSeq: number;
  /** The last ones, where they were asked for. */
  messages?: Array<Message> | null;
}

/** The sessions that began in a time; averages and rates are null without any. */
export interface SessionFigures {
  /** The beginning of the time, included */
  from: string;
  /** The end of the time, not included */
  to: string;
  /** How many sessions there were */
  total_sessions: number;
  /** Sessions that have not ended */
  active_sessions: number;
  /** Sessions that have ended */
  ended_sessions: number;
  /** Mean length of a session, in milliseconds */
  avg_duration_ms: number | null;
  /** Length within which 95 % of sessions ended, in milliseconds */
  p95_duration_ms: number | null;
  /** Mean number of messages in a session */
  avg_messages_per_session: number | null;
  /** Mean time of a turn, in milliseconds */
  avg_turn_ms: number | null;
  /** Time within which 95 % of turns ended, in milliseconds */
  p95_turn_ms: number | null;
  /** Mean number of tokens in a session */
  avg_tokens_per_session: number | null;
  /** Cost in US dollars, null where no price is known */
  total_cost: number;
  /** Share of sessions with an error, 0 to 1 */
  error_session_rate: number | null;
  /** Share of sessions in which another agent took over, 0 to 1 */
  handoff_rate: number | null;
  /** Share of sessions in which a person was called for, 0 to 1 */
  escalation_rate: number | null;
  /** Sessions by channel */
  by_channel: Array<ChannelCount>;
  /** Sessions by what ended them */
  by_end_reason: Array<EndReasonCount>;
}

/** Figures of sessions. */
export interface SessionFiguresReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: SessionFigures;
}

/** A session in a list. */
export interface SessionItem {
  /** Id of the session */
  id: string;
  /** Id of the session's present run; a reset gives a new one */
  runtimeSessionId: string;
  /** Name of the agent */
  agentName: string;
  /** `active` or `ended` */
  status: "active" | "ended";
  /** `api`, `web_debug` or `voice` */
  channel: string;
  /** How many messages there are */
  messageCount: number;
  /** How many trace events there are */
  traceEventCount: number;
  /** Tokens that were used */
  tokenCount: number;
  /** US dollars; null where no price is known */
  estimatedCost: number | null;
  /** How many errors there were */
  errorCount: number;
  /** How long it took, in milliseconds */
  durationMs: number;
  /** How often another agent took over */
  handoffCount: number;
  /** When it was made */
  createdAt: string;
  /** When something was said or done last */
  lastActivityAt: string;
  /** Where it runs: `dev`, `staging`, `production` or `working-copy` */
  environment: string | null;
  /** Id of the deployment that runs, or is to run */
  deploymentId: string | null;
  /** When it ended, null while it is active */
  endedAt: string | null;
  /** How the session is spoken to */
  transport: string;
  /** Where it came from */
  source: string;
}

/** Some sessions of a project. */
export interface SessionListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How many there are in all */
  total: number;
  /** How many are left out before the first one */
  offset: number;
  /** How many there are at most in this answer */
  limit: number;
  /** The sessions */
  sessions: Array<SessionItem>;
  /** False when there are more than `total`, which is then ahead of the page all the same. */
  totalIsExact?: boolean;
  /** When the oldest session was created that `q` has looked through; null: all. To look further back, ask again with it as `to`. */
  searchedFrom?: string | null;
}

/** The figures of a session; rates are 0..1, and null when nothing was counted. `isTruncated`: the session has more events than are looked at; the figures are of the first ones. */
export interface SessionMetrics {
  /** Id of the session */
  sessionId: string;
  /** Whether there was more than is looked at */
  isTruncated: boolean;
  /** Time of all turns together, in milliseconds */
  totalLatencyMs: number;
  /** Mean time of a turn, in milliseconds */
  avgTurnLatencyMs: number | null;
  /** Time within which 95 % of turns ended, in milliseconds */
  p95TurnLatencyMs: number | null;
  /** How many turns there were */
  turnCount: number;
  /** The turns, in their order */
  turns: Array<TurnFigures>;
  /** The calls of models, in their order */
  llmCalls: Array<ModelCallFigures>;
  /** Tokens that were used */
  tokenUsage: TokenUsage;
  /** Cost in US dollars as far as prices are known, null where none is */
  estimatedCost: number | null;
  /** How many calls of models there were */
  llmCallCount: number;
  /** How many tool calls there were */
  toolCallCount: number;
  /** How many tool calls succeeded */
  toolSuccessCount: number;
  /** Share of tool calls that succeeded, 0 to 1 */
  toolSuccessRate: number | null;
  /** How often guardrails have looked */
  guardrailEvaluationCount: number;
  /** How often a guardrail has stopped something */
  guardrailBlockCount: number;
  /** Share of guardrail checks that stopped something, 0 to 1 */
  guardrailBlockRate: number | null;
  /** How often another agent took over */
  handoffCount: number;
  /** How often work was delegated */
  delegateCount: number;
  /** How many errors there were */
  errorCount: number;
}

/** The figures of a session. */
export interface SessionMetricsReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The figures */
  metrics: SessionMetrics;
}

/** One session. */
export interface SessionReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The session */
  session: SessionDetail;
}

/** The settings of a project; times in seconds. */
export interface SettingsItem {
  /** Seconds without anything said after which a session ends */
  sessionIdleTimeoutSec: number;
  /** Seconds that a turn may take */
  turnTimeoutSec: number;
  /** Seconds for which a callback is waited for */
  callbackTtlSec: number;
  /** Seconds until sessions of a retired deployment are ended */
  drainTimeoutSec: number;
  /** How many characters a message may have; what the body may hold where nothing is said */
  maxMessageChars: number;
  /** Days for which traces are kept */
  traceRetentionDays: number;
  /** Days for which evaluations are kept */
  evalRetentionDays: number;
  /** How the project speaks */
  voice: VoiceItem;
}

/** What a page may do with a key. */
export interface ShownPermissions {
  /** Whether a page may chat by text */
  chat: boolean;
  /** Whether a page may speak */
  voice: boolean;
}

/** Something that took long. */
export interface SlowSpan {
  /** Id of the span */
  spanId: string;
  /** What kind it is */
  type: "llm_call" | "tool_call" | "delegate";
  /** Name of the model or tool */
  name: string;
  /** Name of the agent */
  agentName: string;
  /** How long it took, in milliseconds */
  durationMs: number;
  /** From how many milliseconds on it is slow */
  thresholdMs: number;
  /** Share of its turn, 0 to 1 */
  shareOfTurn: number | null;
  /** Number of the turn, from 1 */
  turn: number;
}

/** Where a task comes from. */
export interface SourceItem {
  /** What kind it is */
  kind: "session" | "eval_run" | "api";
  /** Id of the session */
  sessionId?: string | null;
  /** Name of the agent */
  agentName?: string | null;
  /** Id of the evaluation run */
  runId?: string | null;
  /** Id of the evaluated conversation */
  conversationId?: string | null;
  /** Id of the callback that is waited for */
  callbackId?: string | null;
}

/** An agent that a session is with, or comes back to. */
export interface StackedAgent {
  /** Name of the agent */
  agentName: string;
  /** Since when */
  since: string;
  /** Whether control comes back */
  returnExpected: boolean;
}

/** What a stream tells beside the text. */
export interface StreamOptions {
  /** Whether the stream ends with the tokens that were used */
  include_usage?: boolean;
}

/** A pressed button or a sent form, as `action_submit` of the WebSocket says it; it must be offered. Decision: 0075. */
export interface SubmittedAction {
  /** Id of the element, or of what sends the set. */
  actionId: string;
  /** One of those that were offered; left out, a button sends its own. */
  value?: string | null;
  /** What was filled in, by the ids of the fields. */
  formData?: Record<string, string> | null;
  /** Which set it answers: the `render_id` of the set, or the id of the message that shows it. */
  renderId?: string | null;
}

/** Base of every success body. */
export interface Success {
  /** Whether it was done: true in every success body */
  success?: true;
}

/** What to look at. */
export interface Suggestion {
  /** Id of the suggestion */
  id: string;
  /** What it is, in a line */
  title: string;
  /** What can be done, in detail */
  detail: string;
  /** How bad it is */
  severity: "info" | "warning" | "error";
  /** Spans that show it */
  relatedSpanIds: Array<string>;
}

/** What a session waits for outside. */
export interface Suspension {
  /** Id of the callback that is waited for */
  callbackId: string;
  /** Id of the human task */
  taskId: string | null;
  /** Why */
  reason: string;
  /** When it was made */
  createdAt: string;
  /** When it ends, null for never */
  expiresAt: string;
}

/** A task. */
export interface TaskItem {
  /** Id of the task */
  id: string;
  /** Id of the project */
  projectId: string;
  /** Id of the tenant */
  tenantId: string;
  /** What is asked: `approval`, `data_entry`, `review`, `decision` or `escalation` */
  type: "approval" | "data_entry" | "review" | "decision" | "escalation";
  /** `pending`, `assigned`, `in_progress`, `completed`, `expired` or `cancelled` */
  status: "pending" | "assigned" | "in_progress" | "completed" | "expired" | "cancelled";
  /** How urgent it is */
  priority: "low" | "medium" | "high" | "critical";
  /** What it is, in a line */
  title: string;
  /** What it is, for people */
  description: string | null;
  /** free JSON, as it was given */
  context: JsonObject;
  /** The fields of the form */
  fields: Array<FieldItem>;
  /** What can be chosen */
  options: Array<string>;
  /** Words by which it is found */
  tags: Array<string>;
  /** Where it came from */
  source: SourceItem;
  /** Id of the user who is to do it */
  assignedTo: string | null;
  /** Name of the team that is to do it */
  assignedToTeam: string | null;
  /** When it was assigned */
  assignedAt: string | null;
  /** Id of the user who has taken it */
  claimedBy: string | null;
  /** When somebody took it */
  claimedAt: string | null;
  /** Until when it is to be done, null without a limit */
  dueAt: string | null;
  /** To whom the task goes on when nobody does it in time */
  escalationChain: Array<LevelItem>;
  /** How far the task has escalated: 0 is not at all */
  currentEscalationLevel: number;
  /** What was decided, null until then */
  resolution: ResolutionItem | null;
  /** Why it was cancelled */
  cancelReason: string | null;
  /** When it was made */
  createdAt: string;
  /** When it changed last */
  updatedAt: string;
  /** Who made it */
  createdBy: string;
}

/** Some tasks, the most urgent first. */
export interface TaskListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The tasks, the most urgent first */
  tasks: Array<TaskItem>;
}

/** One task. */
export interface TaskReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The task */
  task: TaskItem;
}

/** An agent with its draft. */
export interface TenantAgent {
  /** Id of the agent */
  id: string;
  /** Name of the agent */
  name: string;
  /** Id of the project */
  projectId: string;
  /** The text of the agent in ABL */
  dslContent: string;
}

/** One agent of a tenant. */
export interface TenantAgentReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The agent */
  agent: TenantAgent;
}

/** The agents of all projects that the caller sees, the oldest first. */
export interface TenantAgentsReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How many there are in all */
  total: number;
  /** The agents */
  agents: Array<NamedAgent>;
}

/** A budget for everything in the tenant; those of a project, agent, contact or session belong to a project. */
export interface TenantBudgetBody {
  /** How many tokens there may be at most */
  maxTokens?: number | null;
  /** How many US dollars may be spent at most */
  maxUsd?: number | null;
  /** How often the budget begins anew */
  period?: "total" | "day" | "month";
  /** Whose use the budget bounds */
  scope?: "tenant";
  /** Whose it is within the scope */
  subject?: null;
}

/** A prepared start of a conversation, for development. */
export interface TestContext {
  /** Field -> value, as if it had been collected */
  gatherValues?: JsonObject | null;
  /** Variable -> value at the start */
  sessionVariables?: JsonObject | null;
  /** Who the agent is told it speaks with */
  callerContext?: CallerContext | null;
  /** What tools answer instead of running, at most 50 */
  toolMocks?: Array<ToolMock> | null;
  /** Leave out what the agent does at the start */
  skipOnStart?: boolean | null;
  /** Step of the entry agent's flow to start at */
  startAtStep?: string | null;
}

/** What came of a test event: `ok` when the receiver took it within 10 s. */
export interface TestReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Whether it went well */
  ok: boolean;
  /** HTTP status of the receiver's answer, null without one */
  responseStatus: number | null;
  /** How long it took, in milliseconds */
  latencyMs: number;
  /** What went wrong; null when nothing did */
  error: string | null;
}

/** Words. */
export interface TextPart {
  /** What kind it is */
  type: "text";
  /** The text */
  text: string;
}

/** Colours and shape of a widget. */
export interface ThemeBody {
  /** Main colour, as CSS has it */
  primaryColor?: string | null;
  /** Colour of text, as CSS has it */
  textColor?: string | null;
  /** Colour of the background, as CSS has it */
  backgroundColor?: string | null;
  /** Radius of corners, as CSS has it */
  borderRadius?: number | null;
  /** Font, as CSS has it */
  fontFamily?: string | null;
  /** Whether the widget is dark */
  darkMode?: boolean | null;
}

/** Colours and shape of a widget; what is null is the widget's own. */
export interface ThemeItem {
  /** Main colour, as CSS has it */
  primaryColor?: string | null;
  /** Colour of text, as CSS has it */
  textColor?: string | null;
  /** Colour of the background, as CSS has it */
  backgroundColor?: string | null;
  /** Radius of corners, as CSS has it */
  borderRadius?: number | null;
  /** Font, as CSS has it */
  fontFamily?: string | null;
  /** Whether the widget is dark */
  darkMode?: boolean | null;
}

/** A ticket that opens one WebSocket. */
export interface TicketReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What opens one socket, once, within a minute */
  ticket: string;
  /** Seconds for which it is good */
  expiresIn: number;
}

/** The model for each word that stands for one. */
export interface Tiers {
  /** Model of the tier `fast`, null for the default */
  fast?: string | null;
  /** Model of the tier `balanced`, null for the default */
  balanced?: string | null;
  /** Model of the tier `powerful`, null for the default */
  powerful?: string | null;
  /** Model for voice */
  voice?: string | null;
}

/** A time, its end not in it. */
export interface TimeRange {
  /** The beginning of the time, included */
  from: string;
  /** The end of the time, not included */
  to: string;
}

/** Tokens in place of the last ones. */
export interface TokenReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The token to send as `Authorization: Bearer` */
  accessToken: string;
  /** The token that gets a new access token, once */
  refreshToken: string;
  /** Seconds for which it is good */
  expiresIn: number;
}

/** Tokens of all calls. */
export interface TokenUsage {
  /** Tokens that went in */
  inputTokens: number;
  /** Tokens that came out */
  outputTokens: number;
  /** Tokens in and out */
  totalTokens: number;
}

/** A tool call of the model; `arguments` is JSON text, as at the end of a streamed call. */
export interface ToolCallItem {
  /** Id of the call: the message with its result names it */
  id: string;
  /** Name of the tool */
  name: string;
  /** Arguments of the call, as JSON text */
  arguments: string;
}

/** What a tool answers instead of running. */
export interface ToolMock {
  /** Name of the tool; `*` is every tool */
  toolName: string;
  /** What the tool answers */
  response?: JsonValue;
  /** What went wrong; null when nothing did */
  error?: MockError | null;
  /** Milliseconds until the mocked tool answers */
  delayMs?: number;
  /** How often the mock answers; without it always */
  times?: number | null;
  /** Parameters that a call must have for this mock */
  match?: JsonObject | null;
}

/** Where a list stands. */
export interface Totals {
  /** How many there are in all */
  total: number;
  /** How many there are at most in this answer */
  limit: number;
  /** How many are left out before the first one */
  offset: number;
}

/** Something that happened in a session; `seq` counts from 1 in it. */
export interface TraceItem {
  /** Id of the event */
  id: string;
  /** Id of the session */
  sessionId: string;
  /** What happened, e.g. `llm_call` */
  type: TraceType;
  /** what happened: free JSON, whose keys follow from the type */
  data: JsonObject;
  /** When it happened */
  timestamp: string;
  /** Name of the agent */
  agentName: string;
  /** Id of the span */
  spanId: string;
  /** The span that this one belongs to */
  parentSpanId?: string | null;
  /** How long it took, in milliseconds */
  durationMs?: number | null;
  /** Number of the turn, from 1 */
  turn: number;
  /** Number within the session, from 1 */
  seq: number;
}

/** Where trace events were read; snake_case by contract. */
export interface TraceSource {
  /** Where it came from */
  source: string;
  /** How many events this answer has */
  event_count: number;
  /** Whether there are more behind this page */
  is_truncated: boolean;
  /** Where it was looked, in this order */
  source_chain: Array<string>;
}

/** All types there are; finer kinds go into the data. */
export type TraceType = "llm_call" | "tool_call" | "tool_result" | "decision" | "handoff" | "guardrail_eval" | "state_change" | "error" | "response" | "delegate";

/** Some trace events of a session. */
export interface TracesReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** How many there are in all */
  total: number;
  /** How many are left out before the first one */
  offset: number;
  /** How many there are at most in this answer */
  limit: number;
  /** The trace events */
  traces: Array<TraceItem>;
  /** Where the events were read from, and whether there are more */
  _meta: TraceSource;
  /** The figures */
  metrics?: SessionMetrics | null;
}

/** One line of a transcript, and the channel of the session it was said in. */
export interface TranscriptMessage {
  /** Id of the message */
  id: string;
  /** Who speaks: `user`, `assistant` or `system` */
  role: "user" | "assistant" | "system";
  /** The text */
  content: string;
  /** When it happened */
  timestamp: string;
  /** Number of the turn, from 1 */
  turn: number;
  /** Name of the agent */
  agentName?: string | null;
  /** The files */
  attachments?: Array<MessageFile> | null;
  /** The answer in other forms; null when there is none */
  richContent?: RichContent | null;
  /** Buttons, selects and inputs under the message; null when there are none */
  actions?: ActionSet | null;
  /** What was done last, or is to be done */
  action?: MessageAction | null;
  /** The `messageId` under which a WebSocket sent the message */
  clientMessageId?: string | null;
  /** Whether the answer was cut off */
  interrupted?: boolean | null;
  /** The channel of its session */
  channel: string;
}

/** Some messages of a session. */
export interface TranscriptReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The messages, in their order */
  messages: Array<TranscriptMessage>;
}

/** What the agent did last; which further fields are there follows from the type. */
export interface TurnAction {
  /** What was done: `respond`, `collect`, `handoff`, `suspend` and others */
  type: "continue" | "respond" | "collect" | "handoff" | "delegate" | "escalate" | "complete" | "block" | "retry" | "suspend";
  /** collect: what is asked for. */
  fields?: Array<string> | null;
  /** collect: the questions. */
  prompts?: Array<string> | null;
  /** handoff: the agent that goes on. */
  target?: string | null;
  /** handoff: whether control comes back. */
  returnExpected?: boolean | null;
  /** handoff: what that agent was told. */
  summary?: string | null;
  /** delegate: who was asked. */
  agent?: string | null;
  /** delegate: whether the answer is used. */
  useResult?: boolean | null;
  /** escalate, block: why. */
  reason?: string | null;
  /** escalate: of the human task. */
  priority?: string | null;
  /** escalate, suspend: the human task that is waited for. */
  taskId?: string | null;
  /** complete: the last words. */
  message?: string | null;
  /** block: the rule. */
  constraint?: string | null;
  /** retry: milliseconds until the next attempt. */
  delay?: number | null;
  /** suspend: the callback that is waited for. */
  callbackId?: string | null;
  /** escalate, suspend: the wait, as the session knows it. */
  suspensionId?: string | null;
  /** suspend: what is waited for. */
  kind?: string | null;
  /** escalate, suspend: until when. */
  expiresAt?: string | null;
}

/** One turn. */
export interface TurnFigures {
  /** Number of the turn, from 1 */
  turn: number;
  /** When it began */
  startedAt: string;
  /** How long it took, in milliseconds */
  latencyMs: number;
  /** Milliseconds until the first piece of the answer */
  firstTokenMs: number | null;
  /** How many calls of models there were */
  llmCallCount: number;
  /** How many tool calls there were */
  toolCallCount: number;
  /** Tokens that went in */
  inputTokens: number;
  /** Tokens that came out */
  outputTokens: number;
  /** Name of the agent */
  agentName: string;
}

/** A file that was kept. */
export interface UploadReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the file */
  attachmentId: string;
  /** Name of the file, without a path */
  filename: string;
  /** Media type of the file */
  mimeType: string;
  /** Size in bytes */
  sizeBytes: number;
  /** `image`, `document`, `audio` or `video` */
  category: "image" | "document" | "audio" | "video";
}

/** What the calls of one model used. */
export interface UsageOfModel {
  /** Id of the model, as usage and traces report it */
  modelId: string;
  /** Name of the provider */
  provider: string;
  /** Tokens in and out */
  totalTokens: number;
  /** Cost in US dollars */
  totalCost: number | null;
  /** How many model calls there were */
  requestCount: number;
}

/** What a project used; `byModel` is empty unless asked for. */
export interface UsageReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The sums */
  summary: UsageSummary;
  /** Use by model; empty without `groupBy=model` */
  byModel: Array<UsageOfModel>;
}

/** What all calls used; `totalCost` of those whose price is known, null when it is known of none. */
export interface UsageSummary {
  /** Tokens in and out */
  totalTokens: number;
  /** Cost in US dollars */
  totalCost: number | null;
  /** How many model calls there were */
  requestCount: number;
  /** milliseconds; null when there was no call */
  avgLatency: number | null;
}

/** Somebody who shall be able to log in; without a password only once there is one. */
export interface UserBody {
  /** Email address */
  email: string;
  /** Role of the user in the tenant */
  role: "owner" | "admin" | "operator" | "member" | "viewer";
  /** Name as it is shown */
  displayName?: string;
  /** The first password, at least 12 characters; without one the user cannot log in by password */
  password?: string | null;
  /** Names of teams */
  teams?: Array<string>;
}

/** Somebody who may log in. */
export interface UserItem {
  /** Id of the user */
  id: string;
  /** Email address */
  email: string;
  /** Name as it is shown */
  displayName: string;
  /** Id of the tenant */
  tenantId: string;
  /** Role of the user in the tenant */
  role: string;
  /** Names of teams */
  teams: Array<string>;
  /** The projects */
  projects: Array<ProjectMembership>;
}

/** The users of a tenant, the oldest first. */
export interface UserListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The users */
  users: Array<UserItem>;
}

/** What shall change of a user. */
export interface UserPatch {
  /** Email address */
  email?: string | null;
  /** New role of the user in the tenant */
  role?: "owner" | "admin" | "operator" | "member" | "viewer" | null;
  /** Name as it is shown */
  displayName?: string | null;
  /** The new password, at least 12 characters */
  password?: string | null;
  /** Names of teams */
  teams?: Array<string> | null;
}

/** Who is logged in. */
export interface UserReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The user */
  user: UserItem;
}

/** A text to check in the place of the draft. */
export interface ValidateBody {
  /** The text of the agent in ABL */
  dslContent?: string | null;
}

/** What is found in a text; it is valid when nothing of it is an error. */
export interface ValidatedReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Whether nothing is wrong */
  valid: boolean;
  /** What was found in the text */
  diagnostics: Array<DiagnosticItem>;
}

/** A variable to write; one of the kind `config` has no environment and is never secret. Without `secret` or `description` they stay what they were; a new variable is plain then. */
export interface VariableBody {
  /** What kind it is */
  kind: "env" | "config";
  /** Name of the variable, e.g. `BANK_URL` */
  key: string;
  /** The value; one that is secret is never shown */
  value: string;
  /** `dev`, `staging` or `production`, or `base` for all */
  environment?: "base" | "dev" | "staging" | "production";
  /** Whether the value is kept sealed and never shown */
  secret?: boolean | null;
  /** What it is, for people */
  description?: string | null;
}

/** A variable; the value of a secret one is never shown. */
export interface VariableItem {
  /** Id of the variable */
  id: string;
  /** What kind it is */
  kind: "env" | "config";
  /** Name of the variable, e.g. `BANK_URL` */
  key: string;
  /** `dev`, `staging` or `production`, or `base` for all */
  environment: "base" | "dev" | "staging" | "production";
  /** The value, null when it is secret */
  value: string | null;
  /** Whether the value is kept sealed and never shown */
  secret: boolean;
  /** What it is, for people */
  description: string | null;
  /** When it changed last */
  updatedAt: string;
}

/** The variables of a project by kind and key. */
export interface VariableListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The variables */
  variables: Array<VariableItem>;
}

/** One variable. */
export interface VariableReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The variable */
  variable: VariableItem;
}

/** A version with its text. */
export interface VersionDetail {
  /** The version */
  version: string;
  /** Hash of the text, `sha256:<hex>` */
  sourceHash: string;
  /** Name as it is shown */
  label: string | null;
  /** What is new in the version */
  changelog: string | null;
  /** When it was made */
  createdAt: string;
  /** Who made it */
  createdBy: string;
  /** The text of the agent in ABL */
  dslContent: string;
}

/** A version without its text. */
export interface VersionItem {
  /** The version */
  version: string;
  /** Hash of the text, `sha256:<hex>` */
  sourceHash: string;
  /** Name as it is shown */
  label: string | null;
  /** What is new in the version */
  changelog: string | null;
  /** When it was made */
  createdAt: string;
  /** Who made it */
  createdBy: string;
}

/** The versions of an agent, the newest first. */
export interface VersionListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The versions, the newest first */
  versions: Array<VersionItem>;
}

/** A version as newer clients send it. */
export interface VersionRef {
  /** The version */
  version: string;
}

/** One version. */
export interface VersionReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The version */
  version: VersionDetail;
}

/** How an answer is spoken, where its agent says so. Spec: platform-api 4.1, abl-language 4.1. */
export interface VoiceConfig {
  /** The answer is to be spoken */
  enabled: true;
  /** The voice of the provider. */
  voice?: string | null;
  /** Language, e.g. `en-GB` */
  language?: string | null;
  /** The answer as it is spoken, with marks. */
  ssml?: string | null;
  /** In which manner it is spoken. */
  instructions?: string | null;
  /** The answer as it is spoken, without marks. */
  plainText?: string | null;
  /** Name of the provider */
  provider?: string | null;
  /** How fast it is spoken; 1 is normal */
  speed?: number | null;
}

/** Calls that began in one hour; what could not be measured is null. */
export interface VoiceHour {
  /** Start of the hour */
  hour: string;
  /** How many sessions there were */
  session_count: number;
  /** How many errors there were */
  error_count: number;
  /** Mean length of a call, in milliseconds */
  avg_call_duration_ms: number | null;
  /** Mean opinion score of the caller's sound, 1 to 5 */
  avg_inbound_mos: number | null;
  /** Mean opinion score of the agent's sound, 1 to 5 */
  avg_outbound_mos: number | null;
  /** Mean jitter of the caller's sound, in milliseconds */
  avg_inbound_jitter_ms: number | null;
  /** Mean jitter of the agent's sound, in milliseconds */
  avg_outbound_jitter_ms: number | null;
  /** Mean time from the caller's last word to the agent's first, in milliseconds */
  avg_e2e_latency_ms: number | null;
  /** Share of turns in which the caller spoke over the agent */
  avg_barge_in_rate: number | null;
  /** Share of turns that were given by keypad */
  avg_dtmf_fallback_rate: number | null;
  /** Mean confidence of speech recognition, 0 to 1 */
  avg_asr_score: number | null;
  /** Estimated opinion score of the synthesised voice, 1 to 5 */
  avg_tts_proxy_mos: number | null;
  /** Mean share of silence, in percent */
  avg_silence_percent: number | null;
  /** How many turns there were */
  total_turns: number;
  /** How often callers spoke over the agent */
  total_barge_in_count: number;
  /** How many turns were given by keypad */
  total_dtmf_turn_count: number;
}

/** The hours in which calls began, the earliest first. */
export interface VoiceHoursReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: Array<VoiceHour>;
}

/** How the agents speak. */
export interface VoiceItem {
  /** `pipeline` or `realtime` */
  mode: "pipeline" | "realtime";
  /** Name of the voice */
  voice: string | null;
  /** Language, e.g. `en-GB` */
  language: string | null;
}

/** How the agents speak. */
export interface VoiceSettingsBody {
  /** `pipeline` or `realtime` */
  mode?: "pipeline" | "realtime" | null;
  /** Name of the voice */
  voice?: string | null;
  /** Language, e.g. `en-GB` */
  language?: string | null;
}

/** All calls of a time; rates are of all turns together, and what could not be measured is null. */
export interface VoiceSummary {
  /** How many calls there were */
  total_calls: number;
  /** How many errors there were */
  total_errors: number;
  /** Mean length of a call, in milliseconds */
  avg_call_duration_ms: number | null;
  /** Mean opinion score of callers' sound, 1 to 5 */
  overall_avg_inbound_mos: number | null;
  /** Mean opinion score of the agents' sound, 1 to 5 */
  overall_avg_outbound_mos: number | null;
  /** Mean time to the agent's first word, in milliseconds */
  overall_avg_latency_ms: number | null;
  /** Share of turns in which the caller spoke over the agent */
  overall_barge_in_rate: number | null;
  /** Share of turns that were given by keypad */
  overall_dtmf_fallback_rate: number | null;
  /** Mean confidence of speech recognition, 0 to 1 */
  overall_asr_score: number | null;
  /** How many turns there were */
  total_turns: number;
  /** How often callers spoke over the agent */
  total_barge_in_count: number;
  /** How many turns were given by keypad */
  total_dtmf_turn_count: number;
}

/** All calls of a time. */
export interface VoiceSummaryReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** What was asked for */
  data: VoiceSummary;
}

/** Something that the agents read and nobody has set. */
export interface WarningItem {
  /** What happened, for programs */
  code: string;
  /** The key */
  key: string;
  /** What was noticed, for people */
  message: string;
}

/** What to change; what is left out stays. Switching a hook on forgets its failures. */
export interface WebhookChangeBody {
  /** Address */
  url?: string | null;
  /** Events that are told; `*` is all */
  events?: Array<"*" | "session.started" | "session.ended" | "session.suspended" | "session.resumed" | "message.completed" | "handoff" | "escalation" | "human_task.created" | "human_task.completed" | "human_task.expired" | "deployment.created" | "deployment.retired" | "eval_run.completed" | "eval_run.failed" | "eval_run.regression" | "feedback.created"> | null;
  /** What it is, for people */
  description?: string | null;
  /** Whether it is in use */
  isActive?: boolean | null;
}

/** A hook; `failures` in a row, `disabledAt` when it was switched off for them. */
export interface WebhookItem {
  /** Id of the webhook */
  id: string;
  /** Id of the project */
  projectId: string;
  /** Address */
  url: string;
  /** Events that are told; `*` is all */
  events: Array<string>;
  /** What it is, for people */
  description: string;
  /** Whether it is in use */
  isActive: boolean;
  /** Failed deliveries in a row */
  failures: number;
  /** When it was switched off, null while it is on */
  disabledAt: string | null;
  /** When it was made */
  createdAt: string;
  /** When it changed last */
  updatedAt: string;
}

/** Hooks, the oldest first. */
export interface WebhookListReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Where the list stands */
  pagination: Totals;
  /** The webhooks */
  webhooks: Array<WebhookItem>;
}

/** One hook. */
export interface WebhookReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** The webhook */
  webhook: WebhookItem;
}

/** What a channel says of its widget; what is not given has its default. */
export interface WidgetBody {
  /** `chat`, `voice` or `unified` */
  mode?: "chat" | "voice" | "unified" | null;
  /** Corner of the page in which the widget stands */
  position?: "bottom-right" | "bottom-left" | "top-right" | "top-left" | null;
  /** Colours and font of the widget */
  theme?: ThemeBody | null;
  /** What the widget says first */
  welcomeMessage?: string | null;
  /** What stands in the empty input of the widget */
  placeholderText?: string | null;
  /** Whether the widget offers voice */
  voiceEnabled?: boolean | null;
  /** Whether the widget offers text */
  chatEnabled?: boolean | null;
}

/** A widget as a page shows it. */
export interface WidgetItem {
  /** `chat`, `voice` or `unified` */
  mode: "chat" | "voice" | "unified";
  /** Corner of the page in which the widget stands */
  position?: "bottom-right" | "bottom-left" | "top-right" | "top-left";
  /** Colours and font of the widget */
  theme?: ThemeItem;
  /** What the widget says first */
  welcomeMessage?: string | null;
  /** What stands in the empty input of the widget */
  placeholderText?: string | null;
  /** Whether the widget offers voice */
  voiceEnabled: boolean;
  /** Whether the widget offers text */
  chatEnabled: boolean;
}

/** What the key of a page allows. */
export interface WidgetPermissions {
  /** Whether a page may chat by text */
  chat: boolean;
  /** Whether a page may speak */
  voice: boolean;
}

/** The configuration of a widget. */
export interface WidgetReply {
  /** Whether it was done: true in every success body */
  success?: true;
  /** Id of the project */
  projectId: string;
  /** What is allowed */
  permissions: WidgetPermissions;
  /** How the widget looks and what it offers */
  config: WidgetItem;
}
