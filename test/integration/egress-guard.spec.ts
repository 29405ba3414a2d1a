import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/platform/egress/address-policy.js';
import { EgressClient, type EgressRequest } from '../../src/platform/egress/egress-client.js';

let server: Server;
let base: string;
let handler: RequestListener;
let exempt: EgressClient;
let reached = 0;

const LIMITS = { maxRedirects: 3, maxBytes: 10_000, timeoutMs: 3000 };
const asked = (path: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url: path.includes(':') ? path : base + path,
  ...LIMITS,
  ...more,
});
const read = async (client: EgressClient, request: EgressRequest): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await client.get(request)).body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

beforeAll(async () => {
  server = createServer((request, response) => {
    reached++;
    handler(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  exempt = new EgressClient([`127.0.0.1:${port}`]);
});
afterAll(async () => {
  await exempt.close();
  server.closeAllConnections();
  server.close();
});

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '0.0.0.0',
    '0.1.2.3',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:1::1',
    '2001:db8::1',
    'fec0::1',
    '::7f00:1',
    '100::1',
    '',
    'localhost',
    '1.2.3',
    'example.com',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:830::200e'])(
    'lets %s through',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe('the egress client', () => {
  const guarded = new EgressClient();
  afterAll(() => guarded.close());

  it.each([
    ['http://example.com/feed.csv', 'scheme_refused'],
    ['ftp://example.com/feed.csv', 'scheme_refused'],
    ['file:///etc/passwd', 'scheme_refused'],
    ['https://user:pw@example.com/', 'credentials_in_url'],
    ['https://127.0.0.1/', 'address_refused'],
    ['https://2130706433/', 'address_refused'],
    ['https://0x7f.1/', 'address_refused'],
    ['https://[::1]/', 'address_refused'],
    ['https://[::ffff:169.254.169.254]/', 'address_refused'],
    ['https://localhost/', 'address_refused'],
    ['not a url', 'url_invalid'],
  ])('does not ask %s', async (url, reason) => {
    await expect(guarded.get({ url, ...LIMITS })).rejects.toMatchObject({ reason });
  });

  it('refuses a public name with a private address among its addresses, and never connects', async () => {
    const { port } = server.address() as AddressInfo;
    const before = reached;
    const rebinding = new EgressClient([], () =>
      Promise.resolve([
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]),
    );
    await expect(rebinding.get({ url: `https://feeds.example:${port}/`, ...LIMITS })).rejects.toMatchObject({
      reason: 'address_refused',
    });
    await rebinding.close();
    expect(reached).toBe(before);
  });

  it('reads an exempted host, and asks for no compression', async () => {
    handler = (request, response) => response.end(`got ${request.headers['accept-encoding'] ?? ''}`);
    expect(await read(exempt, asked('/a'))).toBe('got identity');
  });

  it('follows redirects of the exempted host, but not more than it may', async () => {
    handler = (request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    };
    expect(await read(exempt, asked('/3'))).toBe('there');
    await expect(exempt.get(asked('/4'))).rejects.toMatchObject({ reason: 'too_many_redirects' });
  });

  it.each([
    ['https://169.254.169.254/latest/meta-data', 'address_refused'],
    ['https://localhost:8443/', 'address_refused'],
    ['https://[fd00::1]/', 'address_refused'],
    ['http://example.com/', 'scheme_refused'],
    ['http://127.0.0.1:1/', 'scheme_refused'],
    ['file:///etc/passwd', 'scheme_refused'],
    ['http://[bad', 'redirect_invalid'],
  ])('does not follow a redirect to %s', async (location, reason) => {
    handler = (_request, response) => response.writeHead(301, { location }).end();
    await expect(exempt.get(asked('/away'))).rejects.toMatchObject({ reason });
  });

  it('stops at the size cap, announced or not', async () => {
    handler = (_request, response) => response.writeHead(200, { 'content-length': 10_001 }).end('x'.repeat(10_001));
    await expect(exempt.get(asked('/big'))).rejects.toMatchObject({ reason: 'too_large' });
    handler = (_request, response) => {
      for (let i = 0; i < 11; i++) response.write('x'.repeat(1000));
      response.end();
    };
    await expect(read(exempt, asked('/chunked'))).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('stops after its whole time, also when bytes keep dripping', async () => {
    handler = () => undefined;
    await expect(exempt.get(asked('/silent', { timeoutMs: 200 }))).rejects.toMatchObject({ reason: 'timeout' });
    handler = (_request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    };
    await expect(read(exempt, asked('/drip', { timeoutMs: 300 }))).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('refuses a compressed answer, which could be a bomb', async () => {
    handler = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    await expect(read(exempt, asked('/gzip'))).rejects.toMatchObject({ reason: 'encoding_refused' });
  });

  it('says unreachable when nobody listens', async () => {
    const { port } = server.address() as AddressInfo;
    const elsewhere = new EgressClient(['127.0.0.1:1']);
    await expect(elsewhere.get({ url: `http://127.0.0.1:${port === 1 ? 2 : 1}/`, ...LIMITS })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await elsewhere.close();
  });
});
