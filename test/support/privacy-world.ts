import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { ApprovalRequest, Approvals, ApprovalStatus } from '../../src/kernel/ports/approvals.js';
import type { JournalEntry, RestoreJournal } from '../../src/kernel/ports/restore-journal.js';
import type { DataSubject } from '../../src/kernel/ports/subject-data.js';
import { SystemClock } from '../../src/kernel/time.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { HoldSubjectData } from '../../src/modules/holds/infra/hold-subject-data.js';
import { AuditSubjectData } from '../../src/modules/audit/infra/audit-subject-data.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { ExportAudit } from '../../src/modules/audit/app/exports/export-audit.js';
import { SupersededExports } from '../../src/modules/audit/app/exports/superseded-exports.js';
import { PrismaAuditExports } from '../../src/modules/audit/infra/prisma-audit-exports.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { AuthSubjectData } from '../../src/modules/auth/infra/auth-subject-data.js';
import { WriteDeletionRecord } from '../../src/modules/deletion/app/write-deletion-record.js';
import { PostgresDeletionRecords } from '../../src/modules/deletion/infra/postgres-deletion-records.js';
import { COPIES, PROOFS } from '../../src/modules/privacy/app/catalogued-places.js';
import { AccessFiles } from '../../src/modules/privacy/app/access-files.js';
import { ErasureRecords } from '../../src/modules/privacy/app/erasure-records.js';
import { ManagePrivacyRequests } from '../../src/modules/privacy/app/manage-privacy-requests.js';
import { PreviewErasure } from '../../src/modules/privacy/app/preview-erasure.js';
import type { PrivacyParts } from '../../src/modules/privacy/app/privacy-parts.js';
import { ReplayErasure } from '../../src/modules/privacy/app/replay-erasure.js';
import { ResumePrivacyRequests } from '../../src/modules/privacy/app/resume-privacy-requests.js';
import { RunAccess } from '../../src/modules/privacy/app/run-access.js';
import { RunErasure } from '../../src/modules/privacy/app/run-erasure.js';
import { RunPrivacyRequest } from '../../src/modules/privacy/app/run-privacy-request.js';
import { StartPrivacyRequest } from '../../src/modules/privacy/app/start-privacy-request.js';
import { SubjectRegister } from '../../src/modules/privacy/app/subject-register.js';
import type { PrivacyRequest, RequestKind } from '../../src/modules/privacy/domain/privacy-request.js';
import { PostgresPrivacyRequests } from '../../src/modules/privacy/infra/postgres-privacy-requests.js';
import { SealedSubjects } from '../../src/modules/privacy/infra/sealed-subjects.js';
import { RecordRedaction } from '../../src/modules/redaction/app/record-redaction.js';
import { RedactionSubjectData } from '../../src/modules/redaction/infra/redaction-subject-data.js';
import type { RetentionPolicyVersion, RetentionRule, RulesInForce } from '../../src/modules/retention/index.js';
import { StaffSubjectData } from '../../src/modules/staff/infra/staff-subject-data.js';
import { CataloguedSubjectData } from '../../src/platform/database/catalogued-subject-data.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { LocalContentStore } from '../../src/platform/files/local-content-store.js';
import { recordOf } from './audit-log-world.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { RecordingQueue } from './feed-world.js';
import { operatorOrigin } from './staff.js';

export const GROUP = 'org.a';
const OFFICER = { ...operatorOrigin(), actorKind: 'person', actor: 'staff.officer' } as const;

/** Approves at once, and remembers what for. Approvals themselves have their own tests. */
class EasyApprovals implements Approvals {
  readonly asked: ApprovalRequest[] = [];
  request(_tx: unknown, request: ApprovalRequest): Promise<ApprovalStatus> {
    this.asked.push(request);
    return Promise.resolve({ approvalId: 'apr.1', state: 'approved', expiresAt: 0, approvers: [], missing: 0 });
  }
  spend(): Promise<ApprovalStatus> {
    return Promise.resolve({ approvalId: 'apr.1', state: 'used', expiresAt: 0, approvers: [], missing: 0 });
  }
}

/** Keeps entries in memory, under a key of its own. */
class NotedJournal implements RestoreJournal {
  readonly entries: JournalEntry[] = [];
  private readonly key = randomBytes(32);
  append(entry: JournalEntry): Promise<void> {
    this.entries.push(entry);
    return Promise.resolve();
  }
  subjectHash(organizationId: string, subject: string): string {
    return createHmac('sha256', this.key).update(`${organizationId}\0${subject}`).digest('hex');
  }
  subjectHashes(organizationId: string, subject: string): readonly string[] {
    return [this.subjectHash(organizationId, subject)];
  }
}

