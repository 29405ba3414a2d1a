/**
 * One violated constraint of a request. Never holds the offending value (DAP-ERR-002).
 * `pointer` is an RFC 6901 JSON Pointer into the payload ("" is the whole payload), `keyword` the JSON Schema keyword.
 */
export interface Violation {
  readonly pointer: string;
  readonly keyword: string;
  readonly explanation: string;
}

/** Surfaces list at most this many violations (DAP error schema: field_errors maxItems). */
export const MAX_VIOLATIONS = 100;
