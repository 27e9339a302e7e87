import { CLOSE_CODES } from "./wire.ts";

/** Where a connection stands. */
export type ConnectionState =
  | "idle" // nobody asked for it yet
  | "authorizing" // a token is fetched, or the one at hand is used
  | "opening" // the socket is there, `session_start` is not
  | "ready"
  | "pausing" // before the next attempt
  | "exhausted" // the last attempt failed; it says so and offers another
  | "resting" // closed because nothing happened; opened again on the next use
  | "ended" // the session is over; the next use begins another
  | "displaced" // too many sockets; this one is opened again only when asked for
  | "refused" // key, origin or project: no attempt would change that
  | "closed"; // by `disconnect()`

export type ConnectionEvent =
  | "connect" // asked for, or needed
  | "disconnect"
  | "authorized"
  | "denied" // the public key itself is not taken
  | "started" // `session_start`
  | "lost" // no answer, no network, a gateway that goes away
  | "token_refused"
  | "session_gone" // there is none any more under this token
  | "session_over" // the server has said so
  | "idled"
  | "crowded_out"
  | "faulted" // this client has said something that it must not
  | "spent" // no attempt is left
  | "wake"; // the pause is over, the network is back, the page is looked at

type Row = Partial<Record<ConnectionEvent, ConnectionState>>;

const TRIED: Row = {
  lost: "pausing",
  token_refused: "pausing",
  session_gone: "pausing",
  session_over: "ended",
  idled: "resting",
  crowded_out: "displaced",
  faulted: "refused",
  disconnect: "closed",
};
const STANDING: Row = { connect: "authorizing", disconnect: "closed" };

/** Every move of a connection; an event that has no row in a state changes nothing. Spec: platform-api 12.6, 12.8. */
export const MOVES: Readonly<Record<ConnectionState, Row>> = {
  idle: STANDING,
  authorizing: { authorized: "opening", denied: "refused", lost: "pausing", disconnect: "closed" },
  opening: { ...TRIED, started: "ready" },
  ready: TRIED,
  pausing: { wake: "authorizing", connect: "authorizing", spent: "exhausted", disconnect: "closed" },
  exhausted: { ...STANDING, wake: "authorizing" },
  resting: STANDING,
  ended: STANDING,
  displaced: STANDING,
  refused: STANDING,
  closed: STANDING,
};

/** Return where an event leads; the same state when it means nothing there. */
export function after(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  return MOVES[state][event] ?? state;
}

export interface Reaction {
  event: ConnectionEvent;
  /** What is of no use any more. */
  drops?: "token" | "session";
  /** The attempt it counts as at least: later ones wait longer. */
  attempt?: number;
}

const BACK_OFF_FROM = 3;
const LOST: Reaction = { event: "lost" };

/** What each close code makes of a connection. Spec: platform-api 12.8. */
export const REACTIONS: Readonly<Record<number, Reaction>> = {
  [CLOSE_CODES.NORMAL]: { event: "idled" }, // a session that is over was told so first
  [CLOSE_CODES.GOING_AWAY]: LOST,
  [CLOSE_CODES.UNEXPECTED_BINARY]: { event: "faulted" },
  [CLOSE_CODES.ABUSE]: { event: "lost", attempt: BACK_OFF_FROM },
  [CLOSE_CODES.TOO_LARGE]: { event: "faulted" },
  [CLOSE_CODES.INTERNAL]: LOST,
  [CLOSE_CODES.OVERLOADED]: { event: "lost", attempt: BACK_OFF_FROM },
  [CLOSE_CODES.UNAUTHENTICATED]: { event: "token_refused", drops: "token" },
  [CLOSE_CODES.FORBIDDEN]: { event: "token_refused", drops: "token" },
  [CLOSE_CODES.NO_SESSION]: { event: "session_gone", drops: "session" },
  [CLOSE_CODES.IDLE]: { event: "idled" },
  [CLOSE_CODES.TOO_MANY_SOCKETS]: { event: "crowded_out" },
  [CLOSE_CODES.DISABLED]: { event: "token_refused", drops: "token" },
  [CLOSE_CODES.RATE_LIMITED]: { event: "lost", attempt: BACK_OFF_FROM },
};

/** Return the reaction to a close code; one that the contract does not know is a loss. */
export function reactionTo(code: number): Reaction {
  return REACTIONS[code] ?? LOST;
}
