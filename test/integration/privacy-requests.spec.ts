import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rfc3339 } from '../../src/kernel/time.js';
import type { PrivacyRequest } from '../../src/modules/privacy/domain/privacy-request.js';
import { requestView } from '../../src/modules/privacy/http/privacy-request-view.js';
import { columnsWith } from '../support/find-text.js';
import { freeHolds, putHold } from '../support/legal-holds.js';
import { GROUP, PrivacyWorld } from '../support/privacy-world.js';
import { operatorOrigin } from '../support/staff.js';

const JANE = { personId: 'staff.jane', name: 'Jane Q. Roe', identity: 'jane.roe@customer.test' } as const;
const JOHN = { personId: 'staff.john', name: 'John Doe', identity: 'john.doe@customer.test' } as const;

const OFFICER = { ...operatorOrigin(), actorKind: 'person', actor: 'staff.officer' } as const;

let world: PrivacyWorld;
beforeAll(async () => {
  world = await PrivacyWorld.open();
});
afterAll(() => world.close());

describe('the places of persons', () => {
  /** Columns that say who somebody is or was, wherever they are. */
  const WHO = [
    'actor',
    'approvers',
    'author',
    'client',
    'person_id',
    'placed_by',
    'requested_by',
    'requester',
    'sent_by',
  ];

  it('are all registered, once, and each can be asked for everything that a subject is called', async () => {
    const { rows } = await world.admin.query<{ place: string }>('SELECT place FROM subject_places ORDER BY place');
    const registered = world.parts.register.places.map(({ place }) => place);
    expect(registered.toSorted()).toEqual(rows.map(({ place }) => place));
    const names = { person: ['p'], agent: ['a'], client: ['c'], key: ['k'], recipient: ['r'] };
    await world.parts.unitOfWork.withTenant(GROUP, async (tx) => {
      for (const { place, data } of world.parts.register.places)
        expect(await data.records(tx, place, names, { after: '', limit: 10 }), place).toEqual([]);
    });
  });

  it('are every table that has a column for who somebody is', async () => {
    const { rows } = await world.admin.query<{ name: string }>(
      `SELECT DISTINCT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = ANY ($1)
       WHERE c.relnamespace = 'forecourt'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         AND c.relname NOT IN (SELECT table_name FROM subject_places) ORDER BY 1`,
      [WHO],
    );
    expect(rows.map(({ name }) => name)).toEqual([]);
  });
});

