import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/kernel/caller.js';
import { Failure } from '../../src/kernel/failure/failure.js';
import { newRequestId, newTraceId } from '../../src/kernel/ids.js';
import { AGENT_AUTHENTICATOR, type AgentAuthenticator } from '../../src/kernel/ports/agent-authenticator.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../src/kernel/ports/unit-of-work.js';
import { CLOCK, SystemClock } from '../../src/kernel/time.js';
import {
  AuthModule,
  CREATE_KEY,
  type CreateKey,
  IssueGrant,
  RecordDelegation,
  type RequestedGrant,
  RevokeAccess,
} from '../../src/modules/auth/index.js';
import { PrismaGrantStore } from '../../src/modules/auth/infra/prisma-grant-store.js';
import { loadSettings } from '../../src/platform/config/load-settings.js';
import { SETTINGS } from '../../src/platform/config/settings.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { approveByTwo } from '../support/approve.js';
import { withRoom } from '../support/with-room.js';

const NORTH = 'north-group';
const DAY_MS = 86_400_000;
/** What decision record 0023 promises about revocation. */
const PROMISED_MS = 2000;
const origin = () =>
  ({
    eventId: newRequestId(),
    traceId: newTraceId(),
    surface: 'command',
    actorKind: 'system',
    actor: 'test',
    client: null,
  }) as const;

let database: TestDatabase;
let admin: pg.Client;
/** Two processes as far as anything here can tell: each has its own pool and its own memory of look-ups. */
let first: TestingModule;
let second: TestingModule;

