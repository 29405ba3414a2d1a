import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ClockBasis, RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { RetainedRecordReader, StoredRecord } from '../app/retained-record-reader.js';
import type { RetainedRecord } from '../domain/decide.js';
import type { HoldInForce } from '../domain/hold-coverage.js';

interface Row {
  readonly table_name: string;
  readonly rooftops: readonly string[] | null;
  readonly subjects: readonly string[] | null;
  readonly clocks: Readonly<Partial<Record<ClockBasis, number | null>>>;
  readonly is_record: boolean;
  readonly disposable: boolean;
  readonly holds: readonly HoldInForce[];
  readonly steps: NonNullable<RetainedRecord['steps']>;
}

/** Records by the catalogue of governed tables, through the function of migration 46. */
export class SqlRetainedRecords implements RetainedRecordReader {
  async find(tx: TenantTransaction, category: RetentionCategory, recordId: string): Promise<StoredRecord | undefined> {
    const [row] = await prismaOf(tx).$queryRaw<
      Row[]
    >`SELECT table_name::text, rooftops, subjects, clocks, is_record, disposable, holds, steps FROM retained_records(${category}, ${recordId})`;
    if (row === undefined) return undefined;
    const { rooftops, subjects, clocks, holds, steps } = row;
    return {
      table: row.table_name,
      record: { category, recordId, rooftops, subjects, clocks, steps, inUse: !row.disposable },
      isRecord: row.is_record,
      holds,
    };
  }
}
