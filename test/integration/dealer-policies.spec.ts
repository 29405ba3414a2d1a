import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_POLICY, DEALER_DIRECTORY, type DealerDirectory } from '../../src/modules/tenancy/index.js';
import { PrismaDealerDirectory } from '../../src/modules/tenancy/infra/prisma-dealer-groups.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { openHttpApp } from '../../src/process/run-service.js';
import { partsOf } from '../../src/process/service-parts.js';
import { callAdmin } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import { DatabaseGate } from '../support/database-gate.js';
import { approve, publishPolicy, withApproval } from '../support/dealer-policy.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { policiesInForce } from '../support/policies-in-force.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons, personBearer } from '../support/staff.js';
import { withRoom } from '../support/with-room.js';

let service: TestService;
let trail: AuditTrail;
let database: pg.Client;
let persons: Persons;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  trail = await AuditTrail.open(service.database);
  database = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  database.on('error', () => undefined); // it is dropped after the test
  await database.connect();
  persons = await addPersons(service, service.organizationId);
});
afterAll(async () => {
  await trail.close();
  await database.end();
  await service.stop();
});

const call = async (
  role: keyof Persons,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string | null> = {},
): Promise<WireAnswer> => callAdmin(service, await personBearer(service, persons[role]), method, path, body, headers);
const documentWith = (changes: object): object => ({ ...BUILT_IN_POLICY, ...changes });
const draftOf = async (changes: object): Promise<{ path: string; etag: string }> => {
  const answer = await call('admin', 'POST', 'policies/drafts', { document: documentWith(changes), reason: 'Test' });
  expect(answer.status, answer.text).toBe(201);
  return { path: `policies/drafts/${answer.json.data.draft_id as string}`, etag: answer.headers.get('etag') ?? '' };
};
const currentVersion = async (): Promise<number> =>
  (await call('auditor', 'GET', 'policies/current')).json.data.version as number;

describe('A policy that was never published', () => {
  it('is the built-in one, and has no entity tag', async () => {
    const current = await call('auditor', 'GET', 'policies/current');
    expect(current.json.data).toMatchObject({ version: 0, policy_version: 'built-in.1', document: BUILT_IN_POLICY });
    expect(current.headers.get('etag')).toBeNull();
  });
});

describe('A draft', () => {
  it('is refused with every violation at once, and names no value', async () => {
    const document = documentWith({
      withheld_fields: ['cost'],
      purposes: ['training'],
      rooftops: { 'roof.downtown': { freshness_ceiling_seconds: { inventory: 0 } } },
    });
    const answer = await call('admin', 'POST', 'policies/drafts', { document, reason: 'Test' });
    expect(answer.status).toBe(400);
    const pointers = (answer.json.error.details.violations as { pointer: string }[]).map((v) => v.pointer).toSorted();
    expect(pointers).toEqual([
      '/document/purposes/0',
      '/document/rooftops/roof.downtown/freshness_ceiling_seconds/inventory',
      '/document/withheld_fields/0',
    ]);
    expect(answer.text).not.toContain('training');
  });

  it('is not for those who only look, and holds nothing but its members', async () => {
    const body = { document: documentWith({}), reason: 'Test' };
    expect((await call('auditor', 'POST', 'policies/drafts', body)).status).toBe(403);
    const answer = await call('admin', 'POST', 'policies/drafts', { ...body, version: 9 });
    expect(answer.status).toBe(400);
  });

  it('is replaced whole by whoever names its revision, and says what it would change', async () => {
    const { path, etag } = await draftOf({ withheld_fields: ['odometer'] });
    const body = {
      document: documentWith({ withheld_fields: ['odometer', 'media'], purposes: ['display'] }),
      reason: 'R',
    };
    expect((await call('admin', 'PUT', path, body)).json.error.details.reason).toBe('precondition_required');
    const replaced = await call('admin', 'PUT', path, body, { 'if-match': etag });
    expect(replaced.status, replaced.text).toBe(200);
    expect(replaced.headers.get('etag')).toBe('"2"');
    const late = await call('admin', 'PUT', path, body, { 'if-match': etag });
    expect(late.json.error.details.reason).toBe('precondition_failed');
    const { differences } = (await call('auditor', 'GET', `${path}/diff`)).json.data;
    expect(differences).toEqual([
      { pointer: '/purposes', before: ['display', 'comparison', 'shopping_assistance'], after: ['display'] },
      { pointer: '/withheld_fields', before: [], after: ['odometer', 'media'] },
    ]);
    const listed = (await call('auditor', 'GET', 'policies/drafts?limit=1')).json.data.drafts as { draft_id: string }[];
    expect(path).toContain(listed[0]?.draft_id ?? 'none');
  });
});

