import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PublishCheckpoints } from '../../src/modules/audit/app/publish-checkpoints.js';
import { signCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresAuditLog } from '../../src/modules/audit/infra/postgres-audit-log.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { CountHold } from '../../src/modules/holds/app/count-hold.js';
import { CountOpenHolds } from '../../src/modules/holds/app/count-open-holds.js';
import { PlaceHold } from '../../src/modules/holds/app/place-hold.js';
import { ReleaseHold } from '../../src/modules/holds/app/release-hold.js';
import { PostgresHoldListing } from '../../src/modules/holds/infra/postgres-hold-listing.js';
import { PostgresHolds } from '../../src/modules/holds/infra/postgres-holds.js';
import { refusalOf } from '../../src/modules/restore-journal/app/restore-refusal.js';
import { prismaOf } from '../../src/platform/database/prisma-unit-of-work.js';
import { freePort, runToEnd } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { columnsWith } from '../support/find-text.js';
import { GROUP, PrivacyWorld } from '../support/privacy-world.js';
import { type JournalPlace, journalPlace, openRestoreWorld, type RestoreWorld } from '../support/restore-world.js';
import { operatorOrigin } from '../support/staff.js';

const OFFICER = { ...operatorOrigin(), actorKind: 'person', actor: 'staff.officer' } as const;
const HOUR_MS = 3_600_000;
const auditKey = generateKeyPairSync('ed25519');
const clock = { now: (): number => Date.now() };

/** One process of the service with everything that is journalled and replayed, each part the real one. */
interface Site {
  readonly restore: RestoreWorld;
  readonly privacy: PrivacyWorld;
  readonly place: PlaceHold;
  readonly release: ReleaseHold;
  /** The newest signed state of the group's log, as a witness would keep it. */
  statement(): Promise<string>;
  close(): Promise<void>;
}

async function openSite(
  database: TestDatabase,
  journal: JournalPlace,
  /** Whether counting holds fails, call by call. */
  stops: Iterator<boolean> = [].values(),
): Promise<Site> {
  const audit = new PrismaTransactionalAudit(new NoncePool());
  const late: { privacy?: PrivacyWorld; counting?: CountOpenHolds } = {};
  const restore = await openRestoreWorld(database, journal, {
    erasures: { eraseAgain: (...args) => late.privacy!.replay.eraseAgain(...args) },
    countHolds: () => (stops.next().value === true ? Promise.reject(new Error('stopped')) : late.counting!.countAll()),
    auditKey: auditKey.publicKey,
  });
  const privacy = await PrivacyWorld.open({ database, journal: restore.journal });
  const holds = { unitOfWork: restore.unitOfWork, holds: new PostgresHolds(), audit, clock };
  const listing = new PostgresHoldListing(restore.pool);
  Object.assign(late, { privacy, counting: new CountOpenHolds(new CountHold(holds, listing), listing) });
  const log = new PostgresAuditLog(restore.pool);
  const publishing = new PublishCheckpoints(
    log,
    (state) => signCheckpoint(state, auditKey.privateKey, auditKey.publicKey),
    { gatewayId: 'gw', heartbeatMs: 60_000 },
  );
  return {
    restore,
    privacy,
    place: new PlaceHold({ ...holds, journal: restore.journal, queue: privacy.queue }),
    release: new ReleaseHold({ ...holds, approvals: privacy.approvals, journal: restore.journal }, 72 * HOUR_MS),
    statement: async () => {
      await publishing.run();
      return log.withLog(GROUP, async (open) => (await open.newestCheckpoint())!.note);
    },
    close: async () => {
      await privacy.closeParts();
      await restore.close();
    },
  };
}

const scope = { rooftopIds: null, subjects: null, from: null, until: null };
const hold = (matter: string, recordIds: readonly string[]) => ({
  ...{ matter, reason: 'letter', ...scope },
  ...{ categories: null, recordIds },
});

