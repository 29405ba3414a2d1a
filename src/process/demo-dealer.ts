import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_ORGANIZATION } from '../demo/demo-group.js';
import type { DemoDealerSystem } from '../demo/demo-dealer-system.js';
import { startDemoDealerSystem } from '../demo/demo-dealer-system.js';
import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';
import { ChangeRooftopSettings, RooftopSettingsHistory } from '../modules/tenancy/index.js';
import type { Settings } from '../platform/config/settings.js';
import type { ServiceParts } from './service-parts.js';

/** The rooftops whose availability can be verified in the demo; the others show what an answer without a source is. */
const CONNECTED = ['roof.downtown', 'roof.lakeside'];
const VALID_SECONDS = 120;
const TIMEOUT_MS = 2000;

/** The demo's dealer system with the settings under which the service may reach it. */
export interface DemoDealer {
  readonly settings: Settings;
  /** Points the rooftops at it, where they do not already. */
  connect(service: ServiceParts): Promise<void>;
  close(): Promise<void>;
}

/** Starts the demo's dealer system on the port of the last start, so that the rooftops' settings stay as they are. */
export async function startDemoDealer(settings: Settings): Promise<DemoDealer> {
  const portFile = join(settings.DATA_DIR, 'demo-dealer-system.port');
  const known = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  const system = await startDemoDealerSystem(Number.isInteger(known) && known > 0 && known < 65_536 ? known : 0);
  await writeFile(portFile, `${system.port}\n`, { mode: 0o600 });
  return {
    settings: { ...settings, EGRESS_ALLOWED_HOSTS: [...settings.EGRESS_ALLOWED_HOSTS, `127.0.0.1:${system.port}`] },
    connect: (service) => connect(service, system),
    close: () => system.close(),
  };
}

async function connect(service: ServiceParts, system: DemoDealerSystem): Promise<void> {
  const source = {
    name: 'Demo dealer system',
    url: `http://127.0.0.1:${system.port}/availability`,
    authoritative: true,
    valid_seconds: VALID_SECONDS,
    timeout_ms: TIMEOUT_MS,
  };
  for (const rooftopId of CONNECTED) {
    const { version, settings } = await service.get(RooftopSettingsHistory).current(DEMO_ORGANIZATION, rooftopId);
    if (settings.availability_source?.url === source.url) continue;
    const eventId = newRequestId();
    const traceId = traceIdOfRequest(eventId);
    await service.get(ChangeRooftopSettings).run(
      DEMO_ORGANIZATION,
      {
        rooftopId,
        settings: { ...settings, availability_source: source },
        reason: 'Connects the demo dealer system',
        expectedVersions: [version],
      },
      { eventId, traceId, surface: 'command', actorKind: 'system', actor: 'demo', client: null },
    );
  }
}
