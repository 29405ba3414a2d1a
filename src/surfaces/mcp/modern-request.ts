import type { IncomingHttpHeaders } from 'node:http';
import type { Failure } from '../../kernel/failure/failure.js';
import { Failure as FailureClass } from '../../kernel/failure/failure.js';
import type { TraceContext } from '../../kernel/trace-context.js';
import { readTraceContext } from '../../kernel/trace-context.js';
import { findCustomerData } from '../../operations/customer-data-guard.js';
import type { JsonRpcRequest } from './json-rpc.js';
import { ProtocolFault, RPC } from './json-rpc.js';
import { MODERN_REVISION, SUPPORTED_REVISIONS } from './revisions.js';

const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

type Meta = Readonly<Record<string, unknown>> | undefined;

const metaOf = (params: Readonly<Record<string, unknown>>): Meta => {
  const meta = params['_meta'];
  return typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? (meta as Meta) : undefined;
};

/**
 * Body first: a version claim in `_meta`, or a modern version header, makes a request modern; everything else is older.
 * A modern request is never served by older rules (DAP-CORE-004).
 */
export function isModern(params: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders): boolean {
  if (metaOf(params)?.[META_VERSION] !== undefined) return true;
  const header = headers['mcp-protocol-version'];
  return typeof header === 'string' && header >= MODERN_REVISION;
}

/**
 * The trace that a call is part of: `_meta` is the source of truth, the HTTP header stands in for it (MCP basic/index,
 * trace context). Untrusted, in both eras. A `tracestate` holds what its sender likes and goes on to systems of dealers, so that
 * one with customer data in it is dropped (DAP-SEC-009).
 */
export function traceOf(
  params: Readonly<Record<string, unknown>>,
  headers: IncomingHttpHeaders,
): TraceContext | undefined {
  const meta = metaOf(params);
  const trace =
    readTraceContext(meta?.['traceparent'], meta?.['tracestate']) ??
    readTraceContext(headers['traceparent'], headers['tracestate']);
  if (trace?.tracestate === undefined || findCustomerData(trace.tracestate).length === 0) return trace;
  const { traceId, parentId, flags } = trace;
  return { traceId, parentId, flags };
}

/**
 * Checks what revision 2026-07-28 asks of each request: `_meta`, the version, and headers that equal the body.
 * @throws ProtocolFault 400 with -32602, -32022 or -32020.
 */
export function checkModernRequest(
  request: JsonRpcRequest,
  headers: IncomingHttpHeaders,
  revisionFault: (failure: Failure) => unknown,
): void {
  const meta = metaOf(request.params);
  const version = meta?.[META_VERSION];
  const capabilities = meta?.[META_CAPABILITIES];
  if (typeof version !== 'string')
    throw new ProtocolFault(400, RPC.invalidParams, `params._meta must carry ${META_VERSION}.`);
  // A proxy and the gateway must not act on different versions, so a disagreement comes before what either one asks for.
  const header = headers['mcp-protocol-version'];
  if (header !== undefined) checkHeader(headers, 'mcp-protocol-version', version);
  if (version !== MODERN_REVISION) throw unsupportedRevision(version, revisionFault);
  if (typeof capabilities !== 'object' || capabilities === null || Array.isArray(capabilities))
    throw new ProtocolFault(400, RPC.invalidParams, `params._meta must carry ${META_CAPABILITIES}.`);
  checkHeader(headers, 'mcp-protocol-version', version);
  checkHeader(headers, 'mcp-method', request.method);
  const named = namedBy(request);
  if (named !== undefined) checkHeader(headers, 'mcp-name', named);
}

/** A date or a short dotted version: too short for a telephone number, and no word. */
const REVISION_LIKE = /^(?:\d{4}-\d{2}-\d{2}|v?\d{1,3}(?:\.\d{1,2}){1,2})$/;

/** The answer to a revision that is not served: which ones are, in JSON-RPC's and in DAP's words. */
export function unsupportedRevision(requested: string, revisionFault: (failure: Failure) => unknown): ProtocolFault {
  const bounded = REVISION_LIKE.test(requested) ? requested : 'unreadable'; // anything else could be data
  const failure = new FailureClass('protocol.revision_unsupported', {
    revisions: { supported: SUPPORTED_REVISIONS, requested: bounded },
  });
  return new ProtocolFault(400, RPC.unsupportedRevision, failure.message, {
    ...(revisionFault(failure) as object),
    supported: SUPPORTED_REVISIONS,
    requested: bounded,
  });
}

function namedBy({ method, params }: JsonRpcRequest): string | undefined {
  if (method === 'tools/call' || method === 'prompts/get')
    return typeof params['name'] === 'string' ? params['name'] : undefined;
  if (method === 'resources/read') return typeof params['uri'] === 'string' ? params['uri'] : undefined;
  return undefined;
}

function checkHeader(headers: IncomingHttpHeaders, name: string, expected: string): void {
  const value = headers[name];
  if (typeof value !== 'string') throw new ProtocolFault(400, RPC.headerMismatch, `The header ${name} is required.`);
  if (value !== expected && decodeHeader(value.trim()) !== expected)
    throw new ProtocolFault(400, RPC.headerMismatch, `The header ${name} differs from the body.`);
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Header values may be wrapped as =?base64?…?= and are compared decoded. */
function decodeHeader(value: string): string {
  const match = ENCODED.exec(value);
  return match?.[1] === undefined ? value : Buffer.from(match[1], 'base64').toString('utf8');
}
