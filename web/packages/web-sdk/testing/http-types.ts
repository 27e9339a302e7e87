/** What the compiler must say of calls that are wrong, and know of what is answered. Nothing here is run. */
import { type AuditListReply, type ChatReply, type Client, type ExportReply, Http, chatApi } from "../src/http/index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => undefined;

export async function wrong(api: Client): Promise<void> {
  // @ts-expect-error the path needs an id
  await api.sessions.getSession({ projectId: "p" });
  // @ts-expect-error an id is a text
  await api.sessions.getSession({ projectId: "p", sessionId: 1 });
  // @ts-expect-error it has no such query
  await api.sessions.listSessions({ projectId: "p", colour: "red" });
  // @ts-expect-error a query has its values
  await api.sessions.listSessions({ projectId: "p", status: "asleep" });
  // @ts-expect-error the body lacks what it needs
  await api.chat.chatWithAgent({ body: { message: "Hi" } });
  // @ts-expect-error the body has no such field
  await api.chat.chatWithAgent({ body: { projectId: "p", message: "Hi", colour: "red" } });
  // @ts-expect-error there is no such operation
  await api.chat.chatWithNobody({});
  // @ts-expect-error an operation that asks for nothing
  await api.auth.getMe({ projectId: "p" });
  // @ts-expect-error a model call has nothing to go on behind
  api.completions.streamCompletion({ body: { projectId: "p", messages: [] } }, { lastEventId: "s:1" });
  // @ts-expect-error a reply has no such field
  (await api.chat.chatWithAgent({ body: { projectId: "p", message: "Hi" } })).colour;
  for await (const event of api.chat.chatWithAgentStream({ body: { projectId: "p", message: "Hi" } })) {
    // @ts-expect-error an error is thrown, not told
    if (event.event === "error") return;
    // @ts-expect-error only some events have pieces of text
    event.data.chunk;
  }
}

export async function right(api: Client, cursor: string | undefined): Promise<void> {
  const reply = await api.chat.chatWithAgent({ body: { projectId: "p", message: "Hi" } });
  holds<Same<typeof reply, ChatReply>>();
  for await (const event of chatApi(new Http()).chatWithAgentStream({ body: { projectId: "p", message: "Hi" } }, { lastEventId: "s:1" })) {
    if (event.event === "complete") holds<Same<typeof event.data, ChatReply>>();
    if (event.event === "response_chunk") holds<Same<typeof event.data.chunk, string>>();
  }
  await api.sessions.listMessages({ projectId: "p", sessionId: "s", cursor });
  const [list, csv] = [await api.audit.listAuditEntries(), await api.audit.listAuditEntries({ format: "csv" })];
  holds<Same<typeof list, AuditListReply>>();
  holds<Same<typeof csv, string>>();
  const [folder, zip] = [await api.projectIo.exportProject({ projectId: "p" }), await api.projectIo.exportProject({ projectId: "p", format: "zip" })];
  holds<Same<typeof folder, ExportReply>>();
  holds<Same<typeof zip, Blob>>();
}
