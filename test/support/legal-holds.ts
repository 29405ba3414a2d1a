import type pg from 'pg';

/** What a hold covers; a dimension that is left out is any. `covered: null`: it is still being counted. */
export interface TestHold {
  readonly rooftop_ids?: readonly string[];
  readonly categories?: readonly string[];
  readonly subjects?: readonly string[];
  readonly record_ids?: readonly string[];
  readonly from_time?: string;
  readonly until_time?: string;
  readonly covered?: number | null;
}

/** Puts a hold into the database, past the use case: for tests of what a hold stops. */
export async function putHold(
  admin: pg.ClientBase | pg.Pool,
  organizationId: string,
  holdId: string,
  hold: TestHold = {},
): Promise<void> {
  const covered = hold.covered === undefined ? 0 : hold.covered;
  const counted = covered === null ? {} : { root: Buffer.alloc(32), counted_at: new Date() };
  const all = { organization_id: organizationId, hold_id: holdId, ...hold, covered, ...counted };
  const columns = { matter: 'Smith v. Group', reason: 'claim', placed_by: 'person.a', ...all };
  await admin.query(
    `INSERT INTO forecourt.legal_holds (${Object.keys(columns).join(', ')})
     VALUES (${Object.keys(columns)
       .map((_, i) => `$${i + 1}`)
       .join(', ')})`,
    Object.values(columns),
  );
}

/** Releases holds so that they bind nothing any more, without waiting for the cooling period. */
export async function freeHolds(admin: pg.ClientBase | pg.Pool): Promise<void> {
  await admin.query(
    `UPDATE forecourt.legal_holds SET released_at = now() - interval '1 hour', free_from = now() - interval '1 minute', released_by = 'person.b',
       release_reason = 'settled' WHERE released_at IS NULL AND covered IS NOT NULL`,
  );
}
