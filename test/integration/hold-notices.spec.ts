import { createHmac } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StaffCaller } from '../../src/kernel/caller.js';
import { HoldSubjectData } from '../../src/modules/holds/infra/hold-subject-data.js';
import { ChildService } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { holdOrigin, ORGANIZATION } from '../support/hold-world.js';
import { NoticeWorld, REMIND_MS } from '../support/notice-world.js';
import type { ReceivedMessage } from '../support/webhook-receiver.js';

const [KEEPER, OTHER, OWNER] = ['staff.keeper', 'staff.other', 'staff.lawyer']; // the last one places holds
const MESSAGE = 'Keep all mail about the trade-in.';

let world: NoticeWorld;

beforeAll(async () => {
  world = await NoticeWorld.open([KEEPER, OTHER, OWNER]);
});
afterEach(() => world.reset());
afterAll(() => world.close());

const tell = async (holdId: string, persons = [KEEPER], escalateTo: string | null = null) =>
  world.telling().send(ORGANIZATION, holdId, { personIds: persons, message: MESSAGE, escalateTo }, holdOrigin());

interface Body {
  readonly type: string;
  readonly data: Record<string, unknown>;
}
const bodyOf = ({ body }: ReceivedMessage): Body => JSON.parse(body) as Body;
const typesOf = (): string[] => world.receiver.messages.map((message) => bodyOf(message).type);

const caller = (personId: string): StaffCaller => ({
  kind: 'person',
  personId,
  organizationId: ORGANIZATION,
  role: 'compliance',
  network: '127.0.0.1',
  authenticatedAt: 0,
  strong: true,
});

/** Reminds and sends until nothing more happens by itself. */
async function goOn(): Promise<void> {
  for (let n = 0; n < 5; n++) {
    world.ahead += REMIND_MS + 1000;
    await world.reminding().run();
    await world.delivering().run();
  }
}

