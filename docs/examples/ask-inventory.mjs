// An agent's side of the main job, with the official MCP client: list the tools, page through a filtered search, read one
// vehicle with its price in four parts and its history, ask the dealer's own system whether it is still there, and see what
// a wrong argument answers. `node docs/examples/ask-inventory.mjs [MCP URL]`; the agent's key is read from FORECOURT_TOKEN or
// from .data/agent.key.
import { readFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const url = new URL(process.argv[2] ?? 'http://127.0.0.1:8080/mcp');
const client = new Client({ name: 'example-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const token = process.env.FORECOURT_TOKEN ?? (await readFile('.data/agent.key', 'utf8')).trim();
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }));

const { tools } = await client.listTools();
console.log('tools:', tools.map((tool) => tool.name).join(', '));

const call = async (name, args) => (await client.callTool({ name: `dealeragent.${name}`, arguments: args })).structuredContent;
const manifest = await call('discovery.get_manifest', {});
const organization_id = manifest.organization_ids[0];
console.log('serves:', organization_id, 'with', manifest.rooftop_ids.length, 'rooftops');

const search = { organization_id, filters: { make: ['honda', 'toyota'], condition: ['used', 'certified'] }, sort: { field: 'advertised_price', order: 'asc' } };
const found = [];
let cursor;
do {
  const page = await call('inventory.search', { ...search, page: { limit: 10, ...(cursor === undefined ? {} : { cursor }) } });
  if (cursor === undefined) console.log('by make:', page.facets.make.map((f) => `${f.value} ${f.count}`).join(', '));
  found.push(...page.vehicles);
  cursor = page.page.next_cursor;
} while (cursor !== undefined);
console.log('found:', found.length, 'used Hondas and Toyotas');

const everything = await call('inventory.search', { organization_id, sort: { field: 'observed_at', order: 'asc' }, page: { limit: 1 } });
const [oldest] = everything.vehicles;
console.log('seen longest ago:', oldest.year, oldest.make, oldest.model, `at ${oldest.rooftop_id}, ${oldest.freshness.state}: observed ${oldest.freshness.observed_at}, to be relied on until ${oldest.freshness.valid_until}`);

const { rooftop_id, vehicle_id } = found[0];
const vehicle = await call('inventory.get_vehicle', { organization_id, rooftop_id, vehicle_id });
const { amount } = vehicle.advertised_price;
console.log('cheapest:', vehicle.year, vehicle.make, vehicle.model, `${amount.amount_minor / 100} ${amount.currency},`, vehicle.freshness.state, `(${vehicle.availability.authority_status}, observed ${vehicle.freshness.observed_at})`);

const priced = await call('pricing.get_disclosure', { organization_id, rooftop_id, vehicle_id, payment_mode: 'cash' });
const parts = [`${priced.required_dealer_charges.length} required charges`, `${priced.conditional_adjustments.length} conditional adjustments`, `government charges ${priced.government_charges.status}`];
console.log('its price:', parts.join(', '), `(completeness ${priced.disclosure_completeness.score})`);

const used = await call('inventory.get_used_vehicle_details', { organization_id, rooftop_id, vehicle_id });
console.log('its past:', used.code ?? `${used.inventory_tenure.age_days} days in stock, ${used.history_reports.length} history reports, title ${used.title.status}`);

const verified = await call('inventory.verify_availability', { organization_id, rooftop_id, vehicle_id });
console.log('right now:', verified.code ?? `${verified.availability.status} (${verified.availability.authority_status}, until ${verified.availability.valid_until})`);

const error = await call('inventory.search', { organization_id, page: { limit: 1000 } });
console.log('a wrong argument:', error.code, JSON.stringify(error.details.field_errors));
await client.close();