describe('an erasure of a person', () => {
  let events: readonly string[];
  beforeAll(async () => {
    events = await world.addPerson(JANE.personId, JANE.name, JANE.identity, false);
    await world.addPerson(JOHN.personId, JOHN.name, JOHN.identity, false);
  });

  it('is refused while they are in office, with that as its reason', async () => {
    const request = await world.verified('erasure', { kind: 'person', id: JANE.personId });
    await expect(world.preview(request)).rejects.toMatchObject({
      code: 'input.precondition',
      context: { reason: 'still_in_use' },
    });
    await world.admin.query(`UPDATE staff_persons SET disabled_at = now() WHERE person_id = '${JANE.personId}'`);
  });

  it('previews without writing, goes by exactly that, and leaves the words nowhere in the database', async () => {
    const words = [JANE.name, JANE.identity];
    expect(await columnsWith(world.admin, words), 'the scan sees them').toEqual([
      'forecourt.idempotency_keys.reply',
      'forecourt.staff_persons.name',
      'forecourt.staff_persons.subject',
    ]);
    const previewed = await world.preview(await world.verified('erasure', { kind: 'person', id: JANE.personId }));
    const counts = Object.fromEntries(
      previewed.preview!.places.map(({ place, goes, kept }) => [place, [goes, kept.length]]),
    );
    expect(counts).toEqual({
      idempotency_keys: [1, 0],
      audit_events: [7, 0],
      staff_codes: [1, 0],
      staff_persons: [1, 0],
      staff_person_versions: [0, 1], // pseudonymous: which role somebody had when
    });
    expect(world.approvals.asked.at(-1)).toMatchObject({
      kind: 'retention.run',
      resourceId: `privacy/${previewed.requestId}`,
      contentHash: previewed.previewHash,
      summary: expect.not.stringContaining(JANE.personId),
    });
    const done = await world.carryOut(previewed);
    expect(done).toMatchObject({ state: 'closed', waitsFor: [], deletionRecordId: expect.stringMatching(/^del\./) });
    expect(await columnsWith(world.admin, words)).toEqual([]);
    expect(await columnsWith(world.admin, [JOHN.name]), 'nobody else').toEqual([
      'forecourt.idempotency_keys.reply',
      'forecourt.staff_persons.name',
    ]);
    const { rows } = await world.admin.query<{ actor: string | null; n: number }>(
      `SELECT actor, count(*)::integer AS n FROM audit_events WHERE event_id = ANY ($1) GROUP BY 1`,
      [events],
    );
    expect(rows).toEqual([{ actor: null, n: 7 }]);
    expect((await world.manage.get(GROUP, done.requestId)).subject, 'the request has forgotten them').toBeNull();
  });

  it('cannot erase in the transaction of its preview', async () => {
    const erasing = world.parts.reads.readTenant(GROUP, async (tx) => {
      await world.parts.store.makeReadOnly(tx);
      const [place] = world.parts.register.places;
      const asked = { recordIds: ['x'], requestId: 'privacy.x' };
      await place?.data.erase(
        tx,
        'staff_persons',
        { person: [JOHN.personId] },
        { ...asked, recordIds: [JOHN.personId] },
      );
    });
    await expect(erasing).rejects.toThrow();
    expect(await columnsWith(world.admin, [JOHN.name])).toContain('forecourt.staff_persons.name');
  });

  it('was journalled by hash before, and is done again by it after the person came back', async () => {
    const [entry] = world.journal.entries;
    expect(JSON.stringify(entry)).not.toContain(JANE.personId);
    if (entry?.kind !== 'erasure') throw new Error('no erasure in the journal');
    await world.admin.query(
      `UPDATE staff_persons SET name = $2, subject = $3, issuer = 'https://idp.test', disabled_at = NULL WHERE person_id = $1`,
      [JANE.personId, JANE.name, JANE.identity],
    );
    const again = (): Promise<string> =>
      world.parts.unitOfWork.withTenant(GROUP, (tx) => world.replay.eraseAgain(tx, entry.requestId, entry.content));
    expect(await again()).toBe('replayed');
    expect(await columnsWith(world.admin, [JANE.name, JANE.identity])).toEqual([]);
    expect(await again()).toBe('present');
    const other = { ...entry.content, subjectHashes: ['0'.repeat(64)] };
    expect(
      await world.parts.unitOfWork.withTenant(GROUP, (tx) => world.replay.eraseAgain(tx, entry.requestId, other)),
    ).toBe('absent');
  });
});

describe('an erasure of an agent', () => {
  it('finds its keys and clients by its grants, and takes what they did', async () => {
    await world.addAgent('agent.roe-assistant', 'one');
    await world.addAgent('agent.other', 'two');
    const words = ['agent.roe-assistant'];
    expect((await columnsWith(world.admin, words)).length).toBeGreaterThanOrEqual(6);
    const done = await world.carryOut(
      await world.preview(await world.verified('erasure', { kind: 'agent', id: 'agent.roe-assistant' })),
    );
    expect(done.state, JSON.stringify(done.progress)).toBe('closed');
    expect(await columnsWith(world.admin, words)).toEqual([]);
    const { rows } = await world.admin.query(`SELECT subject FROM grants ORDER BY subject`);
    expect(rows).toEqual([{ subject: 'agent.other' }, { subject: `erased:${done.requestId}` }]);
  });
});

