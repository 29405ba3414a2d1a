import { describe, expect, it } from 'vitest';
import { clientProblem } from './check-client.js';

describe('A client', () => {
  it.each([
    ['https', 'https://agent.example/callback'],
    ['loopback', 'http://127.0.0.1:5173/callback'],
    ['loopback by name', 'http://localhost:5173/callback'],
    ['loopback over IPv6', 'http://[::1]/callback'],
    ['a private scheme', 'com.example.agent:/callback'],
  ])('may be sent back to: %s', (_, uri) => {
    expect(clientProblem({ redirect_uris: [uri] })).toBeUndefined();
  });

  it.each([
    ['http elsewhere', 'http://agent.example/callback'],
    ['http in the same network', 'http://192.168.1.2/callback'],
    ['a loopback name that is none', 'http://127.0.0.1.evil.example/'],
    ['user information', 'https://user@agent.example/'],
    ['a fragment', 'https://agent.example/#x'],
    ['no URL', 'agent'],
    ['too long', `https://agent.example/${'x'.repeat(512)}`],
    ['no text', 7],
  ])('is not sent back to: %s', (_, uri) => {
    expect(clientProblem({ redirect_uris: [uri] })).toMatch(/^redirect_uris /);
  });

  it('has a bounded number of places', () => {
    expect(clientProblem({ redirect_uris: Array(11).fill('https://agent.example/') })).toMatch(/^redirect_uris /);
  });

  it.each(['\u202egnp.exe', 'two\nlines', 'zero\u200bwidth', 'x'.repeat(101), 7])(
    'has a name that reads as it is, not %j',
    (name) => {
      expect(clientProblem({ client_name: name })).toMatch(/^client_name /);
    },
  );

  it('without a credential does not act for itself', () => {
    const grant_types = ['client_credentials'];
    expect(clientProblem({ grant_types, token_endpoint_auth_method: 'none' })).toMatch(/^token_endpoint_auth_method /);
    expect(clientProblem({ grant_types, token_endpoint_auth_method: 'private_key_jwt' })).toBeUndefined();
  });

  it('has few keys, or names them over https', () => {
    expect(clientProblem({ jwks: { keys: Array(11).fill({}) } })).toMatch(/^jwks /);
    expect(clientProblem({ jwks_uri: 'http://agent.example/jwks' })).toMatch(/^jwks_uri /);
    expect(clientProblem({ jwks_uri: 'https://agent.example/jwks' })).toBeUndefined();
  });
});
