import type { StaffPerson } from '../../../kernel/ports/staff-sign-in.js';
import { LIFETIMES_S } from '../domain/lifetimes.js';
import type { RecordStore } from './record-store.js';

const KIND = 'SignedInPerson';

/** Who signed in, for as long as one request may take: sessions of the protocol library know an id alone. */
export class SignedInPeople {
  constructor(private readonly records: RecordStore) {}

  remember(person: StaffPerson): Promise<void> {
    const lifetimeMs = (LIFETIMES_S.session + LIFETIMES_S.authorizationCode) * 1000;
    return this.records.put(KIND, person.personId, { payload: { ...person }, lifetimeMs });
  }

  async find(personId: string): Promise<StaffPerson | undefined> {
    const record = await this.records.find(KIND, personId);
    return record === undefined ? undefined : (record.payload as unknown as StaffPerson);
  }
}
