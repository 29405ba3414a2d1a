import { type KeyObject, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { ErasureReplay } from '../../src/kernel/ports/restore-journal.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { AcceptLoss } from '../../src/modules/restore-journal/app/accept-loss.js';
import { AuditKeys } from '../../src/modules/audit/app/audit-keys.js';
import { CheckJournal } from '../../src/modules/restore-journal/app/check-journal.js';
import { CheckStatements } from '../../src/modules/restore-journal/app/check-statements.js';
import { JournalRevocations } from '../../src/modules/restore-journal/app/journal-revocations.js';
import type { JournalStorage } from '../../src/modules/restore-journal/app/journal-storage.js';
import { PerformReplay } from '../../src/modules/restore-journal/app/perform-replay.js';
import { ReplayJournal } from '../../src/modules/restore-journal/app/replay-journal.js';
import { WriteJournal } from '../../src/modules/restore-journal/app/write-journal.js';
import { readJournalKey } from '../../src/modules/restore-journal/domain/journal-key.js';
import { LocalJournalFolder } from '../../src/modules/restore-journal/infra/local-journal-folder.js';
import { PostgresAuditHorizon } from '../../src/modules/restore-journal/infra/postgres-audit-horizon.js';
import { PostgresJournalMarks } from '../../src/modules/restore-journal/infra/postgres-journal-marks.js';
import { PrismaOwedRevocations } from '../../src/modules/restore-journal/infra/prisma-owed-revocations.js';
import { SqlEntryReplay } from '../../src/modules/restore-journal/infra/sql-entry-replay.js';
import { StatementFolder } from '../../src/modules/restore-journal/infra/statement-folder.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import type { TestDatabase } from './database.js';

const clock = { now: (): number => Date.now() };

/** A folder for a journal, and its key. */
export interface JournalPlace {
  readonly folder: string;
  readonly keyText: string;
  remove(): Promise<void>;
}

export async function journalPlace(): Promise<JournalPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'forecourt-journal-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { folder, keyText: randomBytes(32).toString('base64'), remove };
}

/** What a process has of the journal, over a real database and a real folder. */
export interface RestoreWorld {
  readonly admin: pg.Client;
  readonly pool: pg.Pool;
  readonly unitOfWork: PrismaUnitOfWork;
  readonly marks: PostgresJournalMarks;
  readonly horizon: PostgresAuditHorizon;
  readonly storage: LocalJournalFolder;
  readonly journal: WriteJournal;
  readonly revocations: JournalRevocations;
  readonly check: CheckJournal;
  readonly replay: ReplayJournal;
  readonly acceptLoss: AcceptLoss;
  readonly complaints: string[];
  close(): Promise<void>;
}

export interface RestoreOptions {
  readonly storage?: (real: LocalJournalFolder) => JournalStorage;
  readonly erasures?: ErasureReplay;
  /** Calls every hold counted unless told otherwise. */
  readonly countHolds?: () => Promise<void>;
  /** Key of the audit log, where statements are to be opened. */
  readonly auditKey?: KeyObject;
}

export async function openRestoreWorld(
  database: TestDatabase,
  place: JournalPlace,
  options: RestoreOptions = {},
): Promise<RestoreWorld> {
  const admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  const open = (name: string, size: number): pg.Pool =>
    openPool({ url: database.appUrl, size, waitMs: 10_000, name, onError: () => undefined });
  const pool = open('restore', 6);
  const own = open('restore-journal', 1);
  const unitOfWork = new PrismaUnitOfWork(pool, 10_000);
  const marks = new PostgresJournalMarks(own);
  const horizon = new PostgresAuditHorizon(own);
  const storage = new LocalJournalFolder(place.folder, true);
  const parts = { storage, keys: [readJournalKey(place.keyText)], marks, clock, unitOfWork };
  const journal = new WriteJournal({ ...parts, storage: options.storage?.(storage) ?? storage });
  const complaints: string[] = [];
  const log = { log: () => undefined, error: (line: string) => void complaints.push(line) };
  const keys = new AuditKeys(options.auditKey, []);
  const statements = new CheckStatements(storage, new StatementFolder(undefined), (note) => keys.openAny(note));
  const check = new CheckJournal(storage, marks, horizon, statements);
  const audit = new PrismaTransactionalAudit(new NoncePool());
  const callCounted = async (): Promise<void> => {
    await admin.query(
      `UPDATE legal_holds SET covered = 0, root = sha256(''), counted_at = clock_timestamp() WHERE covered IS NULL`,
    );
  };
  return {
    admin,
    pool,
    unitOfWork,
    marks,
    horizon,
    storage,
    journal,
    revocations: new JournalRevocations({ journal, owed: new PrismaOwedRevocations(own), unitOfWork, log }),
    check,
    replay: new ReplayJournal({
      ...parts,
      check,
      horizon,
      audit,
      performing: new PerformReplay({
        ...parts,
        audit,
        entries: new SqlEntryReplay(),
        erasures: () => options.erasures,
        countHolds: options.countHolds ?? callCounted,
      }),
    }),
    acceptLoss: new AcceptLoss({ ...parts, check, audit }),
    complaints,
    close: async () => {
      await journal.close();
      await unitOfWork.close();
      await Promise.all([pool.end(), own.end(), admin.end()]);
    },
  };
}
