import type { KeyRole } from '../../../kernel/caller.js';
import { changeHashes } from '../../../kernel/change-hashes.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import { formatApiKey, generateApiKey, hashSecret } from '../domain/api-key.js';
import type { KeyStore } from './key-store.js';

export interface NewKey {
  readonly organizationId: string;
  /** The person or program that holds it. */
  readonly name: string;
  readonly role: KeyRole;
  /** What a key of the role `app` carries onto the protocol surfaces; without one it opens nothing there. */
  readonly grantId?: string;
  /** The only operations that it may call (kernel/key-scopes.ts); absent: all that its role or grant allows. */
  readonly scopes?: readonly string[];
  /** CIDR ranges in their kept form (domain/key-networks.ts); absent: from everywhere. */
  readonly networks?: readonly string[];
  /** The key whose place it takes. */
  readonly replaces?: string;
  /** Milliseconds since the Unix epoch; null for a key without an end. */
  readonly expiresAt: number | null;
}

/** The only time that the token exists outside its holder's hands. */
export interface CreatedKey {
  readonly keyId: string;
  readonly token: string;
}

/** Use case: issues an API key and audits it in the same transaction. */
export class CreateKey {
  /** @param pepper key of the stored hashes */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: KeyStore,
    private readonly audit: TransactionalAudit,
    private readonly pepper: Uint8Array,
    private readonly clock: Clock,
  ) {}

  run(key: NewKey, origin: ChangeOrigin): Promise<CreatedKey> {
    return this.unitOfWork.withTenant(key.organizationId, (tx) => this.runIn(tx, key, origin));
  }

  /** As part of a larger change, such as the creation of a dealer group with its first key. */
  async runIn(tx: TenantTransaction, key: NewKey, origin: ChangeOrigin): Promise<CreatedKey> {
    const created = await this.mintIn(tx, key, origin.actor);
    await this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.clock.now(),
      organizationId: key.organizationId,
      operation: 'key.create',
      profile: null,
      rooftopIds: [],
      resourceIds: [created.keyId],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...changeHashes(null, { ...key, keyId: created.keyId }),
    });
    return created;
  }

  /** Only the key: for a change whose own record names it, because a request leaves one record. */
  async mintIn(tx: TenantTransaction, key: NewKey, author: string | null = null): Promise<CreatedKey> {
    const fresh = generateApiKey();
    await this.store.insert(tx, {
      ...key,
      grantId: key.grantId ?? null,
      scopes: key.scopes ?? [],
      networks: key.networks ?? [],
      replaces: key.replaces ?? null,
      author: author ?? 'forecourt',
      createdAt: this.clock.now(),
      keyId: fresh.keyId,
      secretHash: hashSecret(this.pepper, fresh.secret),
    });
    return { keyId: fresh.keyId, token: formatApiKey(fresh) };
  }
}

export const CREATE_KEY = Symbol('CreateKey');
