import { Type } from '@sinclair/typebox';
import type { CursorSealer } from '../kernel/cursor/cursor-sealer.js';
import { Failure } from '../kernel/failure/failure.js';
import { JsonBytes } from '../kernel/json-bytes.js';
import { closed, Freshness, Provenance, TraceId } from '../kernel/schema/dap-common.js';
import { rfc3339 } from '../kernel/time.js';
import type { InventoryReader, SearchOutcome } from '../modules/inventory/index.js';
import { normaliseQuery, queryHash, Vehicle } from '../modules/inventory/index.js';
import type { DealerDirectory } from '../modules/tenancy/index.js';
import type { Operation, OperationCall } from './operation.js';
import { PUBLIC_READ } from './operation.js';
import { checkSearchRequest } from './check-search-request.js';
import { SearchRequest } from './search-request.js';
import type { SearchScope } from './search-scope.js';
import { searchScopeOf } from './search-scope.js';

const Facet = Type.Object(
  { value: Type.Union([Type.String(), Type.Integer()]), count: Type.Integer({ minimum: 0 }) },
  closed,
);

const SearchResponse = Type.Object(
  {
    vehicles: Type.Array(Vehicle),
    facets: Type.Optional(Type.Record(Type.String(), Type.Array(Facet))),
    page: Type.Object(
      { has_more: Type.Boolean(), next_cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })) },
      closed,
    ),
    provenance: Provenance,
    freshness: Freshness,
    trace_id: TraceId,
  },
  closed,
);

/** What a search needs from the rest of the service. */
export interface SearchParts {
  readonly directory: DealerDirectory;
  readonly reader: InventoryReader;
  readonly cursors: CursorSealer;
}

/** `dealeragent.inventory.search`: a discovery snapshot over published units, each with its own rooftop, source and freshness. */
export function searchInventory(parts: SearchParts): Operation {
  return {
    name: 'dealeragent.inventory.search',
    title: 'Search published inventory',
    description:
      'Searches the published vehicles of the dealer group, across all its rooftops or those named. Filters, free text that forgives one wrong letter in make or model, sorting, counts by make, model, condition, year, type, availability, history and certification on the first page, and cursor paging. A VIN that several rooftops publish is several vehicles, each marked in its extensions. Results are dealer-asserted and not a promise of availability.',
    profile: 'dealeragent.inventory.read/0.1',
    scopes: ['dealeragent:inventory:read'],
    access: 'public',
    dataClass: 'public_inventory',
    retentionCategory: 'audit_event',
    rateClass: 'read',
    safety: {
      ...PUBLIC_READ,
      publicAccess: 'allowed_by_dealer_policy',
      idempotency: 'inherent_for_same_snapshot',
      piiOutput: 'none',
      freshnessAuthority: 'discovery_snapshot',
    },
    inputSchema: SearchRequest,
    outputSchema: SearchResponse,
    targetsOf: (input) => ({
      organizationId: (input as SearchRequest).organization_id,
      rooftopIds: (input as SearchRequest).rooftop_ids ?? [],
    }),
    run: async (call) => {
      const request = call.input as SearchRequest;
      const group = await parts.directory.find(call.organizationId);
      if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const scope = searchScopeOf(call, group, request.rooftop_ids);
      const inventory = await parts.reader.open(call.organizationId);
      checkSearchRequest(request, scope, inventory.currenciesOf(scope.rooftopIds));
      const { outcome, cursor } = findPage(parts, call, scope, inventory);
      return {
        body: compose(outcome, cursor, call),
        // An agent's record names all that its grant let it search, also where nothing was found (DAP security profile §4).
        rooftopIds: call.caller.kind === 'agent' ? scope.searched : outcome.rooftopIds,
        resourceIds: outcome.vehicleIds,
        preValidated: true,
      };
    },
  };
}

type Inventory = Awaited<ReturnType<InventoryReader['open']>>;

/** Opens the cursor before anything is looked up, searches, and seals the next one to the same query, caller and rooftops. */
function findPage(
  parts: SearchParts,
  call: OperationCall,
  scope: SearchScope,
  inventory: Inventory,
): { outcome: SearchOutcome; cursor: string | undefined } {
  const request = call.input as SearchRequest;
  const query = normaliseQuery(request, scope.rooftopIds);
  const binding = { queryHash: queryHash(query), contextHash: scope.contextHash };
  const given = request.page?.cursor;
  const after = given === undefined ? undefined : parts.cursors.open(given, binding, call.now).position;
  const visible = call.rooftops === 'all' ? null : call.rooftops;
  const outcome = inventory.search(after === undefined ? query : { ...query, after }, call.now, visible);
  const cursor =
    outcome.next === null ? undefined : parts.cursors.seal(binding, inventory.version, outcome.next, call.now);
  return { outcome, cursor };
}

const VEHICLES = JsonBytes.text('{"vehicles":');
const FACETS = JsonBytes.text(',"facets":');
const FRESHNESS = JsonBytes.text(',"freshness":');

/** Puts the answer together from serialised pieces; only the page, the provenance and the trace id are new. */
function compose(outcome: SearchOutcome, cursor: string | undefined, call: OperationCall): JsonBytes {
  const observedAt = rfc3339(outcome.freshnessBounds?.observedAt ?? call.now);
  const page = cursor === undefined ? '{"has_more":false}' : `{"has_more":true,"next_cursor":"${cursor}"}`;
  const provenance = `{"sources":[{"source_name":"published inventory of the group","authority":"derived","observed_at":"${observedAt}"}],"authority_status":"derived"}`;
  return JsonBytes.concat([
    VEHICLES,
    outcome.vehicles,
    ...(outcome.facets === null ? [] : [FACETS, outcome.facets]),
    FRESHNESS,
    outcome.freshness,
    JsonBytes.text(`,"page":${page},"provenance":${provenance},"trace_id":"${call.traceId}"}`),
  ]);
}
