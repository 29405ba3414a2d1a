import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { MODERN } from './mcp-http.js';

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly structured: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  readonly text: string;
}

/** What the tests ask of any client. */
export interface ToolClient {
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  /** The text of a resource. */
  read(uri: string): Promise<string>;
  close(): Promise<void>;
}

const INFO = { name: 'forecourt-test', version: '1.0.0' };

/** Both generations answer the same members; their declarations differ. */
function answerOf(answer: unknown): ToolAnswer {
  const result = answer as { isError?: boolean; structuredContent?: unknown; content: readonly { text?: string }[] };
  return {
    isError: result.isError === true,
    structured: result.structuredContent,
    text: result.content[0]?.text ?? '',
  };
}

const textOf = (contents: readonly object[]): string => (contents[0] as { text?: string } | undefined)?.text ?? '';

/** What a client sends beside the protocol's own headers. */
const withAuthorization = (authorization: string | undefined): { requestInit?: RequestInit } =>
  authorization === undefined ? {} : { requestInit: { headers: { authorization } } };

async function openOlder(url: string, authorization?: string): Promise<ToolClient> {
  const client = new OlderClient(INFO);
  await client.connect(new OlderTransport(new URL(url), withAuthorization(authorization)));
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => answerOf(await client.callTool({ name, arguments: args })),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

type Negotiation = NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation']>;

async function openCurrent(url: string, authorization?: string, versionNegotiation?: Negotiation): Promise<ToolClient> {
  const client = new Client(INFO, versionNegotiation === undefined ? {} : { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), withAuthorization(authorization)));
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => answerOf(await client.callTool({ name, arguments: args })),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

/** The official clients, in every way in which they settle on a revision. */
export const MCP_CLIENTS: readonly {
  readonly client: string;
  open(url: string, authorization?: string): Promise<ToolClient>;
}[] = [
  { client: 'sdk 1.32', open: openOlder },
  { client: 'client 2.4 as it comes', open: (url, authorization) => openCurrent(url, authorization) },
  {
    client: 'client 2.4 that finds out',
    open: (url, authorization) => openCurrent(url, authorization, { mode: 'auto' }),
  },
  {
    client: 'client 2.4 that insists on 2026-07-28',
    open: (url, authorization) => openCurrent(url, authorization, { mode: { pin: MODERN } }),
  },
];
