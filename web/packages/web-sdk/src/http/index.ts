/** A typed client of the platform's HTTP API, for Node and browsers. */
export { ApiError, BAD_ANSWER, BAD_CALL, NO_CREDENTIAL, UNREACHABLE } from "./api-error.ts";
export { Http, type Asked, type CallOptions, type Credential, type HttpOptions } from "./core.ts";
export { pageLogin, userLogin, type UserTokens } from "./logins.ts";
export * from "./operations.ts";
export { callbackSignature } from "./signing.ts";
export type { StreamEvent } from "./sse.ts";
export type { EventStream } from "./stream.ts";
export type * from "./forms.ts";
export type { JsonObject, JsonValue } from "../wire.ts";
