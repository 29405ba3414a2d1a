import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/**
 * One module's part of the access snapshot. The module reads its own tables, which must be tracked by `track_access_table`
 * in a migration: otherwise nobody hears that they changed.
 */
export interface SnapshotSection<T> {
  /** For example `tenancy`. Never used for another form of content: the files of a former version name it, too. */
  readonly name: string;
  /** Reads the part of one organization. JSON and bytes only. */
  load(tx: TenantTransaction): Promise<T>;
  /**
   * Held against everything that is put in force, whether it comes from the database or from a file.
   * @throws Error when it must not be: the snapshot before it stays in force.
   */
  validate(content: unknown, organizationId: string): T;
  /** Hears of each content that is put in force, and, with undefined, of organizations that are no longer held. */
  changed?(organizationId: string, content: T | undefined): void;
}

/** Where modules register their sections, before the first snapshot is loaded. */
export class SnapshotSections {
  private readonly byName = new Map<string, SnapshotSection<unknown>>();

  /** @throws Error for a name that is taken. */
  register<T>(section: SnapshotSection<T>): void {
    if (this.byName.has(section.name)) throw new Error(`two sections of the access snapshot are named ${section.name}`);
    this.byName.set(section.name, section);
  }

  get all(): readonly SnapshotSection<unknown>[] {
    return [...this.byName.values()];
  }

  /** @throws Error when a section refuses its part or has none. */
  validate(content: Readonly<Record<string, unknown>>, organizationId: string): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      this.all.map((section) => [section.name, section.validate(content[section.name], organizationId)]),
    );
  }

  announce(organizationId: string, content: Readonly<Record<string, unknown>> | undefined): void {
    for (const section of this.all) section.changed?.(organizationId, content?.[section.name]);
  }
}
