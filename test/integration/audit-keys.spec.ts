import { generateKeyPairSync } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRequestId, newTraceId } from '../../src/kernel/ids.js';
import { Alarm } from '../../src/modules/audit/app/alarm.js';
import { AuditHealth } from '../../src/modules/audit/app/audit-health.js';
import { AuditKeys } from '../../src/modules/audit/app/audit-keys.js';
import { PublishCheckpoints } from '../../src/modules/audit/app/publish-checkpoints.js';
import { VerifyAuditLog } from '../../src/modules/audit/app/verify-audit-log.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { parseCheckpoint, signCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { certainOffsetMs } from '../../src/modules/audit/domain/log/clock-line.js';
import { keyIdOf, parseNote } from '../../src/modules/audit/domain/log/signed-note.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresAuditLog } from '../../src/modules/audit/infra/postgres-audit-log.js';
import { PostgresAuditLogReader } from '../../src/modules/audit/infra/postgres-audit-log-reader.js';
import { PostgresClockOffset } from '../../src/modules/audit/infra/postgres-clock-offset.js';
import { PostgresSequencingLag } from '../../src/modules/audit/infra/postgres-sequencing-lag.js';
import { openPool } from '../../src/platform/database/connection.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const GATEWAY = 'gateway.test';
const ORGANIZATION = 'org.rotates';
const ORIGIN = `${GATEWAY}/audit/${ORGANIZATION}`;
const MINUTE_MS = 60_000;

let database: TestDatabase;
let pool: pg.Pool;
let reader: PostgresAuditLogReader;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.appUrl, size: 5, waitMs: 5000, name: 'audit-keys', onError: () => undefined });
  reader = new PostgresAuditLogReader(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const nonces = new NoncePool();

/** Ten records more, numbered and signed with this key by a process whose clock is off by so much. */
async function grow(keys: ReturnType<typeof generateKeyPairSync>, offMs = 0): Promise<void> {
  const line = (): string =>
    auditLine(
      {
        eventId: newRequestId(),
        occurredAt: Date.now(),
        organizationId: ORGANIZATION,
        traceId: newTraceId(),
        surface: 'admin',
        operation: 'audit.search',
        profile: null,
        actorKind: 'key',
        actor: 'key.one',
        client: null,
        rooftopIds: [],
        resourceIds: [],
        decision: 'allow',
        reason: null,
        policyVersion: null,
        outcome: 'succeeded',
        failureCode: null,
        purpose: null,
      },
      nonces.next(),
    );
  await pool.query('SELECT append_audit($1, $2)', [ORGANIZATION, Array.from({ length: 10 }, line).join('\n')]);
  const clockOffset = new PostgresClockOffset(pool, { now: () => Date.now() + offMs });
  const publishing = new PublishCheckpoints(
    new PostgresAuditLog(pool),
    (checkpoint) => signCheckpoint(checkpoint, keys.privateKey, keys.publicKey),
    { gatewayId: GATEWAY, heartbeatMs: MINUTE_MS, clockOffset },
  );
  await publishing.run();
}

const newestNote = (): Promise<string> =>
  new PostgresAuditLog(pool).withLog(ORGANIZATION, async (log) => (await log.newestCheckpoint())!.note);

describe('a key that is replaced in the middle of a log', () => {
  const [before, after] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const verify = (keys: AuditKeys) =>
    new VerifyAuditLog(reader, (note, origin) => keys.open(note, origin), GATEWAY).run(ORGANIZATION);

  it('still counts for what it signed, and signs nothing any more', async () => {
    await grow(before);
    await grow(before);
    await grow(after);
    const rotated = new AuditKeys(after.publicKey, [before.publicKey]);
    expect(await verify(rotated)).toMatchObject({ result: 'intact', rows: 30, checkpoints: 3, uncovered: 0 });
    const { signatures } = parseNote(await newestNote())!;
    expect(signatures.map(({ keyId }) => keyId)).toEqual([
      keyIdOf({ name: ORIGIN, kind: 'ed25519', publicKey: after.publicKey }),
    ]);
    expect(rotated.list(ORIGIN).map(({ state, keyId }) => ({ state, keyId }))).toEqual([
      { state: 'current', keyId: signatures[0]!.keyId },
      { state: 'previous', keyId: keyIdOf({ name: ORIGIN, kind: 'ed25519', publicKey: before.publicKey }) },
    ]);
  });

  it('is missed where it is not listed', async () => {
    const verification = await verify(new AuditKeys(after.publicKey, []));
    expect(verification.result).toBe('tampered');
    expect(verification.findings).toContainEqual(expect.objectContaining({ kind: 'checkpoint_unsigned' }));
  });

  it('signs the clock into the checkpoint', async () => {
    await grow(after, -5000);
    const { clock } = parseCheckpoint(parseNote(await newestNote())!.text)!;
    expect(Math.abs(clock!.offsetMs + 5000)).toBeLessThanOrEqual(clock!.uncertaintyMs + 2);
  });
});

describe('the watch over the trail', () => {
  const lines: string[] = [];
  const log = { log: (line: string) => lines.push(`ok ${line}`), error: (line: string) => lines.push(line) };

  it('alarms once when the clock is off by more than a second for certain, and says when it is over', async () => {
    let offMs = 90_000;
    const clock = new PostgresClockOffset(pool, { now: () => Date.now() + offMs });
    const reading = await clock.measure();
    expect(certainOffsetMs(reading)).toBeGreaterThan(60_000);
    const alarms = { lag: new Alarm('lag', 10, 's', log), clock: new Alarm('clock', 1, 's', log) };
    const measure = () => new AuditHealth(new PostgresSequencingLag(pool), clock, alarms).report();
    expect(await measure()).toMatchObject({ status: 'alarm', sequencingLagSeconds: 0 });
    await measure();
    expect(lines).toHaveLength(1);
    offMs = 0;
    expect(await measure()).toMatchObject({ status: 'ok' });
    expect(lines).toHaveLength(2);
  });

  it('knows nothing where the database is away, which is not nought', async () => {
    const away = {
      measure: () => Promise.reject(new Error('away')),
      lagSeconds: () => Promise.reject(new Error('away')),
    };
    const alarms = { lag: new Alarm('lag', 10, 's', log), clock: new Alarm('clock', 1, 's', log) };
    expect(await new AuditHealth(away, away, alarms).report()).toEqual({
      status: 'unknown',
      sequencingLagSeconds: null,
      clock: null,
    });
  });
});
