import type { KeyRole } from '../../../kernel/caller.js';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { scopesWithin } from '../../../kernel/key-scopes.js';
import { LIMITS } from '../../../kernel/limits.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../kernel/precondition.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import { refusalOfGrant } from '../domain/grant-record.js';
import { endOfKey } from '../domain/key-life.js';
import { checkedNetworks, invalidKey } from './checked-networks.js';
import type { AccessChanges } from './access-change.js';
import type { CreatedKey, CreateKey } from './create-key.js';
import type { GrantStore } from './grant-store.js';
import type { KeyEntry, KeyStore } from './key-store.js';

export interface RequestedKey {
  readonly name: string;
  readonly role: KeyRole;
  readonly scopes: readonly string[];
  /** As they were written. */
  readonly networks: readonly string[];
  readonly grantId: string | undefined;
  /** Milliseconds; null for a key without an end. */
  readonly expiresAt: number | null;
}

/** On whose behalf a key is issued, and what that key may hand on: a key never issues one that opens more. */
export type KeyIssuer = ChangeOrigin & { readonly scopes?: readonly string[] | undefined };

export interface IssueKeyParts {
  readonly unitOfWork: UnitOfWork;
  readonly keys: KeyStore;
  readonly grants: GrantStore;
  readonly createKey: CreateKey;
  readonly changes: AccessChanges;
  readonly clock: Clock;
}

/** A key with its token: the only time that this exists outside its holder's hands. */
export type IssuedKey = CreatedKey & { readonly key: KeyEntry };

/** Use cases: issues a key, alone or as the successor of another one. Key and audit record are one transaction. */
export class IssueKey {
  constructor(private readonly parts: IssueKeyParts) {}

  /** @throws Failure `input.invalid`, `grant.scope_insufficient` for a key that would open more than the one that asks. */
  async run(organizationId: string, requested: RequestedKey, issuer: KeyIssuer): Promise<IssuedKey> {
    const { scopes: own, ...origin } = issuer;
    refuseWider(requested.scopes, own);
    const networks = checkedNetworks(requested.networks);
    const now = this.parts.clock.now();
    if (requested.expiresAt !== null && requested.expiresAt <= now)
      throw invalidKey('/expires_at', 'minimum', 'must be in the future');
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const { grantId, ...rest } = requested;
      if (grantId !== undefined) await this.requireGrant(tx, requested.role, grantId, now);
      const carried = grantId === undefined ? {} : { grantId };
      const created = await this.parts.createKey.mintIn(
        tx,
        { ...rest, ...carried, organizationId, networks },
        origin.actor,
      );
      const issued = await this.withEntry(tx, created);
      const hashes = changeHashes(null, issued.key);
      await this.parts.changes.record(tx, origin, { operation: 'keys.create', resourceIds: [created.keyId], hashes });
      return issued;
    });
  }

  /**
   * Issues the successor of a key, with the same name, role, scopes, networks and grant. The key itself works until
   * `oldKeyUntil`; its own predecessor, where that still works, ends now: two are live, never three.
   * @throws Failure `input.precondition`, `resource.not_found`, `input.precondition` for a key that has ended or has a successor, `input.invalid` for a time
   *   beyond the limit, `grant.scope_insufficient` as {@link run}.
   */
  rotate(
    organizationId: string,
    keyId: string,
    requested: { readonly oldKeyUntil: number | undefined; readonly expiresAt: number | null | undefined },
    expectedVersions: ExpectedVersions,
    issuer: KeyIssuer,
  ): Promise<IssuedKey> {
    const { scopes: own, ...origin } = issuer;
    const expected = requireVersions(expectedVersions);
    const now = this.parts.clock.now();
    const until = requested.oldKeyUntil ?? now + LIMITS.keyOverlapDefaultSeconds.value * 1000;
    if (until < now || until > now + LIMITS.keyOverlapMaxSeconds.value * 1000)
      throw invalidKey(
        '/old_key_until',
        'maximum',
        `must lie within ${LIMITS.keyOverlapMaxSeconds.value} seconds from now`,
      );
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const key = await this.parts.keys.find(tx, keyId, 'change');
      if (key === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      requireVersion(expected, key.version);
      refuseWider(key.scopes, own);
      const ended = endOfKey(key, now)?.reason ?? (key.retiresAt === null ? undefined : 'retired');
      if (ended !== undefined)
        throw new Failure('input.precondition', { reason: 'precondition_failed', auditReason: `key_${ended}` });
      await this.endPredecessor(tx, key, now);
      await this.parts.keys.retire(tx, keyId, until);
      const created = await this.parts.createKey.mintIn(
        tx,
        successorOf(key, organizationId, requested.expiresAt),
        origin.actor,
      );
      const issued = await this.withEntry(tx, created);
      const hashes = changeHashes(key, issued.key);
      await this.parts.changes.record(tx, origin, {
        operation: 'keys.rotate',
        resourceIds: [keyId, created.keyId],
        hashes,
      });
      return issued;
    });
  }

  private async endPredecessor(tx: TenantTransaction, { replaces }: KeyEntry, now: number): Promise<void> {
    const predecessor = replaces === null ? undefined : await this.parts.keys.find(tx, replaces, 'change');
    if (predecessor !== undefined && endOfKey(predecessor, now) === undefined)
      await this.parts.keys.retire(tx, predecessor.keyId, now);
  }

  private async requireGrant(tx: TenantTransaction, role: KeyRole, grantId: string, now: number): Promise<void> {
    if (role !== 'app') throw invalidKey('/grant_id', 'not', 'is for keys of the role app');
    const grant = await this.parts.grants.find(tx, grantId);
    if (grant === undefined || refusalOfGrant(grant, now) !== undefined)
      throw invalidKey('/grant_id', 'enum', 'must be a grant in force');
  }

  private async withEntry(tx: TenantTransaction, created: CreatedKey): Promise<IssuedKey> {
    const key = await this.parts.keys.find(tx, created.keyId, 'read');
    if (key === undefined) throw new Error('a key that was just stored is not there');
    return { ...created, key };
  }
}

function successorOf(
  { keyId, name, role, scopes, networks, grantId, expiresAt }: KeyEntry,
  organizationId: string,
  newEnd: number | null | undefined,
): Parameters<CreateKey['mintIn']>[1] {
  const carried = grantId === null ? {} : { grantId };
  const end = newEnd === undefined ? expiresAt : newEnd;
  return { organizationId, name, role, scopes, networks, replaces: keyId, expiresAt: end, ...carried };
}

function refuseWider(scopes: readonly string[], own: readonly string[] | undefined): void {
  if (!scopesWithin(scopes, own)) throw new Failure('grant.scope_insufficient', { auditReason: 'key_scope_exceeded' });
}
