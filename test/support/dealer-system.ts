import { startFakeUpstream, UPSTREAM_CA_FILE } from './fake-upstream.js';

/** What a dealer's system says of a unit: an answer, or only a status. */
export type SystemAnswer = { readonly status: string; readonly observed_at: string } | { readonly http: number };

export interface DealerSystem {
  /** Host and port, to be let through by the egress guard. */
  readonly host: string;
  readonly url: string;
  /** The authority of its certificate, a PEM file. */
  readonly authority: string;
  /** Headers of the newest question. */
  lastHeaders(): Readonly<Record<string, unknown>>;
  stop(): void;
}

/** A system of a dealer on this machine, over TLS, that answers by stock number. */
export async function startDealerSystem(
  answer: (stockNumber: string) => SystemAnswer | Promise<SystemAnswer>,
): Promise<DealerSystem> {
  const upstream = await startFakeUpstream();
  upstream.answer(async ({ body }) => {
    const said = await answer((JSON.parse(body) as { stock_number: string }).stock_number);
    return 'http' in said ? { status: said.http } : { body: said };
  });
  return {
    host: upstream.host,
    url: upstream.url,
    authority: UPSTREAM_CA_FILE,
    lastHeaders: () => upstream.asked.at(-1)?.headers ?? {},
    stop: () => {
      upstream.stop();
    },
  };
}
