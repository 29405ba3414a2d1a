import { type DataSubject, idInSubjectName, type SubjectPage } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { CataloguedSubjectData } from '../../../platform/database/catalogued-subject-data.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';

/**
 * Persons and their codes. A person keeps their id, which says nothing by itself: name and identity go. Versions are looked at
 * first: erasing a person adds one, which a preview could not count.
 */
export class StaffSubjectData extends CataloguedSubjectData {
  constructor() {
    super(['staff_codes', 'staff_person_versions', 'staff_persons']);
  }

  /** In office until disabled: who can still sign in would get a name again at once. */
  override async isInUse(tx: TenantTransaction, { kind, id }: DataSubject): Promise<boolean> {
    if (kind !== 'person') return false;
    const where = { organizationId: tx.organizationId, personId: id, disabledAt: null };
    return (await prismaOf(tx).staffPerson.count({ where })) > 0;
  }

  override async subjects(tx: TenantTransaction, { after, limit }: SubjectPage): Promise<readonly DataSubject[]> {
    const rows = await prismaOf(tx).staffPerson.findMany({
      where: { organizationId: tx.organizationId, personId: { gt: idInSubjectName(after) } },
      orderBy: { personId: 'asc' },
      take: limit,
      select: { personId: true },
    });
    return rows.map(({ personId }) => ({ kind: 'person', id: personId }));
  }
}
