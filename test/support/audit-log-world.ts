import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import pg from 'pg';
import { newRequestId, newTraceId } from '../../src/kernel/ids.js';
import type { AuditRecord } from '../../src/kernel/ports/audit-recorder.js';
import { PublishCheckpoints } from '../../src/modules/audit/app/publish-checkpoints.js';
import type { Verification, VerifyOptions } from '../../src/modules/audit/app/verification.js';
import { VerifyAuditLog } from '../../src/modules/audit/app/verify-audit-log.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { openCheckpoint, signCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresAuditLog } from '../../src/modules/audit/infra/postgres-audit-log.js';
import { PostgresAuditLogReader } from '../../src/modules/audit/infra/postgres-audit-log-reader.js';
import { openPool } from '../../src/platform/database/connection.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export const GATEWAY = 'gateway.test';

/** A database with a log that is numbered and signed, and somebody who has every right. */
export class AuditLogWorld {
  private constructor(
    readonly database: TestDatabase,
    readonly admin: pg.Client,
    readonly pool: pg.Pool,
    readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  ) {}

  private readonly nonces = new NoncePool();
  readonly log = new PostgresAuditLog(this.pool);
  readonly publishing = new PublishCheckpoints(
    this.log,
    (checkpoint) => signCheckpoint(checkpoint, this.keys.privateKey, this.keys.publicKey),
    { gatewayId: GATEWAY, heartbeatMs: 3_600_000 },
  );

  static async open(): Promise<AuditLogWorld> {
    const database = await createTestDatabase();
    const admin = new pg.Client({
      connectionString: database.adminUrl,
      options: '-c search_path=forecourt -c timezone=UTC',
    });
    await admin.connect();
    const pool = openPool({
      url: database.appUrl,
      size: 24,
      waitMs: 10_000,
      name: 'audit-log',
      onError: () => undefined,
    });
    return new AuditLogWorld(database, admin, pool, generateKeyPairSync('ed25519'));
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.admin.end();
    await this.database.drop();
  }

  line(organizationId: string, changes: Partial<AuditRecord> = {}): string {
    return auditLine(recordOf(organizationId, changes), this.nonces.next());
  }

  async append(
    client: pg.Pool | pg.ClientBase,
    organizationId: string,
    count: number,
    changes: Partial<AuditRecord> = {},
  ): Promise<void> {
    const lines = Array.from({ length: count }, () => this.line(organizationId, changes));
    await client.query('SELECT append_audit($1, $2)', [organizationId, lines.join('\n')]);
  }

  /** Appends `count` records, signed after every `step`. @returns the signed notes, for keeping outside. */
  async grow(organizationId: string, count: number, step: number): Promise<readonly string[]> {
    for (let done = 0; done < count; done += step) {
      await this.append(this.pool, organizationId, Math.min(step, count - done));
      await this.publishing.run();
    }
    return this.notes(organizationId);
  }

  async notes(organizationId: string): Promise<readonly string[]> {
    const { rows } = await this.admin.query<{ note: string }>(
      'SELECT note FROM audit_checkpoints WHERE organization_id = $1 ORDER BY size',
      [organizationId],
    );
    return rows.map(({ note }) => note);
  }

  /** @param through where the log is read; the application's pool unless told otherwise */
  verify(organizationId: string, options: VerifyOptions = {}, through: pg.Pool = this.pool): Promise<Verification> {
    const open = (note: string, origin: string): ReturnType<typeof openCheckpoint> =>
      openCheckpoint(note, origin, [this.keys.publicKey]);
    return new VerifyAuditLog(new PostgresAuditLogReader(through), open, GATEWAY).run(organizationId, options);
  }

  /** Switches every guard of the trail off, for this database and for good. */
  async dropGuards(): Promise<void> {
    for (const table of GUARDED) await this.admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  }
}

const GUARDED = [
  'audit_events',
  'audit_entries',
  'audit_tiles',
  'audit_checkpoints',
  'audit_prunings',
  'audit_redactions',
  'audit_redacted_records',
];

export function recordOf(organizationId: string, changes: Partial<AuditRecord> = {}): AuditRecord {
  return {
    eventId: newRequestId(),
    occurredAt: Date.now(),
    organizationId,
    traceId: newTraceId(),
    surface: 'mcp',
    operation: 'dealeragent.inventory.search',
    profile: 'dealeragent.inventory.read/0.1',
    actorKind: 'agent',
    actor: 'agent.one',
    client: 'client.one',
    rooftopIds: ['roof.a', 'roof.b'],
    resourceIds: [],
    decision: 'allow',
    reason: null,
    policyVersion: 'built-in.1',
    outcome: 'succeeded',
    failureCode: null,
    purpose: 'display',
    ...changes,
  };
}

/**
 * Reads inside of a transaction that is open on a superuser's connection, with the application's rights: what was done in it is
 * seen, and undone by its ROLLBACK.
 */
export function insideOf(client: pg.Client): pg.Pool {
  const inside = {
    escapeLiteral: (text: string): string => client.escapeLiteral(text),
    release: (): void => undefined,
    query: (text: string | pg.Submittable, values?: unknown[]): unknown => {
      if (typeof text !== 'string') return client.query(text);
      if (text === 'COMMIT' || text === 'ROLLBACK') return Promise.resolve();
      return client.query(text.startsWith('BEGIN') ? text.slice(text.indexOf(';') + 1) : text, values);
    },
  };
  return { connect: () => Promise.resolve(inside) } as unknown as pg.Pool;
}