function compose(): Promise<TestingModule> {
  const settings = loadSettings({
    FORECOURT_SECRET: 'a-secret-of-the-test-that-is-long-enough',
    DATABASE_URL: database.appUrl,
    DATA_DIR: join(tmpdir(), `forecourt-grants-${process.pid}`),
  });
  @Global()
  @Module({
    providers: [
      { provide: SETTINGS, useValue: settings },
      { provide: CLOCK, useValue: new SystemClock() },
    ],
    exports: [SETTINGS, CLOCK],
  })
  class TestSettingsModule {}
  return Test.createTestingModule({ imports: [TestSettingsModule, DatabaseModule, AuthModule] })
    .compile()
    .then((composed) => composed.init());
}

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query('SET search_path = forecourt');
  for (const organization of [NORTH, 'south-group']) {
    await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ($1, $1)`, [organization]);
    for (const rooftop of ['roof.a', 'roof.b'])
      await admin.query(
        `INSERT INTO rooftops (organization_id, rooftop_id, name, address, timezone, currency, departments, id_seed)
         VALUES ($1, $2, $2, '{"lines":["1"],"locality":"x","country":"US"}', 'UTC', 'USD', '{sales}', decode(repeat('07', 16), 'hex'))`,
        [organization, rooftop],
      );
  }
  [first, second] = await Promise.all([compose(), compose()]);
});

afterAll(async () => {
  await first.close();
  await second.close();
  await admin.end();
  await database.drop();
});

const requested = (changes: Partial<RequestedGrant> = {}): RequestedGrant => ({
  subject: 'agent:buyer-assistant',
  rooftops: { rooftopIds: ['roof.a'] },
  profiles: ['dealeragent.inventory.availability/0.1'],
  scopes: ['dealeragent:inventory:read'],
  purposes: ['vehicle_shopping'],
  expiresAt: Date.now() + DAY_MS,
  ...changes,
});
const issue = (changes: Partial<RequestedGrant> = {}, organization = NORTH) =>
  first.get(IssueGrant).run(organization, requested(changes), origin());
const authenticate = (app: TestingModule, token: string): Promise<AgentCaller> =>
  app.get<AgentAuthenticator>(AGENT_AUTHENTICATOR).authenticate(`Bearer ${token}`, 'net');
const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await work.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (error instanceof Failure) return error;
  throw new Error('it did not fail as expected', { cause: error });
};
const reasonOf = async (app: TestingModule, token: string): Promise<string | undefined> => {
  const failure = await failureOf(authenticate(app, token));
  return `${failure.code} ${failure.context.auditReason ?? ''}`;
};

/** How long the second process still lets the token in. It asks often, as a busy agent would. */
async function millisecondsUntilRefused(token: string): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < withRoom(PROMISED_MS)) {
    const accepted = await authenticate(second, token).then(
      () => true,
      () => false,
    );
    if (!accepted) return Date.now() - from;
    await new Promise((done) => setTimeout(done, 25));
  }
  return Infinity;
}

describe('a grant', () => {
  it('makes its key an agent with the rooftops, scopes and version that were granted', async () => {
    const { key, grant } = await issue();
    expect(await authenticate(second, key.token)).toMatchObject({
      kind: 'agent',
      subject: 'agent:buyer-assistant',
      grant: {
        grantId: grant.grantId,
        version: 1,
        organizationId: NORTH,
        rooftops: { kind: 'listed', rooftopIds: ['roof.a'] },
        scopes: ['dealeragent:inventory:read'],
        issuer: 'test',
      },
    });
  });

  it('is audited with its key in the transaction that creates it, and the trail holds no token', async () => {
    const { key, grant } = await issue();
    const { rows } = await admin.query(
      `SELECT operation, rooftop_ids FROM audit_events WHERE resource_ids && $1 ORDER BY operation`,
      [[`${grant.grantId}@1`, key.keyId]],
    );
    expect(rows).toEqual([{ operation: 'grants.create', rooftop_ids: ['roof.a'] }]);
    const everything = await admin.query(
      `SELECT to_jsonb(g)::text AS row FROM grants g UNION ALL SELECT to_jsonb(k)::text FROM api_keys k
       UNION ALL SELECT to_jsonb(a)::text || convert_from(a.canon, 'UTF8') FROM audit_events a`,
    );
    expect(JSON.stringify(everything.rows)).not.toContain(key.token.split('_')[2]?.slice(0, 32));
  });

  it.each([
    [{ rooftops: { rooftopIds: ['roof.a', 'roof.z'] } }, '/rooftop_ids'],
    [{ expiresAt: Date.now() - 1 }, '/expires_at'],
    [{ rooftops: { delegationId: 'dlg.none' } }, '/delegation_id'],
  ] as const)('is not issued for %j', async (changes, pointer) => {
    const failure = await failureOf(issue(changes));
    expect(failure.context.violations?.map((v) => v.pointer)).toEqual([pointer]);
  });

  it('changes by a new version, which its keys carry, while the old one stays', async () => {
    const { key, grant } = await issue();
    await first
      .get(IssueGrant)
      .revise(NORTH, grant.grantId, requested({ rooftops: { rooftopIds: ['roof.b'] } }), [1], origin());
    await expect
      .poll(async () => (await authenticate(second, key.token)).grant, { timeout: 20_000 })
      .toMatchObject({ version: 2, rooftops: { kind: 'listed', rooftopIds: ['roof.b'] } });
    const { rows } = await admin.query(`SELECT version, rooftop_ids FROM grants WHERE grant_id = $1 ORDER BY 1`, [
      grant.grantId,
    ]);
    expect(rows).toEqual([
      { version: 1, rooftop_ids: ['roof.a'] },
      { version: 2, rooftop_ids: ['roof.b'] },
    ]);
    const other = await failureOf(
      first.get(IssueGrant).revise(NORTH, grant.grantId, requested({ subject: 'agent:other' }), [2], origin()),
    );
    expect(other.code).toBe('input.invalid');
  });

  it('changes only from the version that was seen, once for each', async () => {
    const { grant } = await issue();
    const revise = (versions: readonly number[] | undefined): Promise<unknown> =>
      first.get(IssueGrant).revise(NORTH, grant.grantId, requested(), versions, origin());
    expect((await failureOf(revise(undefined))).context.reason).toBe('precondition_required');
    expect((await failureOf(revise([2]))).context.reason).toBe('precondition_failed');
    const raced = await Promise.allSettled([1, 2, 3, 4].map(() => revise([1])));
    expect(raced.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    const reasons = raced.flatMap((r) => (r.status === 'rejected' ? [(r.reason as Failure).context.reason] : []));
    expect(reasons).toEqual(['precondition_failed', 'precondition_failed', 'precondition_failed']);
  });

  it('is unknown in another organization', async () => {
    const { grant } = await issue();
    const elsewhere = first.get<UnitOfWork>(UNIT_OF_WORK).withTenant('south-group', async (tx) => ({
      found: await new PrismaGrantStore().find(tx, grant.grantId),
      revoked: await new PrismaGrantStore().revoke(tx, grant.grantId, Date.now()),
    }));
    expect(await elsewhere).toEqual({ found: undefined, revoked: 0 });
    expect((await failureOf(first.get(RevokeAccess).grant('south-group', grant.grantId, origin()))).code).toBe(
      'resource.not_found',
    );
  });
});

describe('revocation', () => {
  it('of a grant is known to another process in two seconds, and final', async () => {
    const { key, grant } = await issue();
    await authenticate(second, key.token);
    await first.get(RevokeAccess).grant(NORTH, grant.grantId, origin());
    expect(await millisecondsUntilRefused(key.token)).toBeLessThan(withRoom(PROMISED_MS));
    expect(await reasonOf(second, key.token)).toBe('caller.credential_invalid grant_revoked');
    expect((await failureOf(first.get(IssueGrant).revise(NORTH, grant.grantId, requested(), [1], origin()))).code).toBe(
      'state.conflict',
    );
  });

  it('of a key is known to another process in two seconds, and leaves the grant', async () => {
    const { key } = await issue();
    await authenticate(second, key.token);
    await first.get(RevokeAccess).key(NORTH, key.keyId, origin());
    expect(await millisecondsUntilRefused(key.token)).toBeLessThan(withRoom(PROMISED_MS));
    expect(await reasonOf(second, key.token)).toBe('caller.credential_invalid key_revoked');
  });

  it('of a delegation ends the grants that rest on it', async () => {
    const { scopes, expiresAt, subject: grantee } = requested();
    const recording = first.get(RecordDelegation);
    const requestedAll = { grantee, rooftops: 'all', scopes, expiresAt } as const;
    const { delegation, approval } = await recording.run(NORTH, requestedAll, origin());
    const rooftops = { delegationId: delegation.delegationId };
    expect((await failureOf(issue({ rooftops }))).code, 'a draft carries no grant').toBe('input.invalid');
    await approveByTwo(first, NORTH, approval?.approvalId ?? '');
    await recording.activate(NORTH, delegation.delegationId, origin());
    const { key } = await issue({ rooftops });
    expect((await authenticate(second, key.token)).grant.rooftops).toEqual({
      kind: 'group',
      delegationId: delegation.delegationId,
      rooftopIds: 'all',
    });
    expect((await failureOf(issue({ rooftops, subject: 'agent:another' }))).code).toBe('input.invalid');
    await first.get(RevokeAccess).delegation(NORTH, delegation.delegationId, origin());
    expect(await millisecondsUntilRefused(key.token)).toBeLessThan(withRoom(PROMISED_MS));
    expect(await reasonOf(second, key.token)).toBe('caller.credential_invalid delegation_revoked');
    expect((await failureOf(issue({ rooftops }))).code).toBe('input.invalid');
  });
});

describe('keys that carry no grant', () => {
  it.each([
    ['app', 'grant.scope_insufficient key_without_grant'],
    ['admin', 'caller.role_forbidden staff_key_on_protocol_surface'],
    ['auditor', 'caller.role_forbidden staff_key_on_protocol_surface'],
  ] as const)('of the role %s are no agents', async (role, refusal) => {
    const key = { organizationId: NORTH, name: 'somebody', role, expiresAt: null };
    const { token } = await first.get<CreateKey>(CREATE_KEY).run(key, origin());
    expect(await reasonOf(second, token)).toBe(refusal);
  });
});

describe('the tables', () => {
  it('let the application change nothing but an open end', async () => {
    const { grant } = await issue();
    const app = new pg.Client({ connectionString: database.appUrl, options: '-c search_path=forecourt' });
    await app.connect();
    await app.query(`SELECT set_config('app.tenant', $1, false)`, [NORTH]);
    const refused = (statement: string): Promise<unknown> =>
      app.query(statement, [grant.grantId]).then(
        (result) => result.rowCount,
        (error: unknown) => (error as pg.DatabaseError).code,
      );
    for (const change of [`scopes = '{}'`, `expires_at = now() + interval '1 year'`, `rooftop_ids = '{roof.b}'`])
      expect(await refused(`UPDATE grants SET ${change} WHERE grant_id = $1`), change).toBe('42501');
    expect(await refused(`DELETE FROM grants WHERE grant_id = $1`)).toBe('42501');
    expect(await refused(`UPDATE grants SET revoked_at = now() WHERE grant_id = $1`)).toBe(1);
    expect(await refused(`UPDATE grants SET revoked_at = NULL WHERE grant_id = $1`)).toBe('42501');
    await app.end();
  });

  it('keep even the owner of every right from rewriting a version', async () => {
    const { grant } = await issue();
    await expect(admin.query(`UPDATE grants SET scopes = '{}' WHERE grant_id = $1`, [grant.grantId])).rejects.toThrow(
      'never changed, only revoked',
    );
  });
});
