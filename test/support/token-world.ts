import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWTHeaderParameters } from 'jose';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import type { LetIn } from './agents.js';
import { letAgentIn, READ_SCOPES } from './agents.js';
import { AuditTrail } from './audit-trail.js';
import { type Claims, FakeIssuer, type IssuerKey, ISSUER_CA_FILE } from './fake-issuer.js';
import { postModern, type WireAnswer } from './mcp-http.js';
import { registerClient, trustIssuer } from './agent-clients.js';
import type { TestService, TestServiceOptions } from './service.js';
import { startTestService } from './service.js';

export interface TokenWorldOptions {
  /** Import the demo inventory; false unless told otherwise. */
  readonly demo?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly reach?: TestServiceOptions['reach'];
  /** More `host:port` values that the egress guard lets through. */
  readonly hosts?: readonly string[];
  /** Files of credentials of dealers' systems and of introspection clients, by name. */
  readonly credentials?: Readonly<Record<string, string>>;
}

/** A service whose default organization trusts a fake issuer, with one client that carries a grant for one rooftop. */
export class TokenWorld {
  /** Milliseconds that the service is ahead of everybody else. */
  ahead = 0;
  /** What the issuer calls the client. */
  readonly clientId = 'buyer-assistant';
  service!: TestService;
  trail!: AuditTrail;
  agent!: LetIn;
  agentClientId!: string;
  private folder!: string;

  private constructor(readonly issuer: FakeIssuer) {}

  static async start(options: TokenWorldOptions = {}): Promise<TokenWorld> {
    const world = new TokenWorld(await FakeIssuer.start('/tenant'));
    await world.open(options);
    return world;
  }

  /** Path of the organization's endpoint. */
  get path(): string {
    return `/organizations/${this.service.organizationId}/mcp`;
  }

  get url(): string {
    return this.service.origin + this.path;
  }

  /** Claims of a good token, unless they are changed. */
  good(changes: Claims = {}): Claims {
    return { aud: this.url, client_id: this.clientId, scope: READ_SCOPES.join(' '), ...changes };
  }

  sign(changes: Claims = {}, header: Partial<JWTHeaderParameters> = {}, key?: IssuerKey): Promise<string> {
    return this.issuer.sign(this.good(changes), header, key);
  }

  /** Asks for the tools with a bearer token. */
  list(token: string, at = this.url): Promise<WireAnswer> {
    return postModern(at, 'tools/list', {}, { authorization: `Bearer ${token}` });
  }

  /** The true reason of a refusal, from the audit trail. */
  async reasonOf(answer: WireAnswer): Promise<string | null | undefined> {
    return (await this.trail.ofEvent(answer.headers.get('x-request-id')))[0]?.reason;
  }

  async stop(): Promise<void> {
    await this.trail.close();
    await this.service.stop();
    this.issuer.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async open({
    demo = false,
    env = {},
    reach,
    hosts = [],
    credentials = {},
  }: TokenWorldOptions): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'forecourt-credentials-'));
    for (const [name, secret] of Object.entries(credentials)) await writeFile(join(this.folder, name), `${secret}\n`);
    this.service = await startTestService({
      demo,
      ...(reach === undefined ? {} : { reach }),
      clock: { now: () => Date.now() + this.ahead },
      env: {
        DEFAULT_ORGANIZATION: DEMO_GROUP.organizationId,
        EGRESS_ALLOWED_HOSTS: [this.issuer.host, ...hosts].join(','),
        EGRESS_CA_FILE: ISSUER_CA_FILE,
        AVAILABILITY_CREDENTIALS_DIR: this.folder,
        ISSUER_CREDENTIALS_DIR: this.folder,
        ...env,
      },
    });
    this.trail = await AuditTrail.open(this.service.database);
    this.agent = await letAgentIn(this.service);
    await trustIssuer(this.service, this.issuer.issuer);
    const { agentClientId } = await registerClient(this.service, this.issuer.issuer, this.clientId, this.agent.grantId);
    this.agentClientId = agentClientId;
  }
}

/** For what a process remembers of issuers and clients to be over. */
export const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 1600));

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
