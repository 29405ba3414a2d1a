import type { StaffRole } from './staff-record.js';

/** Clocks of issuers may be this far ahead of ours. Milliseconds. */
const CLOCK_LEEWAY_MS = 60_000;
/** Authentication methods beyond something one knows (RFC 8176 §2). */
const STRONG_METHODS = new Set(['otp', 'mfa', 'hwk', 'swk', 'sc']);
/** Context classes that stand for such methods: phishing-resistant ones, and multi-factor as identity providers name it. */
const STRONG_CLASSES = new Set([
  'phr',
  'phrh',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'https://refeds.org/profile/mfa',
]);

/** How a person proved who they are, as far as the issuer says. */
export interface SignInFacts {
  /** Milliseconds; 0 where it is unknown, which is never recent. */
  readonly authenticatedAt: number;
  readonly strong: boolean;
}

/** Reads `auth_time`, `amr` and `acr` (OpenID Connect Core §2). What is missing or no such value counts for nothing. */
export function signInFacts(claims: Readonly<Record<string, unknown>>, now: number): SignInFacts {
  const { auth_time: authTime, amr, acr } = claims;
  const at = typeof authTime === 'number' && Number.isFinite(authTime) ? authTime * 1000 : 0;
  const methods: readonly unknown[] = Array.isArray(amr) ? amr : [];
  const strong =
    methods.some((method) => typeof method === 'string' && STRONG_METHODS.has(method)) ||
    (typeof acr === 'string' && STRONG_CLASSES.has(acr));
  return { authenticatedAt: at > now + CLOCK_LEEWAY_MS || at < 0 ? 0 : at, strong };
}

/** Which role each group gives, in the order of precedence. */
export type GroupRoles = readonly { readonly group: string; readonly role: StaffRole }[];

/** The first role whose group is among the claim's values: a list of texts, or one text. */
export function roleOfGroups(groups: unknown, groupRoles: GroupRoles): StaffRole | null {
  const named: readonly unknown[] = Array.isArray(groups) ? groups : [groups];
  return groupRoles.find(({ group }) => named.includes(group))?.role ?? null;
}
