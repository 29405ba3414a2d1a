import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Approvals, ApprovalStatus } from '../../src/kernel/ports/approvals.js';
import { newRequestId, traceIdOfRequest } from '../../src/kernel/ids.js';
import { SystemClock } from '../../src/kernel/time.js';
import { ActivateRetentionPolicy } from '../../src/modules/retention/app/activate-retention-policy.js';
import { ExplainRecord } from '../../src/modules/retention/app/explain-record.js';
import type { RetentionPolicyParts } from '../../src/modules/retention/app/policy-parts.js';
import { ReadRetentionPolicies } from '../../src/modules/retention/app/read-retention-policies.js';
import { ReadRulesInForce } from '../../src/modules/retention/app/read-rules-in-force.js';
import { WriteRetentionDraft } from '../../src/modules/retention/app/write-retention-draft.js';
import type { RetentionPolicyDocument } from '../../src/modules/retention/domain/policy-document.js';
import { STARTING_PROFILES } from '../../src/modules/retention/domain/starting-profiles.js';
import { holdBinds, holdCovers, type HoldInForce } from '../../src/modules/retention/index.js';
import { SqlRetainedRecords } from '../../src/modules/retention/infra/sql-retained-records.js';
import { SqlRetentionDrafts } from '../../src/modules/retention/infra/sql-retention-drafts.js';
import { SqlRetentionVersions } from '../../src/modules/retention/infra/sql-retention-versions.js';
import { SqlRooftopPlaces } from '../../src/modules/retention/infra/sql-rooftop-places.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { coverableRecords, holdsInForce, moments } from '../support/retention-cases.js';

