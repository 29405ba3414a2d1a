// `npm run bench`: what an answer costs, against a constant answer of bare node:http and bare Fastify in the same run.
// Ratios of CPU time are what counts: machines are shared and noisy. `-- --units 20000 --rooftops 60 --rounds 2` makes it smaller.
import { parseArgs } from 'node:util';
import { closedLoop, openLoop, peakMiB } from './bench/load.mjs';
import { letAgentsIn, startIssuer } from './bench/agents.mjs';
import { importInventory } from './bench/import-inventory.mjs';
import { makeGroup, prepareService, startBaseline, startSdkServer } from './bench/prepare-service.mjs';
import { cycle, getVehicle, mixedFilters, modernHeaders, modernly, search } from './bench/queries.mjs';
import { prepare } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    units: { type: 'string', default: '100000' },
    rooftops: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '1000' },
  },
});
const [units, rooftops, rounds, seconds, rate] = [
  values.units,
  values.rooftops,
  values.rounds,
  values.seconds,
  values.rate,
].map(Number);
const CONNECTIONS = 32;
const FILTERS = 500;
const BY_KEY = 'get_vehicle, agent with a key';
const BY_TOKEN = 'get_vehicle, agent with a JWT';
const SDK_HIGH = 'SDK McpServer, empty handlers';
const SDK_LOW = 'SDK low-level Server, empty handlers';

prepare((line) => console.log(`${line} …`));
const large = makeGroup('org.large', rooftops);
const small = makeGroup('org.small', 3);
const exported = makeGroup('org.exported', rooftops);
const issuer = await startIssuer();
const service = await prepareService([large, small, exported], issuer.env);
const http = await startBaseline('http');
const fastify = await startBaseline('fastify');
const started = [];
try {
  await measure();
} finally {
  http.stop();
  fastify.stop();
  for (const server of started) server.stop();
  await service.stop();
  issuer.stop();
}

async function measure() {
  const imported = await importInventory(service, large, units);
  reportImport('import, one file a rooftop', imported);
  reportImport(
    'import, one file of the whole group',
    await importInventory(service, exported, units, { wholeGroup: true }),
  );
  await importInventory(service, small, 1000);

  const vehicles = await listVehicles(large.organizationId, 2000);
  const filters = mixedFilters(FILTERS).map((q) => search(large.organizationId, q));
  const smallFilters = mixedFilters(FILTERS).map((q) => search(small.organizationId, q));
  const constant = getVehicle(large.organizationId, vehicles[0]);
  const targets = {
    'node:http constant': at(http, () => constant),
    'Fastify constant': at(fastify, () => constant),
    get_vehicle: mcp(large, cycle(vehicles.map((v) => getVehicle(large.organizationId, v)))),
    ...(await modernCalls(vehicles.map((v) => modernly(getVehicle(large.organizationId, v))))),
    ...(await agentCalls(vehicles.map((v) => getVehicle(large.organizationId, v)))),
    'search unfiltered, warm': mcp(large, () => search(large.organizationId, {})),
    'search filtered, warm': mcp(large, cycle(filters)),
    'search filtered, warm, 1,000 units': mcp(small, cycle(smallFilters)),
  };

  await settle(targets);
  const cold = await measureCold();
  const loops = await interleave(targets);
  const base = loops['Fastify constant'];
  console.log('\nclosed loop, interleaved rounds; CPU is the server process, median of rounds');
  table(
    Object.entries(loops).map(([name, s]) => [
      name,
      `${s.cpuMicros.toFixed(1)} µs`,
      `${(s.cpuMicros / base.cpuMicros).toFixed(2)} ×`,
      `${s.perSecond.toFixed(0)}/s`,
      `p50 ${s.p50.toFixed(2)}`,
      `p99 ${s.p99.toFixed(2)} ms`,
    ]),
  );
  const ours = loops['get_vehicle, 2026-07-28'].cpuMicros;
  report(
    'get_vehicle of 2026-07-28 against the SDK with the same tools and empty handlers',
    `${(ours / loops[SDK_HIGH].cpuMicros).toFixed(3)} of the CPU of its McpServer (aim: at most 0.2), ${(ours / loops[SDK_LOW].cpuMicros).toFixed(3)} of its low-level Server`,
  );
  for (const name of [BY_KEY, BY_TOKEN])
    report(
      `${name} against anonymous`,
      `${(loops[name].cpuMicros / loops.get_vehicle.cpuMicros).toFixed(2)} × the CPU (aim: at most 1.3)`,
    );
  report(
    'cold search with facets',
    `${(cold.cpuMicros / 1000).toFixed(2)} ms of CPU each, over ${cold.requests} filters asked once at ${units} units; p50 ${cold.p50.toFixed(1)} ms, p99 ${cold.p99.toFixed(1)} ms`,
  );
  report(
    'warm search, growth from 1,000 to all units',
    `${(loops['search filtered, warm'].cpuMicros / loops['search filtered, warm, 1,000 units'].cpuMicros).toFixed(2)} ×`,
  );

  console.log(`\nopen loop, ${rate} requests/s for each: CPU and p99 against bare Fastify's at the same load`);
  const open = await interleaveOpen(targets);
  const openBase = open['Fastify constant'];
  table(
    Object.entries(open).map(([name, s]) => [
      name,
      `${s.cpuMicros.toFixed(0)} µs`,
      `${(s.cpuMicros / openBase.cpuMicros).toFixed(2)} ×`,
      `p50 ${s.p50.toFixed(2)} ms`,
      `p99 ${s.p99.toFixed(2)} ms`,
      `${(s.p99 / openBase.p99).toFixed(2)} ×`,
    ]),
  );
  report('peak memory of the service', `${peakMiB(service.pid)} MiB`);
}

