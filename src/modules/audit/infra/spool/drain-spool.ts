import { open, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { appendFailure } from '../append-failure.js';
import type { AuditLine } from '../append-statement.js';
import { appendStatement } from '../append-statement.js';
import { type DamagedStretch, type ParsedSpool, parseSpool } from './spool-record.js';
import type { Spool } from './spool-folder.js';

const CHUNK_BYTES = 262_144;
const MOST_BYTES = 67_108_864;
const RECORDS_A_STEP = 500;
const MONTHS_AHEAD = 1;

/** What is told of places in a spool that are no records. */
export type ReportDamage = (spool: Spool, from: number, to: number, keptAs: string) => void;

/**
 * Appends the records of a spool to the trail, in order, each exactly once: how far it has come is kept in the database and
 * moved on in the transaction that appends, so that a process which dies in between, or a second one, repeats nothing.
 */
export class DrainSpool {
  constructor(
    private readonly pool: pg.Pool,
    private readonly report: ReportDamage,
  ) {}

  /**
   * @param end how many bytes of the file are whole
   * @param complete nothing will follow: a record without its end is torn
   * @throws Error of the database or the disk; what was appended stays.
   */
  async run(spool: Spool, end: number, complete: boolean): Promise<void> {
    for (let most = RECORDS_A_STEP; ;) {
      const step = await this.step(spool, end, complete, most);
      if (step === 'done') return;
      most = step === 'bad record' ? most >> 1 : Math.min(most * 2, RECORDS_A_STEP);
    }
  }

  /** Forgets how far it came. For a spool whose file is gone. */
  async forget(spoolId: string): Promise<void> {
    await this.pool.query('DELETE FROM audit_spools WHERE spool_id = $1', [spoolId]);
  }

  private async step(
    spool: Spool,
    end: number,
    complete: boolean,
    most: number,
  ): Promise<'more' | 'done' | 'bad record'> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const position = await lockPosition(client, spool.spoolId);
      const parsed = position < end ? await readRecords(spool.path, position, end, complete, most) : undefined;
      if (parsed === undefined || parsed.consumed === 0) {
        await client.query('ROLLBACK');
        return 'done';
      }
      const kept = await this.append(client, parsed.lines, most);
      if (kept === 'bad record') return kept;
      const damaged = kept === 'set aside' ? [{ from: 0, to: parsed.consumed }] : parsed.damaged;
      await this.setAside(spool, position, damaged);
      await client.query('UPDATE audit_spools SET position = $2, updated_at = now() WHERE spool_id = $1', [
        spool.spoolId,
        position + parsed.consumed,
      ]);
      await client.query('COMMIT');
      return 'more';
    } finally {
      await client.query('ROLLBACK').catch(() => undefined); // nothing after a commit; a lost connection has rolled back
      client.release();
    }
  }

  /** A record that the trail does not take is found by taking ever fewer, and set aside. */
  private async append(
    client: pg.PoolClient,
    lines: readonly AuditLine[],
    most: number,
  ): Promise<'appended' | 'set aside' | 'bad record'> {
    if (lines.length === 0) return 'appended';
    await client.query('SAVEPOINT append');
    try {
      await client.query('SELECT ensure_audit_partitions($1)', [MONTHS_AHEAD]);
      await client.query(appendStatement(lines));
      return 'appended';
    } catch (error) {
      if (appendFailure(error).kind !== 'bad_record') throw error;
      await client.query('ROLLBACK TO SAVEPOINT append');
      return most === 1 ? 'set aside' : 'bad record';
    }
  }

  /** Before the position moves on. Written again by whoever repeats the step. */
  private async setAside(spool: Spool, position: number, damaged: readonly DamagedStretch[]): Promise<void> {
    for (const { from, to } of damaged) {
      const keptAs = `${spool.path.replace(/\.spool$/, '')}.damaged-${position + from}`;
      await writeFile(keptAs, await readBytes(spool.path, position + from, to - from), { mode: 0o600 });
      this.report(spool, position + from, position + to, keptAs);
    }
  }
}

async function lockPosition(client: pg.PoolClient, spoolId: string): Promise<number> {
  await client.query('INSERT INTO audit_spools (spool_id) VALUES ($1) ON CONFLICT DO NOTHING', [spoolId]);
  const { rows } = await client.query<{ position: string }>(
    'SELECT position FROM audit_spools WHERE spool_id = $1 FOR UPDATE',
    [spoolId],
  );
  return Number(rows[0]?.position ?? 0);
}

/** The next records; reads further where one record is longer than what was read. */
async function readRecords(
  path: string,
  position: number,
  end: number,
  complete: boolean,
  most: number,
): Promise<ParsedSpool> {
  for (let wanted = CHUNK_BYTES; ; wanted *= 2) {
    const bytes = await readBytes(path, position, Math.min(wanted, end - position));
    const last = position + bytes.length >= end || wanted >= MOST_BYTES;
    const parsed = parseSpool(bytes, most, last && complete);
    if (parsed.consumed > 0 || last) return parsed;
  }
}

async function readBytes(path: string, position: number, length: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, position);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
