/** Why the guard let a request not go, or its answer not come in. */
export type EgressReason =
  | 'url_invalid'
  | 'scheme_refused'
  | 'credentials_in_url'
  | 'address_refused'
  | 'host_unknown'
  | 'redirect_invalid'
  | 'too_many_redirects'
  | 'encoding_refused'
  | 'too_large'
  | 'timeout'
  | 'unreachable';

/** A closed reason; never the address or any text of the other side. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';

  constructor(
    readonly reason: EgressReason,
    cause?: unknown,
  ) {
    super(`the request was not made or not finished: ${reason}`, { cause });
  }
}
