import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ManageStaff } from '../../staff/index.js';
import type { AccessHistory } from '../app/access-history.js';
import type { AccessFact } from '../domain/access-fact.js';

const PAGE = 500;

/**
 * Persons who work for the organization, as its staff module knows them. Their role is that of now: the time of an earlier one is
 * in the audit trail alone.
 */
export class StaffAccessHistory implements AccessHistory {
  constructor(private readonly staff: Pick<ManageStaff, 'list'>) {}

  async facts({ organizationId }: TenantTransaction, begunBy: number): Promise<readonly AccessFact[]> {
    const facts: AccessFact[] = [];
    let after: string | undefined;
    do {
      const page = after === undefined ? { limit: PAGE } : { after, limit: PAGE };
      const persons = await this.staff.list(organizationId, page);
      for (const person of persons) {
        if (person.createdAt > begunBy || person.role === null) continue;
        facts.push({
          ...{ kind: 'person', id: person.personId, version: person.version, holder: person.name, role: person.role },
          ...{ restsOn: null, rooftops: null, profiles: [], scopes: [], networks: [] },
          from: person.createdAt,
          ends: person.disabledAt === null ? [] : [{ at: person.disabledAt, reason: 'disabled' }],
        });
      }
      after = persons.length === PAGE ? persons.at(-1)?.personId : undefined;
    } while (after !== undefined);
    return facts;
  }
}
