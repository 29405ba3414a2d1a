/** A JSON-RPC 2.0 request id as MCP allows it: never null. */
export type RequestId = string | number;

export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedRevision: -32022,
  /** Resource not found of the revisions before 2026-07-28; must not be sent on that one. */
  legacyResourceNotFound: -32002,
  /** Our own: a refusal that is worded by the DAP error object in `data`. Outside the range that JSON-RPC reserves. */
  refused: -31_000,
} as const;

/** A fault of the protocol itself, answered in JSON-RPC's words and not as a tool result. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';

  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly data?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

type Message =
  | { readonly kind: 'request'; readonly request: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly notification: JsonRpcNotification };

/**
 * Reads one JSON-RPC message.
 * @throws ProtocolFault -32600 for anything else: batches, responses, `id: null`, a method that is no string.
 */
export function readMessage(body: unknown): Message {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('The body is not one JSON-RPC request.');
  const { jsonrpc, method, id, params } = body as Record<string, unknown>;
  if (jsonrpc !== '2.0') throw invalid('The member jsonrpc must be "2.0".');
  if (typeof method !== 'string' || method.length === 0 || method.length > 128)
    throw invalid('The member method must be a string.');
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params)))
    throw invalid('The member params must be an object.');
  const checkedParams = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (id === undefined && !('id' in body))
    return { kind: 'notification', notification: { jsonrpc, method, params: checkedParams } };
  if (!isRequestId(id)) throw invalid('The member id must be a string or an integer.');
  return { kind: 'request', request: { jsonrpc, id, method, params: checkedParams } };
}

export const isRequestId = (id: unknown): id is RequestId =>
  (typeof id === 'string' && id.length <= 256) || (typeof id === 'number' && Number.isSafeInteger(id));

/** The id of a body that could be read at least that far, so that an error can name it. */
export function idOf(body: unknown): RequestId | undefined {
  const id = typeof body === 'object' && body !== null ? (body as { id?: unknown }).id : undefined;
  return isRequestId(id) ? id : undefined;
}

const invalid = (message: string): ProtocolFault => new ProtocolFault(400, RPC.invalidRequest, message);
