import { type DataSubject, idInSubjectName, type SubjectPage } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { CataloguedSubjectData } from '../../../platform/database/catalogued-subject-data.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';

/** Who gets notices of holds: persons by their own addresses, and whoever else reads what is sent to a target. */
export class HoldSubjectData extends CataloguedSubjectData {
  constructor() {
    super(['hold_notice_targets']);
  }

  override async isInUse(tx: TenantTransaction, { kind, id }: DataSubject): Promise<boolean> {
    if (kind !== 'recipient') return false;
    const found = await prismaOf(tx).$queryRaw<unknown[]>`
      SELECT 1 FROM hold_notice_targets WHERE organization_id = current_tenant() AND target_id = ${id} AND revoked_at IS NULL`;
    return found.length > 0;
  }

  override async subjects(tx: TenantTransaction, { after, limit }: SubjectPage): Promise<readonly DataSubject[]> {
    const rows = await prismaOf(tx).$queryRaw<{ id: string }[]>`
      SELECT target_id AS id FROM hold_notice_targets
      WHERE organization_id = current_tenant() AND target_id > ${idInSubjectName(after)} ORDER BY target_id LIMIT ${limit}`;
    return rows.map(({ id }) => ({ kind: 'recipient', id }));
  }
}
