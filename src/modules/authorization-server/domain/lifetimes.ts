const MINUTE_S = 60;
const DAY_S = 86_400;

/** How long things last, in seconds. */
export const LIFETIMES_S = {
  /** From the first page to the consent. */
  interaction: 10 * MINUTE_S,
  /** A sign-in serves one request: every authorization asks for a new one-time code. */
  session: 10 * MINUTE_S,
  /** OAuth 2.1 §4.1.2 asks for ten minutes at most; programs exchange a code at once. */
  authorizationCode: MINUTE_S,
  /** Nobody can take an access token back, so it is short. */
  accessToken: 10 * MINUTE_S,
  /** Since its last use: each use gives a new one. */
  refreshToken: 14 * DAY_S,
  /** A consent, however often its tokens are refreshed. */
  consent: 90 * DAY_S,
} as const;

/** How long a registered client is kept, in milliseconds. */
export const clientLifetimeMs = {
  /** Anybody may register: what never gets a token is forgotten within a day. */
  unused: DAY_S * 1000,
  /** Since its last token. */
  used: LIFETIMES_S.consent * 1000,
} as const;
