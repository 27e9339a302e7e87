/** What is loaded once it is needed: each a file of its own, beside the one that asks for it. */
export interface Parts {
  attachments(): Promise<Pick<typeof import("./attachments.ts"), "upload">>;
}
