import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Witness } from '../../app/witness/witness.js';

/** A checkpoint, its signatures and 63 hashes take about 4 kB. */
const BODY_MAX = 32_768;
const REQUEST_MS = 10_000;
const CONNECTIONS_MAX = 64;

/** The witness over HTTP: `POST …/add-checkpoint` (C2SP tlog-witness), whatever the prefix. */
export function witnessServer(witness: Witness, log: (line: string) => void): Server {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(witness, request, response).catch((error: unknown) => {
      log(`not signed: ${error instanceof Error ? error.message : String(error)}`);
      if (!response.headersSent) send(response, 500, '');
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

async function answer(witness: Witness, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://witness');
  if (request.method !== 'POST' || !pathname.endsWith('/add-checkpoint')) {
    send(response, 404, '');
    return;
  }
  const body = await bodyOf(request);
  if (body === undefined) {
    send(response, 413, '');
    return;
  }
  const { status, body: text } = await witness.addCheckpoint(body);
  send(response, status, text, status === 409 ? 'text/x.tlog.size' : 'text/plain; charset=utf-8');
}

/** @returns undefined for a body that is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
