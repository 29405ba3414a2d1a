import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { EntryPlace, JournalMarks, NotedEntry } from '../app/journal-marks.js';
import type { KnownSegment } from '../domain/compare-marks.js';
import type { SegmentHead } from '../domain/journal-line.js';

const PROMISE = `INSERT INTO restore_journal_segments AS s (segment_id, promised) VALUES ($1, $2)
  ON CONFLICT (segment_id) DO UPDATE SET promised = greatest(s.promised, excluded.promised)`;
const NOTED = `SELECT w.segment_id, w.seq, decode(w.hash, 'hex') AS line_hash, w.ordinality
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (segment_id text, seq bigint, hash text)) WITH ORDINALITY AS w`;
const NOTE = `INSERT INTO restore_journal_entries (segment_id, seq, line_hash) SELECT segment_id, seq, line_hash FROM (${NOTED}) AS w ON CONFLICT DO NOTHING`;
const NOTE_OF_TENANT = `WITH noted AS (${NOTE})
  INSERT INTO restore_journal_noted (organization_id, line_hash) SELECT current_tenant(), line_hash FROM (${NOTED}) AS w ORDER BY ordinality`;
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

  async note(entries: readonly NotedEntry[], tx?: TenantTransaction): Promise<void> {
    const noted = JSON.stringify(entries.map(({ segmentId, seq, hash }) => ({ segment_id: segmentId, seq, hash })));
    if (tx === undefined) await this.pool.query(NOTE, [noted]);
    else await prismaOf(tx).$executeRawUnsafe(NOTE_OF_TENANT, noted);
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
      if (head.seq > 0) await this.note([head]);
    }
  }

  async accept(tx: TenantTransaction, segmentIds: readonly string[], reason: string): Promise<void> {
    await prismaOf(tx).$executeRawUnsafe(ACCEPT, [...segmentIds], reason);
  }
}
