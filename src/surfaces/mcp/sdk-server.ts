import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { ProtocolError, Server } from '@modelcontextprotocol/server';
import type { DispatchParts } from './fast-dispatch.js';
import { ProtocolFault, RPC } from './json-rpc.js';
import type { DispatchedRequest } from './mcp-dispatch.js';
import { instructionsFor, LEGACY_CAPABILITIES, MODERN_CAPABILITIES } from './protocol-documents.js';
import { LEGACY_REVISIONS, MODERN_REVISION } from './revisions.js';

/** One request on its way through the SDK, and what was thrown there that HTTP and not JSON-RPC has to word. */
export interface SdkExchange {
  readonly dispatched: DispatchedRequest;
  thrown?: unknown;
  headers?: Readonly<Record<string, string>>;
}

type Members = Record<string, unknown>;
const parsed = (members: string): Members => JSON.parse(`{${members}}`) as Members;

/** A low-level server for one request: the SDK checks and words, the operation table answers. */
export function sdkServer(
  parts: DispatchParts,
  serverInfo: { readonly name: string; readonly title: string; readonly version: string },
  exchange: SdkExchange,
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the low-level server is what its makers advise for a gateway with its own registry
): Server {
  const { dispatched } = exchange;
  const { era, names } = dispatched;
  const modern = era === 'modern';
  const { title, ...identity } = serverInfo;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
  const server = new Server(modern ? identity : { ...identity, title }, {
    capabilities: modern ? MODERN_CAPABILITIES : LEGACY_CAPABILITIES,
    instructions: instructionsFor(names),
    supportedProtocolVersions: modern ? [MODERN_REVISION] : [...LEGACY_REVISIONS],
  });
  const answering = <T>(answer: () => Promise<T>) => worded(exchange, answer);
  const list = (members: () => string | Promise<string>): (() => Promise<never>) =>
    answering(async () => {
      if (dispatched.request.params['cursor'] !== undefined)
        throw new ProtocolFault(200, RPC.invalidParams, 'The cursor is not valid.');
      return parsed(await members()) as never;
    });
  const { documents, offered } = parts;
  server.setRequestHandler(
    'tools/list',
    list(async () => documents.tools(await offered.of(dispatched.organizationId, dispatched.caller), era, names)),
  );
  server.setRequestHandler(
    'resources/list',
    list(() => documents.resources(era)),
  );
  server.setRequestHandler(
    'resources/templates/list',
    list(() => documents.resourceTemplates(era)),
  );
  server.setRequestHandler(
    'tools/call',
    answering(() => callTool(parts, exchange)),
  );
  server.setRequestHandler(
    'resources/read',
    answering(() => readResource(parts, dispatched)),
  );
  return server;
}

/** Faults of the protocol in the SDK's words; what else is thrown is kept for HTTP to word. */
function worded<T>(exchange: SdkExchange, answer: () => Promise<T>): () => Promise<T> {
  return async () => {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof ProtocolFault) throw new ProtocolError(error.code, error.message, error.data);
      exchange.thrown = error;
      throw new ProtocolError(RPC.internalError, 'Refused.');
    }
  };
}

async function callTool(parts: DispatchParts, exchange: SdkExchange): Promise<CallToolResult> {
  const outcome = await parts.calls.call(exchange.dispatched);
  if ('error' in outcome) {
    if (outcome.headers !== undefined) exchange.headers = outcome.headers;
    return {
      content: [{ type: 'text', text: JSON.stringify(outcome.error) }],
      ...(outcome.structured ? { structuredContent: { ...outcome.error } } : {}),
      isError: true,
    };
  }
  const text = outcome.answer.body.plain.toString('utf8');
  const { cache } = outcome.answer;
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Members,
    isError: false,
    ...(cache === undefined ? {} : { ttlMs: cache.ttlMs, cacheScope: cache.scope }),
  };
}

async function readResource(parts: DispatchParts, dispatched: DispatchedRequest): Promise<ReadResourceResult> {
  const { uri, answer } = await parts.reads.read(dispatched);
  const { ttlMs, scope } = answer.cache ?? { ttlMs: 0, scope: 'private' as const };
  return {
    contents: [{ uri, mimeType: 'application/json', text: answer.body.plain.toString('utf8') }],
    ...(dispatched.era === 'modern' ? { ttlMs, cacheScope: scope } : {}),
  };
}
