import type { Caller } from '../../kernel/caller.js';
import type { RequestId } from './json-rpc.js';
import type { JsonRpcRequest } from './json-rpc.js';
import type { Era } from './result-writer.js';

/** One request with everything the edge established about it. */
export interface DispatchedRequest {
  readonly request: JsonRpcRequest;
  readonly era: Era;
  /** The revision by whose rules it is answered. */
  readonly revision: string;
  readonly caller: Caller;
  readonly organizationId: string;
  readonly requestId: string;
  readonly traceId: string;
}

/** A whole JSON-RPC answer as bytes, with what HTTP needs beside it. */
export interface DispatchedAnswer {
  readonly id: RequestId;
  readonly body: Buffer;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Port: answers one MCP request. There is one registry behind it, the operation table; implementations differ in what they
 * can do with the wire, never in what they answer.
 * @throws ProtocolFault for faults of the protocol.
 */
export interface McpDispatch {
  dispatch(request: DispatchedRequest): Promise<DispatchedAnswer>;
}
