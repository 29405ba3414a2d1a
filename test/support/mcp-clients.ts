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

/** How a client goes to the gateway. */
export interface Going {
  /** Told of the body of every answer that is no success, as it came. */
  readonly refused?: (body: string) => void;
  /** Whether it asks for a revision that is not served: older clients by their header, the others by all that they know. */
  readonly outdated?: boolean;
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

interface Sending {
  readonly requestInit: RequestInit;
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** Revisions that nobody serves, of before the newest and of after it. */
const NOT_SERVED = { older: '2024-01-01', newer: '2031-01-01' };

const sending = (authorization: string | undefined, { refused }: Going = {}, outdated = false): Sending => ({
  requestInit: {
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(outdated ? { 'mcp-protocol-version': NOT_SERVED.older } : {}),
    },
  },
  fetch: async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok) refused?.(await response.clone().text());
    return response;
  },
});

async function openOlder(url: string, authorization?: string, going?: Going): Promise<ToolClient> {
  const client = new OlderClient(INFO);
  await client.connect(new OlderTransport(new URL(url), sending(authorization, going, going?.outdated)));
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => answerOf(await client.callTool({ name, arguments: args })),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

type Negotiation = NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation']>;

async function openCurrent(
  url: string,
  authorization?: string,
  going?: Going,
  versionNegotiation?: Negotiation,
): Promise<ToolClient> {
  const outdated = going?.outdated === true;
  const client = new Client(INFO, {
    ...(versionNegotiation === undefined ? {} : { versionNegotiation }),
    ...(versionNegotiation !== undefined && outdated ? { supportedProtocolVersions: [NOT_SERVED.newer] } : {}),
  });
  await client.connect(
    new StreamableHTTPClientTransport(
      new URL(url),
      sending(authorization, going, outdated && versionNegotiation === undefined),
    ),
  );
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
  open(url: string, authorization?: string, going?: Going): Promise<ToolClient>;
}[] = [
  { client: 'sdk 1.32', open: openOlder },
  { client: 'client 2.4 as it comes', open: (url, authorization, going) => openCurrent(url, authorization, going) },
  {
    client: 'client 2.4 that finds out',
    open: (url, authorization, going) => openCurrent(url, authorization, going, { mode: 'auto' }),
  },
  {
    client: 'client 2.4 that insists on 2026-07-28',
    open: (url, authorization, going) =>
      openCurrent(url, authorization, going, { mode: { pin: going?.outdated === true ? NOT_SERVED.newer : MODERN } }),
  },
];
