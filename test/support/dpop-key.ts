import { createHash, randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

/** A key of a client, and the proofs that it holds it (RFC 9449). */
export class DpopKey {
  private constructor(
    readonly privateKey: CryptoKey,
    readonly publicJwk: JWK,
    readonly privateJwk: JWK,
    readonly thumbprint: string,
  ) {}

  static async generate(): Promise<DpopKey> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    return new DpopKey(privateKey, jwk, await exportJWK(privateKey), await calculateJwkThumbprint(jwk));
  }

  /** A good proof for a POST of the token, unless it is changed. Undefined members are left out. */
  prove(
    token: string,
    htu: string,
    changes: Readonly<Record<string, unknown>> = {},
    header: Partial<JWTHeaderParameters> = {},
  ): Promise<string> {
    const all = {
      jti: randomUUID(),
      htm: 'POST',
      htu,
      iat: Math.floor(Date.now() / 1000),
      ath: createHash('sha256').update(token).digest('base64url'),
      ...changes,
    };
    const said = Object.fromEntries(
      Object.entries(all as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined),
    );
    return new SignJWT(said)
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: this.publicJwk, ...header })
      .sign(this.privateKey);
  }
}
