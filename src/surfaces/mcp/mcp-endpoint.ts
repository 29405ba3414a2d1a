import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../kernel/caller.js';
import type { RateVerdict } from '../../kernel/ports/rate-limiter.js';
import type { Clock } from '../../kernel/time.js';
import type { TraceContext } from '../../kernel/trace-context.js';
import { toDapError } from './dap-error.js';
import { idOf, ProtocolFault, readMessage, RPC } from './json-rpc.js';
import type { DispatchedRequest, McpDispatch } from './mcp-dispatch.js';
import { checkModernRequest, isModern, traceOf, unsupportedRevision } from './modern-request.js';
import type { ResultWriter } from './result-writer.js';
import type { SdkSubscriptions } from './sdk-subscriptions.js';
import type { ToolNames } from './tool-names.js';
import { namesFor } from './tool-names.js';
import { ASSUMED_REVISION, BATCH_MAX, BATCH_REVISION, isLegacyRevision, MODERN_REVISION } from './revisions.js';

/** One POST to an MCP endpoint, with identity and organization settled. */
export interface McpPost {
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly organizationId: string;
  /** How lists name tools on this path. */
  readonly names: ToolNames;
  readonly requestId: string;
  readonly traceId: string;
  readonly newRequestId: () => string;
  /** Told of the caller's trace, where a request names one, so that log lines can. */
  readonly linked: (trace: TraceContext) => void;
  /** Told what is left of the caller's allowances, for each message that counts. */
  readonly rated: (verdict: RateVerdict) => void;
  /** Aborts when the caller's connection closes. Asked for by streams only. */
  readonly closed: () => AbortSignal;
}

export interface McpReply {
  readonly status: number;
  readonly body?: Buffer;
  /** An event stream instead of a body. */
  readonly stream?: Response;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers POSTs of both eras on one endpoint: decides the era, checks its rules, dispatches, words protocol faults. */
export class McpEndpoint {
  constructor(
    private readonly dispatch: McpDispatch,
    private readonly writer: ResultWriter,
    private readonly clock: Clock,
    private readonly subscriptions: SdkSubscriptions,
  ) {}

  async answer(post: McpPost): Promise<McpReply> {
    try {
      if (Array.isArray(post.body)) return await this.answerBatch(post, post.body);
      return await this.answerOne(post, post.body);
    } catch (error) {
      if (error instanceof ProtocolFault) return this.faultReply(error, post.body);
      throw error;
    }
  }

  private async answerOne(post: McpPost, body: unknown): Promise<McpReply> {
    const message = readMessage(body);
    const params = message.kind === 'request' ? message.request.params : message.notification.params;
    const modern = isModern(params, post.headers);
    if (!modern) this.checkLegacyHeader(post);
    if (message.kind === 'notification') return { status: 202 };
    if (modern)
      checkModernRequest(message.request, post.headers, (failure) =>
        toDapError(failure, { traceId: post.traceId, now: this.clock.now() }),
      );
    const { caller, organizationId, names, requestId, traceId, rated, closed } = post;
    const trace = traceOf(params, post.headers);
    if (trace !== undefined) post.linked(trace);
    const dispatched: DispatchedRequest = {
      request: message.request,
      era: modern ? 'modern' : 'legacy',
      revision: modern ? MODERN_REVISION : legacyRevisionOf(post.headers),
      names: namesFor(names, caller),
      caller,
      organizationId,
      requestId,
      traceId,
      trace,
      rated,
      closed,
    };
    if (modern && message.request.method === 'subscriptions/listen')
      return { status: 200, stream: await this.subscriptions.open(dispatched) };
    return this.dispatch.dispatch(dispatched);
  }

  /** Batches exist in one old revision only; each element is limited and audited by itself (decision record 0011). */
  private async answerBatch(post: McpPost, items: readonly unknown[]): Promise<McpReply> {
    if (legacyRevisionOf(post.headers) !== BATCH_REVISION)
      throw new ProtocolFault(400, RPC.invalidRequest, 'This revision has no batches.');
    if (items.length === 0 || items.length > BATCH_MAX)
      throw new ProtocolFault(400, RPC.invalidRequest, `A batch has 1 to ${BATCH_MAX} messages.`);
    const replies: Buffer[] = [];
    for (const [index, item] of items.entries()) {
      const reply = await this.answerOne(
        { ...post, requestId: index === 0 ? post.requestId : post.newRequestId() },
        item,
      ).catch((error: unknown) => {
        if (error instanceof ProtocolFault) return this.faultReply(error, item);
        throw error;
      });
      if (reply.body !== undefined) replies.push(reply.body);
    }
    if (replies.length === 0) return { status: 202 };
    const parts = replies.flatMap((reply, i) => (i === 0 ? [reply] : [COMMA, reply]));
    return { status: 200, body: Buffer.concat([OPEN_ARRAY, ...parts, CLOSE_ARRAY]) };
  }

  private checkLegacyHeader(post: McpPost): void {
    const header = post.headers['mcp-protocol-version'];
    if (header === undefined || (typeof header === 'string' && isLegacyRevision(header))) return;
    throw unsupportedRevision(String(header), (failure) =>
      toDapError(failure, { traceId: post.traceId, now: this.clock.now() }),
    );
  }

  private faultReply(fault: ProtocolFault, body: unknown): McpReply {
    return {
      status: fault.status,
      body: this.writer.error(idOf(body), {
        code: fault.code,
        message: fault.message,
        ...(fault.data === undefined ? {} : { data: fault.data }),
      }),
      headers: fault.headers,
    };
  }
}

function legacyRevisionOf(headers: IncomingHttpHeaders): string {
  const header = headers['mcp-protocol-version'];
  return typeof header === 'string' ? header : ASSUMED_REVISION;
}

const OPEN_ARRAY = Buffer.from('[');
const CLOSE_ARRAY = Buffer.from(']');
const COMMA = Buffer.from(',');
