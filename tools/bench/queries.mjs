// What the benchmark asks. Every function makes request bodies that differ as real callers' do.
const rpc = (name, args) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

export const search = (organizationId, rest) =>
  rpc('dealeragent.inventory.search', { organization_id: organizationId, page: { limit: 10 }, ...rest });
export const getVehicle = (organizationId, [rooftopId, vehicleId]) =>
  rpc('dealeragent.inventory.get_vehicle', {
    organization_id: organizationId,
    rooftop_id: rooftopId,
    vehicle_id: vehicleId,
  });

const MODERN = '2026-07-28';

/** The same call in MCP 2026-07-28, which the SDK answers as JSON like we do; its older leg answers as an event stream. */
export function modernly(body) {
  const request = JSON.parse(body);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({ ...request, params: { ...request.params, _meta: meta } });
}

export const modernHeaders = (tool) => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': MODERN,
  'mcp-method': 'tools/call',
  'mcp-name': tool,
});

const MAKES = [
  'Honda',
  'Toyota',
  'Ford',
  'Chevrolet',
  'GMC',
  'Jeep',
  'Ram',
  'Nissan',
  'Hyundai',
  'Kia',
  'Subaru',
  'Mazda',
  'Volkswagen',
  'BMW',
  'Audi',
  'Lexus',
  'Volvo',
  'Tesla',
];
const WORDS = [
  'accord',
  'f-150',
  'rav4 limited',
  'sierra denali',
  'model y',
  'used honda',
  '2022 jeep',
  'crew cab',
  'wrangler rubicon',
  'x3',
];
const SORTS = [
  undefined,
  { field: 'advertised_price', order: 'asc' },
  { field: 'advertised_price', order: 'desc' },
  { field: 'year', order: 'desc' },
  { field: 'odometer', order: 'asc' },
];
const usd = (dollars) => ({ amount_minor: dollars * 100, currency: 'USD' });

/** `count` different mixed filters; `round` makes a set that shares none with another round's. */
export function mixedFilters(count, round = 0) {
  return Array.from({ length: count }, (_, n) => {
    const i = n + round * count;
    const filters = { price_max: usd(20_000 + i * 7) };
    if (i % 2 === 0) filters.make = [MAKES[i % MAKES.length], MAKES[(i * 7 + 3) % MAKES.length]];
    if (i % 3 === 0) filters.condition = [['new'], ['used'], ['used', 'certified']][i % 3 === 0 ? (i / 3) % 3 : 0];
    if (i % 4 === 1) filters.year_min = 2014 + (i % 12);
    if (i % 5 === 2) filters.odometer_max = { value: 20_000 + (i % 90) * 1000, unit: i % 2 === 0 ? 'mi' : 'km' };
    if (i % 7 === 3) filters.vehicle_type = [['suv'], ['truck', 'van'], ['car']][i % 3];
    return {
      filters,
      ...(i % 6 === 5 ? { query: WORDS[i % WORDS.length] } : {}),
      ...(SORTS[i % SORTS.length] === undefined ? {} : { sort: SORTS[i % SORTS.length] }),
    };
  });
}

/** Cycles through a list. */
export function cycle(list) {
  let at = 0;
  return () => list[at++ % list.length];
}