async function revokeKey({ restore }: Site, id: string): Promise<void> {
  const revokedAt = new Date().toISOString();
  await restore.unitOfWork.withTenant(GROUP, async (tx) => {
    await prismaOf(tx).$executeRaw`UPDATE api_keys SET revoked_at = ${revokedAt}::timestamptz WHERE key_id = ${id}`;
    await restore.revocations.note(tx, { what: 'key', id, revokedAt });
  });
}

/**
 * Everything that must be in force again: holds with what they cover, releases, revocations, and what was erased of whom. The journal has
 * milliseconds, as answers do: a hold's is rounded up, other times are cut.
 */
const IN_FORCE = `SELECT hold_id AS id, date_trunc('milliseconds', placed_at + interval '999 us')::text AS at, date_trunc('milliseconds', released_at)::text AS ended,
    date_trunc('milliseconds', free_from)::text AS rest, covered::text, encode(root, 'hex') AS root FROM legal_holds
  UNION ALL SELECT key_id, NULL, revoked_at::text, NULL, NULL, NULL FROM api_keys
  UNION ALL SELECT 'person', name, NULL, NULL, NULL, NULL FROM staff_persons
  UNION ALL SELECT 'event ' || event_id, actor, NULL, NULL, NULL, NULL FROM audit_events WHERE event_id = ANY ($1) ORDER BY 1, 2`;
const inForce = async ({ restore }: Site, events: readonly string[]): Promise<unknown[]> =>
  (await restore.admin.query<Record<string, unknown>>(IN_FORCE, [events])).rows.map((row) => ({
    ...row,
    // The restored database writes the erased name itself.
    ...(row['id'] === 'person' && { at: String(row['at']).replace(/^erased.*$/, 'erased') }),
  }));

let compiled: CompiledService;
let today: TestDatabase;
let yesterday: TestDatabase;
let journal: JournalPlace;
/** The journal as it was when the backup was made. */
let oldJournal: JournalPlace;
let events: string[];
let last: unknown[];
let statements: { readonly before: string; readonly after: string };

beforeAll(async () => {
  compiled = await compileService();
  journal = await journalPlace();
  today = await createTestDatabase();
  const before = await openSite(today, journal);
  const { privacy } = before;
  events = [];
  for (const [id, name] of [
    ['staff.jane', 'Jane Quincy Roe'],
    ['staff.john', 'John Doe'],
  ] as const)
    events.push(...(await privacy.addPerson(id, name, `${id}@customer.test`, true)));
  await privacy.addAgent('agent.kept', 'one');
  await before.restore.admin.query(
    `INSERT INTO api_keys (key_id, organization_id, name, role, secret_hash) SELECT 'key-' || n, $1, 'n', 'app', sha256('') FROM generate_series(1, 2) n`,
    [GROUP],
  );
  const released = await before.place.run(GROUP, hold('Before', ['nothing']), OFFICER);
  const old = await before.statement();
  await before.close();
  yesterday = await copyTestDatabase(today);
  const folder = await mkdtemp(join(tmpdir(), 'forecourt-old-journal-'));
  await cp(journal.folder, folder, { recursive: true });
  oldJournal = { ...journal, folder, remove: () => rm(folder, { recursive: true }) };

  const day = await openSite(today, journal);
  await day.place.run(GROUP, hold('After', [events.at(-1)!, 'staff.john']), OFFICER);
  await day.release.run(GROUP, released.holdId, 'settled', OFFICER);
  for (const id of ['staff.jane', 'staff.john'])
    await day.privacy.carryOut(
      await day.privacy.preview(await day.privacy.verified('erasure', { kind: 'person', id })),
    );
  await revokeKey(day, 'key-1');
  await day.restore.journal.confirmReleases();
  statements = { before: old, after: await day.statement() };
  last = await inForce(day, events);
  await day.close();
});

afterAll(async () => {
  await compiled.remove();
  for (const database of [today, yesterday]) await database.drop();
  for (const place of [journal, oldJournal]) await place.remove();
});

