import { describe, expect, it } from 'vitest';
import { loadSettings } from '../config/load-settings.js';
import { OriginPolicy } from './origin-policy.js';

const policyOf = (env: Record<string, string>, publicUrl: string): OriginPolicy =>
  new OriginPolicy(loadSettings({ FORECOURT_PROFILE: 'local', ...env }), publicUrl);

describe('On an address that others can reach', () => {
  const policy = policyOf(
    { HOST: '0.0.0.0', ALLOWED_HOSTS: 'Internal:8080, other.example', ALLOWED_ORIGINS: 'https://app.example' },
    'https://gateway.example',
  );

  it.each(['gateway.example', 'GATEWAY.example', 'internal:8080', 'other.example'])('the host %s is served', (host) => {
    expect(policy.servesHost(host)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'localhost',
    '127.0.0.1',
    '[::1]',
    'internal',
    'gateway.example:443',
    'evil.gateway.example',
  ])('the host %s is not', (host) => {
    expect(policy.servesHost(host)).toBe(false);
  });

  it.each(['https://gateway.example', 'https://app.example'])('the origin %s is served', (origin) => {
    expect(policy.servesOrigin(origin)).toBe(true);
  });

  it.each([
    'null',
    'http://localhost',
    'http://gateway.example',
    'https://app.example/',
    'HTTPS://APP.EXAMPLE',
    'https://app.example:444',
    '',
  ])('the origin "%s" is not', (origin) => {
    expect(policy.servesOrigin(origin)).toBe(false);
  });
});

describe('On a loopback address', () => {
  const policy = policyOf({ HOST: '127.0.0.1' }, 'http://127.0.0.1:8080');

  it.each(['localhost', 'LocalHost:1', '127.0.0.2:9', '[::1]:80'])('the host %s is served', (host) => {
    expect(policy.servesHost(host)).toBe(true);
  });

  it.each([
    '127.0.0.1.nip.example',
    'localhost.',
    '0.0.0.0',
    '[::2]',
    '2130706433',
    '127.0.0.1:80@evil.example',
    'localhost:80/evil.example',
    'localhost:port',
    'localhost:',
    '[::1]evil.example',
    '::1',
    '',
  ])('the host %s is not', (host) => {
    expect(policy.servesHost(host)).toBe(false);
  });

  it.each(['http://localhost:5173', 'http://[::1]:3000'])('the origin %s is served', (origin) => {
    expect(policy.servesOrigin(origin)).toBe(true);
  });

  it.each(['http://localhost.evil.example', 'data:text/html,x', 'http://user@evil.example'])(
    'the origin %s is not',
    (origin) => {
      expect(policy.servesOrigin(origin)).toBe(false);
    },
  );
});
