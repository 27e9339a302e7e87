/** What somebody does with the HTTP client on a real gateway, through connections that break; prints what came of it. */
import { ApiError, type Client, createClient, pageLogin, userLogin } from "../src/http/index.ts";

const [url = "", other = "", apiKey = "", publicKey = "", projectId = ""] = process.argv.slice(2);
const CUT_AFTER_BYTES = [0, 1_200, 700, 2_000];
let cuts = 0;
let resumed = 0;
const CUT_WITHIN = /\/api\/v1\/chat\/agent$/;

/** Send as ever, but lose the answers to the first requests for streams after so many bytes; the next goes to another gateway. */
function breaking(after: number[]): (address: string, request: RequestInit) => Promise<Response> {
  return async (address, request) => {
    if (new Headers(request.headers).has("Last-Event-ID")) resumed += 1;
    const answer = await fetch(cuts % 2 ? address.replace(url, other) : address, request);
    const isStream = answer.headers.get("content-type")?.includes("event-stream");
    let left = isStream && CUT_WITHIN.test(address) ? (after.shift() ?? Infinity) : Infinity;
    const carry = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        controller.enqueue(piece.slice(0, Math.min(left, piece.length)));
        left -= piece.length;
        if (left > 0) return;
        cuts += 1;
        controller.error(new TypeError("cut"));
      },
    });
    return new Response(answer.body?.pipeThrough(carry) ?? null, answer);
  };
}

async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, reason, mayHaveRun, requestId } = error;
    return { status, code, message, reason, mayHaveRun, isTraced: requestId !== null };
  }
}

async function conversation(api: Client): Promise<object> {
  const body = { projectId, message: "Tell me" };
  const stream = api.chat.chatWithAgentStream({ body });
  const ids: string[] = [];
  let joined = "";
  let sessionId = "";
  let whole = "";
  for await (const event of stream) {
    ids.push(event.id || event.event);
    if (event.event === "session_start") sessionId = event.data.sessionId;
    if (event.event === "response_chunk") joined += event.data.chunk;
    if (event.event === "complete") whole = event.data.response;
  }
  const again = await api.chat.chatWithAgent({ body }, { idempotencyKey: stream.idempotencyKey ?? "" });
  const said = await api.sessions.listMessages({ projectId, sessionId, limit: 10 });
  await api.transcripts.endSession({ sessionId, body: { reason: "user" } });
  return {
    cuts,
    resumed,
    joined,
    whole,
    isEachOnce: new Set(ids).size === ids.length,
    events: ids.length,
    again: again.response,
    isSameSession: again.sessionId === sessionId,
    said: said.messages.map(({ role }) => role),
    ended: await failure(api.chat.chatWithAgent({ body: { ...body, sessionId } })),
  };
}

async function pages(api: Client): Promise<object> {
  const ids: string[] = [];
  let total = Infinity;
  for (let offset = 0; ids.length < total; offset += 1) {
    const page = await api.sessions.listSessions({ projectId, limit: 1, offset, sortBy: "createdAt" });
    ids.push(...page.sessions.map(({ id }) => id));
    total = page.total;
  }
  return { total, isEachOnce: new Set(ids).size === total };
}

async function files(api: Client): Promise<object> {
  const { sessionId } = await api.chat.chatWithAgent({ body: { projectId, message: "Look" } });
  const body = { file: new File(["Hello, file"], "a.txt", { type: "text/plain" }) };
  const first = await api.attachments.uploadAttachment({ projectId, sessionId, body }, { idempotencyKey: "one file" });
  const second = await api.attachments.uploadAttachment({ projectId, sessionId, body }, { idempotencyKey: "one file" });
  const content = await api.attachments.getContent({ projectId, sessionId, attachmentId: first.attachmentId });
  const zip = await api.projectIo.exportProject({ projectId, format: "zip" });
  return {
    isOne: first.attachmentId === second.attachmentId,
    content: await content.text(),
    zip: await zip.slice(0, 2).text(),
    csv: (await api.sessions.exportTraces({ projectId, format: "csv" })).split("\n")[0],
    metrics: (await api.health.showMetrics()).includes("abl_"),
  };
}

async function credentials(api: Client): Promise<object> {
  const { token } = await createClient({ url, publicKey }).sdk.init({ body: { projectId } });
  const page = createClient({ url, pageToken: pageLogin(token) });
  const { response } = await page.chat.chatWithAgent({ body: { projectId, message: "From a page" } });
  const login = { email: `walker-${projectId}@example.com`, password: "correct horse battery staple" };
  await api.users.addUser({ body: { ...login, role: "member" } });
  const { refreshToken } = await createClient({ url }).auth.logIn({ body: login });
  const kept: string[] = [];
  const person = createClient({ url, userToken: userLogin({ accessToken: "stale", refreshToken }, (tokens) => void kept.push(tokens.refreshToken)) });
  const [{ user }, again] = await Promise.all([person.auth.getMe(), person.auth.getMe()]);
  const spent = createClient({ url, userToken: userLogin({ accessToken: "stale", refreshToken }) });
  return {
    page: response,
    user: [user.email, again.user.email],
    renewals: kept.length,
    spent: await failure(spent.auth.getMe()),
    stranger: await failure(createClient({ url, apiKey: "abl_wrong" }).projects.listProjects()),
    nobody: await failure(createClient({ url }).projects.listProjects()),
  };
}

async function completion(api: Client): Promise<object> {
  const body = { projectId, messages: [{ role: "user" as const, content: "Tell me" }] };
  let text = "";
  let finish: string | undefined;
  for await (const event of api.completions.streamCompletion({ body })) {
    if (event.event === "text_delta") text += event.data.delta;
    if (event.event === "complete") finish = event.data.finishReason;
  }
  let openai = 0;
  const asked = { model: "Talker", messages: [{ role: "user" as const, content: "Tell me" }], stream: false };
  for await (const { data } of api.openai.createChatCompletionStream({ headers: { "OpenAI-Project": projectId }, body: asked })) openai += data ? 1 : 0;
  const runs: string[] = [];
  const run = { threadId: "t", runId: "r", messages: [{ id: "m", role: "user" as const, content: "Tell me" }] };
  for await (const { data } of api.agUi.runEntryAgent({ projectId, body: run })) runs.push(data.type);
  return { text, finish, openai: openai > 1, first: runs[0], last: runs.at(-1) };
}

const api = createClient({ url, apiKey, fetch: breaking([...CUT_AFTER_BYTES]) });
const walked = {
  conversation: await conversation(api),
  completion: await completion(api),
  files: await files(api),
  pages: await pages(api),
  credentials: await credentials(api),
};
console.log(JSON.stringify(walked));
