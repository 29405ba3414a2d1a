import { Type } from '@sinclair/typebox';
import { MAX_VIOLATIONS } from '../../kernel/failure/violation.js';
import { LIMITS } from '../../kernel/limits.js';
import { closed, Freshness, Identifier, stringEnum, Timestamp, TraceId } from '../../kernel/schema/dap-common.js';
import type { DapCode } from './failure-map.js';
import { DAP_CODES } from './failure-map.js';

const FieldError = Type.Object(
  {
    instance_location: Type.String({ pattern: '^/' }),
    keyword: Type.String({ minLength: 1, maxLength: 80 }),
    explanation: Type.String({ minLength: 1, maxLength: 500 }),
  },
  closed,
);

/** The error object of a DAP tool as a schema (DAP error contract §1). */
export const DapErrorSchema = Type.Object(
  {
    error_id: Identifier,
    code: stringEnum(Object.keys(DAP_CODES) as DapCode[]),
    message: Type.String({ minLength: 1, maxLength: 500 }),
    retryable: Type.Boolean(),
    retry_after_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: LIMITS.retryAfterMsMax.value })),
    trace_id: TraceId,
    details: Type.Optional(
      Type.Object(
        {
          field_errors: Type.Optional(Type.Array(FieldError, { maxItems: MAX_VIOLATIONS })),
          current_freshness: Type.Optional(Freshness),
        },
        closed,
      ),
    ),
    created_at: Timestamp,
  },
  closed,
);
