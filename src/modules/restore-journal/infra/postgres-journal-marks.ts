import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { EntryPlace, JournalMarks } from '../app/journal-marks.js';
import type { KnownSegment } from '../domain/compare-marks.js';
import type { SegmentHead } from '../domain/journal-line.js';

const PROMISE = `INSERT INTO restore_journal_segments AS s (segment_id, promised) VALUES ($1, $2)
  ON CONFLICT (segment_id) DO UPDATE SET promised = greatest(s.promised, excluded.promised)`;
const NOTE = `INSERT INTO restore_journal_entries (segment_id, seq, line_hash) VALUES ($1, $2, decode($3, 'hex')) ON CONFLICT DO NOTHING`;
const COMMITTED = `SELECT e.segment_id AS "segmentId", e.seq::float8 AS seq FROM restore_journal_entries e
  JOIN unnest($1::text[], $2::bigint[]) AS wanted (segment_id, seq) USING (segment_id, seq)`;
const READ = `SELECT s.segment_id AS "segmentId", s.promised::float8 AS promised, s.lost_at IS NOT NULL AS lost,
    e.seq::float8 AS seq, encode(e.line_hash, 'hex') AS hash
  FROM restore_journal_segments s
  LEFT JOIN LATERAL (SELECT seq, line_hash FROM restore_journal_entries WHERE segment_id = s.segment_id ORDER BY seq DESC LIMIT 1) e ON true
  ORDER BY s.segment_id`;

const ENTRIES = `SELECT segment_id AS "segmentId", seq::float8 AS seq FROM restore_journal_entries`;
const ACCEPT = `INSERT INTO restore_journal_segments AS s (segment_id, promised, lost_at, loss_reason)
  SELECT segment_id, 0, clock_timestamp(), $2 FROM unnest($1::text[]) AS segment_id
  ON CONFLICT (segment_id) DO UPDATE SET lost_at = excluded.lost_at, loss_reason = excluded.loss_reason`;

type MarkRow = Omit<KnownSegment, 'last'> & { readonly seq: number | null; readonly hash: string | null };

export class PostgresJournalMarks implements JournalMarks {
  /** @param pool connections of its own: whoever waits for the journal holds one of the application's already */
  constructor(private readonly pool: pg.Pool) {}

  async promise(segmentId: string, upTo: number): Promise<void> {
    await this.pool.query(PROMISE, [segmentId, upTo]);
  }

  async note(segmentId: string, { seq, hash }: SegmentHead, tx?: TenantTransaction): Promise<void> {
    if (tx === undefined) await this.pool.query(NOTE, [segmentId, seq, hash]);
    else await prismaOf(tx).$executeRawUnsafe(NOTE, segmentId, seq, hash);
  }

  async committed(entries: readonly EntryPlace[]): Promise<readonly EntryPlace[]> {
    const { rows } = await this.pool.query<EntryPlace>(COMMITTED, [
      entries.map((entry) => entry.segmentId),
      entries.map((entry) => entry.seq),
    ]);
    return rows;
  }

  async read(): Promise<readonly KnownSegment[]> {
    const { rows } = await this.pool.query<MarkRow>(READ);
    return rows.map(({ seq, hash, ...mark }) => ({
      ...mark,
      last: seq === null || hash === null ? undefined : { seq, hash },
    }));
  }

  async entries(): Promise<readonly EntryPlace[]> {
    return (await this.pool.query<EntryPlace>(ENTRIES)).rows;
  }

  async settle(heads: readonly (SegmentHead & { readonly segmentId: string })[]): Promise<void> {
    for (const head of heads) {
      await this.promise(head.segmentId, head.seq);
      if (head.seq > 0) await this.note(head.segmentId, head);
    }
  }

  async accept(tx: TenantTransaction, segmentIds: readonly string[], reason: string): Promise<void> {
    await prismaOf(tx).$executeRawUnsafe(ACCEPT, [...segmentIds], reason);
  }
}
