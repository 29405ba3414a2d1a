import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import { newRequestId, newTraceId } from '../../src/kernel/ids.js';
import { KEY_AUTHENTICATOR, type KeyAuthenticator } from '../../src/kernel/ports/key-authenticator.js';
import { CLOCK } from '../../src/kernel/time.js';
import { CREATE_KEY, type CreateKey, type NewKey, AuthModule } from '../../src/modules/auth/index.js';
import { loadSettings } from '../../src/platform/config/load-settings.js';
import { deriveKey, readSecrets } from '../../src/platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../src/platform/config/settings.js';
import { DatabaseModule, POOL } from '../../src/platform/database/database.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const SECRET = 'a-secret-of-the-test-that-is-long-enough';
const clock = { time: Date.now(), now: () => clock.time };
const origin = () =>
  ({
    eventId: newRequestId(),
    traceId: newTraceId(),
    surface: 'command',
    actorKind: 'system',
    actor: 'test',
    client: null,
  }) as const;

let database: TestDatabase;
let dataDir: string;
let admin: pg.Client;
let app: TestingModule;
let keys: KeyAuthenticator;
let createKey: CreateKey;

function settingsWith(changes: Record<string, string>): Settings {
  return loadSettings({ FORECOURT_SECRET: SECRET, DATA_DIR: dataDir, ...changes });
}

async function compose(settings: Settings): Promise<TestingModule> {
  @Global()
  @Module({
    providers: [
      { provide: SETTINGS, useValue: settings },
      { provide: CLOCK, useValue: clock },
    ],
    exports: [SETTINGS, CLOCK],
  })
  class TestSettingsModule {}
  const composed = await Test.createTestingModule({
    imports: [TestSettingsModule, DatabaseModule, AuthModule],
  }).compile();
  return composed.init();
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forecourt-keys-'));
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query('SET search_path = forecourt');
  await admin.query(
    `INSERT INTO organizations (organization_id, name) VALUES ('north-group', 'North'), ('south-group', 'South')`,
  );
  app = await compose(settingsWith({ DATABASE_URL: database.appUrl }));
  keys = app.get<KeyAuthenticator>(KEY_AUTHENTICATOR);
  createKey = app.get<CreateKey>(CREATE_KEY);
});

