// A database for the audit benchmark, with what writes, numbers, signs and verifies the trail.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ROOT } from '../prepare.mjs';

/** A compiled file of the service. */
export const from = (path) => import(join(process.env.BENCH_DIST ?? join(ROOT, 'dist'), path));

export const GATEWAY = 'gateway.bench';
export const MEASURED = 'org.measured';

export async function openAuditBench() {
  const dir = mkdtempSync(join(tmpdir(), 'forecourt-bench-audit-'));
  const { loadSettings } = await from('platform/config/load-settings.js');
  const { prepareDatabase } = await from('process/prepare-database.js');
  const { openPool } = await from('platform/database/connection.js');
  const { auditLine } = await from('modules/audit/domain/canonical-record.js');
  const { NoncePool } = await from('modules/audit/infra/nonce-pool.js');
  const { newRequestId, newTraceId } = await from('kernel/ids.js');
  const database = await prepareDatabase(loadSettings({ FORECOURT_PROFILE: 'local', DATA_DIR: dir }), () => undefined);
  const { DATABASE_URL: url, MIGRATION_DATABASE_URL: adminUrl } = database.settings;
  const admin = new pg.Client({ connectionString: adminUrl ?? url, options: '-c search_path=forecourt' });
  await admin.connect();
  await admin.query(
    'CREATE TABLE bench_work (id bigserial PRIMARY KEY, organization_id text NOT NULL, body text NOT NULL)',
  );
  await admin.query(
    'GRANT INSERT ON bench_work TO forecourt_app; GRANT USAGE ON SEQUENCE bench_work_id_seq TO forecourt_app',
  );
  const nonces = new NoncePool();
  let made = 0;
  const record = (organizationId) => ({
    eventId: newRequestId(),
    occurredAt: Date.now(),
    organizationId,
    traceId: newTraceId(),
    surface: 'mcp',
    operation: 'dealeragent.inventory.get_vehicle',
    profile: 'dealeragent.inventory.read/0.1',
    actorKind: 'agent',
    actor: `agent.${made % 50}`,
    client: null,
    rooftopIds: [`roof.${made % 20}`],
    resourceIds: [`vehicle.${made++}`],
    decision: 'allow',
    reason: null,
    policyVersion: 'built-in.1',
    outcome: 'succeeded',
    failureCode: null,
    purpose: 'display',
  });
  const pools = [];
  return {
    url,
    admin,
    keys: generateKeyPairSync('ed25519'),
    record,
    line: (organizationId) => auditLine(record(organizationId), nonces.next()),
    addRooftops: async (organizationId, count) => {
      await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ($1, 'Bench')`, [organizationId]);
      await admin.query(
        `INSERT INTO rooftops (organization_id, rooftop_id, name, address, timezone, currency, departments, id_seed)
         SELECT $1, 'roof.' || n, 'Rooftop ' || n, '{}', 'America/New_York', 'USD', '{sales}', decode(md5(n::text), 'hex')
         FROM generate_series(0, $2::integer - 1) AS n`,
        [organizationId, count],
      );
    },
    pool: (size) => {
      const pool = openPool({ url, size, waitMs: 30_000, name: 'bench-audit', onError: () => undefined });
      pools.push(pool);
      return pool;
    },
    close: async () => {
      for (const pool of pools) await pool.end().catch(() => undefined);
      await admin.end();
      await database.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export const percentile = (numbers, p) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * p)] ?? 0;
