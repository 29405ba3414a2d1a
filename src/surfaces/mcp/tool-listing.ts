import type { Operation } from '../../operations/operation.js';
import { DapErrorSchema } from './dap-error-schema.js';
import type { OfferedTool } from './offered-tools.js';
import type { Era } from './result-writer.js';
import type { ToolNames } from './tool-names.js';
import { listedName } from './tool-names.js';

const META_KEY = 'com.dealeragentprotocol/safety';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Older clients hold the structured content of errors, too, against the output schema and would throw where the model should
 * read the error. So the older list says what is true of both: the answer or DAP's error object (decision record 0019).
 */
function outputSchemaOf(operation: Operation, era: Era): object {
  if (era === 'modern') return { $schema: DIALECT, ...operation.outputSchema };
  return { $schema: DIALECT, type: 'object', anyOf: [operation.outputSchema, DapErrorSchema] };
}

/** The catalog's word, unless the dealer's policy closed to everyone without a grant what the catalog leaves to it. */
function publicAccessOf({ safety }: Operation, openToAll: boolean): string {
  return safety.publicAccess === 'allowed_by_dealer_policy' && !openToAll ? 'authenticated' : safety.publicAccess;
}

/**
 * A tool as listed: name, schemas, annotations, and DAP's safety metadata (DAP-CORE-012). Every word of it is ours: nothing
 * of a feed or of a group's settings can stand here (DAP security profile §7).
 */
export function listedTool({ operation, openToAll }: OfferedTool, era: Era, names: ToolNames): Record<string, unknown> {
  const { safety } = operation;
  return {
    name: listedName(operation.name, names),
    title: operation.title,
    description: operation.description,
    inputSchema: { $schema: DIALECT, ...operation.inputSchema },
    outputSchema: outputSchemaOf(operation, era),
    annotations: { title: operation.title, ...safety.annotations },
    _meta: {
      [META_KEY]: {
        profile: operation.profile,
        effect: safety.effect,
        public_access: publicAccessOf(operation, openToAll),
        confirmation: safety.confirmation,
        idempotency: safety.idempotency,
        pii_input: safety.piiInput,
        pii_output: safety.piiOutput,
        retention: safety.retention,
        reversible: safety.reversible,
        legal_or_financial_commitment: safety.legalOrFinancialCommitment,
        freshness_authority: safety.freshnessAuthority,
        audit: safety.audit,
      },
    },
  };
}
