import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { UnauthorizedError as OlderUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CALLBACK } from './oauth-world.js';

interface Registration {
  readonly client_id: string;
}
interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
}

/** What a client's own code keeps for the official SDKs: both ask for the same members. */
class ClientMemory {
  registration: Registration | undefined;
  saved: Tokens | undefined;
  /** Where the SDK wants the person's browser to go. */
  wanted: URL | undefined;
  private verifier = '';

  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'An official client',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  clientInformation = (): Registration | undefined => this.registration;
  saveClientInformation = (information: Registration): void => void (this.registration = information);
  tokens = (): Tokens | undefined => this.saved;
  saveTokens = (tokens: Tokens): void => void (this.saved = tokens);
  redirectToAuthorization = (url: URL): void => void (this.wanted = url);
  saveCodeVerifier = (verifier: string): void => void (this.verifier = verifier);
  codeVerifier = (): string => this.verifier;
}

export interface OAuthToolClient {
  readonly memory: ClientMemory;
  /** @returns `signed out` where the SDK sent the person to the authorization server instead. */
  call(
    name: string,
    args: Record<string, unknown>,
  ): Promise<'signed out' | { readonly isError: boolean; readonly structured: unknown }>;
  finish(back: URL): Promise<void>;
  close(): Promise<void>;
}

const INFO = { name: 'forecourt-oauth-test', version: '1.0.0' };

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}
async function answered(call: Promise<unknown>): ReturnType<OAuthToolClient['call']> {
  try {
    const answer = (await call) as Answer;
    return { isError: answer.isError === true, structured: answer.structuredContent };
  } catch (error) {
    if (error instanceof UnauthorizedError || error instanceof OlderUnauthorizedError) return 'signed out';
    throw error;
  }
}

async function openOlder(url: string): Promise<OAuthToolClient> {
  const memory = new ClientMemory();
  const client = new OlderClient(INFO);
  const transport = new OlderTransport(new URL(url), { authProvider: memory });
  await client.connect(transport);
  return {
    memory,
    call: (name, args) => answered(client.callTool({ name, arguments: args })),
    finish: (back) => transport.finishAuth(back.searchParams.get('code') ?? ''),
    close: () => client.close(),
  };
}

async function openCurrent(url: string): Promise<OAuthToolClient> {
  const memory = new ClientMemory();
  const client = new Client(INFO);
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: memory });
  await client.connect(transport);
  return {
    memory,
    call: (name, args) => answered(client.callTool({ name, arguments: args })),
    finish: (back) => transport.finishAuth(back.searchParams),
    close: () => client.close(),
  };
}

/** The official clients, each with its own OAuth. */
export const OAUTH_CLIENTS: readonly { readonly client: string; open(url: string): Promise<OAuthToolClient> }[] = [
  { client: 'sdk 1.32', open: openOlder },
  { client: 'client 2.4', open: openCurrent },
];
