import type { Client } from "./client.ts";
import { mayPass, said } from "./credentials.ts";
import type { AgentError } from "./errors.ts";
import { parsed } from "./json.ts";
import type { HttpAnswer, UploadRequest } from "./platform.ts";

/** Spec: platform-api 5.8, 15. */
export const FILE_MAX_BYTES = 25 * 1024 * 1024;
/** What may be sent, by the ending of its name; the server looks at the content as well. */
export const FILE_ENDINGS = "jpg jpeg png gif webp svg pdf docx xlsx pptx txt csv mp3 wav ogg m4a mp4 webm".split(" ");
const TRIES = 4;
const PAUSE_MS = 1_000;
const UPLOAD_MS = 600_000;

export interface UploadOptions {
  /** Cancels the upload. */
  signal?: AbortSignal;
  /** Told how far it is, from 0 to 1. */
  onProgress?: (fraction: number) => void;
}

function checkFile(file: { name: string; size: number }, Failure: typeof AgentError): void {
  if (file.size > FILE_MAX_BYTES) throw new Failure("file_too_large", `${file.name} is larger than 25 MB`);
  const ending = file.name.slice(file.name.lastIndexOf(".") + 1).toLowerCase();
  if (!FILE_ENDINGS.includes(ending)) throw new Failure("file_type", `${file.name} is of a type that is not taken`);
}

/**
 * Upload a file to the session, each try under the same key, and return its id. Throws AgentError.
 *
 * @param Failure The class of errors; a file of its own would have another one.
 */
export async function upload(client: Client, sessionId: string, file: File, options: UploadOptions, Failure: typeof AgentError): Promise<string> {
  checkFile(file, Failure);
  const { platform, credentials, config } = client;
  const url = `${client.endpoint}/api/projects/${encodeURIComponent(config.projectId)}/sessions/${encodeURIComponent(sessionId)}/attachments`;
  const key = platform.newId();
  for (let tries = 1; ; tries += 1) {
    const headers = { "X-SDK-Token": await credentials.token(), "Idempotency-Key": key };
    if (options.signal?.aborted) throw new Failure("upload_cancelled", `${file.name} was cancelled`);
    const answer = await (platform.upload ?? browserUpload)(url, {
      headers,
      file,
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.onProgress ? { onProgress: (sent: number, total: number) => options.onProgress?.(total ? sent / total : 0) } : {}),
    });
    if (options.signal?.aborted) throw new Failure("upload_cancelled", `${file.name} was cancelled`);
    const id = (answer.body as { attachmentId?: unknown } | null)?.attachmentId;
    if (answer.status >= 200 && answer.status < 300 && typeof id === "string") return id;
    const { code, message, retryAfterMs } = said(answer);
    if (!mayPass(answer.status) || tries === TRIES) throw new Failure("upload_failed", message, { code });
    await new Promise<void>((resolve) => void platform.after(retryAfterMs || PAUSE_MS * tries, resolve));
  }
}

/** `fetch` says nothing of what it has sent so far. */
function browserUpload(url: string, { headers, file, signal, onProgress }: UploadRequest): Promise<HttpAnswer> {
  return new Promise((resolve) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", url);
    sending.timeout = UPLOAD_MS;
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.onprogress = (event) => onProgress?.(event.loaded, event.total);
    const cancel = (): void => sending.abort();
    signal?.addEventListener("abort", cancel);
    sending.onloadend = () => {
      signal?.removeEventListener("abort", cancel);
      resolve({ status: sending.status, body: parsed(sending.responseText) });
    };
    const form = new FormData();
    form.append("file", file, file.name);
    sending.send(form);
  });
}
