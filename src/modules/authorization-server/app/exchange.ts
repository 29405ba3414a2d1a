import type { IncomingMessage, ServerResponse } from 'node:http';

/** One HTTP exchange with the authorization server, and what the edge knows about it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly traceId: string;
  /** What the caller is limited by; from the trusted-proxy setting. */
  readonly network: string;
}

const exchanges = new WeakMap<IncomingMessage, Exchange>();

/** Makes an exchange known to what the protocol library calls back with nothing but the request. */
export function noteExchange(exchange: Exchange): Exchange {
  exchanges.set(exchange.request, exchange);
  return exchange;
}

/** @throws Error for a request that did not come through the edge. */
export function exchangeOf(request: IncomingMessage): Exchange {
  const exchange = exchanges.get(request);
  if (exchange === undefined) throw new Error('this request did not come through the edge');
  return exchange;
}
