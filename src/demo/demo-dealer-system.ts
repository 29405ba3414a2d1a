import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rfc3339 } from '../kernel/time.js';

/** A dealer's own system, as the demo plays it: it answers `verify_availability` on this machine alone. */
export interface DemoDealerSystem {
  readonly port: number;
  close(): Promise<void>;
}

/** What it says of a unit: most are there, and the same one always gets the same word. */
const WORDS = ['available', 'available', 'available', 'available', 'available', 'pending_sale', 'on_hold', 'sold'];
const MAX_BODY = 4096;

/** @param port the one of the last start; another free one is taken where it is in use. 0 for any. */
export async function startDemoDealerSystem(port: number): Promise<DemoDealerSystem> {
  const server = createServer((request, response) => {
    statusFor(request).then(
      (status) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ status, observed_at: rfc3339(Date.now()) }));
      },
      () => response.writeHead(400).end(),
    );
  });
  const listen = (at: number): Promise<void> =>
    new Promise((done, fail) => {
      server.once('error', fail);
      server.listen(at, '127.0.0.1', done);
    });
  await listen(port).catch(() => listen(0));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function statusFor(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BODY) throw new Error('too long');
  }
  const { vin } = JSON.parse(text) as { vin?: unknown };
  if (typeof vin !== 'string') throw new Error('no unit is named');
  return WORDS[createHash('sha256').update(vin).digest().readUInt8(0) % WORDS.length] ?? 'unknown';
}
