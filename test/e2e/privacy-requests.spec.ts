import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PublishCheckpoints } from '../../src/modules/audit/app/publish-checkpoints.js';
import { VerifyAuditLog } from '../../src/modules/audit/index.js';
import { callAdmin } from '../support/admin-client.js';
import { approveByTwo } from '../support/approve.js';
import { columnsWith, filesWith } from '../support/find-text.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons, personBearer } from '../support/staff.js';

const NAME = 'Jane Quincy Roe-4711';
const OTHER = 'John Doe-0815';

let service: TestService;
let admin: pg.Client;
let persons: Persons;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  admin.on('error', () => undefined);
  await admin.connect();
  persons = await addPersons(service, service.organizationId);
  await admin.query(
    `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
     VALUES ($1, 1, 'records', 'Records', '{"rules": [], "rooftops": []}', repeat('a', 64), 'draft', 'a', 'test', 'apr', '{a,b}', now())`,
    [service.organizationId],
  );
});
afterAll(async () => {
  await admin.end();
  await service.stop();
});

const as = async (
  role: keyof Persons,
  method: string,
  path: string,
  body?: unknown,
  version?: number,
): Promise<WireAnswer> =>
  callAdmin(service, await personBearer(service, persons[role]), method, path, body, {
    ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
  });

/** A person with a name, who did something. @returns their id and version */
async function employ(name: string): Promise<{ readonly personId: string; readonly version: number }> {
  const made = await as('admin', 'POST', 'staff', { name, role: 'auditor' });
  expect(made.status, made.text).toBe(201);
  const { person_id: personId, version } = made.json.data as { person_id: string; version: number };
  await callAdmin(service, await personBearer(service, personId), 'GET', 'staff');
  return { personId, version };
}

const ask = (kind: string, personId: string): Promise<WireAnswer> =>
  as('compliance', 'POST', 'privacy-requests', {
    ...{ kind, subject_kind: 'person', subject_id: personId },
    ...{ asked_by: 'subject', asked_reference: 'TICKET-7', received_at: '2026-11-01T00:00:00Z' },
  });

/** What becomes of a request that is carried out. */
async function settled(requestId: string): Promise<WireAnswer> {
  for (;;) {
    const found = await as('compliance', 'GET', `privacy-requests/${requestId}`);
    if (found.json.data.state !== 'running') return found;
    await delay(100);
  }
}

describe('an erasure over the admin API', () => {
  it('goes from the letter to the deletion record, and the name is nowhere afterwards', async () => {
    const { personId, version } = await employ(NAME);
    await employ(OTHER);
    const made = await ask('erasure', personId);
    expect(made.status, made.text).toBe(201);
    expect(made.json.data).toMatchObject({ state: 'received', due_at: '2026-12-16T00:00:00Z' });
    expect(made.text).not.toContain(personId);
    const { request_id: id } = made.json.data as { request_id: string };
    const path = `privacy-requests/${id}`;
    const early = await as('compliance', 'POST', `${path}/preview`, undefined, 1);
    expect(early.json.error.details.reason, 'not verified').toBe('precondition_failed');
    const blind = await as('compliance', 'POST', `${path}/verify`, { reference: 'PROOF-1' });
    expect(blind.json.error.details.reason).toBe('precondition_required');
    const verified = await as('compliance', 'POST', `${path}/verify`, { reference: 'PROOF-1' }, 1);
    expect(verified.json.data, verified.text).toMatchObject({ state: 'verified', verifier: persons.compliance });
    const refused = await as('compliance', 'POST', `${path}/preview`, undefined, 2);
    expect(refused.json.error.details.reason, refused.text).toBe('still_in_use');
    const disabled = await as('admin', 'PATCH', `staff/${personId}`, { disabled: true }, version);
    expect(disabled.status, disabled.text).toBe(200);

    const previewed = await as('compliance', 'POST', `${path}/preview`, undefined, 2);
    expect(previewed.status, previewed.text).toBe(202);
    expect((await as('compliance', 'POST', `${path}/run`, undefined, 3)).json.error.code).toBe('approval_pending');
    await approveByTwo(service.parts, service.organizationId, previewed.json.data.approval.approval_id as string);
    const started = await as('compliance', 'POST', `${path}/run`, undefined, 3);
    expect(started.status, started.text).toBe(202);
    const done = await settled(id);
    expect(done.json.data, done.text).toMatchObject({ state: 'closed', subject_id: null });

    expect(await columnsWith(admin, [NAME])).toEqual([]);
    expect(await filesWith(service.dataDir, [NAME, personId])).toEqual([]);
    expect(await columnsWith(admin, [OTHER]), 'nobody else').toContain('forecourt.staff_persons.name');
    const { rows } = await admin.query('SELECT kind FROM deletion_records WHERE source_id = $1', [id]);
    expect(rows).toEqual([{ kind: 'erasure' }]);
    await service.parts.get(PublishCheckpoints).run();
    const trail = await service.parts.get(VerifyAuditLog).run(service.organizationId);
    expect(trail).toMatchObject({ result: 'intact', findings: [] });
  });

  it('is for compliance alone, and the trail never says whom it is about', async () => {
    for (const role of ['admin', 'auditor'] as const)
      expect((await as(role, 'GET', 'privacy-requests')).status, role).toBe(403);
    const { rows } = await admin.query<{ operation: string; ids: string[] }>(
      `SELECT DISTINCT operation, resource_ids AS ids FROM audit_events WHERE operation LIKE 'privacy.%' AND outcome = 'succeeded'`,
    );
    expect(rows.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['privacy.requests.create', 'privacy.requests.preview', 'privacy.requests.run']),
    );
    expect(rows.flatMap(({ ids }) => ids).filter((id) => id.startsWith('staff.'))).toEqual([]);
  });
});

describe('an access request over the admin API', () => {
  it('is answered by a file with a manifest; every look at it is recorded', async () => {
    const { personId } = await employ('Asking Person');
    const { request_id: id } = (await ask('access', personId)).json.data as { request_id: string };
    const path = `privacy-requests/${id}`;
    await as('compliance', 'POST', `${path}/verify`, { reference: 'PROOF-2' }, 1);
    const early = await as('compliance', 'GET', `${path}/file`);
    expect(early.json.error.details.reason, 'not yet').toBe('not_found');
    await as('compliance', 'POST', `${path}/run`, undefined, 2);
    expect((await settled(id)).json.data.state).toBe('ready');
    const file = await as('compliance', 'GET', `${path}/file`);
    const manifest = await as('compliance', 'GET', `${path}/manifest`);
    expect(manifest.json).toMatchObject({ sha256: createHash('sha256').update(file.text).digest('hex') });
    expect(file.text).toContain('Asking Person');
    for (const word of [OTHER, persons.admin, persons.compliance]) expect(file.text, word).not.toContain(word);
    expect((await as('auditor', 'GET', `${path}/file`)).status).toBe(403);
    const { rows } = await admin.query(
      `SELECT outcome FROM audit_events WHERE operation = 'privacy.requests.download' ORDER BY recorded_at`,
    );
    expect(rows).toEqual([{ outcome: 'failed' }, { outcome: 'succeeded' }, { outcome: 'denied' }]);
  });
});
