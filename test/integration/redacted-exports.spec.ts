import { readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContentStore } from '../../src/kernel/ports/content-store.js';
import { RemoveFiles } from '../../src/modules/file-removal/app/remove-files.js';
import { SweepExportFiles } from '../../src/modules/file-removal/app/sweep-export-files.js';
import { SqlFileRemovals } from '../../src/modules/file-removal/infra/sql-file-removals.js';
import { AuditLogWorld } from '../support/audit-log-world.js';
import { ExportWorld } from '../support/export-world.js';
import { freeHolds, putHold } from '../support/legal-holds.js';

const OTHER = 'agent.other';
let log: AuditLogWorld;
let world: ExportWorld;
let removals: SqlFileRemovals;
let organizations = 0;

beforeAll(async () => {
  log = await AuditLogWorld.open();
  world = await ExportWorld.open(log);
  removals = new SqlFileRemovals(log.pool);
});
afterAll(async () => {
  await world.close();
  await log.close();
});

/** An organization whose trail has 30 records of a person among 60, signed. */
async function trail(): Promise<{ organizationId: string; subject: string; eventId: string }> {
  const organizationId = `org.redacted-${++organizations}`;
  const subject = `agent.of-jane-roe-${organizations}`;
  await log.admin.query('INSERT INTO organizations (organization_id, name) VALUES ($1, $1)', [organizationId]);
  for (let i = 0; i < 3; i++) {
    await log.append(log.pool, organizationId, 10, { actor: subject });
    await log.append(log.pool, organizationId, 10, { actor: OTHER, operation: 'dealeragent.dealer.get' });
  }
  await log.publishing.run();
  const { rows } = await log.admin.query<{ event_id: string }>(
    'SELECT event_id FROM audit_events WHERE actor = $1 ORDER BY recorded_at, event_id LIMIT 1',
    [subject],
  );
  return { organizationId, subject, eventId: rows[0]!.event_id };
}

/** Every file of the organization that says the word, whether a row names it or not. */
async function filesWith(organizationId: string, word: string): Promise<string[]> {
  const root = join(world.folder, organizationId);
  const names = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const said = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return paths.filter((_, i) => said[i]!.includes(word));
}

/** An hour later, for what waits for one. */
async function age(organizationId: string): Promise<void> {
  for (const path of await filesWith(organizationId, '')) await utimes(path, 0, 0);
}

const removeFiles = (): Promise<number> =>
  new RemoveFiles(world.unitOfWork, removals, {
    ...{ feed_file: world.files, audit_export: world.files, privacy_file: world.files },
  }).run();
const sweep = (): Promise<number> => new SweepExportFiles(world.unitOfWork, removals, world.files).run();

const recordsOf = async (exportId: string): Promise<unknown[]> =>
  (
    await log.admin.query<object>(
      `SELECT operation, reason, before_hash IS NOT NULL AS before, after_hash IS NOT NULL AS after FROM audit_events
       WHERE $1 = ANY (resource_ids) AND operation IN ('audit.exports.supersede', 'audit.exports.remove') ORDER BY recorded_at`,
      [exportId],
    )
  ).rows;

