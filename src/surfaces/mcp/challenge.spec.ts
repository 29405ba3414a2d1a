import { describe, expect, it } from 'vitest';
import { Failure } from '../../kernel/failure/failure.js';
import { challengeOf } from './challenge.js';

const scopes = ['dealeragent:inventory:read', 'dealeragent:pricing:read'];

describe('A challenge', () => {
  it.each([
    [new Failure('caller.unauthenticated'), 'Bearer'],
    [new Failure('caller.credential_invalid'), 'Bearer error="invalid_token"'],
    [
      new Failure('grant.scope_insufficient', { scopes }),
      'Bearer error="insufficient_scope", scope="dealeragent:inventory:read dealeragent:pricing:read"',
    ],
    [new Failure('caller.role_forbidden'), 'Bearer error="insufficient_scope"'],
    [new Failure('grant.tenant_forbidden'), undefined],
    [new Failure('resource.not_found'), undefined],
  ])('answers %s', (failure, challenge) => {
    expect(challengeOf(failure)).toBe(challenge);
  });
});
