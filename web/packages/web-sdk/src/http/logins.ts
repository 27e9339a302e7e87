import type { Credential, Http } from "./core.ts";

/** The tokens of a log-in, as `auth.logIn` gives them. */
export interface UserTokens {
  accessToken: string;
  refreshToken: string;
}

/**
 * Return the credential of a log-in, renewed when its access token has run out: `new Http({ userToken: userLogin(...) })`.
 *
 * A refresh token opens one thing once, so keep the new ones before they are used: `keep` is waited for. Two clients with
 * the same tokens end each other's log-in. Spec: platform-api 14.2.
 */
export function userLogin(tokens: UserTokens, keep?: (tokens: UserTokens) => void | Promise<void>): Credential {
  return renewed(tokens, (held) => held.accessToken, keep, async ({ refreshToken }, http) => {
    const { accessToken, refreshToken: next } = (await http.call(REFRESH_USER, { body: { refreshToken } })) as UserTokens;
    return { accessToken, refreshToken: next };
  });
}

/** Return the credential of a page, renewed when it has run out. `keep` is told of each new token, and waited for. */
export function pageLogin(token: string, keep?: (token: string) => void | Promise<void>): Credential {
  return renewed(token, (held) => held, keep, async (held, http) => {
    return ((await http.call(REFRESH_PAGE, { headers: { "X-SDK-Token": held } })) as { token: string }).token;
  });
}

const REFRESH_USER = "POST /api/auth/refresh - -";
const REFRESH_PAGE = "POST /api/v1/sdk/refresh - k";

function renewed<Held>(
  first: Held,
  secretOf: (held: Held) => string,
  keep: ((held: Held) => void | Promise<void>) | undefined,
  renew: (held: Held, http: Http) => Promise<Held>,
): Credential {
  let held = first;
  let renewing: Promise<string> | null = null;
  const fetched = async (http: Http): Promise<string> => {
    const next = await renew(held, http);
    held = next; // the one before opens nothing more, whether or not this one can be kept
    await keep?.(next);
    return secretOf(next);
  };
  return (refused, http) => {
    if (renewing === null && refused !== secretOf(held)) return secretOf(held);
    renewing ??= fetched(http).finally(() => (renewing = null));
    return renewing;
  };
}
