import type { RevocableKind, Revocations } from '../../../kernel/ports/revocations.js';
import type { Clock } from '../../../kernel/time.js';
import type { LocalAccessStore, Revocation, RevocationSource } from './snapshot-ports.js';

/**
 * Longer than any access snapshot may be used: what was revoked before is in all of them, and need not be remembered apart.
 */
export const REVOCATIONS_KEPT_MS = 8 * 86_400_000;

/**
 * What was ended lately, from three sides: announcements in the moment of the commit, the table every second, and the disk
 * after a restart. Snapshots, which may be older, never take anything out of it.
 */
export class KnownRevocations implements Revocations {
  private readonly known = new Map<string, Revocation>();
  private horizon: string | undefined;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: RevocationSource,
    private readonly local: LocalAccessStore,
    private readonly clock: Clock,
    private readonly log: { error(message: string): void },
  ) {}

  endOf(kind: RevocableKind, organizationId: string, id: string): number | undefined {
    if (this.known.size === 0) return undefined;
    return this.known.get(nameOf(kind, organizationId, id))?.revokedAt ?? undefined;
  }

  get size(): number {
    return this.known.size;
  }

  /** Takes over what an earlier process knew. */
  async restore(): Promise<void> {
    const oldest = this.clock.now() - REVOCATIONS_KEPT_MS;
    for (const revocation of await this.local.revocations())
      if (revocation.revokedAt === null || revocation.revokedAt > oldest) this.take(revocation);
  }

  /** Asks the table for what is new, run every second. @throws Failure of the database. */
  async catchUp(): Promise<void> {
    const { horizon, revocations } = await this.source.since(this.horizon);
    this.horizon = horizon;
    this.apply(revocations);
  }

  /** Takes effect at once; the disk follows. */
  apply(revocations: readonly Revocation[]): void {
    const fresh = revocations.filter((revocation) => this.take(revocation));
    if (fresh.length > 0) this.saving = this.saving.then(() => this.save());
  }

  /** Resolves when what is known is on the disk. */
  saved(): Promise<void> {
    return this.saving;
  }

  private take(revocation: Revocation): boolean {
    const { kind, organizationId, id, revokedAt } = revocation;
    const name = nameOf(kind, organizationId, id);
    if (this.known.get(name)?.revokedAt === revokedAt) return false;
    this.known.set(name, revocation);
    return true;
  }

  private async save(): Promise<void> {
    await this.local.saveRevocations([...this.known.values()]).catch((error: unknown) => {
      this.log.error(`revocations could not be saved on the disk: ${String(error)}`);
    });
  }
}

const nameOf = (kind: string, organizationId: string, id: string): string => `${kind} ${organizationId} ${id}`;
