import { relative } from 'node:path';
import { DEMO_ORGANIZATION } from '../demo/demo-group.js';
import type { KeyAuthenticator } from '../kernel/ports/key-authenticator.js';
import { KEY_AUTHENTICATOR } from '../kernel/ports/key-authenticator.js';
import type { CreateKey } from '../modules/auth/index.js';
import { CREATE_KEY } from '../modules/auth/index.js';
import type { IssuedCode } from '../modules/staff/index.js';
import type { Settings } from '../platform/config/settings.js';
import { PUBLIC_URL } from '../platform/http/public-url.js';
import type { DemoDealer } from './demo-dealer.js';
import { startDemoDealer } from './demo-dealer.js';
import { findAdminKey, findOperatorKey } from './find-admin-key.js';
import { findAgentKey } from './find-agent-key.js';
import { takeInstanceLock } from './instance-lock.js';
import { loadDemo } from './load-demo.js';
import { prepareDatabase } from './prepare-database.js';
import { readyBlock } from './ready-block.js';
import { openHttpApp } from './run-service.js';
import { seedStaff } from './seed-staff.js';
import { listen, stopOnSignal } from './serve.js';
import type { ServiceParts } from './service-parts.js';
import { partsOf } from './service-parts.js';

/** Role `all`: database where none is configured, API and workers in one process, and the demo group where it is asked for. */
export async function runAll(given: Settings, say: (line: string) => void): Promise<void> {
  const unlock = takeInstanceLock(given.DATA_DIR);
  const database = await prepareDatabase(given, say).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const stopRest = async (): Promise<void> => {
    await database.stop();
    unlock();
  };
  try {
    await serveAll(database.settings, say, stopRest);
  } catch (error) {
    await stopRest();
    throw error;
  }
}

/** With the demo comes a dealer's own system, so that availability can be verified on one machine. */
async function serveAll(given: Settings, say: (line: string) => void, stopRest: () => Promise<void>): Promise<void> {
  if (!given.FORECOURT_DEMO) return serve(given, undefined, say, stopRest);
  // What `/mcp` serves is the demo, also when a group of one's own was set up beside it.
  const { DEFAULT_ORGANIZATION = DEMO_ORGANIZATION } = given;
  const dealer = await startDemoDealer({ ...given, DEFAULT_ORGANIZATION });
  const stop = async (): Promise<void> => {
    await dealer.close();
    await stopRest();
  };
  try {
    await serve(dealer.settings, dealer, say, stop);
  } catch (error) {
    await dealer.close();
    throw error;
  }
}

async function serve(
  settings: Settings,
  dealer: DemoDealer | undefined,
  say: (line: string) => void,
  stopRest: () => Promise<void>,
): Promise<void> {
  const app = await openHttpApp(settings, { takeJobs: true });
  stopOnSignal(app, settings, stopRest);
  try {
    await listen(app, settings);
    process.stdout.write(await greet(partsOf(app), settings, dealer, say));
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Loads the demo where it is asked for, and says what a user needs to go on. */
async function greet(
  service: ServiceParts,
  settings: Settings,
  dealer: DemoDealer | undefined,
  say: (line: string) => void,
): Promise<string> {
  const parts = {
    createKey: service.get<CreateKey>(CREATE_KEY),
    keys: service.get<KeyAuthenticator>(KEY_AUTHENTICATOR),
  };
  const isLocal = settings.FORECOURT_PROFILE === 'local';
  const operatorKeyFile = isLocal
    ? relative(process.cwd(), await findOperatorKey(parts, settings.DATA_DIR))
    : undefined;
  let keyFile: string | undefined;
  let agentKeyFile: string | undefined;
  let codes: readonly IssuedCode[] = [];
  if (dealer !== undefined) {
    await loadDemo(service, say);
    await dealer.connect(service);
    agentKeyFile = relative(process.cwd(), await findAgentKey(service, settings.DATA_DIR));
    codes = await seedStaff(service, DEMO_ORGANIZATION);
    keyFile = relative(process.cwd(), await findAdminKey(parts, settings.DATA_DIR, DEMO_ORGANIZATION));
  }
  return readyBlock(service.get<string>(PUBLIC_URL), {
    ...{ keyFile, agentKeyFile, operatorKeyFile, codes },
    demo: settings.FORECOURT_DEMO,
  });
}
