import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { LIMITS } from '../../../kernel/limits.js';
import type { ProofOfPossession } from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';
import { TOKEN_ALGORITHMS } from '../domain/token-header.js';
import { refusedToken } from './refused-token.js';
import { ReplayStore } from './replay-store.js';
import type { UsedProofs } from './used-proofs.js';

const WINDOW_SECONDS = LIMITS.dpopProofSeconds.value;
const JTI_CHARACTERS = 256;

/**
 * Proofs of possession of a key (RFC 9449 §4.3). Each is verified anew and counts once, at whichever process: this one refuses
 * what it has seen by itself, and asks for the rest. What cannot be asked counts nowhere.
 */
export class DpopProofs {
  private readonly seen: ReplayStore;

  constructor(
    private readonly used: UsedProofs,
    private readonly clock: Clock,
  ) {
    this.seen = new ReplayStore(LIMITS.dpopProofsRemembered.value, clock);
  }

  /**
   * @param thumbprint of the key that the token is bound to (`cnf.jkt`)
   * @throws Failure `caller.credential_invalid`; `limit.busy` when no more proofs can be remembered; `upstream.unavailable` when
   *   the database, which all processes remember them in, is away.
   */
  async check(token: string, thumbprint: string, { proof, method, uri }: ProofOfPossession): Promise<void> {
    if (proof === undefined || proof.length > LIMITS.dpopProofBytes.value) throw refusedToken('dpop_proof_invalid');
    const { payload, key } = await this.open(proof);
    const { htm, htu, ath, jti, iat } = payload;
    const fits =
      key === thumbprint &&
      htm === method &&
      sameUri(htu, uri) &&
      ath === createHash('sha256').update(token).digest('base64url') &&
      typeof jti === 'string' &&
      jti !== '' &&
      jti.length <= JTI_CHARACTERS;
    if (!fits) throw refusedToken('dpop_proof_invalid');
    const until = ((iat ?? 0) + 2 * WINDOW_SECONDS) * 1000; // half a minute after no clock of ours accepts it any more
    const digest = createHash('sha256').update(`${key} ${jti}`).digest();
    const isFirst = this.seen.isFirst(digest.toString('base64'), until) && (await this.used.takeOnce(digest, until));
    if (!isFirst) throw refusedToken('dpop_proof_replayed');
  }

  private async open(proof: string): Promise<{ readonly payload: JWTPayload; readonly key: string }> {
    let verified: JWTVerifyResult;
    try {
      verified = await jwtVerify(proof, EmbeddedJWK, {
        algorithms: [...TOKEN_ALGORITHMS],
        typ: 'dpop+jwt',
        currentDate: new Date(this.clock.now()),
        maxTokenAge: WINDOW_SECONDS,
        clockTolerance: LIMITS.tokenLeewaySeconds.value,
      });
    } catch {
      throw refusedToken('dpop_proof_invalid');
    }
    const { payload, protectedHeader } = verified;
    const { jwk } = protectedHeader;
    if (jwk === undefined || 'd' in jwk) throw refusedToken('dpop_proof_invalid'); // a private key proves nothing
    return { payload, key: await calculateJwkThumbprint(jwk) };
  }
}

/** Without query and fragment, and normalised (RFC 9449 §4.3). */
function sameUri(claimed: unknown, called: string): boolean {
  if (typeof claimed !== 'string' || !URL.canParse(claimed)) return false;
  const { origin, pathname } = new URL(claimed);
  return origin + pathname === called || origin + pathname === new URL(called).href;
}
