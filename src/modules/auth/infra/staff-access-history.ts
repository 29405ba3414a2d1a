import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { PersonHistory, StaffHistory } from '../../staff/index.js';
import type { AccessHistory } from '../app/access-history.js';
import type { AccessFact, End } from '../domain/access-fact.js';
import { withSuccession } from '../domain/access-fact.js';

/** Persons who work for the organization, with every role that they had, as its staff module knows them. */
export class StaffAccessHistory implements AccessHistory {
  constructor(private readonly staff: StaffHistory) {}

  async facts(tx: TenantTransaction, begunBy: number): Promise<readonly AccessFact[]> {
    const persons = await this.staff.persons(tx, begunBy);
    return persons.flatMap(factsOfPerson);
  }
}

/** Exported for its tests. */
export function factsOfPerson(person: PersonHistory): readonly AccessFact[] {
  const { versions, createdAt } = person;
  const [first] = versions;
  const always = {
    kind: 'person',
    id: person.personId,
    holder: person.name,
    restsOn: null,
    rooftops: null,
    profiles: [],
    scopes: [],
    networks: [],
  } as const;
  const before: AccessFact = {
    ...{ ...always, version: 0, role: null, unknown: ['role'], from: createdAt },
    ends: first === undefined ? disabled(person.disabledAt) : [],
  };
  const known = versions.map(({ version, role, disabledAt, from }, index): AccessFact => {
    // Who was disabled by a restore was disabled earlier than this was written down.
    const next = versions[index + 1]?.disabledAt ?? null;
    return { ...always, version, role, unknown: [], from, ends: [...disabled(disabledAt), ...disabled(next)] };
  });
  const all = first !== undefined && first.from <= createdAt ? known : [before, ...known];
  return withSuccession(all).filter(({ role, unknown }) => role !== null || unknown.length > 0);
}

const disabled = (at: number | null): readonly End[] => (at === null ? [] : [{ at, reason: 'disabled' }]);
