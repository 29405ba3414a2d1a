// A process that writes revocations to the restore journal over and over, each in a transaction of its own, to be killed in the
// middle or to run out of disk. Arguments: compiled sources, folder, key, database URL, how many at once. Writes one line for each.
import { pathToFileURL } from 'node:url';

const [, , dist, folder, keyText, url, atOnce] = process.argv;
const load = (file) => import(pathToFileURL(`${dist}/${file}`).href);
const { WriteJournal } = await load('modules/restore-journal/app/write-journal.js');
const { readJournalKey } = await load('modules/restore-journal/domain/journal-key.js');
const { LocalJournalFolder } = await load('modules/restore-journal/infra/local-journal-folder.js');
const { PostgresJournalMarks } = await load('modules/restore-journal/infra/postgres-journal-marks.js');
const { openPool } = await load('platform/database/connection.js');
const { PrismaUnitOfWork } = await load('platform/database/prisma-unit-of-work.js');

const open = (name, size) => openPool({ url, size, name, waitMs: 10_000, onError: () => undefined });
const unitOfWork = new PrismaUnitOfWork(open('writer', 4), 10_000);
const journal = new WriteJournal({
  storage: new LocalJournalFolder(folder, true),
  keys: [readJournalKey(keyText)],
  marks: new PostgresJournalMarks(open('writer-journal', 1)),
  clock: { now: () => Date.now() },
});
process.stdout.write('ready\n');

async function write(n) {
  for (let i = 0; ; i++) {
    const id = `key-${process.pid}-${n}-${i}`;
    const content = { what: 'key', id, revokedAt: new Date().toISOString() };
    const entry = { kind: 'revocation', organizationId: 'group-a', content };
    await unitOfWork
      .withTenant('group-a', (tx) => journal.append(entry, tx))
      .then(
        () => process.stdout.write(`answered ${id}\n`),
        (error) => process.stdout.write(`refused ${error.context?.auditReason ?? error}\n`),
      );
    await new Promise((done) => setTimeout(done, 1));
  }
}
await Promise.all(Array.from({ length: Number(atOnce) }, (_, n) => write(n)));
