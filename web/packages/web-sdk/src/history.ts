import { mayPass, type Credentials } from "./credentials.ts";
import type { Platform } from "./platform.ts";
import type { HistoryLine, HistoryPage } from "./transcript.ts";

/** How many of the newest lines are read at once. Spec: platform-api 5.9. */
export const PAGE_LINES = 200;
const TRIES = 3;
const PAUSE_MS = 500;

/**
 * Return the newest lines of a session; none where there is no such session. Null: it cannot be read now.
 *
 * The token is taken before this first waits.
 */
export async function readHistory(
  platform: Platform,
  credentials: Credentials,
  endpoint: string,
  session: { projectId: string; sessionId: string },
): Promise<HistoryPage | null> {
  const path = `/api/projects/${encodeURIComponent(session.projectId)}/sessions/${encodeURIComponent(session.sessionId)}/messages`;
  let having = credentials.token();
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const token = await having.catch(() => null);
    if (token === null) return null;
    const url = `${endpoint}${path}?direction=desc&limit=${PAGE_LINES}`;
    const answer = await platform.request(url, { method: "GET", headers: { "X-SDK-Token": token } });
    if (answer.status === 404) return { lines: [], lastSeq: null, openActions: null };
    if (answer.status === 200) {
      const { messages, lastSeq = null, openActions = null } = answer.body as Partial<Omit<HistoryPage, "lines">> & { messages?: HistoryLine[] };
      return Array.isArray(messages) ? { lines: messages.reverse(), lastSeq, openActions } : null;
    }
    if (!mayPass(answer.status) || tries === TRIES) return null;
    await new Promise<void>((resolve) => void platform.after(answer.retryAfterMs ?? PAUSE_MS * tries, resolve));
    having = credentials.token();
  }
  return null;
}