/** What a world has instead of its own. */
export interface GivenParts {
  readonly database?: TestDatabase;
  readonly journal?: RestoreJournal;
  readonly sealKey?: Buffer;
  /** Records of a piece of an access file. */
  readonly partRecords?: number;
}

/** The real parts of privacy requests on a database of their own, without the Nest container. */
export class PrivacyWorld {
  readonly rules: RetentionRule[] = [];
  readonly approvals = new EasyApprovals();
  readonly journal = new NotedJournal();
  readonly queue = new RecordingQueue();
  private readonly nonces = new NoncePool();
  readonly parts: PrivacyParts;
  readonly files: LocalContentStore;
  readonly manage: ManagePrivacyRequests;
  readonly start: StartPrivacyRequest;
  readonly running: RunPrivacyRequest;
  readonly resume: ResumePrivacyRequests;
  readonly accessFiles: AccessFiles;
  readonly replay: ReplayErasure;

  private constructor(
    readonly database: TestDatabase,
    readonly admin: pg.Client,
    readonly pool: pg.Pool,
    readonly folder: string,
    given: GivenParts,
  ) {
    const clock = new SystemClock();
    const unitOfWork = new PrismaUnitOfWork(pool, 5000);
    const audit = new PrismaTransactionalAudit(this.nonces);
    const rules = { inForce: () => Promise.resolve(this.rulesInForce()) };
    const store = new PostgresPrivacyRequests(pool, new SealedSubjects([given.sealKey ?? randomBytes(32)]));
    const exports = new PrismaAuditExports(pool);
    const register = new SubjectRegister([
      new CataloguedSubjectData(COPIES),
      new AuditSubjectData(),
      new HoldSubjectData(),
      new RedactionSubjectData(
        new RecordRedaction(audit, new SupersededExports(unitOfWork, exports, new ExportAudit(audit, clock)), clock),
      ),
      new AuthSubjectData(),
      new StaffSubjectData(),
      new CataloguedSubjectData(PROOFS),
    ]);
    const preview = new PreviewErasure(register, rules, clock);
    const { approvals, queue } = this;
    const journal = given.journal ?? this.journal;
    this.parts = { unitOfWork, reads: unitOfWork, store, register, preview, approvals, journal, queue, audit, clock };
    this.files = new LocalContentStore(folder);
    this.manage = new ManagePrivacyRequests(this.parts);
    this.start = new StartPrivacyRequest(this.parts);
    const residual = { vacuum: 1, wal: 7, backups: 35 };
    const records = new WriteDeletionRecord(new PostgresDeletionRecords(), audit, clock, { version: '0', residual });
    const erasure = new RunErasure(this.parts, rules, new ErasureRecords(records));
    this.running = new RunPrivacyRequest(
      this.parts,
      erasure,
      new RunAccess(this.parts, this.files, given.partRecords ?? 3),
    );
    this.resume = new ResumePrivacyRequests(this.parts);
    this.accessFiles = new AccessFiles(this.parts, this.files);
    this.replay = new ReplayErasure(register, store, journal, rules, clock);
  }

  static async open(given: GivenParts = {}): Promise<PrivacyWorld> {
    const database = given.database ?? (await createTestDatabase());
    const admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
    await admin.connect();
    const pool = openPool({ url: database.appUrl, size: 6, waitMs: 10_000, name: 'privacy', onError: () => undefined });
    await admin.query(
      `INSERT INTO organizations (organization_id, name) VALUES ('${GROUP}', 'A') ON CONFLICT DO NOTHING`,
    );
    return new PrivacyWorld(database, admin, pool, await mkdtemp(join(tmpdir(), 'forecourt-privacy-')), given);
  }

  async close(): Promise<void> {
    await this.closeParts();
    await this.database.drop();
  }

  /** All but the database. */
  async closeParts(): Promise<void> {
    await this.pool.end();
    await this.admin.end();
    await rm(this.folder, { recursive: true });
  }

  /** What a person left behind in every place that persons are in. @returns the ids of their audit records */
  async addPerson(personId: string, name: string, identity: string, disabled: boolean): Promise<readonly string[]> {
    const values = [GROUP, personId, name, identity, disabled ? new Date() : null];
    await this.admin.query(
      `INSERT INTO staff_persons (organization_id, person_id, name, role, issuer, subject, disabled_at, created_at, updated_at)
       VALUES ($1, $2, $3, 'none', 'https://idp.test', $4, $5, now(), now())`,
      values,
    );
    await this.admin.query(
      `INSERT INTO staff_codes (organization_id, code_id, person_id, code_hash, created_at, expires_at)
       VALUES ($1, 'code.' || $2, $2, sha256('x'), now(), now())`,
      values.slice(0, 2),
    );
    await this.reply(personId, { person_id: personId, name, identity });
    return this.act(personId, 'person', 7);
  }

