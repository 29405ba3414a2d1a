import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/dealer-system/${name}`, import.meta.url));

/** What a dealer's system says of a unit: an answer, or only a status. */
export type SystemAnswer = { readonly status: string; readonly observed_at: string } | { readonly http: number };

export interface DealerSystem {
  /** Host and port, to be let through by the egress guard. */
  readonly host: string;
  readonly url: string;
  /** The authority of its certificate, a PEM file. */
  readonly authority: string;
  /** Headers of the newest question. */
  lastHeaders(): Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** A system of a dealer on this machine, over TLS, that answers by stock number. */
export async function startDealerSystem(answer: (stockNumber: string) => SystemAnswer): Promise<DealerSystem> {
  let headers: Readonly<Record<string, unknown>> = {};
  const server = createServer(
    { key: readFileSync(fixture('key.pem')), cert: readFileSync(fixture('certificate.pem')) },
    (request, response) => {
      headers = request.headers;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { stock_number } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { stock_number: string };
        const said = answer(stock_number);
        const status = 'http' in said ? said.http : 200;
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end('http' in said ? '' : JSON.stringify(said));
      });
    },
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `https://${host}/availability`,
    authority: fixture('certificate.pem'),
    lastHeaders: () => headers,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