const A = 'org.a';
const DOCUMENT = STARTING_PROFILES[1]!.document;
let database: TestDatabase;
let admin: pg.Client;
let pool: pg.Pool;
let parts: RetentionPolicyParts;
/** What the approvals say next. */
let approved = false;
const recorded: { operation: string; afterHash?: string | null }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  pool = openPool({ url: database.appUrl, size: 2, waitMs: 2000, name: 'retention', onError: () => undefined });
  const answer = (): ApprovalStatus => ({
    ...{ approvalId: 'apr.a', expiresAt: 0, approvers: approved ? ['staff.b', 'staff.c'] : [] },
    ...{ state: approved ? 'approved' : 'pending', missing: approved ? 0 : 2 },
  });
  const approvals: Approvals = { request: () => Promise.resolve(answer()), spend: () => Promise.resolve(answer()) };
  parts = {
    unitOfWork: new PrismaUnitOfWork(pool, 2000),
    drafts: new SqlRetentionDrafts(),
    versions: new SqlRetentionVersions(),
    places: new SqlRooftopPlaces(),
    approvals,
    audit: {
      recordInTransaction: (_, record) => Promise.resolve(void recorded.push(record)),
      recordBesides: () => Promise.resolve(),
    },
    clock: new SystemClock(),
  };
  await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ('${A}', 'A'), ('org.b', 'B')`);
  await rooftop('roof.tx', { country: 'US', region: 'TX' });
  await rooftop('roof.somewhere', { country: 'US' });
});
afterAll(async () => {
  await pool.end();
  await admin.end();
  await database.drop();
});

const rooftop = (id: string, address: object): Promise<unknown> =>
  admin.query(
    `INSERT INTO rooftops (organization_id, rooftop_id, name, address, timezone, currency, departments, id_seed)
     VALUES ('${A}', $1, 'R', $2, 'America/Chicago', 'USD', '{sales}', decode(repeat('07', 16), 'hex'))`,
    [id, JSON.stringify(address)],
  );
const origin = () => {
  const eventId = newRequestId();
  return {
    eventId,
    traceId: traceIdOfRequest(eventId),
    surface: 'admin',
    actorKind: 'person',
    actor: 'staff.a',
    client: null,
  } as const;
};
const draft = async (document: RetentionPolicyDocument): Promise<string> =>
  (
    await new WriteRetentionDraft(parts).create(
      A,
      { policyId: 'retention.a', name: 'A', document, reason: 'Test' },
      origin(),
    )
  ).draftId;
const activate = (draftId: string, revision = 1) =>
  new ActivateRetentionPolicy(parts).run(A, draftId, [revision], origin());
const inForce = () =>
  parts.unitOfWork.withTenant(A, (tx) => new ReadRulesInForce(parts.versions, parts.places).inForce(tx));
const unitEvent = (id: string, rooftopId: string, age: string): Promise<unknown> =>
  admin.query(
    `INSERT INTO unit_events (organization_id, event_id, rooftop_id, vin, kind, source_time, received_at, effect)
     VALUES ('${A}', $1, $2, '1HGCM82633A004352', 'sold', now() - $3::interval, now() - $3::interval, 'applied')`,
    [id, rooftopId, age],
  );

describe('a retention policy', () => {
  it('is nothing until two approved it, is active then, and retires the one before', async () => {
    expect(await inForce()).toBeUndefined();
    const first = await draft(DOCUMENT);
    await expect(activate(first)).rejects.toMatchObject({ code: 'approval.pending' });
    expect(await inForce()).toBeUndefined();
    approved = true;
    await expect(activate(first, 2)).rejects.toMatchObject({ code: 'input.precondition' });
    expect(await activate(first)).toMatchObject({ version: 1, state: 'active', approvers: ['staff.b', 'staff.c'] });
    await expect(activate(first)).rejects.toMatchObject({ code: 'input.precondition' });
    const rules = await inForce();
    expect(rules).toMatchObject({ home: 'US', policy: { version: 1, name: 'A' } });
    expect([...(rules?.jurisdictions ?? [])]).toEqual([
      ['roof.somewhere', 'US'],
      ['roof.tx', 'US-TX'],
    ]);
    const without = { ...DOCUMENT, rules: DOCUMENT.rules.filter((rule) => rule.rule_id !== 'session') };
    const [second, third] = [await draft(without), await draft(DOCUMENT)];
    expect(await activate(second)).toMatchObject({ version: 2 });
    await expect(activate(third)).rejects.toMatchObject({ code: 'input.precondition' });
    const reading = new ReadRetentionPolicies(parts);
    expect((await reading.versions(A, { limit: 9 })).map((v) => [v.version, v.state])).toEqual([
      [2, 'active'],
      [1, 'retired'],
    ]);
    expect(await reading.differences(A, 2, 1)).toMatchObject([{ kind: 'rule', id: 'session', after: null }]);
    expect(recorded.at(-1)).toMatchObject({ operation: 'retention.activate' });
    await expect(reading.active('org.b')).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('is refused with everything that it may not say, and a draft may say it', async () => {
    const rooftops = [
      {
        rooftop_id: 'roof.tx',
        category: 'audit_event' as const,
        floor: null,
        ceiling: { count: 8, unit: 'years' as const },
        ground: 'Test',
      },
    ];
    const draftId = await draft({ ...DOCUMENT, rooftops });
    const violations = [{ pointer: '/rooftops/0/ceiling', keyword: 'maximum' }];
    expect(await new ReadRetentionPolicies(parts).draft(A, draftId)).toMatchObject({ violations });
    await expect(activate(draftId)).rejects.toMatchObject({ code: 'input.invalid', context: { violations } });
  });

  it('is final as a version: nobody changes it, whoever they are', async () => {
    for (const statement of [
      `UPDATE retention_policy_versions SET name = 'B'`,
      'DELETE FROM retention_policy_versions',
    ])
      await expect(admin.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('the explanation of a record', () => {
  const explain = (id: string) =>
    new ExplainRecord({
      unitOfWork: parts.unitOfWork,
      records: new SqlRetainedRecords(),
      rules: new ReadRulesInForce(parts.versions, parts.places),
      erasures: undefined,
      clock: parts.clock,
    }).run(A, 'unit_event', id);

  it('names every reason and the one that decides, in the state of each rooftop, and the strictest where that is not known', async () => {
    await unitEvent('evt-tx', 'roof.tx', '49 months');
    await unitEvent('evt-us', 'roof.somewhere', '49 months');
    const texas = await explain('evt-tx');
    expect(texas).toMatchObject({
      due: false,
      decision: {
        action: 'delete',
        because: [
          { kind: 'ceiling', ruleId: 'unit-event.tx' },
          { kind: 'floor', ruleId: 'unit-event.tx' },
          { kind: 'ceiling', ruleId: 'unit-event' },
        ],
      },
    });
    expect((await explain('evt-us')).decision.because[0]).toMatchObject({ kind: 'floor', ruleId: 'unit-event.fl' });
    await expect(explain('evt-none')).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('names a hold as what decides', async () => {
    await admin.query(`INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, categories, covered, root, counted_at)
      VALUES ('${A}', 'hold.a', 'Roe', 'claim', 'staff.a', '{unit_event}', 2, sha256('a'), now())`);
    expect((await explain('evt-tx')).decision).toMatchObject({
      action: 'keep',
      at: null,
      because: [{ kind: 'hold', holdId: 'hold.a' }, { kind: 'floor' }, { kind: 'ceiling' }, { kind: 'ceiling' }],
    });
  });
});

it('covers and binds exactly as the database does', async () => {
  const at = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  const row = (h: HoldInForce) => [
    h.rooftopIds,
    h.categories,
    h.subjects,
    h.recordIds,
    at(h.from),
    at(h.until),
    at(h.releasedAt),
    at(h.freeFrom),
  ];
  const asked = `SELECT hold_covers(h, $9, $10, $11, $12, $13) AS covers, coalesce(hold_binds(h, $14), false) AS binds
    FROM (SELECT (jsonb_populate_record(NULL::legal_holds, jsonb_build_object('rooftop_ids', $1::text[], 'categories', $2::text[], 'subjects', $3::text[],
      'record_ids', $4::text[], 'from_time', $5::timestamptz, 'until_time', $6::timestamptz, 'released_at', $7::timestamptz, 'free_from', $8::timestamptz))).*) h`;
  const seen = { covers: 0, binds: 0 };
  await fc.assert(
    fc.asyncProperty(
      holdsInForce,
      coverableRecords,
      fc.option(moments),
      fc.option(moments),
      async (hold, record, created, approvedAt) => {
        const values = [
          ...row(hold),
          record.category,
          record.recordId,
          record.rooftops,
          record.subjects,
          at(created),
          at(approvedAt),
        ];
        const { rows } = await admin.query<{ covers: boolean; binds: boolean }>(asked, values);
        const mine = {
          covers: holdCovers(hold, { ...record, created }),
          binds: holdBinds(hold, Date.now(), approvedAt),
        };
        expect(mine).toEqual(rows[0]);
        if (mine.covers) seen.covers += 1;
        if (mine.binds) seen.binds += 1;
      },
    ),
    { numRuns: 400 },
  );
  expect(seen.covers).toBeGreaterThan(20);
  expect(seen.binds).toBeGreaterThan(20);
});
