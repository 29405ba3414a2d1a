import type { ToolAnswer } from './mcp-clients.js';

/** The error object of DAP, wherever it was carried. */
export type Told = Readonly<Record<string, unknown>>;

/**
 * What a client is told of a call that must fail: a result that is an error, or the data of what the client throws.
 * @param refused bodies of refusals as the client received them: it may word them anew and keep nothing of ours.
 */
export async function toldBy(call: () => Promise<ToolAnswer>, refused: readonly string[]): Promise<Told> {
  try {
    const { isError, structured } = await call();
    return isError ? (structured as Told) : { succeeded: structured as unknown };
  } catch (error) {
    const { data } = error as { data?: { readonly code?: unknown } };
    if (typeof data?.code === 'string') return { ...data };
    const body = JSON.parse(refused.at(-1) ?? '{}') as { error?: { data?: Told } };
    return body.error?.data === undefined ? { thrown: String(error) } : withoutRevisions(body.error.data);
  }
}

/** MCP's own members beside the object of an unsupported revision: the two share one place. */
function withoutRevisions(told: Told): Told {
  return Object.fromEntries(Object.entries(told).filter(([name]) => name !== 'supported' && name !== 'requested'));
}
