import { randomBytes } from 'node:crypto';

/**
 * The trace that a caller says this call is part of (W3C Trace Context). Checked for its form and otherwise believed in
 * nothing: it links log lines and upstream calls, and is never an identity. The audit record keeps our own trace id.
 */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the caller's own span. */
  readonly parentId: string;
  /** Two hex digits. */
  readonly flags: string;
  readonly tracestate?: string;
}

/** Versions above 00 may go on after the flags; what they add is not understood and not passed on (W3C §3.2). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]{0,400})?$/;
const NOTHING = /^0+$/;

const STATE_CHARACTERS_MAX = 512;
const STATE_MEMBERS_MAX = 32;
const STATE_MEMBER =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * Reads a trace context as a caller sent it. Anything that is not well formed counts as absent (W3C §3.2.2): a bad trace is
 * no reason to refuse a call. A bad `tracestate` alone is dropped.
 */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(traceparent.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(parentId)) return undefined;
  const state = readState(tracestate);
  return { traceId, parentId, flags, ...(state === undefined ? {} : { tracestate: state }) };
}

function readState(tracestate: unknown): string | undefined {
  if (typeof tracestate !== 'string' || tracestate.length > STATE_CHARACTERS_MAX) return undefined;
  const members = tracestate
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  const keys = new Set(members.map((member) => member.split('=', 1)[0]));
  const fine = members.length > 0 && members.length <= STATE_MEMBERS_MAX && keys.size === members.length;
  return fine && members.every((member) => STATE_MEMBER.test(member)) ? members.join(',') : undefined;
}

/** The same context in one line, for logs. */
export function traceparentOf({ traceId, parentId, flags }: TraceContext): string {
  return `00-${traceId}-${parentId}-${flags}`;
}

/** Headers for a call that is made to another system on behalf of this one: the same trace, a span of our own. */
export function upstreamTraceHeaders(trace: TraceContext | undefined): Readonly<Record<string, string>> {
  if (trace === undefined) return {};
  const span = randomBytes(8).toString('hex');
  return {
    traceparent: traceparentOf({ ...trace, parentId: NOTHING.test(span) ? trace.parentId : span }),
    ...(trace.tracestate === undefined ? {} : { tracestate: trace.tracestate }),
  };
}
