import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_POLICY } from '../../src/modules/tenancy/index.js';
import { callAdmin } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import { approve } from '../support/dealer-policy.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons, personBearer } from '../support/staff.js';

/** One Idempotency-Key from the first request, through the approval of a second person, to the replay. */

let service: TestService;
let trail: AuditTrail;
let persons: Persons;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  trail = await AuditTrail.open(service.database);
  persons = await addPersons(service, service.organizationId);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

const as = async (role: keyof Persons, method: string, path: string, body?: unknown, headers = {}) =>
  callAdmin(service, await personBearer(service, persons[role]), method, path, body, headers);

interface Draft {
  readonly path: string;
  readonly etag: string;
}

async function draft(withheld: readonly string[]): Promise<Draft> {
  const document = { ...BUILT_IN_POLICY, withheld_fields: withheld };
  const answer = await as('admin', 'POST', 'policies/drafts', { document, reason: 'Test' });
  expect(answer.status, answer.text).toBe(201);
  return { path: `policies/drafts/${answer.json.data.draft_id as string}`, etag: answer.headers.get('etag') ?? '' };
}
const publish = ({ path, etag }: Draft, key: string): Promise<WireAnswer> =>
  as('admin', 'POST', `${path}/publish`, undefined, { 'idempotency-key': key, 'if-match': etag });
const approvalOf = (answer: WireAnswer): string => {
  expect(answer, answer.text).toMatchObject({ status: 202, json: { data: null, error: { code: 'approval_pending' } } });
  return (answer.json.error.details as { approval_id: string }).approval_id;
};
const recordOf = async (answer: WireAnswer): Promise<unknown[]> =>
  (await trail.ofEvent(answer.headers.get('x-request-id'))).map((row) => [row.operation, row.outcome, row.reason]);
const inForce = async (): Promise<{ version: number; document: { withheld_fields: string[] } }> =>
  (await as('auditor', 'GET', 'policies/current')).json.data as never;

describe('Publishing a policy under one key', () => {
  it('waits for the second person, is then carried out once, and answered again after that', async () => {
    const [drafted, key] = [await draft(['stock_number']), randomUUID()];
    const first = await publish(drafted, key);
    const approvalId = approvalOf(first);
    expect(await recordOf(first)).toEqual([['policies.publish', 'succeeded', 'approval_requested']]);
    // The request outlived the failed answer, and asking again makes no second one.
    expect(await as('auditor', 'GET', `approvals/${approvalId}`)).toMatchObject({
      status: 200,
      json: { data: { approval_id: approvalId, state: 'pending' } },
    });
    expect(approvalOf(await publish(drafted, key))).toBe(approvalId);
    expect((await inForce()).version).toBe(0);

    await approve(service, persons.compliance, approvalId);
    const done = await publish(drafted, key);
    expect(done).toMatchObject({ status: 201, json: { meta: { outcome: 'succeeded' }, data: { version: 1 } } });
    expect(await inForce()).toMatchObject({ version: 1, document: { withheld_fields: ['stock_number'] } });
    expect(await recordOf(done)).toEqual([['policies.publish', 'succeeded', null]]);

    const again = await publish(drafted, key);
    expect(again).toMatchObject({ status: 201, json: { meta: { outcome: 'replayed' }, error: null } });
    expect(again.json.data).toEqual(done.json.data);
    expect(again.headers.get('etag')).toBe(done.headers.get('etag'));
    expect(await recordOf(again)).toEqual([['policies.publish', 'succeeded', 'replayed']]);
    expect((await inForce()).version).toBe(1);
    expect(await publish(drafted, randomUUID())).toMatchObject({
      status: 400,
      json: { error: { details: { reason: 'precondition_failed' } } },
    });
  });

  it('makes one version when it is sent ten times at once after the approval', async () => {
    const [drafted, key] = [await draft(['media']), randomUUID()];
    const before = (await inForce()).version;
    const asked = await Promise.all(Array.from({ length: 5 }, () => publish(drafted, key)));
    const approvals = new Set(asked.filter(({ status }) => status !== 429).map(approvalOf));
    expect(approvals.size).toBe(1);
    for (const approvalId of approvals) await approve(service, persons.compliance, approvalId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => publish(drafted, key)));
    expect(answers.filter(({ status }) => ![201, 429].includes(status)).map(({ text }) => text)).toEqual([]);
    expect(answers.filter((a) => a.json.meta.outcome === 'succeeded')).toHaveLength(1);
    expect((await inForce()).version).toBe(before + 1);
  });

  it('asks anew once it was denied, and nothing of it is in force', async () => {
    const [drafted, key] = [await draft(['odometer']), randomUUID()];
    const before = (await inForce()).version;
    const approvalId = approvalOf(await publish(drafted, key));
    const denied = await as('compliance', 'POST', `approvals/${approvalId}/deny`, { reason: 'Not now' });
    expect(denied.status, denied.text).toBe(200);
    // A denial settles that request; asking again is a new one, which waits like the first.
    for (let i = 0; i < 2; i++) expect(approvalOf(await publish(drafted, key))).not.toBe(approvalId);
    expect((await inForce()).version).toBe(before);
  });

  it('is not carried out by an approval of another content', async () => {
    const [drafted, key] = [await draft(['media', 'odometer']), randomUUID()];
    const approvalId = approvalOf(await publish(drafted, key));
    await approve(service, persons.compliance, approvalId);
    const document = { ...BUILT_IN_POLICY, withheld_fields: [] };
    const replaced = await as(
      'admin',
      'PUT',
      drafted.path,
      { document, reason: 'Another' },
      { 'if-match': drafted.etag },
    );
    expect(replaced.status, replaced.text).toBe(200);
    const changed = { ...drafted, etag: replaced.headers.get('etag') ?? '' };
    expect(approvalOf(await publish(changed, key))).not.toBe(approvalId);
  });
});
