// Clients that others wrote, against the running service: each lists the tools, calls one with success and one with a
// documented error. Returns a list of { name, problem?, reason? }; a reason marks what fails as expected.
import { join } from 'node:path';
import { absentVehicle, SEARCH, searchArguments, VEHICLE } from './clients/calls.mjs';
import { FOLDER, runNode22 } from './node22.mjs';

const CLIENTS = ['ai-sdk', 'openai-agents', 'langchain', 'mcp-remote'];
const NOT_FOUND = 'dealeragent.resource.not_found';
const INSPECTOR = join(FOLDER, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** Shortcomings of a client that we know of. One that is gone fails the run, so that its line goes, too. */
const EXPECTED_PROBLEMS = {
  'inspector (modern) is told a documented error':
    'the Inspector holds the structured content of an error against the output schema and shows its own complaint instead',
};

export async function runForeignClients(service) {
  const results = [];
  for (const name of CLIENTS) results.push(...(await runClient(name, service)));
  results.push(...(await runInspector(service)));
  return results.map(judgeByExpectation);
}

function judgeByExpectation({ name, problem }) {
  const reason = EXPECTED_PROBLEMS[name];
  if (reason === undefined) return { name, ...(problem === undefined ? {} : { problem }) };
  return problem === undefined ? { name, problem: 'it was expected to fail and does not' } : { name, reason };
}

async function runClient(name, { endpoint, organizationId }) {
  const { code, stdout, output } = await runNode22(join(FOLDER, 'clients', `${name}.mjs`), [endpoint, organizationId]);
  const seen = code === 0 ? JSON.parse(stdout.trim().split('\n').at(-1)) : undefined;
  const judged = (what, holds) =>
    seen === undefined
      ? { name: `${name} ${what}`, problem: `it ended with ${code}: ${output.slice(-500)}` }
      : { name: `${name} ${what}`, ...(holds(seen) ? {} : { problem: JSON.stringify(seen).slice(0, 500) }) };
  return [
    judged('lists the tools', ({ tools }) => [SEARCH, VEHICLE].every((tool) => tools.includes(tool))),
    judged('calls a tool', ({ success }) => JSON.stringify(success).includes('vehicle_id') && !success.isError),
    judged('is told a documented error', ({ failure }) => JSON.stringify(failure).includes(NOT_FOUND)),
  ];
}

async function runInspector({ endpoint, organizationId }) {
  const inspect = (era, ...args) =>
    runNode22(INSPECTOR, ['--cli', endpoint, '--transport', 'http', '--protocol-era', era, ...args]);
  const call = (era, tool, args) =>
    inspect(
      era,
      '--method',
      'tools/call',
      '--tool-name',
      tool,
      ...Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${text(value)}`]),
    );
  const results = [];
  for (const era of ['legacy', 'modern']) {
    const list = await inspect(era, '--strict', '--method', 'tools/list');
    results.push(told(`inspector (${era}) lists the tools and finds no fault in their schemas`, list, list.code === 0));
    const success = await call(era, SEARCH, searchArguments(organizationId));
    results.push(told(`inspector (${era}) calls a tool`, success, success.stdout.includes('vehicle_id')));
    const failure = await call(era, VEHICLE, absentVehicle(organizationId));
    results.push(told(`inspector (${era}) is told a documented error`, failure, failure.output.includes(NOT_FOUND)));
  }
  return results;
}

const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function told(name, { code, output }, holds) {
  return { name, ...(holds ? {} : { problem: `it ended with ${code}: ${output.slice(-500)}` }) };
}
