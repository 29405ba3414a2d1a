import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../kernel/precondition.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { AccessChanges } from './access-change.js';
import { checkedNetworks } from './checked-networks.js';
import type { KeyChange, KeyEntry, KeyStore } from './key-store.js';

/** Use cases: shows the keys of an organization, and changes who holds one and from where it may be used. */
export class ChangeKey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: KeyStore,
    private readonly changes: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /** Ended ones included; by id. */
  list(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly KeyEntry[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.keys.list(tx, page));
  }

  /** @throws Failure `resource.not_found`. */
  find(organizationId: string, keyId: string): Promise<KeyEntry> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => present(await this.keys.find(tx, keyId, 'read')));
  }

  /**
   * Changes name and networks, within two seconds on every process.
   * @param expectedVersions versions that the caller takes to be in force (If-Match); undefined when it named none
   * @throws Failure `input.precondition`, `resource.not_found`, `input.invalid` for a network that is none, `input.precondition` for a
   *   key that was revoked.
   */
  async run(
    organizationId: string,
    keyId: string,
    change: Partial<KeyChange>,
    expectedVersions: ExpectedVersions,
    origin: ChangeOrigin,
  ): Promise<KeyEntry> {
    const expected = requireVersions(expectedVersions);
    const networks = change.networks === undefined ? undefined : checkedNetworks(change.networks);
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const key = present(await this.keys.find(tx, keyId, 'change'));
      requireVersion(expected, key.version);
      if (key.revokedAt !== null)
        throw new Failure('input.precondition', { reason: 'precondition_failed', auditReason: 'key_revoked' });
      const next = { name: change.name ?? key.name, networks: networks ?? key.networks };
      await this.keys.change(tx, key, next, origin.actor ?? 'forecourt', this.clock.now());
      const changed = { ...key, ...next, version: key.version + 1 };
      const resourceIds = [`${keyId}@${changed.version}`];
      await this.changes.record(tx, origin, {
        operation: 'keys.change',
        resourceIds,
        hashes: changeHashes(key, changed),
      });
      return changed;
    });
  }
}

function present(key: KeyEntry | undefined): KeyEntry {
  if (key === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return key;
}
