import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DEMO_GROUP, DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import type { Clock } from '../../src/kernel/time.js';
import { loadSettings } from '../../src/platform/config/load-settings.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { openHttpApp } from '../../src/process/run-service.js';
import { findAdminKey } from '../../src/process/find-admin-key.js';
import { loadDemo } from '../../src/process/load-demo.js';
import type { ServiceParts } from '../../src/process/service-parts.js';
import { partsOf } from '../../src/process/service-parts.js';
import { CREATE_KEY } from '../../src/modules/auth/index.js';
import type { CreateKey } from '../../src/modules/auth/index.js';
import { KEY_AUTHENTICATOR } from '../../src/kernel/ports/key-authenticator.js';
import type { KeyAuthenticator } from '../../src/kernel/ports/key-authenticator.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import type { TestDatabase } from './database.js';
import { createTestDatabase } from './database.js';

export interface TestService {
  readonly origin: string;
  readonly organizationId: string;
  readonly app: NestFastifyApplication;
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly parts: ServiceParts;
  readonly settings: Settings;
  /** Token of an admin key of the demo organization. */
  adminToken(): Promise<string>;
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Import the demo inventory; true unless told otherwise. */
  readonly demo?: boolean;
  /** Where the service finds its database instead, such as a gate before it. */
  readonly reach?: (databaseUrl: string) => string | Promise<string>;
}

/** The whole service, API and workers, on a real port over a real database, with the demo group in it. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'forecourt-service-'));
  const port = await freePort();
  const settings = loadSettings({
    FORECOURT_PROFILE: 'local',
    DATABASE_URL: await (options.reach?.(database.appUrl) ?? database.appUrl),
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'silent',
    FORECOURT_SECRET: 'test-secret-test-secret-test-secret-0123',
    VALIDATE_ANSWERS_EVERY: '1',
    ANONYMOUS_CALLS_PER_MINUTE: '100000',
    ADMIN_CALLS_PER_MINUTE: '100000',
    ADMIN_KEY_CALLS_PER_MINUTE: '100000',
    ROOFTOP_CALLS_PER_MINUTE: '1000000',
    BAD_CREDENTIALS_BEFORE_PAUSE: '1000000',
    MISSES_BEFORE_PAUSE: '1000000',
    ...options.env,
  });
  const app = await openHttpApp(settings, {
    takeJobs: true,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  await app.listen(port, '127.0.0.1');
  const parts = partsOf(app);
  if (options.demo === false) await parts.get(CreateDealerGroup).run(DEMO_GROUP);
  else await loadDemo(parts, () => undefined);
  return {
    origin: `http://127.0.0.1:${port}`,
    organizationId: DEMO_ORGANIZATION,
    app,
    database,
    dataDir,
    parts,
    settings,
    adminToken: async () => {
      const keyParts = {
        createKey: parts.get<CreateKey>(CREATE_KEY),
        keys: parts.get<KeyAuthenticator>(KEY_AUTHENTICATOR),
      };
      return (await readFile(await findAdminKey(keyParts, dataDir, DEMO_ORGANIZATION), 'utf8')).trim();
    },
    stop: async () => {
      await app.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}