describe('yesterday’s database with today’s journal', () => {
  it('is opened by no process, and nothing listens, before it was replayed', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'forecourt-gate-'));
    const port = await freePort();
    const ended = await runToEnd([compiled.main, 'api'], {
      ...{ FORECOURT_PROFILE: 'local', DATABASE_URL: yesterday.appUrl, DATA_DIR: dataDir, PORT: String(port) },
      ...{ RESTORE_JOURNAL_DIR: journal.folder, LOG_LEVEL: 'warn' },
      FORECOURT_SECRET: 'test-secret-test-secret-test-secret-0123',
    });
    expect(ended.code, ended.output).toBe(1);
    expect(ended.output).toContain('Run: forecourt restore replay');
    await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('has every hold, release, erasure and revocation of the day again before the gate opens', async () => {
    const site = await openSite(yesterday, journal, [true].values());
    try {
      const { check, replay, admin } = site.restore;
      expect(await columnsWith(admin, ['Jane Quincy Roe'])).not.toEqual([]);
      expect(await inForce(site, events)).not.toEqual(last);
      const kept = [{ name: 'newest', note: statements.after }];
      expect((await replay.run({ dryRun: true, kept })).statements).toMatchObject([{ state: 'in_journal' }]);
      expect(refusalOf(await check.run())?.message).toContain('forecourt restore replay');
      // Dies between the holds and the first erasure; the next one must count what it finds placed, and not placed itself.
      await expect(replay.run({ dryRun: false, kept })).rejects.toThrow('stopped');
      expect(refusalOf(await check.run())?.message).toContain('forecourt restore replay');
      const { outcomes } = await replay.run({ dryRun: false, kept });
      expect(outcomes).toMatchObject({ erasure: { replayed: 2 }, revocation: { replayed: 1 } });
      expect(refusalOf(await check.run())).toBeUndefined();
      expect(await inForce(site, events)).toEqual(last);
      expect(await columnsWith(admin, ['Jane Quincy Roe', 'staff.jane@customer.test'])).toEqual([]);
      expect(await columnsWith(admin, ['John Doe']), 'held').toEqual(['forecourt.staff_persons.name']);
      const { rows } = await admin.query(`SELECT count(*)::int AS uncounted FROM legal_holds WHERE covered IS NULL`);
      expect(rows).toEqual([{ uncounted: 0 }]);
      expect(await site.statement(), 'what is signed now names the newest entry again').toContain('restore-journal ');
    } finally {
      await site.close();
    }
  });
});

describe('a journal that was put back together with the database', () => {
  it('agrees with it, and is noticed by a statement that somebody kept outside, and by that alone', async () => {
    const backup = await copyTestDatabase(today);
    const site = await openSite(backup, oldJournal);
    try {
      const { admin, check, replay } = site.restore;
      // As it was when the copy of the journal was made: what the day noted is in neither.
      await admin.query(`DELETE FROM restore_journal_entries WHERE segment_id <> (SELECT min(segment_id) FROM restore_journal_segments);
        DELETE FROM restore_journal_segments WHERE segment_id <> (SELECT min(segment_id) FROM restore_journal_segments)`);
      expect(refusalOf(await check.run())).toBeUndefined();
      const older = [{ name: 'monday.note', note: statements.before }];
      const newest = [{ name: 'tuesday.note', note: statements.after }];
      expect(refusalOf(await check.run(older))).toBeUndefined();
      const refusal = refusalOf(await check.run([...older, ...newest]));
      expect(refusal?.message).toContain('the restore journal is older than tuesday.note');
      await expect(replay.run({ dryRun: false, kept: newest })).rejects.toThrow('older than tuesday.note');
      const forged = statements.before.replace(/^restore-journal .*$/m, `restore-journal ${'0'.repeat(64)}`);
      expect(refusalOf(await check.run([{ name: 'x', note: forged }]))?.message).toContain(
        'no key of this installation',
      );
    } finally {
      await site.close();
      await backup.drop();
    }
  });
});
