import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/limits.js';
import { APPROVALS, type Approvals, type ApprovalSubject } from '../../src/kernel/ports/approvals.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../src/kernel/ports/unit-of-work.js';
import { IssueStaffCode, ManageStaff } from '../../src/modules/staff/index.js';
import { STAFF_SIGN_IN, type StaffSignIn } from '../../src/kernel/ports/staff-sign-in.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { letAgentIn } from '../support/agents.js';
import { AuditTrail } from '../support/audit-trail.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import {
  addPerson,
  addPersons,
  operatorOrigin,
  type Persons,
  personBearer,
  type SignInClaims,
} from '../support/staff.js';

const NEIGHBOUR = 'org.neighbour';
const WIDE = {
  grantee: 'agent:group',
  covers: 'all',
  scopes: ['dealeragent:inventory:read'],
  expires_at: '2099-01-01T00:00:00Z',
};

let service: TestService;
let trail: AuditTrail;
let persons: Persons;
let adminKey: string;

interface Draft {
  readonly delegationId: string;
  readonly approvalId: string;
  readonly contentHash: string;
}

const as = async (personId: string, method: string, path: string, body?: unknown, claims: SignInClaims = {}) =>
  callAdmin(service, await personBearer(service, personId, claims), method, path, body);

const approve = (
  { approvalId, contentHash }: Draft,
  personId: string,
  claims: SignInClaims = {},
): Promise<WireAnswer> =>
  as(personId, 'POST', `approvals/${approvalId}/approve`, { content_hash: contentHash }, claims);

async function draftBy(bearer: string): Promise<Draft> {
  const { status, json } = await callAdmin(service, bearer, 'POST', 'group-delegations', WIDE);
  expect(status).toBe(202);
  const { delegation_id: delegationId, approval } = json.data as {
    delegation_id: string;
    approval: { approval_id: string };
  };
  const approvalId = approval.approval_id;
  const shown = await callAdmin(service, adminKey, 'GET', `approvals/${approvalId}`);
  return { delegationId, approvalId, contentHash: (shown.json.data as { content_hash: string }).content_hash };
}

const draft = async (personId = persons.admin): Promise<Draft> => draftBy(await personBearer(service, personId));
const activate = ({ delegationId }: Draft): Promise<WireAnswer> =>
  as(persons.admin, 'POST', `group-delegations/${delegationId}/activate`);
const changePerson = async (personId: string, change: object): Promise<unknown> => {
  const { version } = await service.parts.get(ManageStaff).get(service.organizationId, personId);
  const requested = { ...change, expectedVersions: [version] };
  return service.parts.get(ManageStaff).change(service.organizationId, personId, requested, operatorOrigin());
};
const outcomeOf = (answer: WireAnswer): string => {
  const error = answer.json.error as { code: string; details?: { reason?: string } } | null;
  return [answer.status, error?.code, error?.details?.reason].filter((part) => part !== undefined).join(' ');
};

