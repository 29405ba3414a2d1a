import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RooftopSettings } from '../domain/rooftop-settings.js';

/** A rooftop as staff see it. */
export interface RooftopEntry {
  readonly rooftopId: string;
  readonly name: string;
  readonly timezone: string;
  readonly currency: string;
  readonly settingsVersion: number;
  /** Milliseconds: when the rooftop or its settings last changed. */
  readonly updatedAt: number;
}

/** What a rooftop's settings are or were under one version, with who changed them to it and why. */
export interface SettingsVersion {
  readonly rooftopId: string;
  readonly version: number;
  readonly settings: RooftopSettings;
  /** Key id, or the name of the part of the service that wrote the first version. */
  readonly author: string;
  readonly reason: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

export type SettingsVersionEntry = Omit<SettingsVersion, 'settings'>;

/** Port: rooftop settings with every version they ever had. Versions are added, never changed. */
export interface RooftopSettingsStore {
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly RooftopEntry[]>;
  /** The rooftop, for reading also one that was moved away, whose history stays; kept as it is until the transaction ends when it is asked for to be changed. */
  find(tx: TenantTransaction, rooftopId: string, purpose: 'read' | 'change'): Promise<RooftopEntry | undefined>;
  version(tx: TenantTransaction, rooftopId: string, version: number): Promise<SettingsVersion | undefined>;
  /** Versions below `before`, newest first. */
  versions(
    tx: TenantTransaction,
    rooftopId: string,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly SettingsVersionEntry[]>;
  /** Puts the next version in force and announces the change to every process when the transaction commits. */
  add(tx: TenantTransaction, version: SettingsVersion): Promise<void>;
}
