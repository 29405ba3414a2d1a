import {
  errors,
  type AccessToken,
  type ClientCredentials,
  type KoaContextWithOIDC,
  type UnknownObject,
} from 'oidc-provider';
import type { SignedInPeople } from '../app/signed-in-people.js';
import { STAFF_CLIENT } from '../domain/consent.js';

/** What a token of staff says of its person beside `sub`: whose staff, when and how they proved who they are (RFC 8176, RFC 9470). */
export class StaffTokenClaims {
  constructor(private readonly people: SignedInPeople) {}

  /** @returns undefined for tokens of agents: those say nothing of the person who consented. */
  async of(ctx: KoaContextWithOIDC, token: AccessToken | ClientCredentials): Promise<UnknownObject | undefined> {
    if (token.clientId !== STAFF_CLIENT) return undefined;
    const code = ctx.oidc.entities.AuthorizationCode;
    const person = code?.accountId === undefined ? undefined : await this.people.find(code.accountId);
    if (code === undefined || person === undefined) throw new errors.InvalidGrant('the sign-in is over');
    return { organization_id: person.organizationId, auth_time: code.authTime, amr: code.amr };
  }
}
