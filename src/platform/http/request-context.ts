import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StaffCaller } from '../../kernel/caller.js';
import { traceIdOfRequest } from '../../kernel/ids.js';
import type { TraceContext } from '../../kernel/trace-context.js';
import { traceparentOf } from '../../kernel/trace-context.js';

/** What the edge knows about a request besides its content. Correlation only; never authority. */
export interface RequestContext {
  readonly requestId: string;
  /** Returned to callers and kept in the audit record; always our own id, since callers choose theirs freely. */
  readonly traceId: string;
  readonly startedAt: number;
  /** Set by the access guard for routes that need a key. */
  caller?: StaffCaller;
  /** What the caller says this request is part of; for log lines only. */
  trace?: TraceContext;
}

// Held beside the request and not on it: Fastify's request class stays as it is.
const contexts = new WeakMap<FastifyRequest, RequestContext>();

/** The context of a request, made on first use. */
export function contextOf(request: FastifyRequest): RequestContext {
  let context = contexts.get(request);
  if (context === undefined) {
    context = { requestId: request.id, traceId: traceIdOfRequest(request.id), startedAt: performance.now() };
    contexts.set(request, context);
  }
  return context;
}

/** Links the caller's trace to ours: once in a line of its own, and in every later line of the request. */
export function linkTrace(request: FastifyRequest, trace: TraceContext): void {
  const context = contextOf(request);
  context.trace = trace;
  request.log.info(
    { request_id: request.id, trace_id: context.traceId, traceparent: traceparentOf(trace) },
    'trace linked',
  );
}

/** What log lines say of the caller's trace. */
export function traceFields(request: FastifyRequest): { readonly traceparent?: string } {
  const trace = contexts.get(request)?.trace;
  return trace === undefined ? {} : { traceparent: traceparentOf(trace) };
}

/** Milliseconds spent in this service so far, to a tenth. */
export function elapsedMs(context: RequestContext): number {
  return Math.round((performance.now() - context.startedAt) * 10) / 10;
}

/**
 * The address of the caller, from the trusted-proxy setting, never from the left-most X-Forwarded-For. Authority for the
 * networks of a key only; it is never stored.
 */
export function addressOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const [, ipv4, ipv6] = ip.includes(':') ? (WITH_PORT.exec(ip) ?? []) : [];
  return ipv4 ?? ipv6 ?? ip;
}

/** Some proxies write the port behind the address: every connection would be a network of its own. */
const WITH_PORT = /^(?:(\d+(?:\.\d+){3}):\d+|\[([^\]]+)\](?::\d+)?)$/;

/**
 * The network a caller is limited by: an IPv4 address, or the /64 of an IPv6 one. The address comes from the trusted-proxy
 * setting, never from the left-most X-Forwarded-For.
 */
export function networkOf(request: FastifyRequest): string {
  const ip = addressOf(request).replace(/^::ffff:/i, '');
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.split('::');
  const left = head.split(':').filter((g) => g !== '');
  const right = tail === undefined ? [] : tail.split(':').filter((g) => g !== '');
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((g) => g.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

export type { FastifyReply, FastifyRequest };
