import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { RetentionDraft, RetentionDraftStore } from '../app/retention-draft-store.js';
import type { RetentionPolicyDocument } from '../domain/policy-document.js';

interface Row {
  readonly draft_id: string;
  readonly revision: number;
  readonly base_version: number;
  readonly policy_id: string;
  readonly name: string;
  readonly document: RetentionPolicyDocument; // its form was checked when it was written
  readonly author: string;
  readonly reason: string;
  readonly activated_as: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Drafts in the table of migration 21. */
export class SqlRetentionDrafts implements RetentionDraftStore {
  async insert(tx: TenantTransaction, draft: RetentionDraft): Promise<void> {
    await prismaOf(tx).$executeRaw`
      INSERT INTO retention_policy_drafts (organization_id, draft_id, revision, base_version, policy_id, name, document, author, reason,
        activated_as, created_at, updated_at)
      VALUES (current_tenant(), ${draft.draftId}, ${draft.revision}, ${draft.baseVersion}, ${draft.policyId}, ${draft.name},
        ${draft.document}::jsonb, ${draft.author}, ${draft.reason}, ${draft.activatedAs}, ${new Date(draft.createdAt)},
        ${new Date(draft.updatedAt)})`;
  }

  async find(tx: TenantTransaction, draftId: string, purpose: 'read' | 'change'): Promise<RetentionDraft | undefined> {
    if (purpose === 'change')
      await prismaOf(tx).$queryRaw`
        SELECT FROM retention_policy_drafts WHERE organization_id = current_tenant() AND draft_id = ${draftId} FOR UPDATE`;
    const [row] = await prismaOf(tx).$queryRaw<Row[]>`
      SELECT * FROM retention_policy_drafts WHERE organization_id = current_tenant() AND draft_id = ${draftId}`;
    return row === undefined ? undefined : toDraft(row);
  }

  async update(tx: TenantTransaction, draft: RetentionDraft): Promise<void> {
    await prismaOf(tx).$executeRaw`
      UPDATE retention_policy_drafts SET revision = ${draft.revision}, base_version = ${draft.baseVersion}, policy_id = ${draft.policyId},
        name = ${draft.name}, document = ${draft.document}::jsonb, author = ${draft.author}, reason = ${draft.reason},
        activated_as = ${draft.activatedAs}, updated_at = ${new Date(draft.updatedAt)}
      WHERE organization_id = current_tenant() AND draft_id = ${draft.draftId}`;
  }

  async list(
    tx: TenantTransaction,
    { before, limit }: { readonly before?: string; readonly limit: number },
  ): Promise<readonly RetentionDraft[]> {
    const rows = await prismaOf(tx).$queryRaw<Row[]>`
      SELECT * FROM retention_policy_drafts
      WHERE organization_id = current_tenant() AND draft_id < ${before ?? '~'} COLLATE "C"
      ORDER BY draft_id COLLATE "C" DESC LIMIT ${limit}`;
    return rows.map(toDraft);
  }
}

function toDraft(row: Row): RetentionDraft {
  const { revision, name, document, author, reason } = row;
  return {
    ...{ revision, name, document, author, reason },
    draftId: row.draft_id,
    baseVersion: row.base_version,
    policyId: row.policy_id,
    activatedAs: row.activated_as,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
