import { Failure } from '../kernel/failure/failure.js';
import { newTraceId } from '../kernel/ids.js';
import { toDapError } from '../surfaces/mcp/dap-error.js';
import { RPC } from '../surfaces/mcp/json-rpc.js';
import type { ClientMessage } from './gateway-client.js';
import { claimedRevision } from './gateway-client.js';

/** A JSON-RPC error as it came from the gateway. */
interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The one line that answers a message; the gateway's refusals of identity become results that the model can read. */
export function answerLine(message: ClientMessage, status: number, body: unknown): string {
  const { error } = body as { error?: WireError };
  if (message.method === 'tools/call' && error !== undefined && (status === 401 || status === 403 || status === 429))
    return toolErrorLine(message, error.data ?? { code: 'dealeragent.auth.required', message: error.message });
  return JSON.stringify(hasId(body) || message.id === undefined ? body : { ...(body as object), id: message.id });
}

/** The line for a gateway that could not be reached, or answered something that is no JSON-RPC. */
export function unreachableLine(message: ClientMessage): string {
  const failure = new Failure('upstream.unavailable');
  const data = toDapError(failure, { traceId: newTraceId(), now: Date.now() });
  if (message.method === 'tools/call') return toolErrorLine(message, data);
  return errorLine(message.id, { code: RPC.refused, message: failure.message, data });
}

/** The line for something that is no message at all. */
export const unreadableLine = (): string =>
  errorLine(undefined, { code: RPC.parseError, message: 'The line is not valid JSON.' });

function errorLine(id: unknown, error: WireError): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error });
}

/** DAP puts its error object into the text and the structured content of a failed tool call (DAP error contract §1). */
function toolErrorLine(message: ClientMessage, data: unknown): string {
  const content = [{ type: 'text', text: JSON.stringify(data) }];
  const complete = claimedRevision(message) === undefined ? {} : { resultType: 'complete' };
  const result = { ...complete, content, structuredContent: data, isError: true };
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
}

const hasId = (body: unknown): boolean => {
  const { id } = body as { id?: unknown };
  return id !== undefined && id !== null;
};
