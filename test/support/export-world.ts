import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newAuditExportId, newRequestId } from '../../src/kernel/ids.js';
import type { Approvals } from '../../src/kernel/ports/approvals.js';
import type { ContentStore } from '../../src/kernel/ports/content-store.js';
import { SystemClock } from '../../src/kernel/time.js';
import type { AuditFilter } from '../../src/modules/audit/app/audit-search.js';
import type { AuditExport, ExportFormat } from '../../src/modules/audit/app/exports/audit-export.js';
import { AuditExports } from '../../src/modules/audit/app/exports/audit-exports.js';
import { ExportAudit } from '../../src/modules/audit/app/exports/export-audit.js';
import { type ExportOutcome, RunAuditExport } from '../../src/modules/audit/app/exports/run-audit-export.js';
import { SupersededExports } from '../../src/modules/audit/app/exports/superseded-exports.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresExportedEntries } from '../../src/modules/audit/infra/postgres-exported-entries.js';
import { PrismaAuditExports } from '../../src/modules/audit/infra/prisma-audit-exports.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { type CarriedOut, RedactAudit } from '../../src/modules/redaction/app/redact-audit.js';
import type { RequestedRedaction } from '../../src/modules/redaction/app/redaction-store.js';
import { PrismaRedactionStore } from '../../src/modules/redaction/infra/prisma-redaction-store.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { LocalContentStore } from '../../src/platform/files/local-content-store.js';
import { exportParts } from './audit-exporting.js';
import { type AuditLogWorld, GATEWAY } from './audit-log-world.js';

/** Everything is approved at once: what waits for people is proved elsewhere. */
const EASY = {
  request: () => Promise.resolve({ state: 'approved', approvalId: 'approval.easy' }),
  spend: () => Promise.resolve(),
} as unknown as Approvals;

/** The real parts of exports and of redactions over a log, without the Nest container. */
export class ExportWorld {
  readonly unitOfWork: PrismaUnitOfWork;
  readonly store: PrismaAuditExports;
  readonly exports: AuditExports;
  readonly superseded: SupersededExports;
  readonly files: LocalContentStore;
  private readonly audit: ExportAudit;
  private readonly redacting: RedactAudit;

  private constructor(
    readonly log: AuditLogWorld,
    readonly folder: string,
    leaseSeconds: number,
  ) {
    const clock = new SystemClock();
    const audit = new PrismaTransactionalAudit(new NoncePool());
    this.unitOfWork = new PrismaUnitOfWork(log.pool, 5000);
    this.store = new PrismaAuditExports(log.pool, leaseSeconds);
    this.files = new LocalContentStore(folder);
    this.audit = new ExportAudit(audit, clock);
    this.superseded = new SupersededExports(this.unitOfWork, this.store, this.audit);
    const queue = { add: () => Promise.resolve() };
    this.exports = new AuditExports(this.unitOfWork, this.store, this.audit, queue, this.files);
    const { unitOfWork, superseded } = this;
    const store = new PrismaRedactionStore();
    this.redacting = new RedactAudit({ unitOfWork, store, approvals: EASY, audit, exports: superseded, clock });
  }

  static async open(log: AuditLogWorld, leaseSeconds = 60): Promise<ExportWorld> {
    return new ExportWorld(log, await mkdtemp(join(tmpdir(), 'exports-')), leaseSeconds);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async ask(organizationId: string, format: ExportFormat, filter: AuditFilter = {}): Promise<string> {
    const requested = { exportId: newAuditExportId(), format, filter, requestedBy: 'test' };
    await this.unitOfWork.withTenant(organizationId, (tx) => this.store.insert(tx, requested));
    return requested.exportId;
  }

  run(organizationId: string, exportId: string, files: ContentStore = this.files, rows = 20): Promise<ExportOutcome> {
    const entries = new PostgresExportedEntries(this.log.pool);
    const log = exportParts(this.log.pool, GATEWAY);
    const running = new RunAuditExport(this.unitOfWork, this.store, entries, log, files, this.audit, rows);
    return running.run(organizationId, exportId, new AbortController().signal);
  }

  /** An export from beginning to end. @returns its id */
  async made(organizationId: string, format: ExportFormat, filter: AuditFilter = {}): Promise<string> {
    const exportId = await this.ask(organizationId, format, filter);
    const outcome = await this.run(organizationId, exportId);
    if (outcome !== 'ready') throw new Error(`the export is ${outcome}`);
    return exportId;
  }

  find(organizationId: string, exportId: string): Promise<AuditExport> {
    return this.exports.find(organizationId, exportId);
  }

  /** The file, as a download has it. */
  async text(organizationId: string, exportId: string): Promise<string> {
    await this.exports.ready(organizationId, exportId);
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.exports.content(organizationId, exportId)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  redact(organizationId: string, eventId: string, scope: RequestedRedaction['scope']): Promise<CarriedOut> {
    const origin = {
      ...({ eventId: newRequestId(), traceId: 'trc_test', surface: 'admin', actorKind: 'person' } as const),
      ...{ actor: 'person.compliance', client: null },
    };
    return this.redacting.run(organizationId, { eventId, scope, ground: 'erasure_request' }, origin);
  }
}
