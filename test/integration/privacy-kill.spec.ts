import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveKey } from '../../src/platform/config/secrets.js';
import { ChildService, type Environment } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { columnsWith } from '../support/find-text.js';
import { GROUP, PrivacyWorld } from '../support/privacy-world.js';
import { operatorOrigin } from '../support/staff.js';

const OFFICER = { ...operatorOrigin(), actorKind: 'person', actor: 'staff.officer' } as const;
const SECRET = 'test-secret-test-secret-test-secret-0123';
/** Pages of 500: eight of them in the trail. */
const RECORDS = 3507;
const NAME = 'Jane Quincy Roe';

let compiled: CompiledService;
let world: PrivacyWorld;
let dataDir: string;
let env: Environment;

beforeAll(async () => {
  compiled = await compileService();
  dataDir = await mkdtemp(join(tmpdir(), 'forecourt-killed-'));
  world = await PrivacyWorld.open({ sealKey: deriveKey(SECRET, 'privacy-subject') });
  env = {
    ...{ FORECOURT_PROFILE: 'local', DATABASE_URL: world.database.appUrl, DATA_DIR: dataDir, FORECOURT_SECRET: SECRET },
    LOG_LEVEL: 'warn',
  };
  await world.addPerson('staff.jane', NAME, 'jane@customer.test', true);
  for (let left = RECORDS - 7; left > 0; left -= 500) await world.act('staff.jane', 'person', Math.min(left, 500));
  // As the rules of this test say: nothing is kept. And a page takes long enough to be hit.
  await world.admin.query(
    `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
     VALUES ($1, 1, 'retention.a', 'A', '{"rules": [], "rooftops": []}', repeat('a', 64), 'draft', 'a', 'test', 'apr', '{a,b}', now())`,
    [GROUP],
  );
  await world.admin.query(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.15); RETURN NULL; END $$;
     CREATE TRIGGER slow AFTER INSERT ON audit_redactions FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
  );
});
afterAll(async () => {
  await compiled.remove();
  await world.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** What is erased of the trail, and what the request says of it: the same, whenever one looks. */
async function erased(
  requestId: string,
): Promise<{ readonly gone: number; readonly counted: number; readonly state: string }> {
  const { rows } = await world.admin.query<{ gone: number; counted: number | null; state: string }>(
    `SELECT (SELECT count(*)::int FROM audit_redacted_records) AS gone, state,
       (SELECT (p ->> 'goes')::int FROM jsonb_array_elements(progress -> 'places') AS p WHERE p ->> 'place' = 'audit_events') AS counted
     FROM privacy_requests WHERE request_id = $1`,
    [requestId],
  );
  return { gone: rows[0]!.gone, counted: rows[0]!.counted ?? 0, state: rows[0]!.state };
}

/** A worker of the product, until what it does is `enough`. */
async function work(enough: () => Promise<boolean>, signal: NodeJS.Signals): Promise<void> {
  const worker = new ChildService([compiled.main, 'worker'], env);
  const died = worker.ended.then(({ code }) => {
    throw new Error(`the worker ended with ${code}: ${worker.output}`);
  });
  died.catch(() => undefined);
  while (!(await enough())) await Promise.race([delay(20), died]);
  await worker.stop(signal);
}

describe('an erasure whose worker is killed in the middle', () => {
  it('is never half done without being known, is ended by another worker, and has one deletion record', async () => {
    const previewed = await world.preview(await world.verified('erasure', { kind: 'person', id: 'staff.jane' }));
    const { requestId } = previewed;
    await world.start.run(GROUP, requestId, [previewed.version], OFFICER);
    await work(async () => (await erased(requestId)).gone >= 1000, 'SIGKILL');
    const { gone, counted, state } = await erased(requestId);
    expect([state, gone < RECORDS, gone % 500]).toEqual(['running', true, 0]);
    expect(counted, 'what went is counted with it').toBe(gone);
    expect((await world.get(requestId)).deletionRecordId).toBeNull();
    // The lease of the dead one is over.
    await world.admin.query(`UPDATE privacy_requests SET lease_until = now() WHERE request_id = $1`, [requestId]);
    await work(async () => (await erased(requestId)).state !== 'running', 'SIGTERM');
    const done = await world.get(requestId);
    expect(done).toMatchObject({ state: 'closed', attempt: 2, waitsFor: [] });
    expect(done.progress.places).toEqual(previewed.preview?.places);
    expect(done.progress.places).toContainEqual({ place: 'audit_events', found: RECORDS, goes: RECORDS, kept: [] });
    expect(await columnsWith(world.admin, [NAME, 'jane@customer.test'])).toEqual([]);
    const { rows } = await world.admin.query(
      `SELECT source_id, record_id FROM deletion_records WHERE source_id LIKE $1 || '%'`,
      [requestId],
    );
    expect(rows).toEqual([{ source_id: requestId, record_id: done.deletionRecordId }]);
  }, 180_000);
});
