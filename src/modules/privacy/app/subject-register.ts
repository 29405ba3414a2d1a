import type {
  DataSubject,
  SubjectData,
  SubjectNames,
  SubjectPage,
  SubjectRecord,
} from '../../../kernel/ports/subject-data.js';
import { subjectName } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

const SUBJECTS_AT_ONCE = 500;

/** A place, and the module that answers for it. */
export interface RegisteredPlace {
  readonly place: string;
  readonly data: SubjectData;
}

/** The data of persons that all modules keep, as one. Places are worked through in this order. */
export class SubjectRegister {
  readonly places: readonly RegisteredPlace[];

  constructor(private readonly sources: readonly SubjectData[]) {
    this.places = sources.flatMap((data) => data.places.map((place) => ({ place, data })));
  }

  /** Everything that the subject is called, its own id among it. */
  async namesOf(tx: TenantTransaction, subject: DataSubject): Promise<SubjectNames> {
    const names: Record<string, Set<string>> = { [subject.kind]: new Set([subject.id]) };
    for (const source of this.sources)
      for (const [kind, ids] of Object.entries(await source.namesBehind(tx, subject)))
        names[kind] = new Set([...(names[kind] ?? []), ...ids]);
    return Object.fromEntries(Object.entries(names).map(([kind, ids]) => [kind, [...ids].toSorted()]));
  }

  async isInUse(tx: TenantTransaction, subject: DataSubject): Promise<boolean> {
    for (const source of this.sources) if (await source.isInUse(tx, subject)) return true;
    return false;
  }

  /** Every subject that something can be found by. */
  async *subjects(tx: TenantTransaction): AsyncGenerator<DataSubject, void, undefined> {
    for (const source of this.sources)
      for (let after = ''; ;) {
        const found = await source.subjects(tx, { after, limit: SUBJECTS_AT_ONCE });
        yield* found;
        const last = found.at(-1);
        if (last === undefined || found.length < SUBJECTS_AT_ONCE) break;
        after = subjectName(last);
      }
  }

  /** Records of one place, page by page. */
  async *records(
    tx: TenantTransaction,
    { place, data }: RegisteredPlace,
    names: SubjectNames,
    limit: SubjectPage['limit'],
  ): AsyncGenerator<readonly SubjectRecord[], void, undefined> {
    for (let after = ''; ;) {
      const page = await data.records(tx, place, names, { after, limit });
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return;
      after = last.recordId;
    }
  }
}