beforeAll(async () => {
  service = await startTestService({ demo: false });
  trail = await AuditTrail.open(service.database);
  adminKey = `Bearer ${await createKey(service, service.organizationId, 'admin')}`;
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: NEIGHBOUR });
});
beforeEach(async () => {
  persons = await addPersons(service, service.organizationId);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

describe('A delegation that covers the whole group', () => {
  it('is a draft that waits, says for what and how long, and carries no grant', async () => {
    const bearer = await personBearer(service, persons.admin);
    const { status, json, headers } = await callAdmin(service, bearer, 'POST', 'group-delegations', WIDE);
    expect(status).toBe(202);
    expect(json.meta).toMatchObject({ outcome: 'pending' });
    expect(json.data).toMatchObject({ in_force_at: null, approval: { missing: 1, poll_after_ms: 5000 } });
    const { approval, delegation_id: id } = json.data as { approval: { approval_id: string }; delegation_id: string };
    expect(json.error).toMatchObject({
      code: 'approval_pending',
      retryable: false,
      retry_after_ms: 5000,
      details: { approval_id: approval.approval_id, missing: 1 },
    });
    expect(headers.get('retry-after')).toBe('5');
    expect(await trail.ofEvent(headers.get('x-request-id'))).toHaveLength(1);
    await expect(letAgentIn(service, { subject: 'agent:group', delegation_id: id })).rejects.toThrow('delegation');
  });

  it('is put in force once another person approved it', async () => {
    const drafted = await draft();
    expect(outcomeOf(await activate(drafted))).toBe('202 approval_pending');
    const approved = await approve(drafted, persons.compliance);
    expect(approved.json.data).toMatchObject({ state: 'approved', missing: 0 });
    const active = await activate(drafted);
    expect(active.status).toBe(200);
    const { in_force_at: inForceAt } = active.json.data as { in_force_at: string | null };
    expect(inForceAt).not.toBeNull();
    await letAgentIn(service, { subject: 'agent:group', delegation_id: drafted.delegationId });
    const shown = await as(persons.auditor, 'GET', `approvals/${drafted.approvalId}`);
    expect(shown.json.data).toMatchObject({
      state: 'used',
      requested_by: { kind: 'person', id: persons.admin },
      decisions: [{ person_id: persons.compliance, decision: 'approve', role: 'compliance' }],
    });
    const [record] = await trail.ofEvent(approved.headers.get('x-request-id'));
    expect(record?.resource_ids).toEqual(expect.arrayContaining([drafted.approvalId, `sha256:${drafted.contentHash}`]));
  });

  it('needs two persons when a key asked for it', async () => {
    const drafted = await draftBy(adminKey);
    expect((await approve(drafted, persons.compliance)).json.data).toMatchObject({ state: 'pending', missing: 1 });
    expect(outcomeOf(await activate(drafted))).toBe('202 approval_pending');
    await approve(drafted, persons.compliance); // the same person again is the same person
    expect(outcomeOf(await activate(drafted))).toBe('202 approval_pending');
    expect((await approve(drafted, persons.admin)).json.data).toMatchObject({ state: 'approved' });
    expect((await activate(drafted)).status).toBe(200);
  });

  it('is denied for good, with a reason that stays with the approval', async () => {
    const drafted = await draft();
    const path = `approvals/${drafted.approvalId}/deny`;
    expect((await as(persons.compliance, 'POST', path, { reason: '  ' })).status).toBe(400);
    const denied = await as(persons.compliance, 'POST', path, { reason: 'Too wide for a trial' });
    expect(denied.json.data).toMatchObject({ state: 'denied', decisions: [{ reason: 'Too wide for a trial' }] });
    const other = await addPerson(service, service.organizationId, 'compliance');
    expect(outcomeOf(await approve(drafted, other))).toBe('403 approval_denied');
    expect(outcomeOf(await activate(drafted))).toBe('403 approval_denied');
    expect(await trail.text()).not.toContain('Too wide for a trial');
  });

  it('is listed by state, newest first, page by page', async () => {
    const drafts = [await draft(), await draft(), await draft()];
    await as(persons.compliance, 'POST', `approvals/${drafts[1]?.approvalId}/deny`, { reason: 'no' });
    const seen: string[] = [];
    for (let cursor = ''; seen.length < 3;) {
      const page = await as(persons.auditor, 'GET', `approvals?state=open&limit=1${cursor}`);
      const { approvals, next_cursor: next } = page.json.data as {
        approvals: { approval_id: string }[];
        next_cursor: string;
      };
      seen.push(...approvals.map(({ approval_id: id }) => id));
      cursor = `&cursor=${next}`;
    }
    expect(seen.slice(0, 2)).toEqual([drafts[2]?.approvalId, drafts[0]?.approvalId]);
    const denied = await as(persons.auditor, 'GET', 'approvals?state=denied&limit=1');
    expect((denied.json.data as { approvals: object[] }).approvals).toMatchObject([
      { approval_id: drafts[1]?.approvalId },
    ]);
  });
});

describe('No approval comes from', () => {
  const never = async (drafted: Draft, attempt: WireAnswer, outcome: string): Promise<void> => {
    expect(outcomeOf(attempt)).toBe(outcome);
    expect(outcomeOf(await activate(drafted))).toBe('202 approval_pending');
  };

  it('who asked for it', async () => {
    const drafted = await draft();
    await never(drafted, await approve(drafted, persons.admin), '403 forbidden_role own_request');
  });

  it('a key, whatever its role', async () => {
    const drafted = await draft();
    for (const role of ['admin', 'compliance', 'auditor'] as const) {
      const key = `Bearer ${await createKey(service, service.organizationId, role)}`;
      const body = { content_hash: drafted.contentHash };
      const attempt = await callAdmin(service, key, 'POST', `approvals/${drafted.approvalId}/approve`, body);
      await never(drafted, attempt, '403 forbidden_role person_required');
    }
  });

  it.each<[string, SignInClaims]>([
    ['a sign-in without a second factor', { amr: ['pwd'] }],
    ['a sign-in of which nothing is known', { claims: { amr: undefined, auth_time: undefined } }],
    ['an old sign-in', { ago: LIMITS.approvalSignInSeconds.value + 1 }],
    ['a sign-in of the future', { ago: -86_400 }],
    ['a sign-in at no time', { claims: { auth_time: 'now' } }],
  ])('%s', async (_, claims) => {
    const drafted = await draft();
    await never(drafted, await approve(drafted, persons.compliance, claims), '403 forbidden_role sign_in_again');
  });

  it('a role that does not approve this', async () => {
    const drafted = await draft();
    await never(drafted, await approve(drafted, persons.auditor), '403 forbidden_role not_an_approver');
  });

  it('a look at other content', async () => {
    const drafted = await draft();
    const other = { ...drafted, contentHash: (await draft()).contentHash };
    await never(drafted, await approve(other, persons.compliance), '400 invalid_input precondition_failed');
  });

  it('a person who lost the role in between, or was disabled, until the person counts again', async () => {
    for (const change of [{ role: 'auditor' }, { disabled: true }] as const) {
      const [drafted, personId] = [await draft(), await addPerson(service, service.organizationId, 'compliance')];
      expect((await approve(drafted, personId)).json.data).toMatchObject({ state: 'approved' });
      await changePerson(personId, change);
      expect(outcomeOf(await activate(drafted))).toBe('202 approval_pending');
      await changePerson(personId, 'role' in change ? { role: 'compliance' } : { disabled: false });
      expect((await activate(drafted)).status).toBe(200);
    }
  });

  it('a requester who is no member of staff any more', async () => {
    const requester = await addPerson(service, service.organizationId, 'admin');
    const drafted = await draft(requester);
    await approve(drafted, persons.compliance);
    await changePerson(requester, { disabled: true });
    expect(outcomeOf(await activate(drafted))).toBe('202 approval_pending');
  });

  it('somebody whom the requester gave the code to sign in with', async () => {
    const puppet = await addPerson(service, service.organizationId, 'compliance');
    const { json } = await as(persons.admin, 'POST', `staff/${puppet}/codes`);
    const { secret } = json.data as { secret: string };
    expect(await service.parts.get<StaffSignIn>(STAFF_SIGN_IN).signIn(puppet, secret)).toBeDefined();
    const drafted = await draft();
    await never(drafted, await approve(drafted, puppet), '403 forbidden_role not_an_approver');
    const byOperator = await service.parts.get(IssueStaffCode).run(service.organizationId, puppet, operatorOrigin());
    expect(await service.parts.get<StaffSignIn>(STAFF_SIGN_IN).signIn(puppet, byOperator.code)).toBeDefined();
    expect((await approve(drafted, puppet)).status).toBe(200);
  });

  it('another organization, which does not even see it', async () => {
    const drafted = await draft();
    const stranger = await addPerson(service, NEIGHBOUR, 'compliance');
    await never(drafted, await approve(drafted, stranger), '400 invalid_input not_found');
    expect(outcomeOf(await as(stranger, 'GET', `approvals/${drafted.approvalId}`))).toBe('400 invalid_input not_found');
    const deny = await as(stranger, 'POST', `approvals/${drafted.approvalId}/deny`, { reason: 'mine' });
    expect(outcomeOf(deny)).toBe('400 invalid_input not_found');
    const list = await as(stranger, 'GET', 'approvals');
    expect((list.json.data as { approvals: object[] }).approvals).toEqual([]);
  });

  it('members that are not part of a decision', async () => {
    const drafted = await draft();
    for (const extra of [
      { person_id: persons.compliance },
      { role: 'compliance' },
      { requester: 'x' },
      { force: true },
    ]) {
      const body = { content_hash: drafted.contentHash, ...extra };
      const attempt = await as(persons.compliance, 'POST', `approvals/${drafted.approvalId}/approve`, body);
      expect(attempt.status).toBe(400);
    }
    expect(outcomeOf(await activate(drafted))).toBe('202 approval_pending');
  });

  it('an approval that expired', async () => {
    const drafted = await draft();
    await approve(drafted, persons.compliance);
    const admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
    await admin.connect();
    await admin.query('ALTER TABLE approvals DISABLE TRIGGER only_ending');
    const past = `requested_at = now() - interval '73 hours', expires_at = now() - interval '1 hour'`;
    await admin.query(`UPDATE approvals SET ${past} WHERE approval_id = $1`, [drafted.approvalId]);
    await admin.query('ALTER TABLE approvals ENABLE TRIGGER only_ending');
    await admin.end();
    expect(outcomeOf(await activate(drafted))).toBe('403 approval_denied');
    const other = await addPerson(service, service.organizationId, 'compliance');
    expect(outcomeOf(await approve(drafted, other))).toBe('403 approval_denied');
  });
});

describe('An approval is spent once', () => {
  const SUBJECT: ApprovalSubject = { kind: 'policy.publish', resourceId: 'policy/1', contentHash: 'b'.repeat(64) };
  const spend = (subject: ApprovalSubject): Promise<unknown> =>
    service.parts
      .get<UnitOfWork>(UNIT_OF_WORK)
      .withTenant(service.organizationId, (tx) => service.parts.get<Approvals>(APPROVALS).spend(tx, subject));
  const requested = (subject: ApprovalSubject) =>
    service.parts.get<UnitOfWork>(UNIT_OF_WORK).withTenant(service.organizationId, (tx) =>
      service.parts.get<Approvals>(APPROVALS).request(tx, {
        ...subject,
        summary: 'test',
        requester: { actorKind: 'person', actor: persons.admin },
      }),
    );

  it('by one of many who try at the same moment on connections of their own', async () => {
    for (let round = 0; round < 10; round++) {
      const subject = { ...SUBJECT, resourceId: `policy/${round}` };
      const asked = await Promise.all([requested(subject), requested(subject), requested(subject)]);
      expect(new Set(asked.map(({ approvalId }) => approvalId)).size, 'one open request for one content').toBe(1);
      const approvalId = asked[0].approvalId;
      await approve({ approvalId, contentHash: subject.contentHash, delegationId: '' }, persons.compliance);
      const spent = await Promise.allSettled(Array.from({ length: 6 }, () => spend(subject)));
      expect(spent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await expect(spend(subject)).rejects.toMatchObject({ code: 'approval.denied' });
    }
  });

  it('for this content and no other, and again only after it was asked for again', async () => {
    const subject = { ...SUBJECT, resourceId: 'policy/again' };
    const { approvalId, missing } = await requested(subject);
    expect(missing).toBe(1);
    await approve({ approvalId, contentHash: subject.contentHash, delegationId: '' }, persons.compliance);
    for (const other of [
      { ...subject, contentHash: 'c'.repeat(64) },
      { ...subject, resourceId: 'policy/other' },
      { ...subject, kind: 'hold.release' as const },
    ])
      await expect(spend(other)).rejects.toMatchObject({ code: 'approval.pending' });
    await spend(subject);
    const second = await requested(subject);
    expect(second).toMatchObject({ state: 'pending', approvers: [] });
    expect(second.approvalId).not.toBe(approvalId);
  });

  it('and not at all by a transaction that fails', async () => {
    const subject = { ...SUBJECT, resourceId: 'policy/rollback' };
    const { approvalId } = await requested(subject);
    await approve({ approvalId, contentHash: subject.contentHash, delegationId: '' }, persons.compliance);
    const failing = service.parts.get<UnitOfWork>(UNIT_OF_WORK).withTenant(service.organizationId, async (tx) => {
      await service.parts.get<Approvals>(APPROVALS).spend(tx, subject);
      throw new Error('carrying out failed');
    });
    await expect(failing).rejects.toThrow('carrying out failed');
    await spend(subject);
  });

  it('of a deletion only with two approvers beside who asked', async () => {
    const subject = { ...SUBJECT, kind: 'retention.run' as const, resourceId: 'run/1' };
    const { approvalId, missing } = await requested(subject);
    expect(missing).toBe(2);
    const both = { approvalId, contentHash: subject.contentHash, delegationId: '' };
    await approve(both, persons.compliance);
    await expect(spend(subject)).rejects.toMatchObject({ code: 'approval.pending' });
    await approve(both, persons.auditor);
    await spend(subject);
  });
});

describe('The tables', () => {
  it('keep everybody from approving their own request, reopening an approval and changing a decision', async () => {
    const drafted = await draft();
    await approve(drafted, persons.compliance);
    await activate(drafted);
    const app = new pg.Client({ connectionString: service.database.appUrl, options: '-c search_path=forecourt' });
    await app.connect();
    await app.query(`SELECT set_config('app.tenant', $1, false)`, [service.organizationId]);
    const refused = (statement: string): Promise<unknown> =>
      app.query(statement).then(
        () => 'done',
        (error: unknown) => (error as pg.DatabaseError).code,
      );
    const where = `WHERE approval_id = '${drafted.approvalId}'`;
    const self = `INSERT INTO approval_decisions SELECT organization_id, approval_id, requester, requester, 'approve', 'admin', NULL, now(), now() FROM approvals ${where}`;
    expect(await refused(self)).toBe('23514');
    expect(await refused(`UPDATE approvals SET outcome = NULL, ended_at = NULL ${where}`)).toBe('42501');
    expect(await refused(`UPDATE approvals SET content_hash = '${'d'.repeat(64)}' ${where}`)).toBe('42501');
    expect(await refused(`UPDATE approval_decisions SET decision = 'deny' ${where}`)).toBe('42501');
    expect(await refused(`DELETE FROM approval_decisions ${where}`)).toBe('42501');
    await app.end();
  });
});
