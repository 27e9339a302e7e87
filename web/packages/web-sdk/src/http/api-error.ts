import { said } from "../credentials.ts";
import type { JsonObject, JsonValue } from "../wire.ts";

/** The codes of what the client finds out by itself; all other codes are the server's (platform-api 1.3). */
export const UNREACHABLE = "UNREACHABLE"; // nobody answered, or the answer broke off
export const BAD_ANSWER = "BAD_ANSWER"; // it answered something that is not of this API
export const NO_CREDENTIAL = "NO_CREDENTIAL"; // the operation takes none of the credentials that the client was given
export const BAD_CALL = "BAD_CALL"; // an argument of which no path or header can be made

export interface ApiErrorDetail {
  details?: JsonObject;
  requestId?: string | null;
  retryAfterMs?: number | null;
  cause?: unknown;
}

/** The one error of this client: a refusal of the server, or that there is no answer. */
export class ApiError extends Error {
  /** HTTP status; 0 where nobody answered, and of an error that a stream tells of once it has begun. */
  readonly status: number;
  /** As in platform-api 1.3, e.g. `NOT_FOUND`; empty where an answer is not the API's. */
  readonly code: string;
  readonly details: JsonObject;
  /** The request as the logs of the server name it; null where there was no answer. */
  readonly requestId: string | null;
  /** When to ask again, where that was said. */
  readonly retryAfterMs: number | null;
  /** Whether the request may have been carried out although it failed. */
  readonly mayHaveRun: boolean = false;
  /** Sent again under this key it is carried out once; null where the operation takes none. */
  readonly idempotencyKey: string | null = null;

  constructor(status: number, code: string, message: string, detail: ApiErrorDetail = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.details = detail.details ?? {};
    this.requestId = detail.requestId ?? null;
    this.retryAfterMs = detail.retryAfterMs ?? null;
    if (detail.cause !== undefined) (this as { cause?: unknown }).cause = detail.cause;
  }

  /** What a 409 names in its details, e.g. `SESSION_ENDED`; empty where there is none. */
  get reason(): string {
    const { reason } = this.details;
    return typeof reason === "string" ? reason : "";
  }
}

/** Return the error that an answer tells of. Spec: platform-api 1.3. */
export function refusal(status: number, headers: Headers, text: string): ApiError {
  const body = parsed(text);
  const afterS = Number(headers.get("retry-after") ?? NaN);
  const { code, message, retryAfterMs } = said({ status, body, ...(afterS >= 0 ? { retryAfterMs: afterS * 1000 } : {}) });
  const details = detailsOf(body);
  const named = typeof details["requestId"] === "string" ? details["requestId"] : null;
  return new ApiError(status, code, message, { details, requestId: headers.get("x-request-id") ?? named, retryAfterMs: retryAfterMs || null });
}

/** Return the error that an event of a stream tells of. Spec: platform-api 4.1, 4.3. */
export function toldError(data: JsonValue, requestId: string | null): ApiError {
  const { code, message, retryAfterMs } = said({ status: 0, body: data });
  return new ApiError(0, code, message, { details: detailsOf({ error: data }), requestId, retryAfterMs: retryAfterMs || null });
}

function detailsOf(body: unknown): JsonObject {
  const details = (body as { error?: { details?: unknown } } | null)?.error?.details;
  return typeof details === "object" && details !== null && !Array.isArray(details) ? (details as JsonObject) : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a proxy's page: the status says enough
  }
}