  /** An agent with a revoked grant, a key and a client, and what they did. */
  async addAgent(subject: string, n: string): Promise<readonly string[]> {
    await this.admin.query(
      `INSERT INTO grants (organization_id, grant_id, version, subject, rooftop_ids, profiles, scopes, purposes, issuer, expires_at, revoked_at)
       VALUES ($1, 'grant.' || $2, 1, $3, '{roof.a}', '{}', '{}', '{}', 'staff.x', now() + interval '1 day', now())`,
      [GROUP, n, subject],
    );
    await this.admin.query(
      `INSERT INTO api_keys (key_id, organization_id, name, role, secret_hash, grant_id, revoked_at) VALUES ('key.' || $2, $1, $3, 'app', sha256('s'), 'grant.' || $2, now())`,
      [GROUP, n, `Key of ${subject}`],
    );
    await this.admin.query(
      `INSERT INTO api_key_versions (organization_id, key_id, version, name, networks, author, created_at) VALUES ($1, 'key.' || $2, 1, $3, '{}', 'staff.x', now())`,
      [GROUP, n, `Key of ${subject}`],
    );
    await this.admin.query(
      `INSERT INTO agent_clients (organization_id, agent_client_id, version, issuer, client_id, name, grant_id, revoked_at)
       VALUES ($1, 'client.' || $2, 1, 'https://idp.test', 'https://' || $3 || '.test/client', $3, 'grant.' || $2, now())`,
      [GROUP, n, subject],
    );
    await this.admin.query(
      `INSERT INTO approvals (organization_id, approval_id, kind, resource_id, content_hash, summary, requester_kind, requester, requested_at, expires_at)
       VALUES ($1, 'apr.' || $2, 'delegation.record', 'delegation/' || $2, repeat('a', 64), $3 || ' may be granted every rooftop', 'person', 'staff.x', now(), now())`,
      [GROUP, n, subject],
    );
    return [...(await this.act(subject, 'agent', 3)), ...(await this.act(null, 'agent', 2, `client.${n}`))];
  }

  async act(
    actor: string | null,
    actorKind: 'person' | 'agent',
    count: number,
    client: string | null = null,
  ): Promise<string[]> {
    const records = Array.from({ length: count }, () => recordOf(GROUP, { actor, actorKind, client }));
    const lines = records.map((record) => auditLine(record, this.nonces.next())).join('\n');
    await this.pool.query('SELECT append_audit($1, $2)', [GROUP, lines]);
    return records.map(({ eventId }) => eventId);
  }

  async reply(about: string, data: object): Promise<void> {
    await this.admin.query(
      `INSERT INTO idempotency_keys (organization_id, owner, operation, key_hash, fingerprint, request_id, reply)
       VALUES ($1, 'key.admin', 'staff.create', sha256(convert_to($2, 'UTF8')), sha256('f'), 'req_' || $2, $3)`,
      [GROUP, about, { status: 201, headers: {}, data }],
    );
  }

  /** A request that somebody verified. */
  async verified(kind: RequestKind, subject: DataSubject): Promise<PrivacyRequest> {
    const asked = { kind, subject, askedBy: 'subject', askedReference: 'TICKET-1' } as const;
    const received = await this.manage.receive(GROUP, asked, OFFICER);
    const proof = { reference: 'PROOF-1', expected: [received.version] };
    return this.manage.verify(GROUP, received.requestId, proof, OFFICER);
  }

  async preview(request: PrivacyRequest): Promise<PrivacyRequest> {
    return (await this.start.preview(GROUP, request.requestId, [request.version], OFFICER)).request;
  }

  /** Starts it and does the work. */
  async carryOut(request: PrivacyRequest): Promise<PrivacyRequest> {
    await this.start.run(GROUP, request.requestId, [request.version], OFFICER);
    await this.running.run(GROUP, request.requestId, new AbortController().signal);
    return this.get(request.requestId);
  }

  async get(requestId: string): Promise<PrivacyRequest> {
    return (await this.manage.get(GROUP, requestId)).request;
  }

  private rulesInForce(): RulesInForce {
    const policy: RetentionPolicyVersion = {
      ...{ policyId: 'retention.a', name: 'A', version: 1, state: 'active', contentHash: 'a'.repeat(64) },
      ...{ rules: this.rules, rooftops: [], activatedAt: 0 },
    };
    return { policy, jurisdictions: new Map(), home: '*' };
  }
}