describe('a hold', () => {
  it('keeps its records through an erasure, which is listed again when it ends, and then takes them', async () => {
    const events = await world.addPerson('staff.held', 'Held Person', 'held@customer.test', true);
    await putHold(world.admin, GROUP, 'hold.smith', { record_ids: [events[2]!, 'staff.held'] });
    const first = await world.carryOut(
      await world.preview(await world.verified('erasure', { kind: 'person', id: 'staff.held' })),
    );
    expect(first).toMatchObject({ state: 'pending', waitsFor: ['hold.smith'] });
    expect(first.progress.places).toContainEqual({
      place: 'audit_events',
      found: 7,
      goes: 6,
      kept: [{ why: 'hold', grounds: ['hold.smith'], records: 1, until: null }],
    });
    expect(await columnsWith(world.admin, ['Held Person'])).toEqual(['forecourt.staff_persons.name']);
    await world.resume.run();
    expect((await world.get(first.requestId)).state).toBe('pending');
    await freeHolds(world.admin);
    await world.resume.run();
    const listed = await world.get(first.requestId);
    expect(listed).toMatchObject({ state: 'verified', preview: null });
    const second = await world.carryOut(await world.preview(listed));
    expect(second).toMatchObject({ state: 'closed', progress: { pass: 2 } });
    expect(await columnsWith(world.admin, ['Held Person', 'held@customer.test'])).toEqual([]);
    const { rows } = await world.admin.query(
      'SELECT source_id FROM deletion_records WHERE source_id LIKE $1 ORDER BY 1',
      [`${first.requestId}%`],
    );
    expect(rows).toEqual([{ source_id: first.requestId }, { source_id: `${first.requestId}/2` }]);
  });

  it('placed between preview and run makes the approval worthless', async () => {
    await world.addPerson('staff.between', 'Between', 'between@customer.test', true);
    const previewed = await world.preview(await world.verified('erasure', { kind: 'person', id: 'staff.between' }));
    await putHold(world.admin, GROUP, 'hold.between', { subjects: ['staff.between'] });
    await expect(world.carryOut(previewed)).rejects.toMatchObject({
      code: 'input.precondition',
      context: { auditReason: 'preview_outdated' },
    });
    await freeHolds(world.admin);
  });

  it('is behind whatever else forecourt_retention would change in these tables', async () => {
    await putHold(world.admin, GROUP, 'hold.guard', { record_ids: ['staff.between'] });
    await world.admin.query(
      `BEGIN; SET LOCAL ROLE forecourt_retention; SELECT set_config('app.tenant', '${GROUP}', true)`,
    );
    await expect(
      world.admin.query(`UPDATE staff_persons SET name = 'x' WHERE person_id = 'staff.between'`),
    ).rejects.toMatchObject({ code: '23001', constraint: 'legal_hold' });
    await world.admin.query('ROLLBACK');
    await freeHolds(world.admin);
  });
});

describe('a floor', () => {
  it('keeps what is younger, with its rule as the ground and the day on which it ends', async () => {
    const floor = { count: 25, unit: 'months' } as const;
    const rule = {
      ruleId: 'audit.25m',
      category: 'audit_event',
      jurisdiction: '*',
      clock: 'created',
      action: 'redact',
    } as const;
    world.rules.push({ ...rule, floor, ceiling: null, ground: 'proof', citation: 'confirm with counsel' });
    await world.addPerson('staff.floor', 'Floor Person', 'floor@customer.test', true);
    const done = await world.carryOut(
      await world.preview(await world.verified('erasure', { kind: 'person', id: 'staff.floor' })),
    );
    world.rules.length = 0;
    expect(done.state).toBe('pending');
    expect(done.againAt).toBeGreaterThan(Date.now() + 700 * 86_400_000);
    const tally = done.progress.places.find(({ place }) => place === 'audit_events');
    expect(tally).toMatchObject({ found: 7, goes: 0, kept: [{ why: 'floor', grounds: ['audit.25m'], records: 7 }] });
  });
});

describe('an access request', () => {
  it('is answered by a file in pieces that has everything of the person and nothing of another one, and expires', async () => {
    await world.addPerson('staff.asks', 'Asking Person', 'asks@customer.test', false);
    const request = await world.verified('access', { kind: 'person', id: 'staff.asks' });
    const done = await world.carryOut(request);
    expect(done.state).toBe('ready');
    const file = await world.accessFiles.find(GROUP, done.requestId);
    const chunks: Uint8Array[] = [];
    for await (const chunk of world.accessFiles.content(GROUP, file)) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const manifest = JSON.parse(file.manifest) as { sha256: string; bytes: number; parts: object[] };
    expect(manifest).toMatchObject({ sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length });
    expect(manifest.parts.length).toBeGreaterThan(2);
    const lines = bytes
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { place?: string; name?: string });
    expect(lines.filter(({ place }) => place === 'audit_events')).toHaveLength(7);
    expect(lines.find(({ place }) => place === 'staff_persons')?.name).toBe('Asking Person');
    for (const word of [JOHN.name, JOHN.identity, JOHN.personId, 'agent.other'])
      expect(bytes.includes(word)).toBe(false);

    await world.admin.query(`UPDATE privacy_requests SET file_expires_at = now() WHERE request_id = $1`, [
      done.requestId,
    ]);
    await world.resume.run();
    expect((await world.get(done.requestId)).state).toBe('closed');
    await expect(world.accessFiles.find(GROUP, done.requestId)).rejects.toMatchObject({ code: 'resource.not_found' });
  });
});

