import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebhookSecrets } from '../../src/kernel/delivery/webhook-secrets.js';
import { DeliverHoldNotices } from '../../src/modules/holds/app/deliver-hold-notices.js';
import { HoldNotices, type SentNotice } from '../../src/modules/holds/app/hold-notices.js';
import { ManageNoticeTargets, type NewNoticeTarget } from '../../src/modules/holds/app/manage-notice-targets.js';
import type { NoticeParts } from '../../src/modules/holds/app/notice-parts.js';
import { RemindOfHolds } from '../../src/modules/holds/app/remind-of-holds.js';
import { NoticeMail } from '../../src/modules/holds/infra/notice-mail.js';
import { NoticeWebhook } from '../../src/modules/holds/infra/notice-webhook.js';
import { PostgresNoticeDeliveries } from '../../src/modules/holds/infra/postgres-notice-deliveries.js';
import { PostgresNoticeTargets } from '../../src/modules/holds/infra/postgres-notice-targets.js';
import { PostgresNotices } from '../../src/modules/holds/infra/postgres-notices.js';
import { StoredStaffRoster } from '../../src/modules/staff/app/staff-roster.js';
import { PrismaStaffStore } from '../../src/modules/staff/infra/prisma-staff-store.js';
import { MailFolder } from '../../src/platform/delivery/mail-folder.js';
import { SignedWebhook } from '../../src/platform/delivery/signed-webhook.js';
import { EgressClient } from '../../src/platform/egress/egress-client.js';
import { holdOn, holdOrigin, HoldWorld, ORGANIZATION } from './hold-world.js';
import { WebhookReceiver } from './webhook-receiver.js';

export const REMIND_MS = 3_600_000;
const PUBLIC_URL = 'https://gateway.example';

/** The use cases of notices on a real database, a real receiver of webhooks, and a folder for mail. */
export class NoticeWorld {
  /** Milliseconds that have gone by. Time stands still in between, however busy the machine is. */
  ahead = 0;
  private readonly began = Date.now();
  readonly clock = { now: (): number => this.began + this.ahead };
  readonly key = Buffer.alloc(32, 7);
  readonly secrets = new WebhookSecrets([this.key]);
  private readonly clients: EgressClient[] = [];

  private constructor(
    readonly holds: HoldWorld,
    readonly receiver: WebhookReceiver,
    readonly folder: string,
  ) {}

  /** @param persons ids of staff */
  static async open(persons: readonly string[]): Promise<NoticeWorld> {
    const holds = await HoldWorld.open();
    await holds.admin.query(`INSERT INTO organizations (organization_id, name) VALUES ('${ORGANIZATION}', 'Held')`);
    for (const person of persons)
      await holds.admin.query(
        `INSERT INTO staff_persons (organization_id, person_id, name, role, created_at, updated_at)
         VALUES ('${ORGANIZATION}', $1, $1, 'compliance', now(), now())`,
        [person],
      );
    return new NoticeWorld(holds, await WebhookReceiver.start(), await mkdtemp(join(tmpdir(), 'notices-')));
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.receiver.stop();
    await this.holds.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** No target is left, and nothing was received. */
  async reset(): Promise<void> {
    this.ahead = 0;
    this.receiver.messages.length = 0;
    this.receiver.answers.length = 0;
    await this.holds.admin.query(`UPDATE hold_notice_targets SET revoked_at = now() WHERE revoked_at IS NULL;
      UPDATE hold_notices SET due_at = NULL`);
  }

  parts(): NoticeParts {
    const outbox = new PostgresNoticeDeliveries(this.holds.pool);
    const notices = new PostgresNotices(this.holds.pool);
    return { ...this.holds.parts(), clock: this.clock, notices, outbox, targets: new PostgresNoticeTargets() };
  }

  private readonly roster = new StoredStaffRoster(new PrismaStaffStore());

  telling(): HoldNotices {
    return new HoldNotices({ ...this.parts(), roster: this.roster }, REMIND_MS);
  }

  reminding(): RemindOfHolds {
    return new RemindOfHolds({ ...this.parts(), dueNotices: new PostgresNotices(this.holds.pool) }, REMIND_MS);
  }

  targets(): ManageNoticeTargets {
    return new ManageNoticeTargets({ ...this.parts(), roster: this.roster, secrets: this.secrets, mail: true });
  }

  /** @param exempt hosts that may be private */
  delivering(exempt: readonly string[] = [this.receiver.host]): DeliverHoldNotices {
    const egress = new EgressClient(exempt);
    this.clients.push(egress);
    const webhook = new NoticeWebhook(new SignedWebhook(egress, this.secrets, this.clock), PUBLIC_URL);
    const mail = new NoticeMail(new MailFolder(this.folder), 'holds@gateway.example', PUBLIC_URL);
    const progress = new PostgresNoticeDeliveries(this.holds.pool);
    return new DeliverHoldNotices({ ...this.parts(), progress, carriers: { webhook, mail } });
  }

  async addTarget(named: Partial<NewNoticeTarget> = {}): Promise<string> {
    const address = named.kind === 'mail' ? 'legal@group.example' : `http://${this.receiver.host}/holds`;
    const target: NewNoticeTarget = { kind: 'webhook', address, purpose: 'notices', personId: null, ...named };
    return (await this.targets().create(ORGANIZATION, target, holdOrigin())).target.targetId;
  }

  async placeHold(): Promise<string> {
    return (await this.holds.placing().run(ORGANIZATION, holdOn(), holdOrigin())).holdId;
  }

  sent(holdId: string): Promise<readonly SentNotice[]> {
    return this.telling().ofHold(ORGANIZATION, holdId, { limit: 100 });
  }

  async mails(): Promise<string[]> {
    const names = (await readdir(this.folder)).filter((name) => !name.startsWith('.')).sort();
    return Promise.all(names.map((name) => readFile(join(this.folder, name), 'utf8')));
  }
}