describe('A publication', () => {
  it('waits for a second person, and is what that person approved', async () => {
    const { path, etag } = await draftOf({ purposes: ['display'] });
    const headers = { 'if-match': etag };
    expect((await call('admin', 'POST', `${path}/publish`)).json.error.details.reason).toBe('precondition_required');
    const asked = await call('admin', 'POST', `${path}/publish`, undefined, headers);
    expect(asked.status).toBe(202);
    expect(asked.json.error.code).toBe('approval_pending');
    expect((await trail.ofEvent(asked.headers.get('x-request-id'))).map((r) => r.reason)).toEqual([
      'approval_requested',
    ]);
    expect(await currentVersion()).toBe(0);
    const { approval_id: approvalId } = asked.json.error.details as { approval_id: string };
    const { content_hash } = (await call('admin', 'GET', `approvals/${approvalId}`)).json.data as {
      content_hash: string;
    };
    expect((await call('admin', 'POST', `approvals/${approvalId}/approve`, { content_hash })).status).toBe(403);
    await approve(service, persons.compliance, approvalId);

    // Another content under the same draft is another approval.
    const other = { document: documentWith({ purposes: [] }), reason: 'Changed after it was approved' };
    const changed = await call('admin', 'PUT', path, other, headers);
    const again = await call('admin', 'POST', `${path}/publish`, undefined, {
      'if-match': changed.headers.get('etag'),
    });
    expect(again.status).toBe(202);
    expect(again.json.error.details.approval_id).not.toBe(approvalId);
    expect(await currentVersion()).toBe(0);
  });

  it('puts the next version in force, with who wrote and approved it, and only once', async () => {
    const { path, etag } = await draftOf({ withheld_fields: ['media'] });
    const headers = { 'if-match': etag };
    const published = await withApproval(service, persons, (by) =>
      callAdmin(service, by, 'POST', `${path}/publish`, undefined, headers),
    );
    expect(published.status, published.text).toBe(201);
    expect(published.json.data).toMatchObject({
      version: 1,
      policy_version: 'policy.1',
      author: persons.admin,
      approvers: [persons.compliance],
      reason: 'Test',
      restores: null,
    });
    const [record] = await trail.ofEvent(published.headers.get('x-request-id'));
    expect(record).toMatchObject({ operation: 'policies.publish', outcome: 'succeeded', actor: persons.admin });
    expect(record?.resource_ids).toContain('policy/1');
    expect(record?.rooftop_ids).toContain('roof.downtown');
    const twice = await call('admin', 'POST', `${path}/publish`, undefined, headers);
    expect(twice.json.error.details.reason).toBe('precondition_failed');
  });

  it('is refused for a draft that was written against an older version, until it is written again', async () => {
    const old = await draftOf({ withheld_fields: ['features'] });
    const version = await publishPolicy(service, persons, { withheld_fields: ['powertrain'] });
    const refused = await call('admin', 'POST', `${old.path}/publish`, undefined, { 'if-match': old.etag });
    expect(refused.json.error.details.reason).toBe('precondition_failed');
    const body = { document: documentWith({ withheld_fields: ['features'] }), reason: 'Again' };
    const replaced = await call('admin', 'PUT', old.path, body, { 'if-match': old.etag });
    expect(replaced.json.data.base_version).toBe(version);
    const headers = { 'if-match': replaced.headers.get('etag') };
    const published = await withApproval(service, persons, (by) =>
      callAdmin(service, by, 'POST', `${old.path}/publish`, undefined, headers),
    );
    expect(published.json.data.version).toBe(version + 1);
  });

  it('of an older version is a new one with the same content', async () => {
    const before = await currentVersion();
    const { content_hash: hash } = (await call('auditor', 'GET', 'policies/versions/1')).json.data;
    const headers = { 'if-match': `"${before}"` };
    const stale = await call(
      'admin',
      'POST',
      'policies/versions/1/republish',
      { reason: 'Back' },
      { 'if-match': '"1"' },
    );
    expect(stale.json.error.details.reason).toBe('precondition_failed');
    const published = await withApproval(service, persons, (by) =>
      callAdmin(service, by, 'POST', 'policies/versions/1/republish', { reason: 'Back' }, headers),
    );
    expect(published.status, published.text).toBe(201);
    expect(published.json.data).toMatchObject({ version: before + 1, restores: 1, content_hash: hash, reason: 'Back' });
    const { differences } = (await call('auditor', 'GET', `policies/versions/${before + 1}/diff?against=1`)).json.data;
    expect(differences).toEqual([]);
    const first = await call('auditor', 'GET', 'policies/versions?limit=1');
    expect(first.json.data.versions).toMatchObject([{ version: before + 1 }]);
    const cursor = encodeURIComponent(first.json.data.next_cursor as string);
    const page = await call('auditor', 'GET', `policies/versions?limit=2&cursor=${cursor}`);
    expect(page.status, page.text).toBe(200);
    expect((page.json.data.versions as { version: number }[]).map((v) => v.version)).toEqual([before, before - 1]);
    for (const version of ['0', '999', 'x'])
      expect((await call('auditor', 'GET', `policies/versions/${version}`)).status).toBe(400);
  });
});

