import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../kernel/failure/failure.js';
import type { RevocableKind } from '../../../kernel/ports/revocations.js';
import type { AgentClient } from '../domain/agent-client.js';
import { type ClientContent, KnownClients } from './known-clients.js';

const NORTH = 'org.north';
const ISSUER = 'https://issuer.example';
const client = (changes: Partial<AgentClient> = {}): AgentClient => ({
  ...{ agentClientId: 'client.a', version: 1, issuer: ISSUER, clientId: 'assistant', name: 'Assistant' },
  ...{ grantId: 'grant.a', createdAt: 1, revokedAt: null },
  ...changes,
});
const trust = {
  trustedIssuerId: 'issuer.a',
  trust: { issuer: ISSUER, algorithms: ['ES256'], requiresDpop: false },
  createdAt: 1,
  revokedAt: null,
};

let ended: Map<string, number>;
let asked: string[];
let stored: AgentClient | undefined;
let current: boolean;
let known: KnownClients;
let stuck: Promise<never> | undefined;

const hold = (content: ClientContent): void => known.section.changed?.(NORTH, content);

beforeEach(() => {
  ended = new Map();
  asked = [];
  stored = undefined;
  current = true;
  stuck = undefined;
  const tooOld = (): void => {
    if (!current) throw new Failure('upstream.unavailable');
  };
  known = new KnownClients(
    () => Promise.reject(new Error('not loaded here')),
    { of: () => stuck ?? Promise.resolve(undefined), assertCurrent: tooOld },
    {
      find: (_, __, clientId) => {
        asked.push(clientId);
        return Promise.resolve(stored);
      },
    },
    { endOf: (kind: RevocableKind, organizationId, id) => ended.get(`${kind} ${organizationId} ${id}`) },
  );
});

describe('A client', () => {
  it('is found by heart, of its organization alone', async () => {
    hold({ clients: [client()], issuers: [] });
    expect(await known.find(NORTH, ISSUER, 'assistant')).toEqual(client());
    expect(asked).toEqual([]);
    expect(await known.find('org.south', ISSUER, 'assistant')).toBeUndefined();
    expect(await known.find(NORTH, 'https://other.example', 'assistant')).toBeUndefined();
  });

  it('that is not known by heart is looked up, and its end counts as well', async () => {
    stored = client({ clientId: 'new' });
    expect(await known.find(NORTH, ISSUER, 'new')).toEqual(stored);
    ended.set(`agent_client ${NORTH} client.a`, 77);
    expect((await known.find(NORTH, ISSUER, 'new'))?.revokedAt).toBe(77);
  });

  it('that was revoked is so although the snapshot does not say it and no newer one can be read', async () => {
    hold({ clients: [client()], issuers: [] });
    ended.set(`agent_client ${NORTH} client.a`, 77);
    stuck = new Promise<never>(() => undefined);
    expect((await known.find(NORTH, ISSUER, 'assistant'))?.revokedAt).toBe(77);
  });

  it('is not decided by what is too old', async () => {
    hold({ clients: [client()], issuers: [trust] });
    current = false;
    await expect(known.find(NORTH, ISSUER, 'assistant')).rejects.toMatchObject({ code: 'upstream.unavailable' });
    await expect(known.inForce(NORTH)).rejects.toMatchObject({ code: 'upstream.unavailable' });
  });

  it('is the one in force among those of its name, else the one that was revoked last', async () => {
    const older = client({ agentClientId: 'client.1', revokedAt: 10 });
    const newer = client({ agentClientId: 'client.2', revokedAt: 20 });
    const live = client({ agentClientId: 'client.3' });
    for (const [clients, expected] of [
      [[older, newer], newer],
      [[newer, older], newer],
      [[live, newer, older], live],
      [[older, live, newer], live],
    ] as const) {
      hold({ clients, issuers: [] });
      expect(await known.find(NORTH, ISSUER, 'assistant')).toEqual(expected);
    }
  });
});

describe('Issuers', () => {
  it('are those of the snapshot in force, and none where nothing is held', async () => {
    hold({ clients: [], issuers: [trust] });
    expect(await known.inForce(NORTH)).toEqual([{ ...trust, trust: { ...trust.trust, trustId: 'issuer.a' } }]);
    known.section.changed?.(NORTH, undefined);
    expect(await known.inForce(NORTH)).toEqual([]);
  });

  it('that are trusted no longer are gone although the snapshot has them and no newer one can be read', async () => {
    const other = { ...trust, trustedIssuerId: 'issuer.other' };
    hold({ clients: [], issuers: [trust, other] });
    ended.set(`issuer ${NORTH} ${trust.trustedIssuerId}`, 77);
    ended.set(`issuer south-group ${other.trustedIssuerId}`, 77);
    expect(await known.inForce(NORTH)).toMatchObject([other]);
  });
});

describe('What is put in force', () => {
  it('has every member that authenticating relies on', () => {
    const good = { clients: [client(), client({ grantId: null, revokedAt: 5 })], issuers: [trust] };
    expect(known.section.validate(good, NORTH)).toBe(good);
    const badTrust = (changes: object): unknown => ({
      clients: [],
      issuers: [{ ...trust, trust: { ...trust.trust, ...changes } }],
    });
    for (const bad of [
      undefined,
      {},
      { clients: [] },
      { clients: [{ ...client(), issuer: '' }], issuers: [] },
      { clients: [{ ...client(), revokedAt: 'yesterday' }], issuers: [] },
      { clients: [{ ...client(), grantId: undefined }], issuers: [] },
      badTrust({ requiresDpop: undefined }),
      badTrust({ algorithms: [] }),
      badTrust({ algorithms: undefined }),
      badTrust({ jwksUri: 7 }),
      badTrust({ introspection: { endpoint: 'https://issuer.example/introspect' } }),
    ])
      expect(() => known.section.validate(bad, NORTH)).toThrow(/missing|malformed/);
  });
});
