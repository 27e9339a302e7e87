import type { Reason } from "./errors.ts";

export type Role = "user" | "assistant" | "system";

/** How far a message is; ours, beside the fields of the contract. */
export type MessageStatus =
  | "waiting" // written here, not yet acknowledged
  | "acknowledged" // the server has it and will answer
  | "done"
  | "streaming" // being said
  | "failed"; // not sent, or not answered; `failure` says why

/** A line of the conversation. Spec: platform-api 13.2. */
export interface Message {
  id: string;
  role: Role;
  content: string;
  timestamp: Date;
  metadata?: Record<string, unknown>;
  richContent?: RichContent;
  actions?: ActionSet;
  attachments?: AttachmentRef[];
  status?: MessageStatus;
  failure?: Reason;
  agentName?: string;
  interrupted?: boolean;
  /** Of a message that shows buttons or a form: whether they can be answered. */
  actionState?: ActionState;
  /** How they were answered, where that is known. */
  answer?: SentAnswer;
}

export type ActionState = "open" | "answered" | "closed";

/** How a set of actions was answered, and by which message of the user. */
export interface SentAnswer {
  messageId: string;
  actionId: string;
  value?: string;
  formData?: Record<string, unknown>;
  renderId?: string;
}

export interface RichContent {
  markdown?: string;
  adaptive_card?: string;
  html?: string;
  slack?: string;
  ag_ui?: string;
  whatsapp?: string;
}

export interface ActionSet {
  elements: ActionElement[];
  submit_label?: string;
  submit_id?: string;
  render_id?: string;
}

export interface ActionElement {
  id: string;
  type: "button" | "select" | "input";
  label: string;
  value?: string;
  description?: string;
  options?: ActionOption[];
  input_type?: "text" | "number" | "date" | "time" | "email";
  placeholder?: string;
  required?: boolean;
}

export interface ActionOption {
  id: string;
  label: string;
  description?: string;
}

export type AttachmentCategory = "image" | "document" | "audio" | "video";

export interface AttachmentRef {
  id: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
  category: AttachmentCategory;
}

export type VoiceState = "idle" | "connecting" | "ready" | "listening" | "processing" | "speaking" | "error";

export interface VoiceInfo {
  state: VoiceState;
  isMuted: boolean;
  currentTranscript: string;
  hasMicPermission?: boolean;
}

export interface WidgetTheme {
  primaryColor?: string;
  textColor?: string;
  backgroundColor?: string;
  borderRadius?: number;
  fontFamily?: string;
  darkMode?: boolean;
}

/** Where unsent messages and the way back to the conversation are kept: over restarts and tabs, for a tab, or not. */
export type Keeping = "local" | "session" | "memory";

/** Options of `AgentSDK`. Those behind `debug` are ours. */
export interface AgentConfig {
  projectId: string;
  /** The public key, `pk_...`. */
  apiKey: string;
  /** Address of the platform; the page's own by default. */
  endpoint?: string;
  debug?: boolean;
  /** The agent that the conversation begins with, where the key may name one; the entry agent by default. */
  agentId?: string;
  /** `local` by default. */
  storage?: Keeping;
  /** What a message does that is sent while the agent speaks; `wait` by default. */
  interruption?: Interruption;
}

export type Interruption = "wait" | "interrupt";

export interface SendOptions {
  attachmentIds?: string[];
  /** Read by the agent for this message only. */
  metadata?: Record<string, unknown>;
  /** Overrules the SDK's own choice; ours. */
  interruption?: Interruption;
}