describe('A policy in force', () => {
  it('reaches another process within two seconds', async () => {
    const second = await openHttpApp(service.settings);
    try {
      const directory = partsOf(second).get<DealerDirectory>(DEALER_DIRECTORY);
      const versionThere = async (): Promise<number | undefined> =>
        (await directory.find(service.organizationId))?.policy.number;
      await versionThere();
      const version = await publishPolicy(service, persons, { withheld_fields: ['features', 'media'] });
      const publishedAt = Date.now();
      await expect.poll(versionThere, { timeout: 20_000, interval: 20 }).toBe(version);
      expect(Date.now() - publishedAt).toBeLessThan(withRoom(2000));
    } finally {
      await second.close();
    }
  });

  it('stays while the database is away, also when it would be looked at again', async () => {
    const version = await publishPolicy(service, persons, { public_profiles: [], purposes: ['display'] });
    const gate = new DatabaseGate();
    await gate.open(Number(new URL(service.database.appUrl).port));
    let now = 0;
    const options = {
      url: gate.urlOf(service.database.appUrl),
      size: 1,
      waitMs: 500,
      name: 'away',
      onError: () => undefined,
    };
    const pool = openPool(options);
    const unitOfWork = new PrismaUnitOfWork(pool, 500);
    const directory = new PrismaDealerDirectory(unitOfWork, pool, { now: () => now }, undefined, policiesInForce());
    try {
      expect((await directory.find(service.organizationId))?.policy.number).toBe(version);
      await gate.refuse();
      now += 60_000;
      directory.forget(service.organizationId);
      const kept = await directory.find(service.organizationId);
      expect(kept?.policy).toMatchObject({ number: version, document: { public_profiles: [], purposes: ['display'] } });
      await expect(directory.find('org.never-read')).rejects.toBeDefined();
    } finally {
      await gate.refuse();
      await unitOfWork.close();
      await pool.end();
    }
  });

  it('stays when what is stored cannot be read, and comes back with the next good one', async () => {
    const directory = service.parts.get<DealerDirectory>(DEALER_DIRECTORY);
    const numberNow = async (): Promise<number | undefined> => {
      directory.forget(service.organizationId);
      return (await directory.find(service.organizationId))?.policy.number;
    };
    const before = await numberNow();
    await database.query(
      `INSERT INTO policy_versions SELECT organization_id, version + 1, '{"purposes":"any"}', content_hash, author, reason, approval_id, approvers, NULL, now()
       FROM policy_versions ORDER BY version DESC LIMIT 1`,
    );
    expect(await numberNow()).toBe(before);
    await database.query(
      `INSERT INTO policy_versions SELECT organization_id, version + 2, document, content_hash, author, reason, approval_id, approvers, NULL, now()
       FROM policy_versions WHERE version = ${before ?? 0}`,
    );
    expect(await numberNow()).toBe((before ?? 0) + 2);
  });
});
