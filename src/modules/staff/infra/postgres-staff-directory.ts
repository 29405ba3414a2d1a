import type pg from 'pg';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import type { FoundPerson, StaffDirectory } from '../app/staff-store.js';
import { roleOf } from './staff-role.js';

interface Row {
  readonly organization_id: string;
  readonly person_id: string;
  readonly name: string;
  readonly role: string;
  readonly issuer: string | null;
  readonly disabled_at: Date | null;
}

/** Finds persons through `find_staff_person`, which alone may look across tenants and returns one row. */
export class PostgresStaffDirectory implements StaffDirectory {
  constructor(private readonly pool: pg.Pool) {}

  async find(personId: string): Promise<FoundPerson | undefined> {
    try {
      const { rows } = await this.pool.query<Row>({
        name: 'find_staff_person',
        text: 'SELECT * FROM find_staff_person($1)',
        values: [personId],
      });
      return rows[0] === undefined ? undefined : toPerson(rows[0]);
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}

const toPerson = (row: Row): FoundPerson => ({
  organizationId: row.organization_id,
  personId: row.person_id,
  name: row.name,
  role: roleOf(row.role),
  outside: row.issuer !== null,
  disabledAt: row.disabled_at?.getTime() ?? null,
});
