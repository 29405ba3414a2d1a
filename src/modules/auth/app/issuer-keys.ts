import type { KeyObject } from 'node:crypto';
import { LIMITS } from '../../../kernel/limits.js';
import type { EmbeddedIssuer } from '../../../kernel/ports/embedded-issuer.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';
import type { TokenHeader } from '../domain/token-header.js';
import type { IssuerDocuments } from './issuer-documents.js';
import { IssuerKeySet } from './issuer-key-set.js';

const FETCHED = {
  fresh: LIMITS.issuerKeysFreshMs.value,
  kept: LIMITS.issuerKeysKeptMs.value,
  pause: LIMITS.issuerKeysPauseMs.value,
};
/** Keys of the embedded server cost no request to anybody. */
const OWN = { fresh: 5000, kept: 60_000, pause: 500 };
const MOST_SETS = 1000;

/**
 * The keys of all issuers that are in use. A set belongs to an issuer together with the place of its keys: what one
 * organization says about an issuer decides nothing for another one that trusts the same name.
 */
export class IssuerKeys {
  private readonly sets = new Map<string, IssuerKeySet>();

  constructor(
    private readonly documents: IssuerDocuments,
    private readonly embedded: EmbeddedIssuer | undefined,
    private readonly clock: Clock,
  ) {}

  /** @throws Failure of {@link IssuerKeySet.find}. */
  find(issuer: TrustedIssuer, header: TokenHeader): Promise<KeyObject | undefined> {
    return this.setOf(issuer).find(header);
  }

  private setOf(issuer: TrustedIssuer): IssuerKeySet {
    const place = JSON.stringify([issuer.issuer, issuer.jwksUri]);
    let set = this.sets.get(place);
    if (set === undefined) {
      set = this.newSet(issuer);
      const oldest = this.sets.size >= MOST_SETS ? this.sets.keys().next() : undefined;
      if (oldest?.done === false) this.sets.delete(oldest.value);
      this.sets.set(place, set);
    }
    return set;
  }

  private newSet(issuer: TrustedIssuer): IssuerKeySet {
    const { embedded } = this;
    if (embedded?.issuer === issuer.issuer) return new IssuerKeySet(() => embedded.keys(), OWN, this.clock);
    return new IssuerKeySet(() => this.documents.keys(issuer), FETCHED, this.clock);
  }
}
