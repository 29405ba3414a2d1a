import type { InventoryReader } from '../app/inventory-reader.js';
import type { OrganizationInventory } from '../domain/read-model/organization-inventory.js';
import { SERIALISER_VERSION } from '../domain/vehicle-record/serialiser-version.js';
import type { LoadedOrganization, OrganizationLoader } from './organization-loader.js';

export interface ReaderLog {
  log(message: string): void;
  warn(message: string): void;
}

interface Held {
  loaded: LoadedOrganization | undefined;
  loading: Promise<LoadedOrganization> | undefined;
  /** Something was announced after the running load had begun. */
  again: boolean;
}

const POLL_MS = 3000;

/**
 * Holds the read models of the organizations that were asked for most recently. A newer version is built beside the one
 * that serves and takes its place by one assignment.
 */
export class PostgresInventoryReader implements InventoryReader {
  /** Least recently asked first. */
  private readonly held = new Map<string, Held>();
  private poll: NodeJS.Timeout | undefined;

  constructor(
    private readonly loader: OrganizationLoader,
    private readonly maxOrganizations: number,
    private readonly log: ReaderLog,
  ) {}

  async open(organizationId: string): Promise<OrganizationInventory> {
    const held = this.touch(organizationId);
    return (held.loaded ?? (await this.load(organizationId, held))).inventory;
  }

  /** The same with what it was built from: equal in every process that built it from the same. */
  async openIdentified(
    organizationId: string,
  ): Promise<{ readonly inventory: OrganizationInventory; readonly identity: string }> {
    const held = this.touch(organizationId);
    const { inventory, segments } = held.loaded ?? (await this.load(organizationId, held));
    const keys = [...segments].map(([rooftopId, { key }]) => [rooftopId, key]);
    return { inventory, identity: JSON.stringify([SERIALISER_VERSION, keys]) };
  }

  /** Starts comparing the loaded versions with the database every few seconds, for announcements that were not heard. */
  start(): void {
    this.poll = setInterval(() => void this.checkAll(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.poll);
  }

  /** A change was announced: organizations that are loaded are brought up to date in the background. */
  refresh(organizationId: string): void {
    const held = this.held.get(organizationId);
    if (held === undefined) return;
    held.again = held.loading !== undefined;
    if (held.loading === undefined) this.load(organizationId, held).catch(() => undefined); // logged there; the poll tries again
  }

  /** Looks for changes of every loaded organization. Never rejects. */
  async checkAll(): Promise<void> {
    for (const [organizationId, held] of [...this.held]) {
      if (held.loaded === undefined || held.loading !== undefined) continue;
      const mark = await this.loader.currentMark(organizationId).catch(() => held.loaded?.mark);
      if (mark === undefined) this.held.delete(organizationId);
      else if (mark !== held.loaded.mark) this.refresh(organizationId);
    }
  }

  private touch(organizationId: string): Held {
    const held = this.held.get(organizationId) ?? { loaded: undefined, loading: undefined, again: false };
    this.held.delete(organizationId);
    this.held.set(organizationId, held);
    for (const oldest of this.held.keys()) {
      if (this.held.size <= this.maxOrganizations) break;
      this.held.delete(oldest);
    }
    return held;
  }

  /** Concurrent callers share one load. */
  private load(organizationId: string, held: Held): Promise<LoadedOrganization> {
    held.loading ??= this.build(organizationId, held).finally(() => {
      held.loading = undefined;
      if (held.again) this.refresh(organizationId);
    });
    return held.loading;
  }

  private async build(organizationId: string, held: Held): Promise<LoadedOrganization> {
    const startedAt = performance.now();
    try {
      const loaded = await this.loader.load(organizationId, held.loaded);
      held.loaded = loaded;
      const { inventory, rebuiltRooftops } = loaded;
      const ms = Math.round(performance.now() - startedAt);
      const megabytes = Math.round(process.memoryUsage().rss / 1_048_576);
      this.log.log(
        `${organizationId}: version ${inventory.version}, ${inventory.size} units, ${rebuiltRooftops} rooftop(s) read in ${ms} ms; the process uses ${megabytes} MB`,
      );
      return loaded;
    } catch (error) {
      if (held.loaded === undefined) this.held.delete(organizationId);
      else
        this.log.warn(
          `${organizationId} could not be brought up to date and serves version ${held.loaded.inventory.version} on: ${String(error)}`,
        );
      throw error;
    }
  }
}