function at(server, next, headers) {
  return { origin: server.origin, pid: server.pid, path: '/mcp', next, headers };
}

/** One vehicle asked for in the modern revision: of the service, and of the SDK's handlers with the same tools. */
async function modernCalls(bodies) {
  const tool = 'dealeragent.inventory.get_vehicle';
  const headers = modernHeaders(tool);
  const own = { ...mcp(large, cycle(bodies)), headers };
  const ask = async (body, more) => {
    const response = await fetch(own.origin + own.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...more },
      body,
    });
    return (await response.json()).result;
  };
  const listing = { ...JSON.parse(bodies[0]), method: 'tools/list' };
  const { tools } = await ask(JSON.stringify(listing), { 'mcp-method': 'tools/list' });
  const { structuredContent } = await ask(bodies[0]);
  const high = await startSdkServer('sdk-high', tools, structuredContent);
  const low = await startSdkServer('sdk-low', tools, structuredContent);
  started.push(high, low);
  for (const { origin } of [high, low]) {
    const answered = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: bodies[0],
    });
    if ((await answered.json()).result?.structuredContent === undefined)
      throw new Error('a handler of the SDK does not answer the call that is measured');
  }
  return {
    'get_vehicle, 2026-07-28': own,
    [SDK_HIGH]: at(high, cycle(bodies), headers),
    [SDK_LOW]: at(low, cycle(bodies), headers),
  };
}

/** The same vehicles, asked for by agents: credential, grant, policy, limits of subject, key and rooftop, and audit on top. */
async function agentCalls(bodies) {
  const as = await letAgentsIn(service, large, issuer);
  const targets = {};
  for (const [name, authorization] of [
    [BY_KEY, as.key],
    [BY_TOKEN, as.token],
  ]) {
    const target = { ...mcp(large, cycle(bodies)), headers: { authorization } };
    const response = await fetch(target.origin + target.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: bodies[0],
    });
    const { result } = await response.json();
    if (result?.isError !== false) throw new Error(`${name} is answered ${response.status}`);
    targets[name] = target;
  }
  return targets;
}

function mcp(group, next) {
  return { origin: service.origin, pid: service.pid, path: `/organizations/${group.organizationId}/mcp`, next };
}

/** Every target a while, so that code is compiled and every warm filter has been asked. */
async function settle(targets) {
  for (const target of Object.values(targets))
    await closedLoop(target, { connections: CONNECTIONS, requests: 2 * FILTERS });
}

/** Filters that nobody has asked in this snapshot, each once. */
function measureCold() {
  const fresh = Array.from({ length: 3 }, (_, round) => mixedFilters(FILTERS, round + 1))
    .flat()
    .map((q) => search(large.organizationId, q));
  return closedLoop(mcp(large, cycle(fresh)), { connections: 2, requests: fresh.length });
}

async function interleave(targets) {
  const runs = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, target] of Object.entries(targets))
      runs[name].push(await closedLoop(target, { connections: CONNECTIONS, seconds }));
  return Object.fromEntries(Object.entries(runs).map(([name, list]) => [name, median(list)]));
}

async function interleaveOpen(targets) {
  const runs = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, target] of Object.entries(targets)) runs[name].push(await openLoop(target, { rate, seconds }));
  return Object.fromEntries(Object.entries(runs).map(([name, list]) => [name, median(list)]));
}

function median(list) {
  const middle = (key) => list.map((s) => s[key]).sort((a, b) => a - b)[Math.floor(list.length / 2)];
  return Object.fromEntries(Object.keys(list[0]).map((key) => [key, middle(key)]));
}

async function listVehicles(organizationId, count) {
  const found = [];
  let cursor;
  do {
    const body = search(organizationId, { page: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } });
    const response = await fetch(`${service.origin}/organizations/${organizationId}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const page = (await response.json()).result.structuredContent;
    found.push(...page.vehicles.map((v) => [v.rooftop_id, v.vehicle_id]));
    cursor = page.page.next_cursor;
  } while (cursor !== undefined && found.length < count);
  return found;
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`);
}

function reportImport(name, i) {
  report(
    name,
    `${i.files} file(s), ${i.rows} rows, ${i.megabytes.toFixed(0)} MB: ${i.rowsPerSecond.toFixed(0)} rows/s, ${i.cpuMicrosPerRow.toFixed(0)} µs of server CPU a row, resident ${i.residentBeforeMiB} → peak ${i.peakMiB} MiB`,
  );
}

function report(name, text) {
  console.log(`${name}: ${text}`);
}
