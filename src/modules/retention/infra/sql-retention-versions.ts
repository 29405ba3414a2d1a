import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { RetentionVersionStore, StoredRetentionVersion } from '../app/retention-version-store.js';
import type { RetentionPolicyDocument } from '../domain/policy-document.js';

interface Row {
  readonly version: number;
  readonly policy_id: string;
  readonly name: string;
  readonly document: RetentionPolicyDocument; // checked before it became a version
  readonly content_hash: string;
  readonly draft_id: string;
  readonly author: string;
  readonly reason: string;
  readonly approval_id: string;
  readonly approvers: readonly string[];
  readonly activated_at: Date;
  readonly newest: number;
}

/** Versions in the table of migration 21. */
export class SqlRetentionVersions implements RetentionVersionStore {
  async active(tx: TenantTransaction): Promise<StoredRetentionVersion | undefined> {
    const [row] = await this.list(tx, { limit: 1 });
    return row;
  }

  async find(tx: TenantTransaction, version: number): Promise<StoredRetentionVersion | undefined> {
    const [row] = await this.list(tx, { before: version + 1, limit: 1 });
    return row?.version === version ? row : undefined;
  }

  async list(
    tx: TenantTransaction,
    { before, limit }: { readonly before?: number; readonly limit: number },
  ): Promise<readonly StoredRetentionVersion[]> {
    const rows = await prismaOf(tx).$queryRaw<Row[]>`
      SELECT v.*, (SELECT max(n.version) FROM retention_policy_versions n WHERE n.organization_id = current_tenant()) AS newest
      FROM retention_policy_versions v
      WHERE v.organization_id = current_tenant() AND v.version < ${before ?? 2_147_483_647}
      ORDER BY v.version DESC LIMIT ${limit}`;
    return rows.map(toVersion);
  }

  async lock(tx: TenantTransaction): Promise<void> {
    await prismaOf(tx).$queryRaw`SELECT lock_out_deletions(current_tenant())::text`;
  }

  async add(tx: TenantTransaction, version: StoredRetentionVersion): Promise<void> {
    await prismaOf(tx).$executeRaw`
      INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason,
        approval_id, approvers, activated_at)
      VALUES (current_tenant(), ${version.version}, ${version.policyId}, ${version.name}, ${version.document}::jsonb, ${version.contentHash},
        ${version.draftId}, ${version.author}, ${version.reason}, ${version.approvalId}, ${[...version.approvers]},
        ${new Date(version.activatedAt)})`;
  }
}

function toVersion(row: Row): StoredRetentionVersion {
  const { version, name, document, author, reason, approvers } = row;
  return {
    ...{ version, name, document, author, reason, approvers },
    state: version === row.newest ? 'active' : 'retired',
    policyId: row.policy_id,
    contentHash: row.content_hash,
    draftId: row.draft_id,
    approvalId: row.approval_id,
    activatedAt: row.activated_at.getTime(),
  };
}
