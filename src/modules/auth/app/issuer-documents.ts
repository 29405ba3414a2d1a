import type { JSONWebKeySet } from 'jose';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';

/** What an introspection endpoint says of a token (RFC 7662 §2.2). */
export type IntrospectedToken = Readonly<Record<string, unknown>>;

/** Port: asks authorization servers. */
export interface IssuerDocuments {
  /**
   * The keys that sign its tokens, found by its metadata where no place is configured.
   * @throws Error for an answer that is none, an issuer that names itself otherwise, or one that does not answer.
   */
  keys(issuer: TrustedIssuer): Promise<JSONWebKeySet>;
  /** @throws Error as {@link keys}. */
  introspect(introspection: NonNullable<TrustedIssuer['introspection']>, token: string): Promise<IntrospectedToken>;
}
