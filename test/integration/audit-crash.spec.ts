import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRequestId } from '../../src/kernel/ids.js';
import { StreamAudit } from '../../src/modules/audit/app/streams/stream-audit.js';
import { ManageAuditStreams } from '../../src/modules/audit/app/streams/manage-audit-streams.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PrismaAuditStreams } from '../../src/modules/audit/infra/prisma-audit-streams.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { SealedStreamSecrets } from '../../src/modules/audit/infra/sealed-stream-secrets.js';
import { AuditLogWorld } from '../support/audit-log-world.js';
import { ChildService } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { ExportWorld } from '../support/export-world.js';
import { StreamReceiver } from '../support/stream-receiver.js';

/** What becomes of exports and streams whose process is killed (SIGKILL) in the middle: real processes, one after the other. */

const ORGANIZATION = 'org.crash';
const ROWS = 4000;
const PIECE = 100;
const KILLS = 2;
const LEASE_SECONDS = '1';
const KEY = randomBytes(32);

let compiled: CompiledService;
let log: AuditLogWorld;
let world: ExportWorld;

beforeAll(async () => {
  compiled = await compileService();
  log = await AuditLogWorld.open();
  world = await ExportWorld.open(log);
  await log.admin.query('INSERT INTO organizations (organization_id, name) VALUES ($1, $1)', [ORGANIZATION]);
  await log.grow(ORGANIZATION, ROWS, ROWS / 2);
});
afterAll(async () => {
  await world.close();
  await log.close();
  await compiled.remove();
});

function start(program: string, ...args: readonly string[]): ChildService {
  const path = fileURLToPath(new URL(`../support/${program}`, import.meta.url));
  return new ChildService([path, dirname(compiled.main), log.database.appUrl, ...args], {});
}

/** Processes one after the other: each is killed once `isDue` says so for its number, and the last one goes on to the end. */
async function killing(
  kills: number,
  begin: () => ChildService,
  isDue: (n: number) => Promise<boolean>,
): Promise<ChildService> {
  for (let n = 0; n < kills; n++) {
    const process = begin();
    await process.until('ready');
    while (!(await isDue(n))) await new Promise((done) => setTimeout(done, 2));
    process.kill('SIGKILL');
    expect(await process.ended).toMatchObject({ signal: 'SIGKILL' });
  }
  return begin();
}

it('an export whose processes are killed is the one that nobody disturbed, byte for byte', async () => {
  const undisturbed = await world.ask(ORGANIZATION, 'ndjson');
  const disturbed = await world.ask(ORGANIZATION, 'ndjson');
  expect(await world.run(ORGANIZATION, undisturbed, world.files, PIECE)).toBe('ready');

  const begin = (): ChildService => start('export-process.mjs', world.folder, String(PIECE), LEASE_SECONDS);
  const done = async (): Promise<number> => (await world.find(ORGANIZATION, disturbed)).nextSeq ?? 0;
  const last = await killing(KILLS, begin, async (n) => (await done()) > (n + 1) * 15 * PIECE - PIECE / 2);
  expect(await done(), 'killed in the middle').toBeLessThan(ROWS);
  await last.until('ready\nready\n'); // it has begun, and the export is ready
  last.kill('SIGKILL');
  await last.ended;

  const [calm, wild] = [await world.find(ORGANIZATION, undisturbed), await world.find(ORGANIZATION, disturbed)];
  expect(wild.attempt).toBe(KILLS + 1);
  const said = (found: typeof calm): unknown => {
    const { file, ...rest } = JSON.parse(found.manifest!) as { file: { name: string }; export_id: string };
    return { ...rest, export_id: '', file: { ...file, name: '' } };
  };
  expect(said(wild)).toEqual(said(calm));
  const text = await world.text(ORGANIZATION, disturbed);
  expect(text === (await world.text(ORGANIZATION, undisturbed))).toBe(true);
  const seqs = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs).toEqual(Array.from({ length: ROWS }, (_, i) => i));
  const { rows } = await log.admin.query(
    `SELECT 1 FROM audit_events WHERE operation = 'audit.exports.finish' AND $1 = ANY (resource_ids)`,
    [disturbed],
  );
  expect(rows, 'finished once').toHaveLength(1);
});

it('a stream whose processes are killed has no gap, and repeats whole batches alone', async () => {
  const clock = { now: () => Date.now() };
  const audit = new StreamAudit(world.unitOfWork, new PrismaTransactionalAudit(new NoncePool()), clock);
  const [store, secrets] = [new PrismaAuditStreams(), new SealedStreamSecrets([KEY])];
  const managing = new ManageAuditStreams(world.unitOfWork, store, secrets, audit, clock);
  let secret = '';
  const receiver = await StreamReceiver.start(() => secret);
  const wanted = { name: 'SIEM', url: receiver.url, format: 'records', fromSeq: 0 } as const;
  const origin = {
    ...({ eventId: newRequestId(), traceId: 'trc_test', surface: 'admin', actorKind: 'key' } as const),
    ...{ actor: 'key.test', client: null },
  };
  const created = await managing.create(ORGANIZATION, wanted, origin);
  ({ secret } = created);
  const { streamId } = created.stream;
  const size = (await log.admin.query<{ size: number }>('SELECT size::float8 AS size FROM audit_logs')).rows[0]!.size;

  const begin = (): ChildService => start('stream-process.mjs', receiver.authority, LEASE_SECONDS, KEY.toString('hex'));
  const last = await killing(KILLS, begin, (n) => Promise.resolve(receiver.attempts >= (n + 1) * 5));
  expect(receiver.seqs.length, 'killed in the middle').toBeLessThan(size);
  await expect
    .poll(async () => (await managing.health(ORGANIZATION, streamId)).stream.nextSeq, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(size);
  last.kill('SIGKILL');
  await last.ended;
  await receiver.stop();

  const seen = new Set(receiver.seqs);
  expect(Array.from({ length: size }, (_, i) => i).filter((seq) => !seen.has(seq))).toEqual([]);
  expect(receiver.badSignatures).toEqual([]);
  const batches = new Map(receiver.taken.map((batch) => [batch.id, batch]));
  for (const batch of receiver.taken) expect(batch, 'the same rows under the same id').toEqual(batches.get(batch.id));
  const once = [...batches.values()].flatMap(({ rows }) => rows.map(({ seq }) => seq));
  expect(once, 'a row is in one batch').toHaveLength(seen.size);
  expect(
    receiver.taken.length - batches.size,
    'a killed process repeats at most what it was sending',
  ).toBeLessThanOrEqual(KILLS);
});
