import { type DataSubject, idInSubjectName, type SubjectPage } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { CataloguedSubjectData } from '../../../platform/database/catalogued-subject-data.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';

/** Who gets statements by mail, and copies of records of the subject: exports of the trail, and what was vaulted for a hold. The trail itself: redaction module. */
export class AuditSubjectData extends CataloguedSubjectData {
  constructor() {
    super(['audit_targets', 'audit_exports', 'hold_vault']);
  }

  override async isInUse(tx: TenantTransaction, { kind, id }: DataSubject): Promise<boolean> {
    if (kind !== 'recipient') return false;
    const where = { organizationId: tx.organizationId, targetId: id, revokedAt: null };
    return (await prismaOf(tx).auditTarget.count({ where })) > 0;
  }

  override async subjects(tx: TenantTransaction, { after, limit }: SubjectPage): Promise<readonly DataSubject[]> {
    const rows = await prismaOf(tx).auditTarget.findMany({
      where: { organizationId: tx.organizationId, targetId: { gt: idInSubjectName(after) } },
      orderBy: { targetId: 'asc' },
      take: limit,
      select: { targetId: true },
    });
    return rows.map(({ targetId }) => ({ kind: 'recipient', id: targetId }));
  }
}
