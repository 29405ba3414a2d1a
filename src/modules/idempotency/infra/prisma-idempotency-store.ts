import { createHash } from 'node:crypto';
import type { KeyedReply } from '../../../kernel/ports/keyed-writes.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { IdempotencyStore, KeptReply, KeyName } from '../app/idempotency-store.js';

export class PrismaIdempotencyStore implements IdempotencyStore {
  /** A lock and not the row: the row exists only with the effect, and whoever meets the lock must not wait for it. */
  async take(tx: TenantTransaction, { owner, operation, key }: KeyName): Promise<boolean> {
    const name = JSON.stringify(['idempotency', tx.organizationId, owner, operation, key]);
    const lock = createHash('sha256').update(name).digest().readBigInt64BE(0);
    const rows = await prismaOf(tx).$queryRaw<{ taken: boolean }[]>`SELECT pg_try_advisory_xact_lock(${lock}) AS taken`;
    return rows[0]?.taken === true;
  }

  async find(tx: TenantTransaction, name: KeyName): Promise<KeptReply | undefined> {
    const row = await prismaOf(tx).idempotencyKey.findFirst({
      where: { organizationId: tx.organizationId, ...columns(name) },
    });
    if (row === null) return undefined;
    return { fingerprint: Buffer.from(row.fingerprint), reply: row.reply as unknown as KeyedReply };
  }

  async insert(
    tx: TenantTransaction,
    name: KeyName,
    requestId: string,
    { fingerprint, reply }: KeptReply,
  ): Promise<void> {
    await prismaOf(tx).$executeRaw`
      INSERT INTO idempotency_keys (organization_id, owner, operation, key_hash, fingerprint, request_id, reply)
      VALUES (${tx.organizationId}, ${name.owner}, ${name.operation}, ${columns(name).keyHash}, ${Uint8Array.from(fingerprint)}, ${requestId}, ${JSON.stringify(reply)}::jsonb)`;
  }
}

function columns({ owner, operation, key }: KeyName): {
  owner: string;
  operation: string;
  keyHash: Uint8Array<ArrayBuffer>;
} {
  return { owner, operation, keyHash: Uint8Array.from(createHash('sha256').update(key).digest()) };
}