describe('a redaction', () => {
  it('ends every finished export that holds what it erases, and no other; files go, and the trail says so', async () => {
    const { organizationId, subject, eventId } = await trail();
    const holding = [
      await world.made(organizationId, 'ndjson'),
      await world.made(organizationId, 'csv', { actor: subject }),
      await world.made(organizationId, 'ocsf', { subject }),
    ];
    const others = [
      await world.made(organizationId, 'ndjson', { actor: OTHER }),
      await world.made(organizationId, 'csv', { operation: 'dealeragent.dealer.get' }),
    ];
    expect(await filesWith(organizationId, subject)).not.toEqual([]);
    const elsewhere = await trail();
    const foreign = await world.made(elsewhere.organizationId, 'ndjson');

    const { redactionId, supersededExports } = await world.redact(organizationId, eventId, 'actor');
    expect(supersededExports).toEqual(holding.toSorted());
    for (const exportId of holding) {
      const found = await world.find(organizationId, exportId);
      expect(found).toMatchObject({ state: 'superseded', supersededBy: redactionId });
      expect(JSON.stringify(found), 'the row does not name them either').not.toContain(subject);
      await expect(world.text(organizationId, exportId)).rejects.toMatchObject({
        ...{ code: 'resource.not_found', context: { reason: 'superseded' } },
      });
    }
    for (const exportId of others) expect(await world.text(organizationId, exportId)).toContain(OTHER);
    expect(await world.text(elsewhere.organizationId, foreign)).toContain(elsewhere.subject);

    expect(await world.superseded.remove()).toBe(3);
    expect(await world.superseded.remove(), 'once').toBe(0);
    await age(organizationId);
    while ((await removeFiles()) > 0);
    expect(await filesWith(organizationId, subject)).toEqual([]);
    for (const exportId of others) expect(await world.text(organizationId, exportId)).toContain(OTHER);
    for (const exportId of holding)
      expect(await recordsOf(exportId)).toEqual([
        { operation: 'audit.exports.supersede', reason: 'values_redacted', before: true, after: true },
        { operation: 'audit.exports.remove', reason: 'superseded', before: true, after: false },
      ]);
    const again = await world.made(organizationId, 'ndjson');
    expect(await world.text(organizationId, again)).not.toContain(subject);
  });

  it('of one record ends what holds that record', async () => {
    const { organizationId, subject, eventId } = await trail();
    const whole = await world.made(organizationId, 'csv', { actor: subject });
    const other = await world.made(organizationId, 'csv', { actor: OTHER });
    await world.redact(organizationId, eventId, 'record');
    expect((await world.find(organizationId, whole)).state).toBe('superseded');
    expect((await world.find(organizationId, other)).state).toBe('ready');
    expect(await world.superseded.remove()).toBe(1);
  });

  it('while an export is written: no piece with the value is named afterwards, and the file that was under way is swept', async () => {
    const { organizationId, subject, eventId } = await trail();
    const exportId = await world.ask(organizationId, 'ndjson');
    let puts = 0;
    const files: ContentStore = {
      open: (...args) => world.files.open(...args),
      remove: (...args) => world.files.remove(...args),
      put: async (...args) => {
        const kept = await world.files.put(...args); // with the value, before its row
        if (++puts === 2) await world.redact(organizationId, eventId, 'actor');
        return kept;
      },
    };
    expect(await world.run(organizationId, exportId, files)).toBe('lost');
    expect(puts, 'it stops').toBe(2);
    expect((await world.find(organizationId, exportId)).state).toBe('superseded');
    expect(await world.superseded.remove()).toBe(1);
    await writeFile(join(world.folder, organizationId, 'incoming', 'half'), subject); // of a process that was killed
    await sweep();
    expect(await filesWith(organizationId, subject), 'whatever is new may be in use').not.toEqual([]);
    await age(organizationId);
    while ((await removeFiles()) > 0);
    expect(await sweep()).toBe(1);
    expect(await filesWith(organizationId, subject)).toEqual([]);
  });

  it('that has not committed keeps exports from beginning, so that none reads what it erases', async () => {
    const { organizationId, subject, eventId } = await trail();
    const exportId = await world.ask(organizationId, 'ndjson');
    const redacting = await log.pool.connect();
    await redacting.query(`BEGIN; SELECT set_config('app.tenant', '${organizationId}', true)`);
    const { rows } = await redacting.query<{ content_hash: string }>(
      `SELECT * FROM redact_audit_values('req_open', $1, 'actor', 'court_order', 100)`,
      [eventId],
    );
    const running = world.run(organizationId, exportId);
    const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
    await expect.poll(async () => (await log.admin.query(waiting)).rowCount).toBe(1);
    expect((await world.find(organizationId, exportId)).header).toBeUndefined();
    const said = {
      eventId: 'req_open',
      operation: 'audit.redacted',
      reason: 'court_order',
      actor: 'person.compliance',
    };
    const line = log.line(organizationId, { ...said, afterHash: rows[0]!.content_hash });
    await redacting.query('SELECT append_audit($1, $2)', [organizationId, line]);
    await redacting.query('COMMIT');
    redacting.release();
    expect(await running).toBe('ready');
    expect(await world.text(organizationId, exportId)).toContain(OTHER);
    expect(await world.text(organizationId, exportId)).not.toContain(subject);
  });

  it('leaves files that a hold covers where they are, shut, and takes them when it is over', async () => {
    const { organizationId, subject, eventId } = await trail();
    const exportId = await world.made(organizationId, 'ndjson');
    await putHold(log.admin, organizationId, 'hold.exports', { categories: ['audit_export'] });
    await world.redact(organizationId, eventId, 'actor');
    await expect(world.text(organizationId, exportId)).rejects.toMatchObject({ code: 'resource.not_found' });
    expect(await world.superseded.remove()).toBe(0);
    await age(organizationId);
    while ((await removeFiles()) > 0);
    await sweep();
    expect(await filesWith(organizationId, subject)).not.toEqual([]);
    expect(await recordsOf(exportId)).toHaveLength(1);

    await freeHolds(log.admin);
    await log.admin.query('UPDATE audit_exports SET lease_until = now() WHERE export_id = $1', [exportId]);
    expect(await world.superseded.remove()).toBe(1);
    await log.admin.query('UPDATE file_removals SET due_at = now()');
    while ((await removeFiles()) > 0);
    expect(await filesWith(organizationId, subject)).toEqual([]);
  });
});

describe('a download', () => {
  it.each(['cut short', 'too long', 'gone'])('of a piece that is %s breaks off', async (how) => {
    const { organizationId } = await trail();
    const exportId = await world.made(organizationId, 'ndjson');
    const whole = await world.text(organizationId, exportId);
    const paths = await filesWith(organizationId, '"seq":41');
    if (how === 'cut short') await truncate(paths[0]!, 100);
    else if (how === 'too long') await writeFile(paths[0]!, 'x', { flag: 'a' });
    else await rm(paths[0]!);
    await expect(world.text(organizationId, exportId)).rejects.toThrow(/piece of export|ENOENT/);
    expect(whole).toContain('"seq":41');
  });
});
