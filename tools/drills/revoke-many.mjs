// A long day for the restore drill: many keys, revoked through the journal as the service does it, without its HTTP.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

const AT_ONCE = 50;

/** Keys that nobody knows the secret of. */
export async function seedKeys(url, organizationId, count) {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=forecourt' });
  await client.connect();
  await client.query(
    `INSERT INTO api_keys (key_id, organization_id, name, role, secret_hash)
     SELECT 'drill-' || n, $1, 'drill', 'app', sha256('') FROM generate_series(1, $2::int) n`,
    [organizationId, count],
  );
  await client.end();
}

/** @param from imports a compiled file of the product */
export async function revokeMany(from, { url, dataDir, organizationId, count }) {
  const { WriteJournal } = await from('modules/restore-journal/app/write-journal.js');
  const { readJournalKey } = await from('modules/restore-journal/domain/journal-key.js');
  const { LocalJournalFolder } = await from('modules/restore-journal/infra/local-journal-folder.js');
  const { PostgresJournalMarks } = await from('modules/restore-journal/infra/postgres-journal-marks.js');
  const { openPool } = await from('platform/database/connection.js');
  const { PrismaUnitOfWork, prismaOf } = await from('platform/database/prisma-unit-of-work.js');
  const open = (name, size) => openPool({ url, size, name, waitMs: 60_000, onError: () => undefined });
  const [pool, own] = [open('drill', 8), open('drill-journal', 1)];
  const unitOfWork = new PrismaUnitOfWork(pool, 60_000);
  const journal = new WriteJournal({
    storage: new LocalJournalFolder(join(dataDir, 'restore-journal'), true),
    keys: [readJournalKey(readFileSync(join(dataDir, 'secrets/restore-journal-key'), 'utf8'))],
    marks: new PostgresJournalMarks(own),
    clock: { now: () => Date.now() },
  });
  const revoke = (n) => {
    const content = { what: 'key', id: `drill-${n}`, revokedAt: new Date().toISOString() };
    return unitOfWork.withTenant(organizationId, async (tx) => {
      await prismaOf(tx)
        .$queryRaw`SELECT replay_revocation(${content.what}, ${content.id}, ${content.revokedAt}::timestamptz)`;
      await journal.append({ kind: 'revocation', organizationId, content }, tx);
    });
  };
  for (let n = 1; n <= count; n += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n + 1) }, (_, i) => revoke(n + i)));
  await journal.close();
  await unitOfWork.close();
  await Promise.all([pool.end(), own.end()]);
}
