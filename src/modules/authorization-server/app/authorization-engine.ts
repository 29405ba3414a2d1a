import type { Exchange } from './exchange.js';

/** An authorization request that waits for a person. */
export interface PendingRequest {
  readonly uid: string;
  readonly step: 'login' | 'consent';
  readonly clientId: string;
  /** What the client calls itself: nobody has checked it. */
  readonly clientName: string | undefined;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Who signed in for this request. */
  readonly personId: string | undefined;
}

/** Port: the protocol library. What comes back as text is the URL at which the browser goes on. */
export interface AuthorizationEngine {
  /** Answers a protocol endpoint; the answer is written to the exchange. */
  handle(exchange: Exchange): Promise<void>;
  /** @returns undefined when the browser's cookie does not belong to a request that waits. */
  pending(exchange: Exchange): Promise<PendingRequest | undefined>;
  signedIn(exchange: Exchange, personId: string): Promise<string>;
  consented(exchange: Exchange, pending: PendingRequest): Promise<string>;
  refused(exchange: Exchange): Promise<string>;
}

export const AUTHORIZATION_ENGINE = Symbol('AuthorizationEngine');
