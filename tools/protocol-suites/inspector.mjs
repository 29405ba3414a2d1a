// The Inspector's command line against the demo group: the list, every tool with success, and every error that the demo group
// has without anything being broken for it. The rest of the sixteen codes needs states that only a test makes.
import { join } from 'node:path';
import { absentVehicle, SEARCH, searchArguments, VEHICLE } from './clients/calls.mjs';
import { FOLDER, runNode22 } from './node22.mjs';

const INSPECTOR = join(FOLDER, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const VERIFY = 'dealeragent.inventory.verify_availability';

/** @param service with the demo group, and the token of its agent */
export async function runInspector({ endpoint, organizationId, agentToken }) {
  const organization = { organization_id: organizationId };
  const results = [];
  for (const era of ['legacy', 'modern']) {
    const inspect = (token, ...args) => {
      const header = token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`];
      return runNode22(INSPECTOR, [
        ...['--cli', endpoint, '--transport', 'http', '--protocol-era', era, '--stored-auth-only'],
        ...header,
        ...args,
      ]);
    };
    const call = (tool, args, token) => {
      const named = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${text(value)}`]);
      return inspect(token, '--method', 'tools/call', '--tool-name', tool, ...named);
    };
    const judge = (what, run, word) => results.push(told(`inspector (${era}) ${what}`, run, run.output.includes(word)));

    const list = await inspect(undefined, '--strict', '--method', 'tools/list');
    results.push(told(`inspector (${era}) lists the tools and finds no fault in their schemas`, list, list.code === 0));
    const found = await call(SEARCH, {
      ...organization,
      rooftop_ids: ['roof.downtown'],
      filters: { condition: ['used'] },
    });
    judge(`calls ${SEARCH}`, found, 'vehicle_id');
    const vehicle_id = /veh\.[a-z2-7]{20,}/.exec(found.stdout)?.[0] ?? '';
    const unit = { ...organization, rooftop_id: 'roof.downtown', vehicle_id };
    for (const { tool, args, word } of successes(organization, unit))
      judge(`calls ${tool}`, await call(tool, args, agentToken), word);
    // The newer era's list does not describe errors (decision record 0019), so that one is enough to see what it makes of them.
    const failing = failures(organizationId, unit, agentToken);
    for (const { code, tool, args, token } of era === 'legacy' ? failing : failing.slice(0, 1))
      judge(`is told ${code}`, await call(tool, args, token), `dealeragent.${code}`);
  }
  return results;
}

const successes = (organization, unit) => [
  { tool: 'dealeragent.discovery.get_manifest', args: {}, word: 'dealer-agent-protocol' },
  { tool: 'dealeragent.dealer.get', args: organization, word: 'Harbor Downtown' },
  { tool: VEHICLE, args: unit, word: 'advertised_price' },
  { tool: 'dealeragent.inventory.get_used_vehicle_details', args: unit, word: 'history_reports' },
  { tool: 'dealeragent.pricing.get_disclosure', args: unit, word: 'disclosure_completeness' },
  { tool: VERIFY, args: unit, word: 'authoritative' },
];

const failures = (organizationId, unit, token) => [
  { code: 'resource.not_found', tool: VEHICLE, args: absentVehicle(organizationId) },
  { code: 'validation.invalid', tool: VEHICLE, args: { ...unit, vin: '1HGCM82633A004352' } },
  {
    code: 'capability.unsupported',
    tool: SEARCH,
    args: {
      ...searchArguments(organizationId),
      rooftop_ids: ['roof.westside'],
      filters: { inventory_age_max_days: 30 },
    },
  },
  { code: 'auth.required', tool: VERIFY, args: unit },
  { code: 'auth.invalid', tool: VEHICLE, args: unit, token: 'fck_nobody_nothing' },
  { code: 'tenant.forbidden', tool: VERIFY, args: { ...unit, rooftop_id: 'roof.elsewhere' }, token },
];

const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function told(name, { code, output }, holds) {
  return { name, ...(holds ? {} : { problem: `it ended with ${code}: ${output.slice(-500)}` }) };
}
