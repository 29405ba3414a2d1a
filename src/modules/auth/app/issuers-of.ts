import type { EmbeddedIssuer } from '../../../kernel/ports/embedded-issuer.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { BriefMemory, REVOCABLE_REMEMBERED_MS } from './brief-memory.js';
import type { TrustedIssuerStore } from './trusted-issuer-store.js';

const MOST = 1000;

/** Whose tokens an organization accepts: the embedded authorization server, where it is on, and those that it named. */
export class IssuersOf {
  private readonly recent: BriefMemory<readonly TrustedIssuer[]>;
  /** Of an organization that named none, and of the admin API. */
  readonly embeddedOnly: readonly TrustedIssuer[];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: TrustedIssuerStore,
    embedded: EmbeddedIssuer | undefined,
    clock: Clock,
  ) {
    this.recent = new BriefMemory(REVOCABLE_REMEMBERED_MS, MOST, clock);
    this.embeddedOnly = embedded === undefined ? [] : [{ issuer: embedded.issuer }];
  }

  /** The embedded one first. @throws Failure when the store does not answer. */
  organization(organizationId: string): Promise<readonly TrustedIssuer[]> {
    return this.recent.of(organizationId, async () => {
      const records = await this.unitOfWork.withTenant(organizationId, (tx) => this.store.inForce(tx));
      const own = new Set(this.embeddedOnly.map(({ issuer }) => issuer));
      return [...this.embeddedOnly, ...records.map(({ trust }) => trust).filter(({ issuer }) => !own.has(issuer))];
    });
  }
}
