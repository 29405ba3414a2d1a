import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { DiscrepancyReview, DiscrepancyReviewStore } from '../app/discrepancy-review-store.js';

type Row = Omit<DiscrepancyReview, 'createdAt'> & { readonly createdAt: Date };

export class PostgresDiscrepancyReviews implements DiscrepancyReviewStore {
  async newest(tx: TenantTransaction, rooftopId: string, vin: string): Promise<readonly DiscrepancyReview[]> {
    const rows = await prismaOf(tx).$queryRaw<Row[]>`
      SELECT DISTINCT ON (field) rooftop_id AS "rooftopId", vin, field, version, status, content_hash AS "contentHash", author, reason,
        created_at AS "createdAt"
      FROM discrepancy_reviews WHERE rooftop_id = ${rooftopId} AND vin = ${vin} ORDER BY field, version DESC`;
    return rows.map((row) => ({ ...row, createdAt: row.createdAt.getTime() }));
  }

  async insert(tx: TenantTransaction, review: DiscrepancyReview): Promise<void> {
    const { rooftopId, vin, field, version, status, contentHash, author, reason, createdAt } = review;
    await prismaOf(tx).$executeRaw`
      INSERT INTO discrepancy_reviews (organization_id, rooftop_id, vin, field, version, status, content_hash, author, reason, created_at)
      VALUES (${tx.organizationId}, ${rooftopId}, ${vin}, ${field}, ${version}, ${status}, ${contentHash}, ${author}, ${reason},
        ${new Date(createdAt)})`;
  }
}
