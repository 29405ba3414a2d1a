// What a record costs the transaction that it belongs to: the smallest there is, one that works for a while, and a change as staff make
// it; each with and without its record, in turns. Then the same beside the process that numbers records.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';
import { from, percentile } from './audit-world.mjs';

const WRITERS = 16;
const WORK_MS = 5;
const RECORDS_AT_ONCE = '2000';
const ORGANIZATION = 'org.work';

export async function audited(world, size) {
  const pool = world.pool(WRITERS);
  const change = await changes(world, pool);
  const kinds = [
    ['one INSERT', () => insertOf(world, pool, 0), 'aim: 85 %'],
    [`one INSERT and ${WORK_MS} ms of work`, () => insertOf(world, pool, WORK_MS), 'aim: 85 %'],
    ['change of settings, as staff make it', () => change, 'aim: 85 %'],
  ];
  const rows = [];
  for (const [name, transaction, aim] of kinds) {
    const { plain, whole } = await inTurns(transaction(), size);
    rows.push([`audited: ${name}`, compared(whole, plain, 'without a record'), aim]);
  }
  rows.push(await beside(world, insertOf(world, pool, 0), size));
  await pool.end();
  return rows;
}

/** The design's own comparison: with a record and numbering at work, against the same INSERT alone. */
async function beside(world, transaction, size) {
  const runs = { plain: [], audited: [], numbered: [] };
  for (let round = 0; round < size.rounds; round++) {
    runs.plain.push(await run(transaction, false, size.seconds));
    runs.audited.push(await run(transaction, true, size.seconds));
    const child = spawn(
      process.execPath,
      [join(ROOT, 'test/support/sequencer-process.mjs'), world.url, RECORDS_AT_ONCE],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(child.stdout, 'data');
    runs.numbered.push(await run(transaction, true, size.seconds));
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const [plain, whole, numbered] = [median(runs.plain), median(runs.audited), median(runs.numbered)];
  return [
    'audited: one INSERT beside numbering',
    `${compared(numbered, plain, 'without a record and numbering')}; ${((numbered.rate / whole.rate) * 100).toFixed(0)} % of ${whole.rate.toFixed(0)}/s without numbering`,
    '',
  ];
}

const compared = (whole, plain, what) =>
  `${whole.rate.toFixed(0)}/s, ${((whole.rate / plain.rate) * 100).toFixed(0)} % of ${plain.rate.toFixed(0)}/s ${what} (Node ${whole.cpuMicros.toFixed(0)} and ${plain.cpuMicros.toFixed(0)} µs each)`;

async function inTurns(transaction, { seconds, rounds }) {
  const runs = { plain: [], whole: [] };
  await run(transaction, true, 1); // code is being compiled
  for (let round = 0; round < rounds; round++)
    for (const kind of ['plain', 'whole']) runs[kind].push(await run(transaction, kind === 'whole', seconds));
  return { plain: median(runs.plain), whole: median(runs.whole) };
}

const median = (runs) => ({
  rate: percentile(
    runs.map((one) => one.rate),
    0.5,
  ),
  cpuMicros: percentile(
    runs.map((one) => one.cpuMicros),
    0.5,
  ),
});

/** @param transaction of a writer, with or without its record */
async function run(transaction, isAudited, seconds) {
  const [end, before] = [performance.now() + seconds * 1000, process.cpuUsage()];
  let done = 0;
  const write = async (_, writer) => {
    for (; performance.now() < end; done++) await transaction(writer, isAudited);
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  const { user, system } = process.cpuUsage(before);
  return { rate: done / seconds, cpuMicros: (user + system) / done };
}

function insertOf(world, pool, workMs) {
  return async (_, isAudited) => {
    const client = await pool.connect();
    await client.query(`BEGIN; SELECT set_config('app.tenant', '${ORGANIZATION}', true)`);
    await client.query({
      name: 'work',
      text: 'INSERT INTO bench_work (organization_id, body) VALUES ($1, $2)',
      values: [ORGANIZATION, 'x'.repeat(200)],
    });
    if (isAudited)
      await client.query({
        name: 'audit',
        text: 'SELECT append_audit($1, $2)',
        values: [ORGANIZATION, world.line(ORGANIZATION)],
      });
    if (workMs > 0) await new Promise((done) => setTimeout(done, workMs));
    await client.query('COMMIT');
    client.release();
  };
}

/** Settings of a rooftop of its own for each writer, changed by the use case behind `PUT /admin/…/settings`. */
async function changes(world, pool) {
  const { PrismaUnitOfWork } = await from('platform/database/prisma-unit-of-work.js');
  const { PrismaRooftopSettings } = await from('modules/tenancy/infra/prisma-rooftop-settings.js');
  const { ChangeRooftopSettings } = await from('modules/tenancy/app/change-rooftop-settings.js');
  const { DEFAULT_ROOFTOP_SETTINGS } = await from('modules/tenancy/domain/rooftop-settings.js');
  const { PrismaTransactionalAudit } = await from('modules/audit/infra/prisma-transactional-audit.js');
  const { NoncePool } = await from('modules/audit/infra/nonce-pool.js');
  const { newRequestId, newTraceId } = await from('kernel/ids.js');
  await world.addRooftops(ORGANIZATION, WRITERS);
  const unitOfWork = new PrismaUnitOfWork(pool, 30_000);
  const changing = (audit) =>
    new ChangeRooftopSettings(
      unitOfWork,
      new PrismaRooftopSettings(),
      audit,
      { forget: () => undefined },
      { now: () => Date.now() },
    );
  const withRecord = changing(new PrismaTransactionalAudit(new NoncePool()));
  const without = changing({ recordInTransaction: () => Promise.resolve() });
  const versions = Array(WRITERS).fill(1);
  return async (writer, isAudited) => {
    const requested = {
      rooftopId: `roof.${writer}`,
      settings: DEFAULT_ROOFTOP_SETTINGS,
      reason: 'benchmark',
      expectedVersions: [versions[writer]],
    };
    const origin = {
      eventId: newRequestId(),
      traceId: newTraceId(),
      surface: 'admin',
      actorKind: 'person',
      actor: `staff.${writer}`,
      client: null,
    };
    const { version } = await (isAudited ? withRecord : without).run(ORGANIZATION, requested, origin);
    versions[writer] = version;
  };
}
