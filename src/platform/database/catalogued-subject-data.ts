import type {
  CoveringHold,
  DataSubject,
  SubjectData,
  SubjectNames,
  SubjectPage,
  SubjectRecord,
} from '../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../kernel/ports/unit-of-work.js';
import type { RetentionCategory } from '../../kernel/retention/retention-categories.js';
import { prismaOf } from './prisma-unit-of-work.js';

interface Row {
  readonly record_id: string;
  readonly category: string;
  readonly rooftops: string[] | null;
  readonly clocks: SubjectRecord['clocks'];
  readonly holds: CoveringHold[];
  readonly keeps: string | null;
  readonly said: object;
}

/**
 * Places of the catalogue `subject_places` (migration 26): how their rows are found, shown and erased is written there, and the
 * functions beside it do so. Modules that find subjects build on it.
 */
export class CataloguedSubjectData implements SubjectData {
  constructor(readonly places: readonly string[]) {}

  namesBehind(tx: TenantTransaction, subject: DataSubject): Promise<SubjectNames>;
  namesBehind(): Promise<SubjectNames> {
    return Promise.resolve({});
  }

  isInUse(tx: TenantTransaction, subject: DataSubject): Promise<boolean>;
  isInUse(): Promise<boolean> {
    return Promise.resolve(false);
  }

  subjects(tx: TenantTransaction, page: SubjectPage): Promise<readonly DataSubject[]>;
  subjects(): Promise<readonly DataSubject[]> {
    return Promise.resolve([]);
  }

  async records(
    tx: TenantTransaction,
    place: string,
    names: SubjectNames,
    { after, limit }: SubjectPage,
  ): Promise<readonly SubjectRecord[]> {
    const rows = await prismaOf(tx).$queryRaw<Row[]>`
      SELECT * FROM subject_records(${place}, ${JSON.stringify(names)}::jsonb, ${after}, ${limit}::integer)`;
    return rows.map(({ record_id: recordId, category, ...rest }) => ({
      ...rest,
      recordId,
      category: category as RetentionCategory,
    }));
  }

  async erase(
    tx: TenantTransaction,
    place: string,
    names: SubjectNames,
    { recordIds, requestId }: { readonly recordIds: readonly string[]; readonly requestId: string },
  ): Promise<readonly string[]> {
    const rows = await prismaOf(tx).$queryRaw<{ id: string }[]>`
      SELECT id FROM erase_subject_records(${place}, ${JSON.stringify(names)}::jsonb, ${[...recordIds]}::text[], ${`erased:${requestId}`}) AS id`;
    return rows.map(({ id }) => id);
  }
}
