import type { KeyedReply } from '../../../kernel/ports/keyed-writes.js';

/** Members of a reply that carry a secret, by the house's rule for every admin answer. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['secret', 'token']);
const NOTICE = 'The secret was shown once and is not kept. Rotate the credential, or revoke it and make another one.';

/** The reply as it is kept for replays: `null` in place of each secret, and beside it what to do about that (decision 11). */
export function withoutSecrets(reply: KeyedReply): KeyedReply {
  return { ...reply, data: strip(reply.data) };
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const secret = SECRET_MEMBERS.has(name) && member !== null && member !== undefined;
    kept[name] = secret ? null : strip(member);
    if (secret) kept['secret_notice'] = NOTICE;
  }
  return kept;
}
