import type { Caller } from '../../kernel/caller.js';
import type { RateVerdict } from '../../kernel/ports/rate-limiter.js';
import type { TraceContext } from '../../kernel/trace-context.js';
import type { RequestId } from './json-rpc.js';
import type { JsonRpcRequest } from './json-rpc.js';
import type { Era } from './result-writer.js';
import type { ToolNames } from './tool-names.js';

/** One request with everything the edge established about it. */
export interface DispatchedRequest {
  readonly request: JsonRpcRequest;
  readonly era: Era;
  /** The revision by whose rules it is answered. */
  readonly revision: string;
  /** How lists name tools on this path. */
  readonly names: ToolNames;
  readonly caller: Caller;
  readonly organizationId: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly trace?: TraceContext | undefined;
  /** Told what is left of the caller's allowances, where the request counts. */
  readonly rated: (verdict: RateVerdict) => void;
  /** Aborts when the caller's connection closes. Asked for by streams and by calls that may take long. */
  readonly closed: () => AbortSignal;
}

/** A whole JSON-RPC answer as bytes, or an event stream that ends with it, with what HTTP needs beside it. */
export interface DispatchedAnswer {
  readonly id: RequestId;
  readonly status: number;
  readonly body?: Buffer;
  readonly stream?: Response;
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
