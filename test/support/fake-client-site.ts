import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const file = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));

/** Where a client publishes documents about itself: https on this machine. */
export class FakeClientSite {
  /** What is answered at which path; a function decides for itself. */
  readonly documents = new Map<string, unknown>();
  readonly asked: string[] = [];

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    /** `host:port`, for EGRESS_ALLOWED_HOSTS. */
    readonly host: string,
  ) {}

  static async start(): Promise<FakeClientSite> {
    const server = createServer({
      key: readFileSync(file('upstream.key.pem')),
      cert: readFileSync(file('upstream.pem')),
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const site = new FakeClientSite(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      site.asked.push(path);
      const document = site.documents.get(path);
      if (typeof document === 'string') response.writeHead(302, { location: document }).end();
      else if (document === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    });
    return site;
  }

  url(path: string): string {
    return `https://${this.host}${path}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
