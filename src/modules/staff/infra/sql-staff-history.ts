import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { PersonHistory, StaffHistory } from '../app/staff-history.js';
import { roleOf } from './staff-role.js';

interface Row {
  readonly person_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  /** Times are milliseconds. */
  readonly versions: readonly { version: number; role: string; disabledAt: number | null; from: number }[];
}

/** Reads `staff_person_versions`, which a trigger of the database writes. */
export class SqlStaffHistory implements StaffHistory {
  async persons(tx: TenantTransaction, begunBy: number): Promise<readonly PersonHistory[]> {
    const rows = await prismaOf(tx).$queryRaw<Row[]>`
      SELECT p.person_id, p.name, p.created_at, p.disabled_at,
             (SELECT coalesce(json_agg(json_build_object('version', v.version, 'role', v.role,
                'disabledAt', floor(extract(epoch FROM v.disabled_at) * 1000),
                'from', floor(extract(epoch FROM v.created_at) * 1000)) ORDER BY v.version), '[]')
              FROM staff_person_versions v
              WHERE v.organization_id = p.organization_id AND v.person_id = p.person_id) AS versions
      FROM staff_persons p
      WHERE p.organization_id = ${tx.organizationId} AND p.created_at <= ${new Date(begunBy)}
      ORDER BY p.person_id`;
    return rows.map((row) => ({
      personId: row.person_id,
      name: row.name,
      createdAt: row.created_at.getTime(),
      disabledAt: row.disabled_at?.getTime() ?? null,
      versions: row.versions.map((version) => ({ ...version, role: roleOf(version.role) })),
    }));
  }
}
