import type { OperationCatalog } from '../../operations/catalog.js';
import type { Operation } from '../../operations/operation.js';
import { DapErrorSchema } from './dap-error-schema.js';
import type { Era } from './result-writer.js';
import { SUPPORTED_REVISIONS } from './revisions.js';

/** How long clients may keep lists, milliseconds. Lists change only with a release of the gateway. */
const LIST_TTL_MS = 300_000;
const CACHE = `,"ttlMs":${LIST_TTL_MS},"cacheScope":"public"`;

const INSTRUCTIONS = [
  'Published inventory of one dealer group. Start with dealeragent.discovery.get_manifest, then dealeragent.inventory.search.',
  'Every fact carries its source and freshness. State stale facts as stale; availability here is dealer-asserted, never verified.',
  'The advertised price is not a quote: charges and taxes may come on top.',
].join(' ');

const CAPABILITIES = { tools: {}, resources: {} };

/** The lists and handshakes of both eras, serialised once. Each is the inside of a JSON-RPC result object. */
export class ProtocolDocuments {
  private readonly lists: Readonly<
    Record<Era, { readonly tools: string; readonly resources: string; readonly templates: string }>
  >;

  constructor(
    catalog: OperationCatalog,
    private readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string },
  ) {
    const tools = (era: Era): string =>
      `"tools":${JSON.stringify(catalog.all.map((operation) => toTool(operation, era)))}`;
    const resources = `"resources":${JSON.stringify(RESOURCES)}`;
    const templates = '"resourceTemplates":[]';
    this.lists = {
      modern: { tools: tools('modern') + CACHE, resources: resources + CACHE, templates: templates + CACHE },
      legacy: { tools: tools('legacy'), resources, templates },
    };
  }

  tools(era: Era): string {
    return this.lists[era].tools;
  }

  resources(era: Era): string {
    return this.lists[era].resources;
  }

  resourceTemplates(era: Era): string {
    return this.lists[era].templates;
  }

  discovery(): string {
    return `"supportedVersions":${JSON.stringify(SUPPORTED_REVISIONS)},"capabilities":${JSON.stringify(CAPABILITIES)},"instructions":${JSON.stringify(INSTRUCTIONS)}${CACHE}`;
  }

  initialization(revision: string): string {
    const older = { tools: { listChanged: false }, resources: { listChanged: false, subscribe: false } };
    return `"protocolVersion":"${revision}","capabilities":${JSON.stringify(older)},"serverInfo":${JSON.stringify(this.serverInfo)},"instructions":${JSON.stringify(INSTRUCTIONS)}`;
  }
}

const RESOURCES = [
  {
    uri: 'dealeragent://manifest',
    name: 'manifest',
    title: 'Capability manifest',
    description: 'What this gateway serves for the dealer group.',
    mimeType: 'application/json',
  },
];

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

/** A tool as listed: name, schemas, annotations, and DAP's safety metadata (DAP-CORE-012). */
function toTool(operation: Operation, era: Era): Record<string, unknown> {
  const { safety } = operation;
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: { $schema: DIALECT, ...operation.inputSchema },
    outputSchema: outputSchemaOf(operation, era),
    annotations: { title: operation.title, ...safety.annotations },
    _meta: {
      [META_KEY]: {
        profile: operation.profile,
        effect: safety.effect,
        public_access: safety.publicAccess,
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
