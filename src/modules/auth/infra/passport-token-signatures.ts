import type { KeyObject } from 'node:crypto';
import type { JWTPayload } from 'jose';
import passport from 'passport';
import { Strategy, type StrategyOptionsWithoutRequest, type VerifiedCallback } from 'passport-jwt';
import { TOKEN_ALGORITHMS } from '../domain/token-header.js';
import type { TokenSignatures } from '../app/token-signatures.js';

/** What passport sees instead of a request: nothing of the caller's but the token. */
interface Presented {
  readonly token: string;
  readonly key: KeyObject;
}

const NAME = 'access-token';

/**
 * The strategy verifies signatures and nothing else: issuers and audiences differ from endpoint to endpoint, and time is
 * compared on every call, also for a remembered token (domain/token-claims.ts; decision record 0031).
 */
const OPTIONS = {
  jwtFromRequest: (presented: unknown) => (presented as Presented).token,
  secretOrKeyProvider: (presented: unknown, _token: unknown, done: (error: unknown, key?: KeyObject) => void) => {
    done(null, (presented as Presented).key);
  },
  algorithms: [...TOKEN_ALGORITHMS],
  ignoreExpiration: true,
  jsonWebTokenOptions: { ignoreNotBefore: true },
};

export class PassportTokenSignatures implements TokenSignatures {
  /** Its own instance: passport's shared one is a global that two services in one process would take from each other. */
  private readonly passport = new passport.Passport();

  constructor() {
    this.passport.use(
      NAME,
      new Strategy(OPTIONS as unknown as StrategyOptionsWithoutRequest, (claims: unknown, done: VerifiedCallback) => {
        done(null, isObject(claims) ? claims : false);
      }),
    );
  }

  open(token: string, key: KeyObject): Promise<JWTPayload | undefined> {
    return new Promise((resolve, reject) => {
      const answer = (error: unknown, claims: JWTPayload | false | undefined): void => {
        if (error instanceof Error) reject(error);
        else resolve(claims === false ? undefined : claims);
      };
      const presented: Presented = { token, key };
      const run = this.passport.authenticate(NAME, { session: false }, answer) as (...request: unknown[]) => void;
      run(presented, {}, reject);
    });
  }
}

const isObject = (value: unknown): value is JWTPayload =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
