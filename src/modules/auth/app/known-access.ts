import type { Revocations } from '../../../kernel/ports/revocations.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AccessSnapshots, SnapshotSection } from '../../access-snapshots/index.js';
import { checkAccessContent } from '../domain/access-content.js';
import type { GrantRecord } from '../domain/grant-record.js';
import type { KeyDirectory, StoredKey } from './key-store.js';
import type { FindGrant } from './recent-lookups.js';

/** The part of this module in the access snapshot: keys and grants that are in use or ended lately. */
export interface AccessContent {
  readonly keys: readonly StoredKey[];
  readonly grants: readonly GrantRecord[];
}

interface OfOrganization {
  readonly keyIds: readonly string[];
  readonly grants: ReadonlyMap<string, GrantRecord>;
}

/** Where to look for what is not known by heart. */
export interface UnknownAccess {
  readonly keys: KeyDirectory;
  readonly grant: FindGrant;
}

/**
 * Keys and grants by heart (decision record 0037): found without the database, across all organizations whose snapshot is
 * held, and kept while the database is away. Revocations count above what the snapshot says.
 */
export class KnownAccess implements KeyDirectory {
  private readonly keys = new Map<string, StoredKey>();
  private readonly organizations = new Map<string, OfOrganization>();

  /** To be registered with SnapshotSections. */
  readonly section: SnapshotSection<AccessContent>;

  constructor(
    load: (tx: TenantTransaction) => Promise<AccessContent>,
    private readonly snapshots: Pick<AccessSnapshots, 'of' | 'assertCurrent' | 'isCurrent'>,
    private readonly unknown: UnknownAccess,
    private readonly revocations: Revocations,
  ) {
    this.section = {
      name: 'auth.access',
      load,
      validate: (content, organizationId) => {
        checkAccessContent(content, organizationId);
        return content as AccessContent;
      },
      changed: (organizationId, content) => {
        this.replace(organizationId, content);
      },
    };
  }

  /** What the snapshot cannot say for certain any more is asked of the database: whoever repairs it must get in. */
  async find(keyId: string): Promise<StoredKey | undefined> {
    const known = this.keys.get(keyId);
    if (known !== undefined) {
      // What was revoked does not wait for a newer snapshot.
      if (this.revocations.endOf('key', known.organizationId, keyId) !== undefined) return this.withEnd(known);
      await this.snapshots.of(known.organizationId, this.section);
      const key = this.keys.get(keyId);
      if (key !== undefined && this.snapshots.isCurrent(key.organizationId)) return this.withEnd(key);
    }
    const found = await this.unknown.keys.find(keyId);
    // Its organization is loaded for the calls to come. A failure shows there.
    if (found !== undefined) this.snapshots.of(found.organizationId, this.section).catch(() => undefined);
    return found && this.withEnd(found);
  }

  /** @throws Failure `upstream.unavailable` when what is known is too old to decide an agent's call by. */
  readonly findGrant: FindGrant = async (organizationId, grantId) => {
    const revoked = this.revocations.endOf('grant', organizationId, grantId);
    const held = this.organizations.get(organizationId)?.grants.get(grantId);
    if (revoked !== undefined && held !== undefined) return held; // its end is looked at on every call
    await this.snapshots.of(organizationId, this.section);
    this.snapshots.assertCurrent(organizationId);
    const known = this.organizations.get(organizationId)?.grants.get(grantId);
    return known ?? this.unknown.grant(organizationId, grantId);
  };

  private withEnd(key: StoredKey): StoredKey {
    const end = this.revocations.endOf('key', key.organizationId, key.keyId);
    return end === undefined ? key : { ...key, revokedAt: Math.min(end, key.revokedAt ?? end) };
  }

  private replace(organizationId: string, content: AccessContent | undefined): void {
    for (const keyId of this.organizations.get(organizationId)?.keyIds ?? []) this.keys.delete(keyId);
    this.organizations.delete(organizationId);
    if (content === undefined) return;
    for (const key of content.keys) this.keys.set(key.keyId, key);
    this.organizations.set(organizationId, {
      keyIds: content.keys.map((key) => key.keyId),
      grants: new Map(content.grants.map((grant) => [grant.grantId, grant])),
    });
  }
}

/** A grant with what was revoked of it or of the delegation behind it since it was read. */
export function grantWithEnd(grant: GrantRecord, revocations: Revocations): GrantRecord {
  const { organizationId, grantId, delegation } = grant;
  const end = revocations.endOf('grant', organizationId, grantId);
  const delegationEnd =
    delegation === null ? undefined : revocations.endOf('delegation', organizationId, delegation.delegationId);
  if (end === undefined && delegationEnd === undefined) return grant;
  return {
    ...grant,
    revokedAt: end ?? grant.revokedAt,
    delegation: delegation === null ? null : { ...delegation, revokedAt: delegationEnd ?? delegation.revokedAt },
  };
}
