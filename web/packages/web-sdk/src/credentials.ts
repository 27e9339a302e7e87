import { AgentError, type Reason } from "./errors.ts";
import { parsed } from "./json.ts";
import type { HttpAnswer, KeyValues, Platform } from "./platform.ts";
import type { AgentConfig } from "./types.ts";

/** How much of a token's life must be left for it to be used; with less it is renewed first. */
const LEAST_LEFT_MS = 60_000;
/** How long after its end the server still renews a token. Spec: platform-api 12.1. */
const RENEWABLE_MS = 55 * 60_000;
const DENIALS: Readonly<Record<number, Reason>> = { 400: "bad_config", 401: "unauthorized", 403: "forbidden", 404: "not_found" };

interface Held {
  token: string;
  expiresAt: number;
  lifeMs: number;
  /** The way back to the session from a page that has no token any more, for a day. */
  resumeToken: string | null;
  sessionId: string | null;
}

const NOTHING: Held = { token: "", expiresAt: 0, lifeMs: 0, resumeToken: null, sessionId: null };

/** Whether a failure may pass by itself. */
export function mayPass(status: number): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

/** The token of this browser's conversation: fetched, renewed, kept, and dropped. */
export class Credentials {
  private readonly _platform: Platform;
  private readonly _store: KeyValues;
  private readonly _key: string;
  private readonly _endpoint: string;
  private readonly _config: AgentConfig;
  private _fetching: Promise<string> | null = null;

  constructor(platform: Platform, store: KeyValues, key: string, endpoint: string, config: AgentConfig) {
    this._platform = platform;
    this._store = store;
    this._key = key;
    this._endpoint = endpoint;
    this._config = config;
  }

  get sessionId(): string | null {
    return this._held().sessionId;
  }

  /** Milliseconds until a fifth of the token's life is left. */
  get renewInMs(): number {
    const { expiresAt, lifeMs } = this._held();
    return Math.max(expiresAt - lifeMs / 5 - this._platform.now(), LEAST_LEFT_MS / 2);
  }

  /** Return a token that can be used. Throws AgentError: `unreachable` where another try may help. */
  token(): Promise<string> {
    const held = this._held();
    if (held.token && held.expiresAt - this._platform.now() > LEAST_LEFT_MS) return Promise.resolve(held.token);
    return this.renew();
  }

  /** Return a new token, by way of the one at hand where that is still taken. Throws AgentError. */
  renew(): Promise<string> {
    this._fetching = this._fetching ?? this._fetched().finally(() => (this._fetching = null));
    return this._fetching;
  }

  /** Remember what the server said of the session. */
  started(sessionId: string, resumeToken: string): void {
    this._keep({ ...this._held(), sessionId, resumeToken });
  }

  /** Use the token no more; the way back to the session is kept. */
  dropToken(): void {
    this._keep({ ...this._held(), token: "", expiresAt: 0 });
  }

  /** Begin anew: the next token is of another session. */
  dropSession(): void {
    this._keep(NOTHING);
  }

  private async _fetched(): Promise<string> {
    const held = this._held();
    if (held.token && this._platform.now() - held.expiresAt < RENEWABLE_MS) {
      const answer = await this._post("/api/v1/sdk/refresh", { "X-SDK-Token": held.token }, {});
      if (answer.status === 200) return this._took(answer, this._held());
      if (mayPass(answer.status)) throw unreachable(answer);
    }
    return this._initialized(held.resumeToken);
  }

  private async _initialized(resumeToken: string | null): Promise<string> {
    const { projectId, agentId } = this._config;
    const body = { projectId, ...(agentId ? { agentId } : {}), ...(resumeToken ? { resumeToken } : {}) };
    const answer = await this._post("/api/v1/sdk/init", { "X-Public-Key": this._config.apiKey }, body);
    if (answer.status === 200) return this._took(answer, { ...NOTHING, resumeToken });
    if (mayPass(answer.status)) throw unreachable(answer);
    if (resumeToken) return this._initialized(null); // it may be the way back that is not taken any more
    const { code, message } = said(answer);
    throw new AgentError(DENIALS[answer.status] ?? "protocol", message, { code });
  }

  private _took(answer: HttpAnswer, before: Held): string {
    const { token, expiresIn, sessionId } = answer.body as { token?: unknown; expiresIn?: unknown; sessionId?: unknown };
    if (typeof token !== "string" || typeof expiresIn !== "number") {
      throw new AgentError("protocol", "The platform answered without a token");
    }
    const lifeMs = expiresIn * 1000;
    const id = typeof sessionId === "string" ? sessionId : before.sessionId;
    this._keep({ ...before, token, lifeMs, expiresAt: this._platform.now() + lifeMs, sessionId: id });
    return token;
  }

  private _post(path: string, headers: Record<string, string>, body: object): Promise<HttpAnswer> {
    const sent = { method: "POST" as const, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
    return this._platform.request(this._endpoint + path, sent);
  }

  private _held(): Held {
    return { ...NOTHING, ...parsed<Partial<Held>>(this._store.get(this._key)) }; // nothing of what somebody else has written
  }

  private _keep(held: Held): void {
    try {
      this._store.set(this._key, JSON.stringify(held));
    } catch (error) {
      throw new AgentError("storage_failed", "The browser keeps nothing for this page", { cause: error });
    }
  }
}

function unreachable(answer: HttpAnswer): AgentError {
  const { code, message, retryAfterMs } = said(answer);
  return new AgentError("unreachable", message, { code, ...(retryAfterMs ? { retryAfterMs } : {}) });
}

/** Return what an error answer says, whichever of its two forms it has. Spec: platform-api 1.3. */
export function said(answer: HttpAnswer): { code: string; message: string; retryAfterMs: number } {
  const { error, code, retryAfterMs } = (answer.body ?? {}) as { error?: unknown; code?: unknown; retryAfterMs?: unknown };
  const inner = (typeof error === "object" && error !== null ? error : { message: error, code }) as { message?: unknown; code?: unknown };
  return {
    code: typeof inner.code === "string" ? inner.code : "",
    message: typeof inner.message === "string" ? inner.message : answer.status ? `The platform answered ${answer.status}` : "Nobody answers",
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : (answer.retryAfterMs ?? 0),
  };
}
