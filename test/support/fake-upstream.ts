import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const file = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
/** The self-signed certificate of the fake upstream, for EGRESS_CA_FILE. Valid for this machine's own names only. */
export const UPSTREAM_CA_FILE = file('upstream.pem');

export interface UpstreamRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface UpstreamReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are serialised. */
  readonly body?: unknown;
  /** Milliseconds until it is sent. */
  readonly afterMs?: number;
}

/** A dealer's system on a real port over TLS: keeps what it is asked and says what it is told to. */
export interface FakeUpstream {
  readonly url: string;
  /** `host:port`, for EGRESS_ALLOWED_HOSTS. */
  readonly host: string;
  readonly asked: UpstreamRequest[];
  /** Waits for a reply that is a promise: the caller decides when the system has made up its mind. */
  answer(reply: (request: UpstreamRequest) => UpstreamReply | Promise<UpstreamReply>): void;
  stop(): void;
}

export async function startFakeUpstream(): Promise<FakeUpstream> {
  const asked: UpstreamRequest[] = [];
  let reply: (request: UpstreamRequest) => UpstreamReply | Promise<UpstreamReply> = () => ({ status: 500 });
  const server = createServer(
    { key: readFileSync(file('upstream.key.pem')), cert: readFileSync(UPSTREAM_CA_FILE) },
    (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const received = { method: request.method, url: request.url, headers: request.headers, body };
        asked.push(received);
        void Promise.resolve(reply(received)).then(({ status = 200, headers = {}, body: answer = '', afterMs = 0 }) => {
          setTimeout(() => {
            response.writeHead(status, { 'content-type': 'application/json', ...headers });
            response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
          }, afterMs);
        });
      });
    },
  );
  server.on('clientError', () => undefined); // the service gives up when it has waited long enough
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `https://${host}/availability`,
    host,
    asked,
    answer: (next) => (reply = next),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