describe('an extension', () => {
  const asked = { reason: 'complexity', noticeReference: 'LETTER-1' } as const;
  const DAY = 86_400_000;
  const receivedDaysAgo = (days: number): Promise<PrivacyRequest> => {
    const ticket = { askedBy: 'subject', askedReference: 'TICKET-2', receivedAt: Date.now() - days * DAY } as const;
    return world.manage.receive(
      GROUP,
      { kind: 'access', subject: { kind: 'person', id: 'staff.late' }, ...ticket },
      OFFICER,
    );
  };
  const extend = (request: PrivacyRequest): Promise<PrivacyRequest> =>
    world.manage.extend(GROUP, request.requestId, { ...asked, expected: [request.version] }, OFFICER);

  it('gives 90 days from the receipt in all, once, and says by whom, why and with which notice', async () => {
    const received = await receivedDaysAgo(44);
    const extended = await extend(received);
    expect(extended.dueAt - received.receivedAt).toBe(90 * DAY);
    expect(await world.get(received.requestId)).toEqual(extended);
    expect(requestView(extended)).toMatchObject({
      due_at: rfc3339(received.receivedAt + 90 * DAY),
      extension: {
        ...{ reason: 'complexity', notice_reference: 'LETTER-1', extended_by: 'staff.officer' },
        first_due_at: rfc3339(received.receivedAt + 45 * DAY),
      },
    });
    await expect(extend(extended)).rejects.toMatchObject({
      code: 'input.precondition',
      context: { auditReason: 'extended_before' },
    });
    const { rows } = await world.admin.query(
      `SELECT operation, actor FROM audit_events WHERE $1 = ANY (resource_ids) AND operation = 'privacy.requests.extend'`,
      [received.requestId],
    );
    expect(rows).toEqual([{ operation: 'privacy.requests.extend', actor: 'staff.officer' }]);
  });

  it('comes too late when the first 45 days are over, and for what has ended', async () => {
    const late = await receivedDaysAgo(46);
    await expect(extend(late)).rejects.toMatchObject({
      code: 'input.precondition',
      context: { auditReason: 'term_is_over' },
    });
    const refused = await world.manage.refuse(
      GROUP,
      late.requestId,
      { refusal: 'withdrawn', expected: [late.version] },
      OFFICER,
    );
    await expect(extend(refused)).rejects.toMatchObject({ context: { auditReason: 'request_refused' } });
  });

  it('is once and in time for the database as well', async () => {
    const { requestId } = await receivedDaysAgo(1);
    const extending = (days: number): Promise<unknown> =>
      world.admin.query(
        `UPDATE privacy_requests SET extended_at = received_at + make_interval(days => $2), extended_by = 'x', extension_reason = 'complexity', extension_notice = 'x',
           due_at = received_at + interval '2160 hours' WHERE request_id = $1`,
        [requestId, days],
      );
    await expect(extending(46)).rejects.toMatchObject({ code: '23514' });
    const longer = `UPDATE privacy_requests SET due_at = received_at + interval '3000 hours' WHERE request_id = $1`;
    await extending(2);
    await expect(world.admin.query(longer, [requestId])).rejects.toMatchObject({ code: '23514' });
  });
});

describe('a request', () => {
  it('says nowhere whom it is about: not in the trail, not in the queue', async () => {
    const request = await world.verified('erasure', { kind: 'person', id: 'staff.nobody-4711' });
    expect(await columnsWith(world.admin, ['nobody-4711'])).toEqual([]);
    expect(JSON.stringify(world.queue.added)).not.toContain('staff.');
    const refused = await world.manage.refuse(
      GROUP,
      request.requestId,
      { refusal: 'withdrawn', expected: [request.version] },
      OFFICER,
    );
    expect(refused).toMatchObject({ state: 'refused', refusal: 'withdrawn' });
    expect((await world.manage.get(GROUP, request.requestId)).subject).toBeNull();
  });
});
