import { describe, expect, it } from 'vitest';
import { Failure } from '../../kernel/failure/failure.js';
import { challengeOf, type ChallengedResource } from './challenge.js';

const scopes = ['dealeragent:inventory:read', 'dealeragent:pricing:read'];
const metadataUrl = 'https://gateway.example/.well-known/oauth-protected-resource/mcp';
const resource: ChallengedResource = { metadataUrl, scopes, dpop: 'none', dpopAlgorithms: ['ES256'] };
const WHERE = `resource_metadata="${metadataUrl}"`;
const SCOPE = 'scope="dealeragent:inventory:read dealeragent:pricing:read"';
const invalid = new Failure('caller.credential_invalid');

describe('A challenge', () => {
  it.each([
    [new Failure('caller.unauthenticated'), `Bearer ${SCOPE}, ${WHERE}`],
    [invalid, `Bearer error="invalid_token", ${SCOPE}, ${WHERE}`],
    [
      new Failure('grant.scope_insufficient', { scopes: ['dealeragent:pricing:read'] }),
      `Bearer error="insufficient_scope", scope="dealeragent:pricing:read", ${WHERE}`,
    ],
    [new Failure('grant.scope_insufficient'), `Bearer error="insufficient_scope", ${WHERE}`],
    [new Failure('caller.role_forbidden'), `Bearer error="insufficient_scope", ${WHERE}`],
    [new Failure('grant.tenant_forbidden'), undefined],
    [new Failure('resource.not_found'), undefined],
  ])('answers %s', (failure, challenge) => {
    expect(challengeOf(failure, resource, 'bearer')).toBe(challenge);
  });

  it('names the scheme of tokens bound to a key where an issuer asks for them, and puts the error where it belongs', () => {
    const some = { ...resource, dpop: 'some' } as const;
    const bearer = `Bearer ${SCOPE}, ${WHERE}`;
    const dpop = `DPoP ${SCOPE}, ${WHERE}, algs="ES256"`;
    expect(challengeOf(new Failure('caller.unauthenticated'), some, undefined)).toBe(`${bearer}, ${dpop}`);
    expect(challengeOf(invalid, some, 'bearer')).toBe(
      `${bearer.replace('Bearer ', 'Bearer error="invalid_token", ')}, ${dpop}`,
    );
    expect(challengeOf(invalid, some, 'dpop')).toBe(
      `${bearer}, ${dpop.replace('DPoP ', 'DPoP error="invalid_token", ')}`,
    );
    expect(challengeOf(invalid, { ...resource, dpop: 'all' }, 'bearer')).toBe(
      dpop.replace('DPoP ', 'DPoP error="invalid_token", '),
    );
  });
});
