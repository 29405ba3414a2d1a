import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { PolicyVersion, PolicyVersionEntry, PolicyVersions } from '../app/policy-versions.js';
import type { DealerPolicyDocument } from '../domain/dealer-policy.js';
import { DEALER_CHANNEL } from './dealer-channel.js';

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof prismaOf>['policyVersion']['findFirst']>>>;

export class PrismaPolicyVersions implements PolicyVersions {
  async current(tx: TenantTransaction): Promise<PolicyVersion | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).policyVersion.findFirst({ where: { organizationId }, orderBy: { version: 'desc' } });
    return row === null ? undefined : toVersion(row);
  }

  async find(tx: TenantTransaction, version: number): Promise<PolicyVersion | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).policyVersion.findUnique({
      where: { organizationId_version: { organizationId, version } },
    });
    return row === null ? undefined : toVersion(row);
  }

  async list(
    tx: TenantTransaction,
    { before, limit }: { readonly before?: number; readonly limit: number },
  ): Promise<readonly PolicyVersionEntry[]> {
    const rows = await prismaOf(tx).policyVersion.findMany({
      where: { organizationId: tx.organizationId, ...(before === undefined ? {} : { version: { lt: before } }) },
      orderBy: { version: 'desc' },
      take: limit,
      omit: { document: true },
    });
    return rows.map(toEntry);
  }

  async lock(tx: TenantTransaction): Promise<void> {
    await prismaOf(tx).$queryRaw`SELECT FROM organizations WHERE organization_id = ${tx.organizationId} FOR UPDATE`;
  }

  async add(tx: TenantTransaction, { document, approvers, createdAt, ...rest }: PolicyVersion): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).policyVersion.create({
      data: {
        organizationId,
        ...rest,
        document: structuredClone(document),
        approvers: [...approvers],
        createdAt: new Date(createdAt),
      },
    });
    await prismaOf(tx).$queryRaw`SELECT pg_notify(${DEALER_CHANNEL}, ${organizationId})::text`;
  }
}

function toEntry({ createdAt, ...row }: Omit<Row, 'document'>): PolicyVersionEntry {
  const { version, contentHash, author, reason, approvalId, approvers, restores } = row;
  return { version, contentHash, author, reason, approvalId, approvers, restores, createdAt: createdAt.getTime() };
}

/** Not held against today's schema: history shows what was in force, checked when it was published. */
function toVersion(row: Row): PolicyVersion {
  return { ...toEntry(row), document: row.document as unknown as DealerPolicyDocument };
}
