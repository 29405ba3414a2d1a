import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { DealerPolicyDocument } from '../../tenancy/index.js';
import type { PolicyDraft, PolicyDraftStore } from '../app/policy-draft-store.js';

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof prismaOf>['policyDraft']['findFirst']>>>;

export class PrismaPolicyDrafts implements PolicyDraftStore {
  async insert(tx: TenantTransaction, draft: PolicyDraft): Promise<void> {
    await prismaOf(tx).policyDraft.create({ data: { organizationId: tx.organizationId, ...columnsOf(draft) } });
  }

  async find(tx: TenantTransaction, draftId: string, purpose: 'read' | 'change'): Promise<PolicyDraft | undefined> {
    if (purpose === 'change')
      await prismaOf(tx).$queryRaw`SELECT FROM policy_drafts WHERE draft_id = ${draftId} FOR UPDATE`;
    const row = await prismaOf(tx).policyDraft.findUnique({ where: keyOf(tx, draftId) });
    return row === null ? undefined : toDraft(row);
  }

  async update(tx: TenantTransaction, draft: PolicyDraft): Promise<void> {
    await prismaOf(tx).policyDraft.update({ where: keyOf(tx, draft.draftId), data: columnsOf(draft) });
  }

  async list(
    tx: TenantTransaction,
    { before, limit }: { readonly before?: string; readonly limit: number },
  ): Promise<readonly PolicyDraft[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).policyDraft.findMany({
      where: { organizationId, ...(before === undefined ? {} : { draftId: { lt: before } }) },
      orderBy: { draftId: 'desc' },
      take: limit,
    });
    return rows.map(toDraft);
  }
}

const keyOf = ({ organizationId }: TenantTransaction, draftId: string) => ({
  organizationId_draftId: { organizationId, draftId },
});

function columnsOf({ document, createdAt, updatedAt, ...rest }: PolicyDraft) {
  return {
    ...rest,
    document: structuredClone(document) as object,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

function toDraft(row: Row): PolicyDraft {
  const { draftId, revision, baseVersion, author, reason, publishedAs } = row;
  return {
    draftId,
    revision,
    baseVersion,
    document: row.document as unknown as DealerPolicyDocument, // checked when it was written, and again when it is published
    author,
    reason,
    publishedAs,
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
  };
}