describe('A notice is sent', () => {
  it('as a signed webhook that says what to keep and where to acknowledge, and nothing of the hold', async () => {
    const holdId = await world.placeHold();
    const targetId = await world.addTarget();
    const [notice] = await tell(holdId);
    await world.delivering().run();
    const [message, ...more] = world.receiver.messages;
    expect(more).toEqual([]);
    const id = `${notice!.noticeId}.notice.${targetId}`;
    expect(bodyOf(message!)).toMatchObject({
      type: 'hold.notice',
      data: {
        ...{ message_id: id, notice_id: notice!.noticeId, hold_id: holdId, person_id: KEEPER, message: MESSAGE },
        acknowledge_url: `https://gateway.example/admin/v1/hold-notices/${notice!.noticeId}/acknowledge`,
      },
    });
    expect(message!.body).not.toMatch(/Smith|claim/);
    const key = Buffer.from(world.secrets.secretOf(targetId).slice('whsec_'.length), 'base64');
    const signed = `${id}.${String(message!.headers['webhook-timestamp'])}.${message!.body}`;
    expect(message!.headers).toMatchObject({
      'webhook-id': id,
      'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    });
    const [sent] = await world.sent(holdId);
    expect(sent!.deliveries).toMatchObject([{ targetId, attempts: 1, problem: null, droppedAt: null }]);
    expect(sent!.deliveries[0]!.deliveredAt).not.toBeNull();
    const { rows } = await world.holds.admin.query(
      `SELECT actor, hash_before <> hash_after AS changed FROM (SELECT actor, before_hash AS hash_before, after_hash AS hash_after
       FROM audit_events WHERE operation = 'holds.notices.deliver' AND $1 = ANY (resource_ids)) e`,
      [notice!.noticeId],
    );
    expect(rows).toEqual([{ actor: 'holds.notices', changed: true }]);
  });

  it('to the address of the person themselves, and to nobody else', async () => {
    const holdId = await world.placeHold();
    await world.addTarget({ kind: 'mail', address: 'keeper@group.example', personId: KEEPER });
    await world.addTarget({ kind: 'mail', address: 'other@group.example', personId: OTHER });
    const before = (await world.mails()).length;
    const [notice] = await tell(holdId);
    await world.delivering().run();
    await world.delivering().run();
    const mails = (await world.mails()).filter((mail) => mail.includes(notice!.noticeId));
    expect((await world.mails()).length - before).toBe(1);
    expect(mails[0]).toContain('To: keeper@group.example');
    const text = Buffer.from(mails[0]!.split('\r\n\r\n')[2]!.split('--')[0]!, 'base64').toString();
    expect(text).toContain(MESSAGE);
    expect(text).toContain(`/admin/v1/hold-notices/${notice!.noticeId}/acknowledge`);
    expect(text).not.toMatch(/Smith|claim/);
  });

  it('again after a failure, later each time, with the same id and the same bytes', async () => {
    const holdId = await world.placeHold();
    await world.addTarget();
    await tell(holdId);
    world.receiver.answers.push(500, 503);
    await world.delivering().run();
    await world.delivering().run(); // not its time yet
    expect(world.receiver.messages).toHaveLength(1);
    expect((await world.sent(holdId))[0]!.deliveries).toMatchObject([{ attempts: 1, problem: 'status_500' }]);
    world.ahead += 2100;
    await world.delivering().run();
    world.ahead += 2100;
    await world.delivering().run(); // twice as long now
    expect(world.receiver.messages).toHaveLength(2);
    world.ahead += 2100;
    await world.delivering().run();
    expect((await world.sent(holdId))[0]!.deliveries).toMatchObject([{ attempts: 3, problem: 'status_503' }]);
    const { messages } = world.receiver;
    expect(messages).toHaveLength(3);
    expect(new Set(messages.map(({ body }) => body)).size).toBe(1);
    expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('never to a private address, whoever administers it', async () => {
    const holdId = await world.placeHold();
    await world.addTarget();
    await tell(holdId);
    await world.delivering([]).run();
    expect(world.receiver.messages).toEqual([]);
    expect((await world.sent(holdId))[0]!.deliveries).toMatchObject([{ attempts: 1, problem: 'scheme_refused' }]);
  });

  it('for a week, and then given up for all to see', async () => {
    const holdId = await world.placeHold();
    await world.addTarget();
    const [notice] = await tell(holdId);
    world.receiver.answers.push(410, 410);
    await world.delivering().run();
    world.ahead += 7 * 86_400_000;
    await world.delivering().run();
    world.ahead += 86_400_000;
    await world.delivering().run();
    expect(world.receiver.messages).toHaveLength(2);
    expect((await world.sent(holdId))[0]!.deliveries).toMatchObject([
      { attempts: 2, problem: 'status_410', droppedFor: 'gave_up', deliveredAt: null },
    ]);
    const { rows } = await world.holds.admin.query(
      `SELECT 1 FROM audit_events WHERE operation = 'holds.notices.give_up' AND $1 = ANY (resource_ids)`,
      [notice!.noticeId],
    );
    expect(rows).toHaveLength(1);
  });
});

describe('Nothing is sent any more', () => {
  it.each([
    ['once it was acknowledged', 'acknowledged'],
    ['once the hold was released', 'hold_released'],
    ['once the target was revoked', 'target_revoked'],
  ])('%s', async (_, reason) => {
    const holdId = await world.placeHold();
    const targetId = await world.addTarget();
    const [notice] = await tell(holdId);
    if (reason === 'acknowledged') await world.telling().acknowledge(caller(KEEPER), notice!.noticeId, holdOrigin());
    if (reason === 'hold_released') await world.holds.releasing().run(ORGANIZATION, holdId, 'settled', holdOrigin());
    if (reason === 'target_revoked') await world.targets().revoke(ORGANIZATION, targetId, holdOrigin());
    await goOn();
    expect(world.receiver.messages).toEqual([]);
    const [sent] = (await world.sent(holdId)).slice(-1);
    expect(sent!.deliveries).toMatchObject([{ attempts: 0, droppedFor: reason, deliveredAt: null }]);
  });
});

describe('The address of a person', () => {
  it('goes with an erasure, and nothing is sent there any more', async () => {
    const targetId = await world.addTarget({ kind: 'mail', address: 'keeper@group.example', personId: KEEPER });
    const place = 'hold_notice_targets';
    const data = new HoldSubjectData();
    const names = { person: [KEEPER] };
    const { unitOfWork, targets } = world.parts();
    const found = await unitOfWork.withTenant(ORGANIZATION, (tx) =>
      data.records(tx, place, names, { after: '', limit: 100 }),
    );
    const recipient = { kind: 'recipient', id: targetId } as const;
    const known = await unitOfWork.withTenant(ORGANIZATION, (tx) => data.subjects(tx, { after: '', limit: 100 }));
    expect(known, 'found again after a restore').toContainEqual(recipient);
    expect(await unitOfWork.withTenant(ORGANIZATION, (tx) => data.isInUse(tx, recipient))).toBe(true);
    const recordIds = found.map(({ recordId }) => recordId);
    expect(recordIds).toContain(targetId);
    await unitOfWork.withTenant(ORGANIZATION, (tx) =>
      data.erase(tx, place, names, { recordIds, requestId: 'privacy.1' }),
    );
    const after = await unitOfWork.withTenant(ORGANIZATION, (tx) => targets.find(tx, targetId));
    expect(after).toMatchObject({ address: 'erased@forecourt.invalid', personId: KEEPER });
    expect(after!.revokedAt).not.toBeNull();
    expect(await unitOfWork.withTenant(ORGANIZATION, (tx) => data.isInUse(tx, recipient))).toBe(false);
  });
});

describe('Silence', () => {
  it('is answered with three reminders and one escalation to whoever placed the hold, each once', async () => {
    const holdId = await world.placeHold();
    await world.addTarget();
    await world.addTarget({ purpose: 'escalations' });
    const [notice] = await tell(holdId);
    await world.delivering().run();
    await goOn();
    const escalated = [...Array<string>(3).fill('hold.reminder'), 'hold.escalation'];
    expect(typesOf()).toEqual(['hold.notice', ...escalated]);
    const last = bodyOf(world.receiver.messages.at(-1)!);
    expect(last.data).toMatchObject({ unanswered_notice_id: notice!.noticeId, unanswered_by: KEEPER });
    expect(last.data).not.toHaveProperty('message');
    const owners = (await world.sent(holdId)).find(({ notice: { personId } }) => personId === OWNER);
    expect(owners).toMatchObject({ notice: { aboutNotice: notice!.noticeId }, deliveries: [{ kind: 'escalation' }] });
  });

  it('is told to the second target also where nobody is named for it', async () => {
    const holdId = await world.placeHold();
    await world.addTarget({ purpose: 'escalations' });
    const [notice] = await tell(holdId, [OWNER]); // who placed it is the one who does not answer
    expect(notice!.escalateTo).toBeNull();
    await goOn();
    expect(typesOf()).toEqual(['hold.escalation']);
    expect(bodyOf(world.receiver.messages[0]!).data).toMatchObject({ unanswered_by: OWNER });
  });

  it('is answered once by two processes at once, and each message is sent once where nothing fails', async () => {
    const holdId = await world.placeHold();
    await world.addTarget();
    await tell(holdId, [KEEPER, OTHER, OWNER], OWNER);
    for (let n = 0; n < 5; n++) {
      await Promise.all([world.delivering(), world.delivering(), world.delivering()].map((one) => one.run()));
      world.ahead += REMIND_MS + 1000;
      await Promise.all([world.reminding(), world.reminding()].map((one) => one.run()));
    }
    await world.delivering().run();
    const ids = world.receiver.messages.map(({ headers }) => String(headers['webhook-id']));
    expect(new Set(ids).size).toBe(ids.length);
    const count = (type: string): number => typesOf().filter((one) => one === type).length;
    expect([count('hold.notice'), count('hold.reminder'), count('hold.escalation')]).toEqual([3, 9, 3]);
  });
});

describe('A process that is killed while the receiver has the message', () => {
  let compiled: CompiledService;
  beforeAll(async () => {
    compiled = await compileService();
  });
  afterAll(() => compiled.remove());

  const start = (): ChildService => {
    const path = fileURLToPath(new URL('../support/notice-process.mjs', import.meta.url));
    const { database } = world.holds;
    const args = [database.appUrl, world.receiver.host, world.key.toString('hex'), '500'];
    return new ChildService([path, dirname(compiled.main), ...args], {});
  };

  it('is followed by one that sends the same again under the same id, and then no more', async () => {
    const holdId = await world.placeHold();
    await world.addTarget();
    await tell(holdId);
    world.receiver.answers.push('never');
    const first = start();
    await expect.poll(() => world.receiver.messages.length, { timeout: 30_000 }).toBe(1);
    first.kill('SIGKILL');
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    expect((await world.sent(holdId))[0]!.deliveries).toMatchObject([{ attempts: 1, deliveredAt: null }]);

    const second = start();
    const delivered = async (): Promise<unknown> => (await world.sent(holdId))[0]!.deliveries[0]!.deliveredAt;
    await expect.poll(delivered, { timeout: 30_000 }).not.toBeNull();
    second.kill('SIGKILL');
    await second.ended;
    world.ahead += 86_400_000;
    await world.delivering().run();
    const { messages } = world.receiver;
    expect(messages).toHaveLength(2);
    expect(messages[1]!.body).toBe(messages[0]!.body);
    expect(messages[1]!.headers['webhook-id']).toBe(messages[0]!.headers['webhook-id']);
  });
});
