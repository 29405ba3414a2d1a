import { KEY_ROLES } from '../../../kernel/caller.js';

/**
 * Holds keys and grants against what deciding relies on, before they are put in force: they may come from a file.
 * @throws Error naming what is wrong, never a value.
 */
export function checkAccessContent(content: unknown, organizationId: string): void {
  const { keys, grants } = (content ?? {}) as { keys?: unknown; grants?: unknown };
  if (!Array.isArray(keys) || !Array.isArray(grants)) throw new Error('keys or grants are missing');
  if (!keys.every((key) => isKey(key as Fields, organizationId))) throw new Error('a key is malformed');
  if (!grants.every((grant) => isGrant(grant as Fields, organizationId))) throw new Error('a grant is malformed');
}

type Fields = Readonly<Record<string, unknown>>;

function isKey(key: Fields, organizationId: string): boolean {
  return (
    key['organizationId'] === organizationId &&
    typeof key['keyId'] === 'string' &&
    (KEY_ROLES as readonly unknown[]).includes(key['role']) &&
    key['secretHash'] instanceof Uint8Array &&
    key['secretHash'].length === 32 &&
    isTextOrNull(key['grantId']) &&
    [key['expiresAt'], key['revokedAt'], key['retiresAt']].every(isTimeOrNull) &&
    isTexts(key['scopes']) &&
    isTexts(key['networks']) &&
    typeof key['organizationServed'] === 'boolean'
  );
}

function isGrant(grant: Fields, organizationId: string): boolean {
  const delegation = grant['delegation'] as Fields | null | undefined;
  return (
    grant['organizationId'] === organizationId &&
    [grant['grantId'], grant['subject'], grant['issuer']].every((text) => typeof text === 'string') &&
    typeof grant['version'] === 'number' &&
    [grant['rooftopIds'], grant['profiles'], grant['scopes'], grant['purposes']].every(isTexts) &&
    typeof grant['expiresAt'] === 'number' &&
    isTimeOrNull(grant['revokedAt']) &&
    (delegation === null || (typeof delegation === 'object' && isDelegation(delegation)))
  );
}

function isDelegation(delegation: Fields): boolean {
  return (
    [delegation['delegationId'], delegation['grantee']].every((text) => typeof text === 'string') &&
    (delegation['rooftops'] === 'all' || isTexts(delegation['rooftops'])) &&
    isTexts(delegation['scopes']) &&
    typeof delegation['expiresAt'] === 'number' &&
    isTimeOrNull(delegation['revokedAt'])
  );
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
const isTimeOrNull = (value: unknown): boolean => value === null || typeof value === 'number';