afterAll(async () => {
  await app.close();
  await admin.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

beforeEach(() => {
  clock.time = Date.now();
});

const issue = (changes: Partial<NewKey> = {}) =>
  createKey.run(
    { organizationId: 'north-group', name: 'Ada Stone', role: 'admin', expiresAt: null, ...changes },
    origin(),
  );

/** Public code and true reason of a refusal. */
async function refusalOf(header: string | undefined, authenticator = keys): Promise<[string, string | undefined]> {
  const error: unknown = await authenticator.authenticate(header, 'net').catch((e: unknown) => e);
  if (!(error instanceof Failure)) throw new Error('the credential was accepted', { cause: error });
  return [error.code, error.context.auditReason];
}

/** The same token with another last letter of its secret or checksum. */
const altered = (token: string, position: number): string => {
  const letter = token.at(position) === 'a' ? 'b' : 'a';
  const index = token.length + position;
  return token.slice(0, index) + letter + token.slice(index + 1);
};

describe('an API key', () => {
  it('identifies its holder from the Authorization header', async () => {
    const { token, keyId } = await issue({ role: 'auditor' });
    const caller = { kind: 'key', keyId, organizationId: 'north-group', role: 'auditor', network: 'net' };
    expect(await keys.authenticate(`Bearer ${token}`, 'net')).toEqual(caller);
    expect(await keys.authenticate(`bearer  ${token}`, 'net')).toEqual(caller);
  });

  it('is shown once: the table holds a keyed hash, the audit trail neither secret nor hash', async () => {
    const { token, keyId } = await issue();
    const secret = token.split('_')[2]!.slice(0, 32);
    const everything = await admin.query(
      `SELECT row_to_json(k)::text AS row FROM api_keys k UNION ALL SELECT row_to_json(a)::text || convert_from(a.canon, 'UTF8') FROM audit_events a`,
    );
    const text = JSON.stringify(everything.rows);
    expect(text).toContain(keyId);
    expect(text).not.toContain(secret);
  });

  it('is audited in the transaction that creates it', async () => {
    const { keyId } = await issue();
    const audited = await admin.query(
      'SELECT operation, resource_ids FROM audit_events WHERE $1 = ANY (resource_ids)',
      [keyId],
    );
    expect(audited.rows).toEqual([{ operation: 'key.create', resource_ids: [keyId] }]);
    const before = await admin.query('SELECT count(*) FROM audit_events');
    await expect(issue({ organizationId: 'absent-group' })).rejects.toThrow();
    expect((await admin.query('SELECT count(*) FROM audit_events')).rows).toEqual(before.rows);
  });

  it('is refused alike when it is malformed, unknown, wrong, expired or revoked, and the true reason is kept', async () => {
    const { token } = await issue();
    const foreign = await issue();
    const expired = await issue({ expiresAt: clock.time - 1 });
    const revoked = await issue();
    await admin.query('UPDATE api_keys SET revoked_at = now() - interval $$1 second$$ WHERE key_id = $1', [
      revoked.keyId,
    ]);
    for (const table of ['api_key_versions', 'api_keys'])
      await admin.query(`DELETE FROM ${table} WHERE key_id = $1`, [foreign.keyId]);
    const cases: [string, string][] = [
      ['credential_malformed', 'Bearer'],
      ['credential_malformed', token],
      ['credential_malformed', `Basic ${token}`],
      ['credential_malformed', `Bearer ${token} ${token}`],
      ['credential_malformed', `Bearer ${altered(token, -1)}`],
      ['credential_malformed', `Bearer ${altered(token, -10)}`],
      ['credential_malformed', `Bearer ${token.toUpperCase()}`],
      ['credential_malformed', `Bearer fck_' OR 1=1`],
      ['key_unknown', `Bearer ${foreign.token}`],
      ['key_expired', `Bearer ${expired.token}`],
      ['key_revoked', `Bearer ${revoked.token}`],
    ];
    // What was changed behind the service's back is heard of a moment later; what is remembered is over by then.
    const refusalSoon = (header: string) => () => {
      clock.time += 2000;
      return refusalOf(header).catch(() => 'accepted');
    };
    for (const [reason, header] of cases)
      await expect.poll(refusalSoon(header), { timeout: 20_000 }).toEqual(['caller.credential_invalid', reason]);
    expect(await refusalOf(undefined)).toEqual(['caller.unauthenticated', undefined]);
  });

  it('does not open with another secret of the right form', async () => {
    const one = await issue();
    const { rows } = await admin.query<{ secret_hash: Buffer }>('SELECT secret_hash FROM api_keys WHERE key_id = $1', [
      one.keyId,
    ]);
    const two = await issue({ organizationId: 'south-group' });
    await admin.query('UPDATE api_keys SET secret_hash = $1 WHERE key_id = $2', [rows[0]!.secret_hash, two.keyId]);
    expect(await refusalOf(`Bearer ${two.token}`)).toEqual(['caller.credential_invalid', 'key_secret_wrong']);
  });

  it('stops working within two seconds of its revocation, and at its expiry at once', async () => {
    const { token, keyId } = await issue({ expiresAt: clock.time + 60_000 });
    await keys.authenticate(`Bearer ${token}`, 'net');
    clock.time += 60_000;
    expect((await refusalOf(`Bearer ${token}`))[1]).toBe('key_expired');
    clock.time -= 60_000;
    await keys.authenticate(`Bearer ${token}`, 'net');
    await admin.query('UPDATE api_keys SET revoked_at = now() - interval $$1 second$$ WHERE key_id = $1', [keyId]);
    clock.time += 2000;
    expect((await refusalOf(`Bearer ${token}`))[1]).toBe('key_revoked');
  });

  it('costs one look-up for calls that come together, and none when its checksum is wrong', async () => {
    const { token } = await issue();
    const asking = vi.spyOn(app.get<pg.Pool>(POOL), 'query');
    const lookUps = (): number =>
      asking.mock.calls.filter((call) => JSON.stringify(call).includes('find_api_key')).length;
    await Promise.all(Array.from({ length: 50 }, () => keys.authenticate(`Bearer ${token}`, 'net')));
    expect(lookUps()).toBeLessThanOrEqual(1); // none where the snapshot of the organization has it already
    const before = lookUps();
    await refusalOf(`Bearer ${altered(token, -1)}`);
    expect(lookUps()).toBe(before);
    asking.mockRestore();
  });

  it('keeps working after the secret was rotated, as long as the previous one is given', async () => {
    const { token } = await issue();
    const next = { DATABASE_URL: database.appUrl, FORECOURT_SECRET: `${SECRET}-next` };
    const rotated = await compose(settingsWith({ ...next, FORECOURT_SECRET_PREVIOUS: SECRET }));
    expect(await rotated.get<KeyAuthenticator>(KEY_AUTHENTICATOR).authenticate(`Bearer ${token}`, 'net')).toMatchObject(
      { kind: 'key' },
    );
    await rotated.close();
    const forgotten = await compose(settingsWith(next));
    expect((await refusalOf(`Bearer ${token}`, forgotten.get<KeyAuthenticator>(KEY_AUTHENTICATOR)))[1]).toBe(
      'key_secret_wrong',
    );
    await forgotten.close();
  });

  it('is not judged while the database is away', async () => {
    const { token } = await issue();
    const away = new URL(database.appUrl);
    away.port = '1';
    const pool = new pg.Pool({ connectionString: away.toString() });
    const { PostgresKeyDirectory } = await import('../../src/modules/auth/infra/postgres-key-directory.js');
    const { AuthenticateKey } = await import('../../src/modules/auth/app/authenticate-key.js');
    const { VerifiedKeys } = await import('../../src/modules/auth/app/verified-keys.js');
    const peppers = [deriveKey(SECRET, 'api-key')];
    const keysThere = new VerifiedKeys(
      new PostgresKeyDirectory(pool),
      () => Promise.resolve(undefined),
      peppers,
      clock,
    );
    const lonely = new AuthenticateKey(keysThere);
    expect((await refusalOf(`Bearer ${token}`, lonely))[0]).toBe('upstream.unavailable');
    await pool.end();
  });
});

describe('the composition', () => {
  it('refuses a superuser in the production profile and says what to do', async () => {
    const starting = compose(settingsWith({ DATABASE_URL: database.adminUrl }));
    await expect(starting).rejects.toThrow(/is a superuser; use one that is NOSUPERUSER/);
  });

  it('accepts a superuser in the local profile', async () => {
    const local = await compose(settingsWith({ DATABASE_URL: database.adminUrl, FORECOURT_PROFILE: 'local' }));
    await local.close();
  });
});

describe('the installation secret', () => {
  it('is generated once in the local profile, readable by its owner alone', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'forecourt-secret-'));
    const settings = loadSettings({ FORECOURT_PROFILE: 'local', DATA_DIR: dir });
    const all = await Promise.all(Array.from({ length: 8 }, () => readSecrets(settings)));
    const file = join(dir, 'secrets', 'forecourt-secret');
    expect(new Set(all.map((s) => s.current))).toEqual(new Set([(await readFile(file, 'utf8')).trim()]));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(all[0]!.current.length).toBeGreaterThanOrEqual(64);
    await rm(dir, { recursive: true });
  });

  it('gives each purpose a key of its own', () => {
    expect(deriveKey(SECRET, 'cursor').equals(deriveKey(SECRET, 'api-key'))).toBe(false);
    expect(deriveKey(SECRET, 'cursor').equals(deriveKey(SECRET, 'cursor'))).toBe(true);
    expect(deriveKey(SECRET, 'cursor')).toHaveLength(32);
  });
});
