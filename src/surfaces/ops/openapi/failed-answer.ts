import { FAILURE_REASONS } from '../../../kernel/failure/failure.js';
import { MAX_VIOLATIONS } from '../../../kernel/failure/violation.js';
import { LIMITS } from '../../../kernel/limits.js';
import { OPS_CODES } from '../failure-map.js';

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };

const metaOf = (outcomes: readonly string[]): Schema => ({
  type: 'object',
  required: ['schema', 'request_id', 'outcome', 'cache', 'latency_ms'],
  properties: {
    schema: { const: 'v1' },
    request_id: TEXT,
    outcome: { enum: outcomes },
    cache: { enum: ['bypass', 'hit', 'miss', 'stale'] },
    latency_ms: { type: 'object', required: ['hub'], properties: { hub: { type: 'number', minimum: 0 } } },
  },
});

const VIOLATION: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['pointer', 'keyword', 'explanation'],
  properties: { pointer: TEXT, keyword: TEXT, explanation: TEXT },
};

const ERROR: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'message', 'retryable', 'request_id'],
  properties: {
    code: { enum: Object.keys(OPS_CODES) },
    message: { type: 'string', maxLength: 500 },
    retryable: { type: 'boolean' },
    request_id: TEXT,
    retry_after_ms: { type: 'integer', minimum: 0, maximum: LIMITS.retryAfterMsMax.value },
    details: {
      type: 'object',
      properties: {
        reason: { enum: [...FAILURE_REASONS] },
        violations: { type: 'array', maxItems: MAX_VIOLATIONS, items: VIOLATION },
        error_id: TEXT,
      },
    },
  },
};

/** The ops envelope around a failure, with the codes and reasons that the code knows. */
export const FAILED_ANSWER: Schema = {
  type: 'object',
  required: ['data', 'meta', 'error'],
  properties: { data: { type: 'null' }, meta: metaOf(['failed', 'pending']), error: ERROR },
};

/** The ops envelope around an answer. An action that waits for people has its draft as data and says so in `error`. */
export const ANSWER: Schema = {
  type: 'object',
  required: ['data', 'meta', 'error'],
  properties: {
    data: { type: ['object', 'null'] },
    meta: metaOf(['succeeded', 'replayed', 'pending']),
    error: { anyOf: [{ type: 'null' }, ERROR] },
  },
};
