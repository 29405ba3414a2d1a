export const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol';

/** `_meta` of a request of the modern revision. */
export const modernMeta = (version: string = MODERN): Record<string, unknown> => ({
  [`${META}/protocolVersion`]: version,
  [`${META}/clientCapabilities`]: {},
});

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; undefined where there is none or it is no JSON. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
}

/** Sends one HTTP request as it is given and reads the answer whole. */
export async function send(url: string, init: RequestInit): Promise<WireAnswer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** POSTs a body; objects are serialised. A header given as null is left out. */
export function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string | null>> = {},
): Promise<WireAnswer> {
  const all: Record<string, string | null> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const kept = Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const content = typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body);
  return send(url, { method: 'POST', headers: kept, body: content });
}

/** A request of the older era. */
export const legacy = (method: string, params?: object, id: unknown = 1): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

/** A request of the modern era. */
export const modern = (method: string, params: object = {}, id: unknown = 1): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: modernMeta() },
});

/** The headers that the modern revision asks for. */
export const modernHeaders = (method: string, name?: string): Record<string, string> => ({
  'mcp-protocol-version': MODERN,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

/** POSTs a well-formed modern request. */
export function postModern(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Readonly<Record<string, string | null>> = {},
): Promise<WireAnswer> {
  const name = method === 'tools/call' ? params['name'] : method === 'resources/read' ? params['uri'] : undefined;
  const named = typeof name === 'string' ? name : undefined;
  return post(url, modern(method, params), { ...modernHeaders(method, named), ...headers });
}

/** Calls a tool over the modern revision. */
export const callTool = (
  url: string,
  name: string,
  args: object,
  headers: Readonly<Record<string, string | null>> = {},
): Promise<WireAnswer> => postModern(url, 'tools/call', { name, arguments: args }, headers);
