const SHA256 = { name: "HMAC", hash: "SHA-256" };

/**
 * Return the value of the header `x-callback-signature` for a body of `callbacks.deliverCallback`.
 *
 * @param secret Of the callback.
 * @param body What is delivered, as it is given to the call. Spec: platform-api 7.1.
 */
export async function callbackSignature(secret: string, body: unknown): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), SHA256, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, encoder.encode(JSON.stringify(body)));
  return `sha256=${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
