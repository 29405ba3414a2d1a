import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { PrivacyRequest, SealedSubject } from '../domain/privacy-request.js';
import type { FilePart, OpenRequest, PrivacyRequestStore } from '../app/privacy-request-store.js';
import { COLUMNS, type RequestRow, requestOf, rowOf } from './privacy-request-row.js';
import type { SealedSubjects } from './sealed-subjects.js';

const LEASE_SECONDS = 60;
const SELECTED = Object.keys(COLUMNS).join(', ');
/** A lease is of one run: whoever begins the next one finds none. */
const LEASE_OF_STATE = `lease_until = CASE WHEN state = 'running' AND $${Object.keys(COLUMNS).indexOf('state') + 2} = 'running' THEN lease_until END`;
const OPEN = `SELECT organization_id AS "organizationId", request_id AS "requestId", attempt, state FROM open_privacy_requests($1)`;

/** Requests in PostgreSQL, in plain SQL inside the caller's transaction. */
export class PostgresPrivacyRequests implements PrivacyRequestStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly seal: SealedSubjects,
    private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  async insert(tx: TenantTransaction, request: PrivacyRequest, subject: SealedSubject): Promise<void> {
    const row = rowOf(request);
    const names = Object.keys(row);
    const places = names.map((name, i) => `$${i + 3}::${COLUMNS[name as keyof typeof COLUMNS]}`);
    await prismaOf(tx).$executeRawUnsafe(
      `INSERT INTO privacy_requests (organization_id, subject_sealed, ${names.join(', ')}) VALUES ($1, $2, ${places.join(', ')})`,
      tx.organizationId,
      this.seal.seal(subject, tx.organizationId, request.requestId),
      ...Object.values(row),
    );
  }

  async find(
    tx: TenantTransaction,
    requestId: string,
    purpose: 'read' | 'change',
  ): Promise<PrivacyRequest | undefined> {
    const [row] = await prismaOf(tx).$queryRawUnsafe<RequestRow[]>(
      `SELECT ${SELECTED} FROM privacy_requests WHERE request_id = $1 ${purpose === 'change' ? 'FOR UPDATE' : ''}`,
      requestId,
    );
    return row === undefined ? undefined : requestOf(row);
  }

  async list(
    tx: TenantTransaction,
    {
      after,
      limit,
      state,
    }: { readonly after?: string; readonly limit: number; readonly state?: PrivacyRequest['state'] },
  ): Promise<readonly PrivacyRequest[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<RequestRow[]>(
      `SELECT ${SELECTED} FROM privacy_requests WHERE ($1::text IS NULL OR request_id < $1) AND ($2::text IS NULL OR state = $2)
       ORDER BY request_id DESC LIMIT $3::integer`,
      after ?? null,
      state ?? null,
      limit,
    );
    return rows.map(requestOf);
  }

  async openErasures(tx: TenantTransaction, subjectHashes: readonly string[]): Promise<readonly PrivacyRequest[]> {
    const rows = await prismaOf(tx).$queryRawUnsafe<RequestRow[]>(
      `SELECT ${SELECTED} FROM privacy_requests WHERE subject_hash = ANY ($1::text[]) AND kind = 'erasure' AND verified_at IS NOT NULL
         AND state NOT IN ('closed', 'refused') ORDER BY request_id`,
      [...subjectHashes],
    );
    return rows.map(requestOf);
  }

  async update(tx: TenantTransaction, request: PrivacyRequest): Promise<void> {
    const row = rowOf(request);
    const sets = Object.keys(row).map((name, i) => `${name} = $${i + 2}::${COLUMNS[name as keyof typeof COLUMNS]}`);
    await prismaOf(tx).$executeRawUnsafe(
      `UPDATE privacy_requests SET ${sets.join(', ')}, ${LEASE_OF_STATE} WHERE request_id = $1`,
      request.requestId,
      ...Object.values(row),
    );
  }

  async subjectOf(tx: TenantTransaction, requestId: string): Promise<SealedSubject | undefined> {
    const [row] = await prismaOf(tx).$queryRaw<{ sealed: Uint8Array }[]>`
      SELECT subject_sealed AS sealed FROM privacy_requests WHERE request_id = ${requestId} AND length(subject_sealed) > 0`;
    return row === undefined ? undefined : this.seal.open(row.sealed, tx.organizationId, requestId);
  }

  async putSubject(tx: TenantTransaction, requestId: string, subject: SealedSubject): Promise<void> {
    const sealed = Uint8Array.from(this.seal.seal(subject, tx.organizationId, requestId));
    await prismaOf(tx)
      .$executeRaw`UPDATE privacy_requests SET subject_sealed = ${sealed} WHERE request_id = ${requestId}`;
  }

  /** Together with the end of the request, which the table asks for: whoever calls goes on to `update` in this transaction. */
  async forgetSubject(tx: TenantTransaction, requestId: string): Promise<void> {
    await prismaOf(tx).$executeRaw`
      UPDATE privacy_requests SET subject_sealed = '' WHERE request_id = ${requestId} AND state IN ('closed', 'refused')`;
  }

  async claim(tx: TenantTransaction, requestId: string): Promise<number | undefined> {
    const rows = await prismaOf(tx).$queryRaw<{ attempt: number }[]>`
      UPDATE privacy_requests SET attempt = attempt + 1, lease_until = now() + make_interval(secs => ${this.leaseSeconds})
      WHERE request_id = ${requestId} AND state = 'running' AND coalesce(lease_until < now(), true) RETURNING attempt`;
    return rows[0]?.attempt;
  }

  async isHeld(tx: TenantTransaction, requestId: string, attempt: number): Promise<boolean> {
    const prolonged = await prismaOf(tx).$executeRaw`
      UPDATE privacy_requests SET lease_until = now() + make_interval(secs => ${this.leaseSeconds})
      WHERE request_id = ${requestId} AND state = 'running' AND attempt = ${attempt}`;
    return prolonged === 1;
  }

  async release(tx: TenantTransaction, requestId: string, attempt: number): Promise<void> {
    await prismaOf(tx).$executeRaw`
      UPDATE privacy_requests SET lease_until = now() WHERE request_id = ${requestId} AND state = 'running' AND attempt = ${attempt}`;
  }

  async joinDeletions(tx: TenantTransaction, approvedAt: number | null): Promise<void> {
    const approved = approvedAt === null ? '' : new Date(approvedAt).toISOString();
    await prismaOf(tx).$queryRaw`SELECT join_deletions(${tx.organizationId})::text`;
    await prismaOf(tx).$queryRaw`SELECT set_config('app.retention_approved_at', ${approved}, true)`;
  }

  async makeReadOnly(tx: TenantTransaction): Promise<void> {
    await prismaOf(tx).$executeRaw`SET TRANSACTION READ ONLY`;
  }

  async addPart(tx: TenantTransaction, requestId: string, part: FilePart): Promise<void> {
    const { storageKey, sha256, bytes } = part;
    await prismaOf(tx).$executeRaw`
      INSERT INTO privacy_request_parts (organization_id, request_id, part, storage_key, sha256, bytes)
      SELECT ${tx.organizationId}, ${requestId}, count(*), ${storageKey}, ${sha256}, ${bytes} FROM privacy_request_parts WHERE request_id = ${requestId}`;
  }

  async parts(tx: TenantTransaction, requestId: string): Promise<readonly FilePart[]> {
    return prismaOf(tx).$queryRaw<FilePart[]>`
      SELECT storage_key AS "storageKey", sha256, bytes::float8 AS bytes FROM privacy_request_parts WHERE request_id = ${requestId} ORDER BY part`;
  }

  async removeParts(tx: TenantTransaction, requestId: string): Promise<void> {
    await prismaOf(tx).$queryRaw`SELECT count(*) FROM remove_expired_privacy_file(${requestId})`;
  }

  async bindingHolds(tx: TenantTransaction, holdIds: readonly string[]): Promise<readonly string[]> {
    const rows = await prismaOf(tx).$queryRaw<
      { id: string }[]
    >`SELECT id FROM binding_holds(${[...holdIds]}::text[]) AS id`;
    return rows.map(({ id }) => id);
  }

  async open(limit: number): Promise<readonly OpenRequest[]> {
    try {
      return (await this.pool.query<OpenRequest>(OPEN, [limit])).rows;
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}
