/** An operation and its input, as the URI of a resource names them. */
export interface NamedResource {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export const MANIFEST_URI = 'dealeragent://manifest';
const SCHEME = 'dealeragent://';
/** As DAP has identifiers (common.schema.json, identifier). */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * Reads a reserved URI of DAP (DAP §3.4). It identifies and never authorizes: the operation that it names decides.
 * Undefined for everything that is not one.
 */
export function readResourceUri(uri: string): NamedResource | undefined {
  if (uri === MANIFEST_URI) return { operation: 'dealeragent.discovery.get_manifest', input: {} };
  const ids = idsOf(uri);
  if (ids === undefined) return undefined;
  const { organization, rooftop, vehicle, policy } = ids;
  if (policy !== undefined)
    return { operation: 'dealeragent.policy.get', input: { organization_id: organization, policy_id: policy } };
  if (vehicle !== undefined)
    return {
      operation: 'dealeragent.inventory.get_vehicle',
      input: { organization_id: organization, rooftop_id: rooftop, vehicle_id: vehicle },
    };
  return {
    operation: 'dealeragent.dealer.get',
    input: { organization_id: organization, ...(rooftop === undefined ? {} : { rooftop_ids: [rooftop] }) },
  };
}

type Ids = Readonly<Partial<Record<'organization' | 'rooftop' | 'vehicle' | 'policy', string>>>;

const SHAPES: readonly string[] = [
  'organization',
  'organization/rooftop',
  'organization/rooftop/vehicle',
  'organization/policy',
];

/** `organization/{id}/rooftop/{id}/…` as a record; ids may be percent-encoded, as URI templates expand them. */
function idsOf(uri: string): Ids | undefined {
  if (!uri.startsWith(SCHEME) || uri.length > 1024) return undefined;
  const parts = uri.slice(SCHEME.length).split('/');
  if (parts.length % 2 !== 0) return undefined;
  const names = parts.filter((_, i) => i % 2 === 0);
  const ids = parts.filter((_, i) => i % 2 === 1).map(decoded);
  if (!SHAPES.includes(names.join('/')) || !ids.every((id) => ID.test(id))) return undefined;
  return Object.fromEntries(names.map((name, i) => [name, ids[i]]));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
